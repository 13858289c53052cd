"""How long fetched data are fresh, and which days of a range are known, old or missing.

Change the tables when data are too old or requested too often. The arithmetic has no clock and no database. Days
are ordinals (`date.toordinal`), ranges include both ends, and an open end is FIRST_DAY or LAST_DAY. Rows without a
day are on UNDATED, which only the range with two open ends covers.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import inf

FIRST_DAY = date.min.toordinal()
LAST_DAY = date.max.toordinal()
UNDATED = FIRST_DAY - 1

SKEW_S = 60.0
"""Clocks of machines that share a cache differ by less. A fetch from further ahead: the clock was set back."""

MINUTE_S = 60.0
HOUR_S = 60 * MINUTE_S
DAY_S = 24 * HOUR_S

Lifetimes = tuple[tuple[float, float], ...]
"""Pairs of days back from the day of the fetch (negative: ahead) and the seconds for which such days are fresh."""

# Sessions change within hours (devices upload late, athletes rate later) and hardly after two months.
RECORDED: Lifetimes = (
    (2, 2 * MINUTE_S),
    (14, 15 * MINUTE_S),
    (60, 6 * HOUR_S),
    (float("inf"), 7 * DAY_S),
)
# Plans change before their day, the plans of the next weeks most.
PLANNED: Lifetimes = (
    (-29, 30 * MINUTE_S),
    (14, 5 * MINUTE_S),
    (60, 6 * HOUR_S),
    (float("inf"), 7 * DAY_S),
)

USERS_S = 5 * MINUTE_S
PROFILE_S = 10 * MINUTE_S
NO_STREAMS_S = 10 * MINUTE_S
"""How long a 404 for streams is believed: a device may still upload them."""

STREAMS_S = float("inf")


@dataclass(frozen=True, slots=True, order=True)
class Days:
    """The days from `first` to `last`."""

    first: int
    last: int

    @classmethod
    def of(cls, start: date | None, end: date | None, *, may_be_undated: bool = False) -> "Days":
        if may_be_undated and start is None and end is None:
            return cls(UNDATED, LAST_DAY)
        return cls(
            FIRST_DAY if start is None else start.toordinal(), LAST_DAY if end is None else end.toordinal()
        )

    @property
    def start(self) -> date | None:
        return None if self.first <= FIRST_DAY else date.fromordinal(self.first)

    @property
    def end(self) -> date | None:
        return None if self.last >= LAST_DAY else date.fromordinal(self.last)

    def __bool__(self) -> bool:
        return self.first <= self.last

    def meet(self, other: "Days") -> "Days":
        return Days(max(self.first, other.first), min(self.last, other.last))


@dataclass(frozen=True, slots=True)
class Span:
    """Days that were fetched together: when (seconds since 1970), and what day was today then."""

    days: Days
    fetched_at: float
    fetched_on: int


def pieces(span: Span, lifetimes: Lifetimes) -> Iterator[tuple[Days, float]]:
    """The span cut where the lifetime changes, each piece with its seconds."""
    last = LAST_DAY
    for days_back, seconds in lifetimes:
        first = UNDATED if days_back == float("inf") else span.fetched_on - int(days_back)
        piece = span.days.meet(Days(first, last))
        if piece:
            yield piece, seconds
        last = first - 1


@dataclass(frozen=True, slots=True)
class Plan:
    """The days of a range that were never fetched, those fetched too long ago, and the age of the known days."""

    missing: tuple[Days, ...]
    old: tuple[Days, ...]
    as_of: float | None  # None where no day is known
    fresh_until: float  # the first moment at which a known day is old


def demand(needs: Plan, wanted: Days, spans: Iterable[Span], since: float, now: float) -> Plan:
    """The plan for a reader who accepts only days fetched since a moment: older days count as missing."""
    too_old = [
        clipped.days
        for span in spans
        if not since <= span.fetched_at <= now + SKEW_S and (clipped := clip(span, wanted))
    ]
    return replace(needs, missing=merge([*needs.missing, *too_old]), old=())


def plan(wanted: Days, spans: Iterable[Span], lifetimes: Lifetimes, now: float) -> Plan:
    """Compare a range with the fetched spans."""
    known = [clipped for span in spans if (clipped := clip(span, wanted))]
    missing = subtract(wanted, [span.days for span in known])
    if missing and missing[0].first == UNDATED:
        missing = (wanted,)  # only the open range returns rows without a day
    parts = [(days, span.fetched_at, seconds) for span in known for days, seconds in pieces(span, lifetimes)]
    old = [piece for piece in parts if not piece[1] - SKEW_S <= now <= piece[1] + piece[2]]
    fresh_until = min((fetched_at + seconds for _, fetched_at, seconds in parts), default=inf)
    return Plan(missing, merge(days for days, _, _ in old), _as_of(old or parts), fresh_until)


def _as_of(parts: Sequence[tuple[Days, float, float]]) -> float | None:
    """When the days with the shortest lifetime were fetched, the oldest of them: the age of days far back means little."""
    if not parts:
        return None
    shortest = min(seconds for _, _, seconds in parts)
    return min(fetched_at for _, fetched_at, seconds in parts if seconds == shortest)


def clip(span: Span, days: Days) -> Span | None:
    """The part of a span within the days."""
    part = span.days.meet(days)
    return replace(span, days=part) if part else None


def subtract(wanted: Days, known: Iterable[Days]) -> tuple[Days, ...]:
    """The days of a range that no known range covers."""
    missing, first = [], wanted.first
    for days in sorted(known):
        if days.first > first:
            missing.append(Days(first, min(days.first - 1, wanted.last)))
        first = max(first, days.last + 1)
        if first > wanted.last:
            break
    if first <= wanted.last:
        missing.append(Days(first, wanted.last))
    return tuple(missing)


def merge(ranges: Iterable[Days]) -> tuple[Days, ...]:
    """Ranges in order; ranges that touch or overlap become one range."""
    merged: list[Days] = []
    for days in sorted(ranges):
        if merged and days.first <= merged[-1].last + 1:
            merged[-1] = Days(merged[-1].first, max(merged[-1].last, days.last))
        else:
            merged.append(days)
    return tuple(merged)


def record(spans: Iterable[Span], fetched: Span) -> tuple[Span, ...]:
    """The spans after a fetch: the fetch replaces the days it covers."""
    kept = []
    for span in spans:
        before = Days(span.days.first, min(span.days.last, fetched.days.first - 1))
        after = Days(max(span.days.first, fetched.days.last + 1), span.days.last)
        kept += [replace(span, days=part) for part in (before, after) if part]
    return tuple(sorted([*kept, fetched], key=lambda span: span.days))
