"""Durability: power at the same intensity after prior work, from laps."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from coachboard.formulas.frames import CHANGE_PCT, EFFORTS, POWER_W, WORK_BIN_KJ_PER_KG
from coachboard.formulas.season.relation import t_95

BIN_EDGES_KJ_PER_KG = (0.0, 10.0, 20.0, 30.0, 40.0, 50.0)
MINIMUM_EFFORTS = 3
"""Fewest efforts of a bin; a choice of this project."""
SLOPE_EFFORTS, SLOPE_SESSIONS = 20, 5
"""Fewest efforts and sessions of a slope; a choice of this project."""
SLOPE_PER_KJ_PER_KG = 10.0


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

    Notes
    -----
    (tired − fresh) / fresh.

    *Missing data*: no value without power when fresh.

    *Worked example*: 420 W fresh and 400 W after work: (400 − 420) / 420 = −4.76 %.

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
        One row a bin: WORK_BIN_KJ_PER_KG (lower edge), EFFORTS, POWER_W (median, No value below three efforts),
        CHANGE_PCT against the first bin.

    Notes
    -----
    Bins begin at 0, 10, 20, 30, 40, 50 kJ/kg, the last one open. Work alone ignores how hard it was: show the
    intensity of the laps compared. *Missing data*: laps without power or work are left out.

    *Worked example*: 70 kg; 300 W in laps after 0 to 100 kJ, 285 W after 900 kJ (13 kJ/kg): (285 − 300) / 300 =
    −5.0 %.

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
    is_measured = ~np.isnan(power) & ~np.isnan(work)
    bins = np.digitize(work[is_measured], BIN_EDGES_KJ_PER_KG) - 1
    efforts = [power[is_measured][bins == n] for n in range(len(BIN_EDGES_KJ_PER_KG))]
    medians = [float(np.median(e)) if len(e) >= MINIMUM_EFFORTS else float("nan") for e in efforts]
    return pd.DataFrame(
        {
            WORK_BIN_KJ_PER_KG: BIN_EDGES_KJ_PER_KG,
            EFFORTS: [len(e) for e in efforts],
            POWER_W: medians,
            CHANGE_PCT: [change_pct(medians[0], median) for median in medians],
        }
    )


@dataclass(frozen=True, slots=True)
class DurabilitySlope:
    """Change of power per 10 kJ/kg of prior work with its 95 % interval; NaN with too few efforts."""

    change_pct: float
    low: float
    high: float
    efforts: int
    sessions: int

    @property
    def is_known(self) -> bool:
        """Whether there are enough efforts."""
        return not np.isnan(self.change_pct)

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval excludes zero."""
        return self.low > 0 or self.high < 0


def durability_slope(
    power_w: ArrayLike, work_before_kj: ArrayLike, session: Sequence[Hashable], *, weight_kg: float
) -> DurabilitySlope:
    """Change of lap power with prior work inside sessions, with its 95 % interval.

    Parameters
    ----------
    power_w : array_like, shape (n,)
        Average power of laps of one intensity. [W]
    work_before_kj : array_like, shape (n,)
        Work since the start, before each lap. [kJ]
    session : sequence, length n
        The session of each lap.
    weight_kg : float
        Body weight. [kg]

    Returns
    -------
    DurabilitySlope
        Percent of the mean power of these laps per 10 kJ/kg; the laps and sessions used.

    Notes
    -----
    Least squares of power on work per kg, each less its mean in the session, so that a strong day with much work does
    not look durable. Interval: slope ± t × standard error with n − sessions − 1 degrees of freedom. Laps ridden at a
    target show pacing, not the most the athlete could do.

    *Missing data*: laps without power or work are left out, and sessions with a single lap of the intensity. No value below
    20 laps or 5 sessions, and where no session has laps after different work.

    *Worked example*: two laps a session, the second 14 kJ/kg later and 7 W lower at a mean of 250 W: −5 W per 10 kJ/kg,
    −2 %.

    References
    ----------
    Maunder et al. (2021), Sports Med 51:1619, doi:10.1007/s40279-021-01459-0.

    Examples
    --------
    >>> found = durability_slope([253.5, 246.5] * 10, [0, 980] * 10, np.repeat(range(10), 2), weight_kg=70)
    >>> round(found.change_pct, 2), found.efforts, found.sessions
    (-2.0, 20, 10)
    """
    if not weight_kg > 0:
        raise ValueError(f"weight_kg must be positive, got {weight_kg}")
    laps = pd.DataFrame(
        {
            "session": list(session),
            "power": np.asarray(power_w, np.float64),
            "work": np.asarray(work_before_kj, np.float64) / weight_kg,
        }
    ).dropna()
    laps = laps[laps.groupby("session")["power"].transform("size") > 1]
    efforts, sessions = len(laps), int(laps["session"].nunique())
    nothing = DurabilitySlope(float("nan"), float("nan"), float("nan"), efforts, sessions)
    if efforts < SLOPE_EFFORTS or sessions < SLOPE_SESSIONS:
        return nothing
    inside = laps[["power", "work"]] - laps.groupby("session")[["power", "work"]].transform("mean")
    power, work = inside["power"].to_numpy(), inside["work"].to_numpy()
    spread, mean_w = float(work @ work), float(laps["power"].mean())
    if spread <= 0 or mean_w <= 0:
        return nothing
    slope = float(work @ power) / spread
    freedom = efforts - sessions - 1
    rest = power - slope * work
    half = t_95(freedom) * float(np.sqrt(rest @ rest / freedom / spread))
    scale = SLOPE_PER_KJ_PER_KG / mean_w * 100
    return DurabilitySlope(slope * scale, (slope - half) * scale, (slope + half) * scale, efforts, sessions)
