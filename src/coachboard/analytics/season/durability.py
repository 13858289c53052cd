"""Durability: power at the same intensity after prior work, from laps."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from coachboard.analytics.frames import CHANGE_PCT, EFFORTS, POWER_W, WORK_BIN_KJ_PER_KG

BIN_EDGES_KJ_PER_KG = (0.0, 10.0, 20.0, 30.0, 40.0, 50.0)
MINIMUM_EFFORTS = 3
"""Fewest efforts of a bin; a choice of this project."""


def change_pct(fresh_w: float, tired_w: float) -> float:
    """Power after prior work vs power when fresh.

    Parameters
    ----------
    fresh_w, tired_w : float
        Power without and with work before it. [W]

    Returns
    -------
    float
        (tired − fresh) / fresh; NaN where fresh is 0 or either is missing. [%]

    References
    ----------
    Maunder et al. (2021), Sports Med 51:1619, doi:10.1007/s40279-021-01459-0.

    Examples
    --------
    >>> round(change_pct(420, 400), 2)
    -4.76
    """
    return (tired_w - fresh_w) / fresh_w * 100 if fresh_w else float("nan")


def power_by_work(power_w: ArrayLike, work_before_kj: ArrayLike, *, weight_kg: float) -> pd.DataFrame:
    """Median lap power by prior work.

    Parameters
    ----------
    power_w : array_like, shape (n,)
        Average power of laps of one intensity. [W]
    work_before_kj : array_like, shape (n,)
        Work since the start, before each lap. [kJ]
    weight_kg : float
        Body weight. [kg]

    Returns
    -------
    DataFrame
        One row a bin: WORK_BIN_KJ_PER_KG (lower edge), EFFORTS, POWER_W (median, NaN below three efforts),
        CHANGE_PCT against the first bin.

    Notes
    -----
    Bins begin at 0, 10, 20, 30, 40, 50 kJ/kg, the last one open. Work alone ignores how hard it was: show the
    intensity of the laps compared. *Missing data*: laps without power or work are left out.

    Examples
    --------
    >>> table = power_by_work([300, 300, 300, 285, 285, 285], [0, 50, 100, 900, 900, 950], weight_kg=70)
    >>> table[CHANGE_PCT].head(2).tolist()
    [0.0, -5.0]
    """
    if not weight_kg > 0:
        raise ValueError(f"weight_kg must be positive, got {weight_kg}")
    power = np.asarray(power_w, dtype=np.float64)
    work = np.asarray(work_before_kj, dtype=np.float64) / weight_kg
    known = ~np.isnan(power) & ~np.isnan(work)
    bins = np.digitize(work[known], BIN_EDGES_KJ_PER_KG) - 1
    efforts = [power[known][bins == n] for n in range(len(BIN_EDGES_KJ_PER_KG))]
    medians = [float(np.median(e)) if len(e) >= MINIMUM_EFFORTS else float("nan") for e in efforts]
    return pd.DataFrame(
        {
            WORK_BIN_KJ_PER_KG: BIN_EDGES_KJ_PER_KG,
            EFFORTS: [len(e) for e in efforts],
            POWER_W: medians,
            CHANGE_PCT: [change_pct(medians[0], median) for median in medians],
        }
    )
