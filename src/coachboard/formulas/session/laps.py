"""Find laps by level changes of a noisy series, and classify them by intensity, from power instead of the lap button."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coachboard.formulas.session import lap_characteristics
from coachboard.formulas.session.lap_characteristics import Signals
from coachboard.formulas.session.zones import intensity_of
from coachboard.wire.enums import LapCharacteristic, LapIntensity

LEAST_COST = 40_000.0
"""The sum of squares that a level change must explain. [%^2 s]"""

HIGHEST_PCT = 400.0
"""Higher power is clipped, so that a spike of one sample is no level. [%]"""

_ROUNDS = 14
_REACH_S = 30
"""How far a place moves in the last step. [s]"""


def find_levels(values_pct: NDArray[np.float64]) -> NDArray[np.int64]:
    """Places where the level changes.

    Parameters
    ----------
    values_pct : numpy.ndarray
        One finite value a second, shape (n,), n at least 1. [%]

    Returns
    -------
    numpy.ndarray
        Rising, from 0 to n.

    Notes
    -----
    Each sample starts as a stretch. Two neighbours of lengths n, m and means a, b cost n m / (n + m) (a - b)^2
    to merge (Ward). All pairs that are cheaper than both neighbouring pairs merge together, under a bound that
    doubles from round to round up to `LEAST_COST`; at last each place moves, by at most 30 s, to where it
    splits its two neighbours best. Work is of order n per round: 21,600 samples take a few milliseconds.

    References
    ----------
    Ward JH. Hierarchical grouping to optimize an objective function. J Am Stat Assoc 58:236, 1963.
    Keogh E et al. An online algorithm for segmenting time series. ICDM 2001 (bottom-up).

    Examples
    --------
    >>> find_levels(np.repeat([50.0, 150.0, 60.0], [100, 60, 100])).tolist()
    [0, 100, 160, 260]
    """
    values = np.minimum(values_pct, HIGHEST_PCT)
    sums = np.concatenate([[0.0], np.cumsum(values)])
    places = np.arange(len(sums))
    for bound in LEAST_COST / 2.0 ** np.arange(_ROUNDS, -1, -1):
        places = _merge_below(places, sums, bound)
    return _fine_tune(places, sums)


def _merge_below(places: NDArray[np.int64], sums: NDArray[np.float64], bound: float) -> NDArray[np.int64]:
    """Remove places whose two neighbours cost less to merge than the bound, the cheapest of its vicinity first."""
    while len(places) > 2:
        costs = _merge_costs(places, sums)
        before = np.concatenate([[np.inf], costs[:-1]])
        after = np.concatenate([costs[1:], [np.inf]])
        # Strict on one side only: of two equal neighbours one merges, and never both.
        is_cheapest = (costs < before) & (costs <= after) & (costs < bound)
        if not is_cheapest.any():
            break
        places = np.delete(places, np.flatnonzero(is_cheapest) + 1)
    return places


def _merge_costs(places: NDArray[np.int64], sums: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.diff(places)
    means = np.diff(sums[places]) / lengths
    left, right = lengths[:-1], lengths[1:]
    costs: NDArray[np.float64] = left * right / (left + right) * np.diff(means) ** 2
    return costs


def _fine_tune(places: NDArray[np.int64], sums: NDArray[np.float64]) -> NDArray[np.int64]:
    """Move each place to where it splits its two neighbours best."""
    settled = places.copy()
    for place in range(1, len(settled) - 1):
        first, last = settled[place - 1], settled[place + 1]
        options = np.arange(
            max(first + 1, settled[place] - _REACH_S), min(last, settled[place] + _REACH_S + 1)
        )
        left_mean = (sums[options] - sums[first]) / (options - first)
        right_mean = (sums[last] - sums[options]) / (last - options)
        gain = (options - first) * (last - options) * (left_mean - right_mean) ** 2
        settled[place] = options[int(np.argmax(gain))]
    return settled


SHORTEST_S = {
    LapIntensity.NEUROMUSCULAR: 4,
    LapIntensity.ANAEROBIC: 8,
    LapIntensity.VO2MAX: 15,
    LapIntensity.THRESHOLD: 45,
    LapIntensity.TEMPO: 90,
    LapIntensity.AEROBIC: 60,
}
"""A shorter section joins a neighbour; the harder, the shorter it may be. [s]"""

SHORTEST_REST_S = 10
"""An easy section between two efforts above critical power may be this short: 30/15 intervals. [s]"""

LONGEST_RECOVERY_S = 1200
"""A longer easy section is riding and not recovery, even between hard efforts. [s]"""

_HARD = frozenset(
    {LapIntensity.THRESHOLD, LapIntensity.VO2MAX, LapIntensity.ANAEROBIC, LapIntensity.NEUROMUSCULAR}
)
_ABOVE_CRITICAL = _HARD - {LapIntensity.THRESHOLD}


@dataclass(frozen=True, slots=True)
class DetectedLap:
    """First and last sample of a lap, both inclusive, with its intensity and trait."""

    start: int
    end: int
    intensity: LapIntensity
    characteristic: LapCharacteristic | None


@dataclass(frozen=True)  # without slots: the band is cached, because it is read often
class _Stretch:
    start: int
    stop: int
    mean_pct: float

    @property
    def length(self) -> int:
        return self.stop - self.start

    @cached_property
    def band(self) -> LapIntensity:
        return intensity_of(self.mean_pct)


def find_laps(
    power_w_1hz: ArrayLike,
    *,
    critical_power_w: float,
    cadence_rpm: ArrayLike | None = None,
    torque_nm: ArrayLike | None = None,
    w_prime_j: float | None = None,
) -> list[DetectedLap]:
    """Laps of one intensity each, detected from power.

    Parameters
    ----------
    power_w_1hz : array_like
        Power of one sample a second, NaN where missing (0 W), shape (n,). [W]
    critical_power_w : float
        Above 0. [W]
    cadence_rpm, torque_nm : array_like, optional
        Where recorded, shape (n,); torque is computed from power and cadence where it is not given.
        [rpm, Nm]
    w_prime_j : float, optional
        For the characteristic `maximum` of efforts longer than a sprint. [J]

    Returns
    -------
    list of DetectedLap
        Contiguous from sample 0 to n - 1, ordered; neighbours differ in intensity.

    Missing data
    ------------
    Empty for no samples and where no sample has a value.

    Notes
    -----
    1. Levels: the power (percent of critical power, at most 400) is cut where merging two neighbouring
    stretches would add more than 40,000 %^2 s to the sum of squares: a step of 100 % of critical power has
    to last 4 s, one of 30 % three quarters of a minute (`find_levels`).
    2. Stretches below the shortest duration of their band join the neighbour they differ from least.
    3. Neighbours of one band are one lap; its band is that of its mean power (`zones.BANDS`).
    4. `recovery` has no band: it is an aerobic stretch of at most 20 min between two hard ones (threshold
    and above). It carries `intra-recovery` inside a set: at most 5 min, between two efforts of which
    neither lasts more than twice as long as the other, nor takes more than 1.25 times its power.
    The other characteristics are defined in `lap_characteristics`. All definitions are Coachboard's.

    Examples
    --------
    >>> ride = [150.0] * 600 + ([330.0] * 60 + [100.0] * 60) * 2 + [150.0] * 600
    >>> for lap in find_laps(ride, critical_power_w=250):
    ...     print(lap.start, lap.end, lap.intensity, lap.characteristic)
    0 599 aerobic None
    600 659 anaerobic None
    660 719 recovery intra-recovery
    720 779 anaerobic None
    780 1439 aerobic None
    """
    if not critical_power_w > 0:
        raise ValueError(f"critical_power_w must be above 0, got {critical_power_w}")
    power = np.asarray(power_w_1hz, np.float64)
    if not np.isfinite(power).any():
        return []
    power = np.where(np.isfinite(power), power, 0.0)
    power_pct = power / critical_power_w * 100
    stretches = _long_enough(_stretches(find_levels(power_pct), power_pct))
    signals = Signals.of(power, critical_power_w, cadence_rpm, torque_nm, w_prime_j)
    return _classify(_merge_same_band(stretches), signals)


def _stretches(places: NDArray[np.int64], power_pct: NDArray[np.float64]) -> list[_Stretch]:
    """The stretches between the places, each with its mean."""
    sums = np.concatenate([[0.0], np.cumsum(power_pct)])
    means = np.diff(sums[places]) / np.diff(places)
    starts = places.tolist()
    return [_Stretch(*row) for row in zip(starts, starts[1:], means.tolist(), strict=False)]


def _join(left: _Stretch, right: _Stretch) -> _Stretch:
    total = left.mean_pct * left.length + right.mean_pct * right.length
    return _Stretch(left.start, right.stop, total / (left.length + right.length))


def _long_enough(stretches: list[_Stretch]) -> list[_Stretch]:
    """Join sections that are too short for their intensity, the relatively shortest first."""
    stretches = _merge_same_band(stretches)
    while len(stretches) > 1:
        shares = [_share_of_shortest(stretches, place) for place in range(len(stretches))]
        if min(shares) >= 1:
            break
        stretches = _merge_same_band(_absorb_shortest(stretches, shares))
    return stretches


def _share_of_shortest(stretches: list[_Stretch], place: int) -> float:
    """The length of a section over the shortest of its intensity; below 1 it is too short."""
    stretch = stretches[place]
    shortest = SHORTEST_S[stretch.band]
    if stretch.band in {LapIntensity.AEROBIC, LapIntensity.TEMPO} and _is_between(
        stretches, place, _ABOVE_CRITICAL
    ):
        shortest = SHORTEST_REST_S
    return stretch.length / shortest


def _is_between(stretches: list[_Stretch], place: int, bands: frozenset[LapIntensity]) -> bool:
    if not 0 < place < len(stretches) - 1:
        return False
    return stretches[place - 1].band in bands and stretches[place + 1].band in bands


def _absorb_shortest(stretches: list[_Stretch], shares: list[float]) -> list[_Stretch]:
    """Join each section that is relatively shorter than both neighbours to the most similar neighbour."""
    padded = [math.inf, *shares, math.inf]
    lefts: list[int] = []
    for place, share in enumerate(shares):
        if share < 1 and share < padded[place] and share <= padded[place + 2]:
            left = min(place, _most_alike(stretches, place))
            if not lefts or left > lefts[-1] + 1:
                lefts.append(left)
    starts = frozenset(lefts)
    joined: list[_Stretch] = []
    for place, stretch in enumerate(stretches):
        joined.append(_join(joined.pop(), stretch) if place - 1 in starts else stretch)
    return joined


def _most_alike(stretches: list[_Stretch], place: int) -> int:
    neighbours = [near for near in (place - 1, place + 1) if 0 <= near < len(stretches)]
    return min(neighbours, key=lambda near: abs(stretches[near].mean_pct - stretches[place].mean_pct))


def _merge_same_band(stretches: list[_Stretch]) -> list[_Stretch]:
    """Join neighbours of one band until none is left, because a joined mean may change the band."""
    while True:
        merged: list[_Stretch] = []
        for stretch in stretches:
            if merged and merged[-1].band is stretch.band:
                merged[-1] = _join(merged[-1], stretch)
            else:
                merged.append(stretch)
        if len(merged) == len(stretches):
            return merged
        stretches = merged


def _classify(stretches: list[_Stretch], signals: Signals) -> list[DetectedLap]:
    """The laps with intensity and trait."""
    laps = []
    for place, stretch in enumerate(stretches):
        intensity, trait = stretch.band, None
        if _is_recovery(stretches, place):
            intensity = LapIntensity.RECOVERY
            if _is_inside_set(stretches, place):
                trait = LapCharacteristic.INTRA_RECOVERY
        else:
            trait = lap_characteristics.trait_of(signals, stretch.start, stretch.stop, intensity)
        laps.append(DetectedLap(stretch.start, stretch.stop - 1, intensity, trait))
    return laps


def _is_recovery(stretches: list[_Stretch], place: int) -> bool:
    stretch = stretches[place]
    is_easy = stretch.band is LapIntensity.AEROBIC and stretch.length <= LONGEST_RECOVERY_S
    return is_easy and _is_between(stretches, place, _HARD)


def _is_inside_set(stretches: list[_Stretch], place: int) -> bool:
    before, after = stretches[place - 1], stretches[place + 1]
    shorter, longer = sorted([before.length, after.length])
    weaker, stronger = sorted([before.mean_pct, after.mean_pct])
    is_alike = longer <= 2 * shorter and stronger <= 1.25 * weaker
    return is_alike and stretches[place].length <= lap_characteristics.LONGEST_INTRA_RECOVERY_S
