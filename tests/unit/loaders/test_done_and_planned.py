"""Sessions and plans as every page reads them: a computed load, the lengths of plans, the order of legs."""

from datetime import UTC, date, datetime, timedelta
from math import isnan, nan

import pandas as pd
import pytest

import rides
import training
from coachboard.client import NotFound, RowProblem, Unauthorized
from coachboard.client.result import ReadDays, Result
from coachboard.execution.sessions import duration_s, moving_s
from coachboard.formulas.session.summary_load import LoadMethod
from coachboard.loaders.done_and_planned import (
    load_of,
    local_days,
    plans_of,
    profile_for_loads,
    sessions_of,
    unread_days,
)
from coachboard.wire.activities import local_day
from coachboard.wire.enums import Gender, Sport
from coachboard.wire.users import LatestMetric, UserProfile

DAY = training.TODAY
METRICS = {
    ("cycling", "critical power"): 250,
    ("global", "max heart rate"): 190,
    ("global", "resting heart rate"): 60,
}


def listed(*rows):
    return Result(tuple(rows), datetime(2026, 3, 12, tzinfo=UTC))


class Profiles:
    """A client that has one profile, or an error in its place."""

    def __init__(self, error=None):
        self.asked, self._error = 0, error

    def get_user(self, user_id):
        self.asked += 1
        if self._error:
            raise self._error
        latest = [LatestMetric(sport=s, type=t, source=None, value=v) for (s, t), v in METRICS.items()]
        fields = dict.fromkeys(UserProfile.model_fields) | {"id": user_id, "data_onboarding_status": "done"}
        fields |= {"gender": Gender.MALE, "latest_metrics": tuple(latest), "workspaces": ()}
        return Result(UserProfile(**fields), listed().as_of)


def loads(source, *rows):
    found = listed(*rows)
    return {
        one.id: (one.volume, one.load_method)
        for one in sessions_of(found, profile_for_loads(source, "usr_1", found))
    }


def bare(name, **given):
    return training.activity(name, DAY, **{"volume": None, "distance": None} | given)


@pytest.mark.parametrize(("sport", "seconds"), [(Sport.SWIMMING, 3600), (Sport.RUNNING, 2880)])
def test_a_swim_counts_its_rests_as_its_plan_does_and_no_other_sport_its_stops(sport, seconds):
    """3,000 m as planned read as 80 % of the planned time in the lists, next to 100 % on its page."""
    times = {"moving_duration": 2880, "effective_duration": 3600, "total_duration": 3700}
    session = training.activity("Set", DAY, sport=sport, **times)
    (done,) = sessions_of(listed(session), None)

    assert done.duration_s == duration_s(session) == seconds
    assert moving_s(session) == 2880


def test_a_session_without_a_volume_has_a_computed_load_and_says_how():
    hard = {"average_power": 200, "normalized_power": 250, "average_heart_rate": 150, "rpe": 7}
    found = loads(
        Profiles(),
        training.activity("given", DAY, **hard),
        bare("power", **hard),
        bare("average", average_power=250),
        bare("felt", sport=None, average_power=250, rpe=7),
        bare("heart", sport=None, average_heart_rate=0.89 * 190),
        bare("nothing"),
    )

    assert found["act_given"] == (60, None)
    assert found["act_power"] == found["act_average"] == (100, LoadMethod.POWER)
    assert found["act_felt"] == (100, LoadMethod.RPE)
    assert found["act_heart"] == (pytest.approx(100), LoadMethod.HEART_RATE)
    assert (isnan(found["act_nothing"][0]), found["act_nothing"][1]) == (True, None)


def test_the_profile_is_read_only_where_a_load_needs_it():
    source = Profiles()
    loads(source, training.activity("given", DAY, average_power=250), bare("felt", rpe=7))
    assert source.asked == 0

    loads(source, bare("power", average_power=250))
    assert source.asked == 1


def test_without_the_profile_the_load_is_of_rpe_and_a_refused_key_is_not_hidden():
    ride = bare("ride", average_power=250, rpe=7)

    assert loads(Profiles(NotFound("GET", "/")), ride) == {"act_ride": (100, LoadMethod.RPE)}
    with pytest.raises(Unauthorized):
        loads(Profiles(Unauthorized("GET", "/")), ride)


def test_the_page_of_a_session_has_the_load_of_the_lists():
    ride = bare("ride", average_power=250)
    profile = Profiles().get_user("usr_1").value

    assert load_of(ride, profile) == (100, LoadMethod.POWER)
    assert load_of(training.activity("given", DAY), profile) == (60, None)


def test_sessions_come_in_the_order_of_their_starts_whatever_the_order_of_the_list():
    start = datetime(2026, 3, 12, 7, tzinfo=UTC)
    rows = [training.activity(str(n), DAY, started_at=start + timedelta(hours=n)) for n in (1, 2, 0)]
    undated = training.activity("undated", DAY, started_at=None, started_at_local=None)

    assert [one.id for one in sessions_of(listed(*rows, undated), None)] == ["act_0", "act_1", "act_2"]


