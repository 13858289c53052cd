"""The athlete's current date, which decides what is due or missed; it may differ from the user's date.

`known_days` loads the data of the days around it.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import Any, NamedTuple, TypeAlias

from coachboard.client import Client, Result
from coachboard.client.errors import ServiceError
from coachboard.loaders.done_and_planned import usual_offset
from coachboard.loaders.known_days import LOAD_DAYS, NIGHT_DAYS

TodayOf: TypeAlias = Callable[[str], date]
"""Returns the current date of an athlete by their id."""

_DAY_MIN = 24 * 60


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Clock:
    """The current time, the user's zone, and the day of `COACHBOARD_TODAY`, which overrides every date."""

    zone: tzinfo | None = None
    fixed: date | None = None
    now: Callable[[], datetime] = _now

    def day(self, utc_offset_min: float | None = None) -> date:
        """The date at that offset; without one the user's, in UTC until the browser has sent its zone."""
        if self.fixed is not None:
            return self.fixed
        zone = self.zone or UTC
        # `timezone` raises for a day or more.
        if utc_offset_min is not None and abs(utc_offset_min) < _DAY_MIN:
            zone = timezone(timedelta(minutes=utc_offset_min))
        return self.now().astimezone(zone).date()


class AthleteToday(NamedTuple):
    """An athlete's current date, and the UTC offset that it was computed with; None: the user's zone."""

    day: date
    utc_offset_min: float | None = None


def athlete_today(client: Client, user_id: str, clock: Clock) -> AthleteToday:
    """The athlete's current date, by their usual offset of late; else the user's date.

    spec: not shown: an athlete's time zone (docs/assumptions.md).
    """
    today = clock.day()
    if clock.fixed is not None:
        return AthleteToday(today)

    def listed(ask: Callable[..., Result[Any]], days: int) -> Result[Any] | None:
        with suppress(ServiceError):  # the page reads the same list and reports the error
            return ask(user_id, today - timedelta(days=days - 1), today)
        return None

    # The same ranges as the pages load, so that these reads need no further request.
    offset = usual_offset(listed(client.list_activities, LOAD_DAYS), listed(client.list_sleeps, NIGHT_DAYS))
    return AthleteToday(clock.day(offset), offset)


def is_over(clock: Clock, today: date, days: Iterable[AthleteToday]) -> bool:
    """Whether the user's or an athlete's date differs from the page's."""
    return clock.day() != today or any(clock.day(athlete.utc_offset_min) != athlete.day for athlete in days)
