"""Times at the ends of the calendar, where a change of zone or one day more overflows, and numbers beyond all range."""

import json
from datetime import UTC, date, datetime

import pytest

from coachboard.client.decode import read_invitation
from coachboard.client.resources import ACTIVITIES, METRICS
from coachboard.loaders.athlete_today import Clock
from coachboard.wire.base import plausible_day, plausible_instant
from coachboard.wire.body import Metric

WEIGHT = {
    "id": "mtr_1",
    "sport": "global",
    "type": "weight",
    "date": "2026-03-01",
    "value": 70.0,
    "unit": "kg",
    "source": None,
}


@pytest.mark.parametrize("day", ["0001-01-01", "1899-12-31", "2200-01-01", "9999-12-31"])
def test_a_row_of_a_day_at_the_ends_of_the_calendar_is_unreadable(day):
    with pytest.raises(ValueError, match="from 1900-01-01 to 2199-12-31"):
        Metric.from_wire({**WEIGHT, "date": day})
    with pytest.raises(ValueError, match="from 1900-01-01"):
        plausible_day(day)
    assert METRICS.day_of({"date": day}) is None


@pytest.mark.parametrize("value", [1e38, -1e13, 10**400])
def test_a_number_beyond_all_quantities_is_unreadable(value):
    with pytest.raises(ValueError, match="1000000000000"):
        Metric.from_wire({**WEIGHT, "value": value})


@pytest.mark.parametrize(
    "row", [{"startedAt": "9999-12-31 23:59:59+00"}, {"startedAt": "0001-01-01 00:00:00+00"}]
)
def test_an_activity_at_the_ends_of_the_calendar_has_no_day(row):
    assert ACTIVITIES.day_of({**row, "utcOffset": 600}) is None
    assert ACTIVITIES.day_of({**row, "utcOffset": -600}) is None
    assert ACTIVITIES.rank_of(row, 0) == ACTIVITIES.rank_of({}, 0)


@pytest.mark.parametrize(
    "expiry", ["9999-12-31 23:59:59+00", "9999-12-31T23:59:59-05:00", "0001-01-01T00:00:00+05:00"]
)
def test_an_invitation_that_never_expires_is_read(expiry):
    """The request was sent by then: an error here reported a failure to the coach."""
    reply = json.dumps({"code": "abc", "expiresAt": expiry}).encode()

    assert read_invitation(reply).expires_at is None


def test_an_instant_within_the_range_reaches_every_zone():
    last = datetime(2199, 12, 31, 23, 59, tzinfo=UTC)
    assert plausible_instant(last) == plausible_instant(last.replace(tzinfo=None)) == last
    assert plausible_instant(last.replace(year=9999)) is None
    assert plausible_instant(None) is None


def test_an_offset_beyond_a_day_is_no_zone():
    clock = Clock(now=lambda: datetime(2026, 3, 1, tzinfo=UTC))

    assert clock.day(10**9) == clock.day() == date(2026, 3, 1)
    assert clock.day(-60) == date(2026, 2, 28)