def steps(*lengths):
    names = ("duration", "distance")
    return [
        {
            "type": "step",
            "label": "active",
            "length": {"type": name, name: length},
            "intensity": training.intensity(None),
        }
        for name, length in ((names[kind], length) for kind, length in lengths)
    ]


@pytest.mark.parametrize(
    ("given", "duration_s", "distance_m"),
    [
        ({"duration": 0, "distance": 40_000}, nan, 40_000),
        ({"duration": 3600, "distance": 0}, 3600, nan),
        ({"duration": None, "structure": steps((1, 1000), (1, 500))}, nan, 1500),
        ({"duration": None, "structure": steps((0, 600), (1, 8000))}, 1600, nan),
        ({"duration": None}, nan, nan),
    ],
)
def test_a_plan_is_as_long_as_it_states_or_as_its_steps_are(given, duration_s, distance_m):
    (plan,) = plans_of(listed(training.prescription("p", DAY, **given)), ())

    assert (plan.duration_s, plan.distance_m) == pytest.approx((duration_s, distance_m), nan_ok=True)


@pytest.mark.parametrize(
    ("utc", "local", "offset", "day"),
    [
        (datetime(2026, 3, 2, 22, 20), datetime(2026, 3, 3, 0, 20), None, date(2026, 3, 3)),  # noqa: DTZ001
        (datetime(2026, 3, 5, 1, 40), datetime(2026, 3, 4, 23, 40), 600, date(2026, 3, 4)),  # noqa: DTZ001
        (datetime(2026, 3, 5, 1, 40), None, None, date(2026, 3, 5)),  # noqa: DTZ001
        (datetime(2026, 3, 5, 20), None, 600, date(2026, 3, 6)),  # noqa: DTZ001
        (datetime(2026, 3, 5, 1, 40), None, -120, date(2026, 3, 4)),  # noqa: DTZ001
        (None, None, 600, None),
    ],
)
def test_the_day_of_a_session_is_the_local_one_as_in_the_ranges_of_the_service(utc, local, offset, day):
    session = rides.activity(
        started_at=utc and utc.replace(tzinfo=UTC), started_at_local=local, utc_offset=offset
    )
    frame = pd.DataFrame({"started_at": [utc], "started_at_local": [local], "utc_offset": [offset]})

    assert local_day(session) == day
    assert local_days(frame) == [day]


def test_the_days_of_sessions_that_could_not_be_read():
    """A second row of a session that was read hides nothing."""
    problems = (
        RowProblem("activities[act_a].sport", "unknown value", is_set_aside=False, row_id="act_a"),
        RowProblem("activities[act_a]", "another row with the same id", is_set_aside=True, row_id="act_a"),
        RowProblem("activities[act_b].laps", "is missing", is_set_aside=True, row_id="act_b", day=DAY),
        RowProblem("activities[?].id", "is not a text", is_set_aside=True),
    )
    found = Result((training.activity("a", DAY),), datetime(2026, 3, 12, tzinfo=UTC), problems=problems)

    assert unread_days(found, DAY, DAY, today=DAY) == {DAY, None}
    assert unread_days(listed(training.activity("a", DAY)), DAY, DAY, today=DAY) == set()


@pytest.mark.parametrize(
    ("age_h", "days"),
    [(0, []), (24, [1]), (72, [3, 2, 1])],
)
def test_days_are_unread_if_the_list_is_older_than_their_end(age_h, days):
    found = Result((), datetime.now(UTC), read_days=(ReadDays(date.min, date.max, age_h * 3600),))

    assert unread_days(found, DAY - timedelta(days=5), DAY, today=DAY) == {
        DAY - timedelta(days=n) for n in days
    }


def test_days_that_were_never_read_are_unread():
    before, after = DAY - timedelta(days=4), DAY - timedelta(days=2)
    read = (ReadDays(date.min, before, 0), ReadDays(after, date.max, 0))
    found = Result((), datetime.now(UTC), read_days=read)

    assert unread_days(found, DAY - timedelta(days=9), DAY, today=DAY) == {DAY - timedelta(days=3)}


def test_a_day_ends_in_the_zone_of_the_newest_session():
    minutes = datetime.now(UTC).hour * 60 + datetime.now(UTC).minute
    offset = 60 - minutes if minutes < 13 * 60 else 25 * 60 - minutes  # there it is about one in the night
    row = training.activity("a", DAY, utc_offset=offset)
    found = Result((row,), datetime.now(UTC), read_days=(ReadDays(date.min, date.max, 2 * 3600),))

    assert unread_days(found, DAY - timedelta(days=2), DAY, today=DAY) == {DAY - timedelta(days=1)}
