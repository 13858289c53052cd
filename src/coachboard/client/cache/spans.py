"""Which days of a range are known, old or missing: pure arithmetic on days, no clock, no store.

Days are ordinals (`date.toordinal`), ranges and spans include both their ends, and an open end is FIRST_DAY or
LAST_DAY. A list that may hold rows without a day has those on UNDATED, which only the wholly open range covers.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Protocol

FIRST_DAY = date.min.toordinal()
LAST_DAY = date.max.toordinal()
UNDATED = FIRST_DAY - 1

SKEW_S = 60.0
"""Clocks of machines that share a cache differ by less; a fetch from further ahead is a clock set back since."""


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


class Lifetime(Protocol):
    """How long days stay fresh, by how far back they lay when they were fetched."""

    def pieces(self, span: Span) -> Iterable[tuple[Days, float]]:
        """The span cut where the lifetime changes, each piece with its seconds."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a range needs: days never fetched, days fetched too long ago, and when the rest was true."""

    missing: tuple[Days, ...]
    old: tuple[Days, ...]
    as_of: float | None  # None where nothing is known

    @property
    def is_known(self) -> bool:
        return not self.missing


def demand(needs: Plan, wanted: Days, spans: Iterable[Span], since: float, now: float) -> Plan:
    """The plan for somebody whom only what was fetched since a moment will do: the rest counts as missing."""
    too_old = [
        clipped.days
        for span in spans
        if not since <= span.fetched_at <= now + SKEW_S and (clipped := clip(span, wanted))
    ]
    return replace(needs, missing=merge([*needs.missing, *too_old]), old=())


def plan(wanted: Days, spans: Iterable[Span], lifetime: Lifetime, now: float) -> Plan:
    """Hold a range against what is known."""
    known = [clipped for span in spans if (clipped := clip(span, wanted))]
    missing = subtract(wanted, [span.days for span in known])
    if missing and missing[0].first == UNDATED:
        missing = (wanted,)  # rows without a day come with the open range alone
    pieces = [(days, span.fetched_at, seconds) for span in known for days, seconds in lifetime.pieces(span)]
    old = [piece for piece in pieces if not piece[1] - SKEW_S <= now <= piece[1] + piece[2]]
    return Plan(missing, merge(days for days, _, _ in old), _as_of(old or pieces))


def _as_of(pieces: Sequence[tuple[Days, float, float]]) -> float | None:
    """The oldest fetch among the days that age fastest: those far back are true for long."""
    if not pieces:
        return None
    shortest = min(seconds for _, _, seconds in pieces)
    return min(fetched_at for _, fetched_at, seconds in pieces if seconds == shortest)


def clip(span: Span, days: Days) -> Span | None:
    """The part of a span within the days."""
    part = span.days.meet(days)
    return replace(span, days=part) if part else None


def subtract(wanted: Days, known: Iterable[Days]) -> tuple[Days, ...]:
    """The days of a range that none of the known ones covers."""
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
    """Ranges in order, with those that touch or overlap made one."""
    merged: list[Days] = []
    for days in sorted(ranges):
        if merged and days.first <= merged[-1].last + 1:
            merged[-1] = Days(merged[-1].first, max(merged[-1].last, days.last))
        else:
            merged.append(days)
    return tuple(merged)


def record(spans: Iterable[Span], fetched: Span) -> tuple[Span, ...]:
    """The spans after a fetch: what it covers is its own, what it cuts stays on either side."""
    kept = []
    for span in spans:
        before = Days(span.days.first, min(span.days.last, fetched.days.first - 1))
        after = Days(max(span.days.first, fetched.days.last + 1), span.days.last)
        kept += [replace(span, days=part) for part in (before, after) if part]
    return tuple(sorted([*kept, fetched], key=lambda span: span.days))
