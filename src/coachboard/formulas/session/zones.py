"""Time in intensity zones by power, heart rate and speed, with the name of each zone model; and at each value."""

import bisect
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coachboard.wire.enums import LapIntensity


@dataclass(frozen=True, slots=True)
class Band:
    """A zone from `low` up to, not including, `high`."""

    name: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class BandModel:
    """A zone model: its name, the 100 % value of its limits, and the zones in ascending order."""

    name: str
    reference: str
    bands: tuple[Band, ...]

    @property
    def edges(self) -> NDArray[np.float64]:
        """The lower limits of all zones but the first, in percent."""
        return np.array([band.low for band in self.bands[1:]])


# "Neuromuscular above 180": 180 itself is still anaerobic; every other limit belongs to the zone above it.
_ABOVE_180 = math.nextafter(180.0, math.inf)


def _bands(*rows: tuple[str, float]) -> tuple[Band, ...]:
    highs = [low for _, low in rows[1:]] + [math.inf]
    return tuple(Band(name, low, high) for (name, low), high in zip(rows, highs, strict=True))


POWER_BANDS = BandModel(
    "lap intensities",
    "critical power",
    _bands(
        (LapIntensity.AEROBIC, 0.0),
        (LapIntensity.TEMPO, 70.0),
        (LapIntensity.THRESHOLD, 90.0),
        (LapIntensity.VO2MAX, 105.0),
        (LapIntensity.ANAEROBIC, 130.0),
        (LapIntensity.NEUROMUSCULAR, _ABOVE_180),
    ),
)
"""The zones of the service's lap intensities; recovery has none."""

SPEED_BANDS = BandModel(
    "lap intensities by speed (own limits)",
    "critical speed",
    _bands(
        (LapIntensity.AEROBIC, 0.0),
        (LapIntensity.TEMPO, 84.0),
        (LapIntensity.THRESHOLD, 95.0),
        (LapIntensity.VO2MAX, 102.0),
        (LapIntensity.ANAEROBIC, 115.0),
        (LapIntensity.NEUROMUSCULAR, 130.0),
    ),
)
"""Narrower than by power, because the cost of running rises with speed while W' allows less above critical speed."""

_FRIEL_PACES_PCT = (129, 114, 106, 100, 97, 90)
"""Limits of Friel's zones for running as percent of the threshold pace: a higher percentage is slower."""
_FRIEL_NAMES = ("zone 1", "zone 2", "zone 3", "zone 4", "zone 5a", "zone 5b", "zone 5c")

FRIEL_PACE_BANDS = BandModel(
    "Friel, seven zones of pace",
    "critical speed",
    _bands(*zip(_FRIEL_NAMES, (0.0, *(10_000 / pct for pct in _FRIEL_PACES_PCT)), strict=True)),
)
"""Friel, The Triathlete's Training Bible: 129, 114, 106, 100, 97 and 90 % of the threshold pace, here critical speed.
Where his zones 4 and 5a overlap, 100 % of the pace is the limit."""

DOMAIN_BANDS = BandModel(
    "three domains (own lower limit)",
    "critical speed",
    _bands(("moderate", 0.0), ("heavy", 82.0), ("severe", 100.0)),
)
"""Moderate below the lactate threshold, heavy up to critical speed, severe above it; 82 % for the lactate threshold is a
choice of this project."""

PACE_BANDS: Mapping[str, BandModel] = MappingProxyType(
    {"intensities": SPEED_BANDS, "friel": FRIEL_PACE_BANDS, "domains": DOMAIN_BANDS}
)
"""The zone systems for pace that a user can choose, the first by default."""

HEART_RATE_BANDS = BandModel(
    "five bands by tenths",
    "maximum heart rate",
    _bands(("below 60", 0.0), ("60 to 70", 60.0), ("70 to 80", 70.0), ("80 to 90", 80.0), ("from 90", 90.0)),
)
"""The customary tenths of maximum heart rate; the interface has no heart rate zones."""

BANDS = POWER_BANDS.bands
"""The zones of intensity as percent of critical power, ascending."""

_EDGES = [band.low for band in BANDS[1:]]
_INTENSITIES = [LapIntensity(band.name) for band in BANDS]


def intensity_of(pct_cp: float) -> LapIntensity:
    """Zone of one value.

    Parameters
    ----------
    pct_cp : float
        Power as percent of critical power, finite. [%]

    Returns
    -------
    LapIntensity
        Never `recovery`, which depends on the neighbouring sections.

    Notes
    -----
    Lower edges are inclusive, except that neuromuscular begins above 180 %.

    Examples
    --------
    >>> [str(intensity_of(pct)) for pct in (69.9, 70, 105, 180, 180.1)]
    ['aerobic', 'tempo', 'vo2max', 'anaerobic', 'neuromuscular']
    """
    if math.isnan(pct_cp):
        raise ValueError("pct_cp must be a number, got NaN")
    return _INTENSITIES[bisect.bisect_right(_EDGES, pct_cp)]


