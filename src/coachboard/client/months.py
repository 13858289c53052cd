"""The calendar months of a list: which of them a read needs, how long each is fresh, and which are fetched in one request.

Change the tables when data are too old or requested too often. There is no clock and no database here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby
from math import inf
from typing import NamedTuple

from coachboard.client.cache import CacheEntries

BEFORE, AFTER, UNDATED = 1, 2, 3
"""Numbers in place of a month: all months before and after the stored ones, and the rows without a day.

The entry of BEFORE and of AFTER has no rows. BEFORE covers the months before its `version`, AFTER that month and the later
ones. A month that is covered and has no entry is empty.
"""

_FIRST, _LAST = date(1970, 1, 1), date(2099, 12, 31)
"""A range beyond these days is open: nobody trained there."""

SKEW_S = 60.0
"""Clocks of machines that share a cache differ by less. A fetch from further ahead: the clock was set back."""

MINUTE_S = 60.0
HOUR_S = 60 * MINUTE_S
DAY_S = 24 * HOUR_S

Lifetimes = tuple[tuple[float, float], ...]
"""Pairs of days back from today (negative: ahead) and the seconds for which a month is fresh that ends on such a day."""

# Sessions change within hours (devices upload late, athletes rate later) and hardly after two months.
RECORDED: Lifetimes = ((2, 2 * MINUTE_S), (14, 15 * MINUTE_S), (60, 6 * HOUR_S), (inf, 7 * DAY_S))
# Plans change before their day, the plans of the next weeks most.
PLANNED: Lifetimes = ((-29, 30 * MINUTE_S), (14, 5 * MINUTE_S), (60, 6 * HOUR_S), (inf, 7 * DAY_S))

_OWN_MONTHS_AROUND = 2
"""Months before and after today that have an entry of their own if their list was read with an open end."""


def month_of(day: date) -> int:
    return day.year * 12 + day.month - 1


def first_day(month: int) -> date:
    return date(month // 12, month % 12 + 1, 1)


def last_day(month: int) -> date:
    return first_day(month + 1) - timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Days:
    """The days from `start` to `end`, both included; None is an open end."""

    start: date | None
    end: date | None

    @property
    def is_empty(self) -> bool:
        return self.start is not None and self.end is not None and self.start > self.end

    @property
    def is_open(self) -> bool:
        """Whether both ends are open: only then the service returns rows without a day."""
        return self.start is None and self.end is None

    def clamp(self, day: date) -> date:
        """The day of the range that is nearest."""
        day = day if self.start is None else max(day, self.start)
        return day if self.end is None else min(day, self.end)


class ListPart(NamedTuple):
    """A part of a list that is fetched as a whole: a month, or all months before or after the stored ones."""

    month: int  # or BEFORE, AFTER
    days: Days
    fetched_at: float | None  # None: never
    lifetime_s: float

    def is_fresh(self, now: float) -> bool:
        return self.fetched_at is not None and -SKEW_S <= now - self.fetched_at <= self.lifetime_s


def parts_of(days: Days, stored: CacheEntries, lifetimes: Lifetimes, today: date) -> list[ListPart]:
    """The parts of a list that a read of these days needs, in order."""
    start = days.start if days.start and days.start >= _FIRST else None
    end = days.end if days.end and days.end <= _LAST else None
    before, after, now = stored.get(BEFORE), stored.get(AFTER), month_of(today)
    high = None if end is None else month_of(end)
    if start is not None:
        low = month_of(start)
    else:
        low = before.version if before else min(now, now if high is None else high) - _OWN_MONTHS_AROUND
    if high is None:
        high = after.version - 1 if after else max(now, low) + _OWN_MONTHS_AROUND
    ranges = {month: Days(first_day(month), last_day(month)) for month in range(low, high + 1)}
    if start is None:
        ranges = {BEFORE: Days(None, last_day(low - 1)), **ranges}
    if end is None:
        ranges[AFTER] = Days(first_day(max(high, low - 1) + 1), None)
    return [
        ListPart(month, part, _fetched_at(month, stored), _lifetime_s(part, lifetimes, today))
        for month, part in ranges.items()
    ]


def _lifetime_s(days: Days, lifetimes: Lifetimes, today: date) -> float:
    nearest = (today - days.clamp(today)).days
    return next(seconds for limit, seconds in lifetimes if nearest <= limit)


def _fetched_at(month: int, stored: CacheEntries) -> float | None:
    before, after = stored.get(BEFORE), stored.get(AFTER)
    entry = stored.get(month)
    if entry is None and before is not None and UNDATED < month < before.version:
        entry = before
    if entry is None and after is not None and month >= after.version:
        entry = after
    return None if entry is None else entry.fetched_at


def runs(parts: Sequence[ListPart], chosen: Iterable[ListPart]) -> list[Days]:
    """The chosen parts as ranges of days: one for each run of adjoining parts."""
    picked, ranges = set(chosen), []
    for is_chosen, run in groupby(parts, key=picked.__contains__):
        if is_chosen:
            adjoining = list(run)
            ranges.append(Days(adjoining[0].days.start, adjoining[-1].days.end))
    return ranges


def explicit_months(run: Days, today: date) -> tuple[range, dict[int, int]]:
    """The months of a fetched run that get an entry though they are empty, and the versions of its BEFORE and AFTER."""
    now, marks = month_of(today), {}
    first = now - _OWN_MONTHS_AROUND if run.start is None else month_of(run.start)
    last = now + _OWN_MONTHS_AROUND if run.end is None else month_of(run.end)
    if run.start is None:
        first = marks[BEFORE] = min(first, last + 1)
    if run.end is None:
        last = max(last, first - 1)
        marks[AFTER] = last + 1
    return range(first, last + 1), marks


def as_of(parts: Sequence[ListPart], now: float) -> float | None:
    """When the months with the shortest lifetime were fetched, the oldest of them: the age of months far back means little."""
    fetched = [part for part in parts if part.fetched_at is not None]
    counted = [part for part in fetched if not part.is_fresh(now)] or fetched
    shortest = min((part.lifetime_s for part in counted), default=0.0)
    times = (part.fetched_at for part in counted if part.lifetime_s == shortest)
    return min((fetched_at for fetched_at in times if fetched_at is not None), default=None)
