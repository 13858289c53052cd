"""The athlete's current date, which decides which plans are due or missed."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pandas as pd
import pytest

from coachboard.client.errors import TimedOut
from coachboard.client.result import Result
from coachboard.loaders.athlete_today import AthleteToday, Clock, athlete_today, is_over

DAY = date(2026, 3, 12)
EVENING_IN_BERLIN = datetime(2026, 3, 12, 22, 30, tzinfo=UTC)
AUCKLAND = ZoneInfo("Pacific/Auckland")


def rows(*pairs):
    starts, offsets = zip(*pairs, strict=True) if pairs else ((), ())
    return pd.DataFrame(
        {"started_at": pd.to_datetime(starts, utc=True), "utc_offset": pd.Series(offsets, dtype=float)}
    )


class Frame(Result):
    """Rows of which the frame is known."""

    @property
    def frame(self):
        return self.value


class FakeClient:
    """Answers both lists from frames; an error in the place of a frame is raised."""

    def __init__(self, activities=None, sleeps=None):
        self.activities, self.sleeps = activities, sleeps

    def list_activities(self, user_id, start, end):
        return self._result(self.activities)

    def list_sleeps(self, user_id, start, end):
        return self._result(self.sleeps)

    def _result(self, frame):
        if isinstance(frame, Exception):
            raise frame
        return Frame(rows() if frame is None else frame, EVENING_IN_BERLIN)


def clock(now=EVENING_IN_BERLIN, zone=AUCKLAND, fixed=None):
    return Clock(zone, fixed, now=lambda: now)


BERLIN = (("2026-03-10", 60), ("2026-03-08", 60), ("2026-03-05", 60))
GAME = ("2026-03-11", 660)
READER = AthleteToday(DAY + timedelta(days=1), None)


@pytest.mark.parametrize(
    ("activities", "sleeps", "expected"),
    [
        (rows(*BERLIN), None, AthleteToday(DAY, 60)),
        (rows(GAME, *BERLIN), None, AthleteToday(DAY, 60)),
        (rows(GAME, *BERLIN[:1]), None, READER),
        (rows(GAME), rows(BERLIN[0]), AthleteToday(DAY, 60)),
        (rows(("2026-03-12", 780), ("2026-03-11", 780), *BERLIN), None, AthleteToday(READER.day, 780)),
        (rows(*BERLIN), rows(("2026-03-11", 780)), AthleteToday(READER.day, 780)),
        (rows(("2026-03-11", 120), *BERLIN), None, AthleteToday(DAY + timedelta(days=1), 120)),
        (rows(("2026-03-10", 60)), None, AthleteToday(DAY, 60)),
        (None, rows(("2026-03-10", 60)), AthleteToday(DAY, 60)),
        (rows(("2026-03-01", 780)), rows(("2026-03-10", 60)), AthleteToday(DAY, 60)),
        (rows(("2026-03-11", None), ("2026-03-10", 60)), None, AthleteToday(DAY, 60)),
        (rows(("2026-03-11", 99_999), ("2026-03-10", 60)), None, AthleteToday(DAY, 60)),
        (TimedOut("GET", "/x"), rows(("2026-03-10", 60)), AthleteToday(DAY, 60)),
        (None, None, READER),
    ],
    ids=[
        "at home", "an odd session", "two that differ", "an odd session after a night", "moved", "a night elsewhere",
        "summer time", "only session", "only night", "night is newer", "no offset", "no such offset", "unread", "reader",
    ],
)  # fmt: skip
def test_the_day_follows_nights_and_two_sessions_that_agree(activities, sleeps, expected):
    assert athlete_today(FakeClient(activities, sleeps), "usr_1", clock()) == expected


def test_without_any_zone_the_day_is_that_of_utc():
    assert Clock(now=lambda: EVENING_IN_BERLIN).day() == DAY


def test_a_fixed_day_is_everybodys():
    fixed = clock(fixed=date(2026, 1, 1))

    assert athlete_today(FakeClient(rows(("2026-03-10", 60))), "usr_1", fixed) == AthleteToday(
        date(2026, 1, 1)
    )


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (EVENING_IN_BERLIN, False),
        (EVENING_IN_BERLIN + timedelta(minutes=31), True),  # midnight in Berlin
        (datetime(2026, 3, 13, 11, 30, tzinfo=UTC), True),  # midnight in Auckland
    ],
)
def test_a_day_is_over_at_the_athletes_or_the_readers_midnight(now, expected):
    days = [AthleteToday(DAY, 60), AthleteToday(DAY + timedelta(days=1), None)]

    assert is_over(clock(now), DAY + timedelta(days=1), days) == expected