def time_in_bands(power_w: ArrayLike, dt_s: ArrayLike, critical_power_w: float) -> dict[LapIntensity, float]:
    """Time in power zones.

    Parameters
    ----------
    power_w : array_like
        Power as recorded, not smoothed, NaN where missing, shape (n,). [W]
    dt_s : array_like
        Duration of each sample, a scalar or shape (n,). [s]
    critical_power_w : float
        Above 0. [W]

    Returns
    -------
    dict
        All six bands in their order; samples without a value count nowhere. [s]

    Examples
    --------
    >>> {str(k): v for k, v in time_in_bands([100.0, 240.0, 260.0], 1, 250.0).items() if v}
    {'aerobic': 1.0, 'threshold': 2.0}
    """
    times = time_by_model(power_w, dt_s, reference=critical_power_w, model=POWER_BANDS)
    return {LapIntensity(name): seconds for name, seconds in times.items()}


def time_by_model(
    values: ArrayLike, dt_s: ArrayLike, *, reference: float, model: BandModel
) -> dict[str, float]:
    """Time in zones of any model.

    Parameters
    ----------
    values : array_like
        Power, heart rate or speed, NaN where missing, shape (n,). [as reference]
    dt_s : array_like
        Duration of each sample, a scalar or shape (n,). [s]
    reference : float
        The value that is 100 % in the model's edges, above 0.
    model : BandModel
        Which bands.

    Returns
    -------
    dict
        Every band's name with its seconds; their sum is the time of the samples with a value. [s]

    Examples
    --------
    >>> time_by_model([95.0, 150.0, 185.0], 2, reference=190.0, model=HEART_RATE_BANDS)["from 90"]
    2.0
    """
    if not reference > 0:
        raise ValueError(f"reference must be above 0, got {reference}")
    series = np.asarray(values, np.float64)
    is_measured = np.isfinite(series)
    weights = np.broadcast_to(np.asarray(dt_s, np.float64), series.shape)[is_measured]
    places = np.searchsorted(model.edges, series[is_measured] / reference * 100, side="right")
    seconds = np.bincount(places, weights=weights, minlength=len(model.bands))
    return dict(zip((band.name for band in model.bands), seconds.tolist(), strict=True))


def time_between(values: ArrayLike, dt_s: ArrayLike, edges: Sequence[float]) -> list[float]:
    """Time below, between and above the edges.

    Parameters
    ----------
    values : array_like, shape (n,)
        NaN where missing. [any]
    dt_s : array_like
        Duration of each sample, a scalar or shape (n,). [s]
    edges : sequence of float
        Ascending; a value at an edge counts above it. [as values]

    Returns
    -------
    list of float
        One more than the edges. [s]

    Notes
    -----
    Heat: core temperature in steps of 0.5 °C from 38 °C; heat strain index below 1, 1 to 3, 3 to 7, from 7, as the maker of
    the sensor (CORE) divides it. *Missing data*: a sample without a value counts nowhere.

    *Worked example*: 37.5, 38.0, 38.2 and 39.4 °C for 2 s each, edges at 38 and 39 °C: 2 s below, 4 s between and 2
    s above.

    Examples
    --------
    >>> time_between([37.5, 38.0, 38.2, 39.4, float("nan")], 2.0, (38.0, 39.0))
    [2.0, 4.0, 2.0]
    """
    series = np.asarray(values, np.float64)
    is_measured = np.isfinite(series)
    weights = np.broadcast_to(np.asarray(dt_s, np.float64), series.shape)[is_measured]
    places = np.searchsorted(np.asarray(edges, np.float64), series[is_measured], side="right")
    seconds: list[float] = np.bincount(places, weights=weights, minlength=len(edges) + 1).tolist()
    return seconds


@dataclass(frozen=True, slots=True)
class Distribution:
    """Time in bins of equal width."""

    lows: NDArray[np.float64]
    width: float
    seconds: NDArray[np.float64]


def distribution(values: ArrayLike, dt_s: ArrayLike, *, width: float) -> Distribution:
    """Time at each value (histogram).

    Parameters
    ----------
    values : array_like
        NaN where missing (counted nowhere), shape (n,). [any]
    dt_s : array_like
        Duration of each sample, a scalar or shape (n,). [s]
    width : float
        Width of a bin, above 0. [as values]

    Returns
    -------
    Distribution
        From the lowest to the highest value, bins aligned to multiples of the width; empty for no value. The
        seconds sum to the time with a value. Values beyond the 99.9th percentile count in its bin, so that
        one spike does not stretch the axis.

    Notes
    -----
    Time of the samples in bins of one width.

    *Missing data*: samples without a value.

    *Worked example*: 5, 12, 14 and 31 for 2 s each, in bins of 10: 2, 4, 0 and 2 s.

    Examples
    --------
    >>> found = distribution([5.0, 12.0, 14.0, 31.0], 2.0, width=10)
    >>> found.lows.tolist(), found.seconds.tolist()
    ([0.0, 10.0, 20.0, 30.0], [2.0, 4.0, 0.0, 2.0])
    """
    if not width > 0:
        raise ValueError(f"width must be above 0, got {width}")
    series = np.asarray(values, np.float64)
    is_measured = np.isfinite(series)
    if not is_measured.any():
        return Distribution(np.empty(0), width, np.empty(0))
    weights = np.broadcast_to(np.asarray(dt_s, np.float64), series.shape)[is_measured]
    low, high = np.percentile(series[is_measured], [0.1, 99.9], method="nearest")
    places = np.floor(np.clip(series[is_measured], low, high) / width).astype(np.int64)
    first = int(places.min())
    seconds = np.bincount(places - first, weights=weights).astype(np.float64)
    lows = (np.arange(len(seconds)) + first).astype(np.float64) * width
    return Distribution(lows, width, seconds)
