"""The athlete's own day: what is due or missed depends on the date where the athlete is, not on the reader's."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import NamedTuple, TypeAlias

import pandas as pd

from coachboard.client.errors import ServiceError
from coachboard.loaders.athlete_days import LOAD_DAYS, NIGHT_DAYS
from coachboard.loaders.gathering import Lists

TodayOf: TypeAlias = Callable[[str], date]
"""Gives the current date of an athlete, by their id."""

_LEAST_MIN, _MOST_MIN = -12 * 60, 14 * 60
"""The offsets that clocks on earth have."""


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Clock:
    """The present moment, the reader's zone, and the day of `COACHBOARD_TODAY`, which then is everybody's."""

    zone: tzinfo | None = None
    fixed: date | None = None
    now: Callable[[], datetime] = _now

    def day(self, utc_offset_min: float | None = None) -> date:
        """The date at that offset; the reader's without one, in UTC before the browser has sent its zone."""
        if self.fixed is not None:
            return self.fixed
        zone = self.zone or UTC
        if utc_offset_min is not None:
            zone = timezone(timedelta(minutes=utc_offset_min))
        return self.now().astimezone(zone).date()


class AthleteDay(NamedTuple):
    """An athlete's current date, and the offset from UTC that it was computed with; None: the reader's zone."""

    day: date
    utc_offset_min: float | None = None


def athlete_day(client: Lists, user_id: str, clock: Clock) -> AthleteDay:
    """The athlete's current date, by the offset of their newest session or night; else the reader's date.

    spec: not shown: an athlete's time zone (docs/assumptions.md).
    """
    today = clock.day()
    if clock.fixed is not None:
        return AthleteDay(today)
    # The same ranges as the pages load: these reads cost no further request.
    asked = ((client.list_activities, LOAD_DAYS), (client.list_sleeps, NIGHT_DAYS))
    known: list[tuple[datetime, float]] = []
    for ask, days in asked:
        with suppress(ServiceError):  # the page reads the same list and reports the error
            known += _offsets(ask(user_id, today - timedelta(days=days - 1), today).frame)
    offset = max(known)[1] if known else None
    return AthleteDay(clock.day(offset), offset)


def is_over(clock: Clock, today: date, days: Iterable[AthleteDay]) -> bool:
    """Whether the reader's day, or the day of an athlete, is no longer the one that the page shows."""
    return clock.day() != today or any(clock.day(one.utc_offset_min) != one.day for one in days)


def _offsets(frame: pd.DataFrame) -> Iterator[tuple[datetime, float]]:
    """When each row began, and its offset; rows without either are left out, and offsets that no clock has."""
    if "utc_offset" in frame and "started_at" in frame:
        for started, offset in zip(frame["started_at"], frame["utc_offset"], strict=True):
            if not pd.isna(started) and _LEAST_MIN <= offset <= _MOST_MIN:
                yield started, float(offset)
