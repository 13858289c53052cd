"""Training phases of a season, from races and load."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from itertools import groupby, pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

WEEK_D = 7
REFERENCE_D = 28
"""The load before a taper: its weekly mean is the reference of taper and recovery."""
TAPER_WEEKS = 3
REDUCED_SHARES = (0.15, 0.8)
"""Load of a week of taper, as a share of the reference: a race after a week without training had no taper."""
BUILD_WEEKS = 12
BASE_WEEKS = 24
RECOVERY_WEEKS = 4
SAME_RACE_D = 14
"""Races at most this far apart are one race phase."""
TRAINED_SHARE = 0.4
USUAL_WEEKS = (4, 12)
"""Fewest and most weeks before a week, of which the median is the usual load."""


class PhaseKind(StrEnum):
    """The phases that races and load distinguish."""

    BASE = "base"
    BUILD = "build"
    TAPER = "taper"
    RACE = "race"
    RECOVERY = "recovery"


@dataclass(frozen=True, slots=True)
class Phase:
    """Consecutive days of one phase, and their load."""

    kind: PhaseKind
    first: date
    last: date
    load_per_week: float


def season_phases(
    days: Sequence[date], daily_load: ArrayLike, races: Sequence[date], *, first_at: int = 0
) -> tuple[Phase, ...]:
    """Base, build, taper, race and recovery, from the days of races and the load around them.

    Parameters
    ----------
    days : sequence of date
        Consecutive days, oldest first, shape (n,).
    daily_load : array_like
        Load of each day, done or planned, up to the last day with a plan, shape (m,), m ≤ n. [score]
    races : sequence of date
        Days of races and events, in any order; they may be later than the last of `days`.
    first_at : int
        Position of the athlete's first session.

    Returns
    -------
    tuple of Phase
        By date; days between them have no phase. [score a week]

    Missing data
    ------------
    No phase without a race; after the last planned day; in a week with less than 40 % of the median load of up to 12
    weeks before it (illness, a break), or with fewer than 4 such weeks; more than 24 weeks before a race.

    Notes
    -----
    Weeks are counted back from the race. Taper: the last 1 to 3 weeks before it, each with 15 to 80 % of the mean week of
    the 4 weeks before them. Race: races at most 14 days apart are one phase. Recovery: up to 4 whole weeks after it with
    at most 80 % of that mean week. Build: the other training weeks up to 12 weeks before the race; base: those 13 to 24
    weeks before. Every event counts as a race, as the service sends no priority. Peak is not separate: load alone does not
    show it. The names are the usual ones (Bompa and Buzzichelli; Friel), the limits are a choice of this project.

    *Worked example*: load 50 a day, 30 a day in the two weeks before a race, 10 a day in the week after it. 210 a week is
    60 % of 350: taper. 70 is 20 %: recovery.

    References
    ----------
    Mujika, Padilla (2003), Med Sci Sports Exerc 35:1182–1187; Bosquet et al. (2007), Med Sci Sports Exerc 39:1358–1365
    (taper of two weeks with 41 to 60 % less training); Bompa, Buzzichelli (2018), Periodization.

    Examples
    --------
    >>> from datetime import timedelta
    >>> first = date(2026, 1, 1)
    >>> days = [first + timedelta(days=n) for n in range(148)]
    >>> load = [50.0] * 126 + [30.0] * 14 + [0.0] + [10.0] * 7
    >>> for phase in season_phases(days, load, [days[140]]):
    ...     print(phase.kind, (phase.first - first).days, (phase.last - first).days, phase.load_per_week)
    base 28 55 350.0
    build 56 125 350.0
    taper 126 139 210.0
    race 140 140 0.0
    recovery 141 147 70.0
    """
    load = np.nan_to_num(np.asarray(daily_load, dtype=np.float64))
    kinds: list[PhaseKind | None] = [None] * len(days)
    spans = list(_race_spans(days[0], races)) if len(days) else []
    free_from = first_at  # the end of the recovery from the race before
    for first, last in spans:
        tapered = _taper_weeks(load, first, first_at)
        for kind, begin, end in (
            *_training(load, first, first_at),
            (PhaseKind.TAPER, first - WEEK_D * tapered, first),
        ):
            _fill(kinds, kind, max(begin, free_from), min(end, len(load)))
        recovered = _recovery_weeks(load, last + 1, _reference(load, first - WEEK_D * tapered, first_at))
        free_from = last + 1 + WEEK_D * recovered
        _fill(kinds, PhaseKind.RECOVERY, last + 1, free_from)
        _fill(kinds, PhaseKind.RACE, first, last + 1)
    return tuple(_grouped(days, kinds, load))


def _race_spans(first_day: date, races: Sequence[date]) -> Iterator[tuple[int, int]]:
    """Positions of the first and last race of races that are close to each other."""
    places = sorted({(day - first_day).days for day in races})
    splits = [
        0,
        *(split for split, (a, b) in enumerate(pairwise(places), 1) if b - a > SAME_RACE_D),
        len(places),
    ]
    for begin, end in pairwise(splits):
        if begin < end:
            yield places[begin], places[end - 1]


def _week(load: NDArray[np.float64], begin: int, first_at: int) -> float:
    """Load of the week from that day; NaN if not all of its days are known."""
    is_known = first_at <= begin and begin + WEEK_D <= len(load)
    return float(load[begin : begin + WEEK_D].sum()) if is_known else float("nan")


def _reference(load: NDArray[np.float64], end: int, first_at: int) -> float:
    """Mean week of the 4 weeks before a day; NaN if they are not known."""
    begin = end - REFERENCE_D
    return float(load[begin:end].sum()) / 4 if first_at <= begin and end <= len(load) else float("nan")


def _taper_weeks(load: NDArray[np.float64], race: int, first_at: int) -> int:
    """The most weeks before the race that are all reduced; 0 for none."""
    for weeks in range(TAPER_WEEKS, 0, -1):
        begin = race - WEEK_D * weeks
        low, high = (share * _reference(load, begin, first_at) for share in REDUCED_SHARES)
        # A reference of 0 reduces nothing, and NaN compares as false.
        if high > 0 and all(
            low <= _week(load, begin + WEEK_D * week, first_at) <= high for week in range(weeks)
        ):
            return weeks
    return 0


def _recovery_weeks(load: NDArray[np.float64], begin: int, reference: float) -> int:
    if not reference > 0:  # no training to recover from, or unknown
        return 0
    reduced = (
        _week(load, begin + WEEK_D * week, 0) <= REDUCED_SHARES[1] * reference
        for week in range(RECOVERY_WEEKS)
    )
    return next((week for week, is_reduced in enumerate(reduced) if not is_reduced), RECOVERY_WEEKS)


def _training(load: NDArray[np.float64], race: int, first_at: int) -> Iterator[tuple[PhaseKind, int, int]]:
    """The weeks of base and build with training, counted back from the race."""
    for weeks in range(1, BASE_WEEKS + 1):
        begin = race - WEEK_D * weeks
        if _is_trained(load, begin, first_at):
            yield PhaseKind.BUILD if weeks <= BUILD_WEEKS else PhaseKind.BASE, begin, begin + WEEK_D


def _is_trained(load: NDArray[np.float64], begin: int, first_at: int) -> bool:
    fewest, most = USUAL_WEEKS
    before = [_week(load, begin - WEEK_D * weeks, first_at) for weeks in range(1, most + 1)]
    recorded = [week for week in before if not np.isnan(week)]
    if len(recorded) < fewest:
        return False
    usual = float(np.median(recorded))
    return usual > 0 and _week(load, begin, first_at) >= TRAINED_SHARE * usual


def _fill(kinds: list[PhaseKind | None], kind: PhaseKind, begin: int, end: int) -> None:
    for place in range(max(begin, 0), min(end, len(kinds))):
        kinds[place] = kind


def _grouped(
    days: Sequence[date], kinds: Sequence[PhaseKind | None], load: NDArray[np.float64]
) -> Iterator[Phase]:
    for kind, group in groupby(range(len(days)), key=lambda place: kinds[place]):
        places = list(group)
        if kind is not None:
            amount = float(load[places[0] : places[-1] + 1].sum())
            yield Phase(kind, days[places[0]], days[places[-1]], amount * WEEK_D / len(places))
