"""A session with the metrics of its day, its neighbours, and parts that fail."""

import gc
import weakref
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

import rides
from coachboard.client import NotFound, Result, RowProblem, TimedOut
from coachboard.execution.capacities import capacities_on
from coachboard.loaders.memo import once
from coachboard.loaders.requests import unread_of
from coachboard.pages.activity import data as page_data
from coachboard.pages.activity.data import ActivityUnknown, find_near, load_activity
from coachboard.wire.body import Metric
from coachboard.wire.enums import MetricSource, MetricSport, Sport
from coachboard.wire.metrics import MetricType, MetricUnit
from coachboard.wire.users import LatestMetric, UserProfile

TODAY = date(2026, 3, 10)
DAY = date(2026, 3, 3)


def metric(kind, value, *, day, sport=MetricSport.CYCLING, unit=None):
    return Metric(
        id=f"mtr_{kind}_{day}",
        type=kind,
        value=value,
        unit=unit,
        source=MetricSource.USER,
        date=day,
        sport=sport,
    )


class FakeClient:
    """Answers from lists; a name in `broken` times out. Keeps the ranges that were asked for."""

    profile = None

    def __init__(self, activities, *, metrics=(), streams=None, broken=()):
        self.activities, self.metrics, self.streams, self.broken = activities, metrics, streams, broken
        self.pool = ThreadPoolExecutor(4)
        self.planning = self
        self.asked = []

    def decisions(self, user_id):
        return frozenset()

    def loads(self, user_id, start, end):
        return {}

    def _result(self, name, value):
        if name in self.broken:
            raise TimedOut("GET", f"/{name}")
        return Result(value, datetime(2026, 3, 10, tzinfo=UTC))

    def get_user(self, user_id):
        return self._result("profile", self.profile)

    def get_streams(self, activity_id):
        if self.streams is None:
            raise NotFound("GET", f"/activities/{activity_id}/streams", status=404)
        return self._result("streams", self.streams)

    def list_activities(self, user_id, start=None, end=None):
        self.asked.append((start, end))
        kept = [a for a in self.activities if (start or date.min) <= a.started_at.date() <= (end or date.max)]
        return self._result("activities", tuple(kept))

    def list_metrics(self, user_id, start=None, end=None):
        return self._result("metrics", tuple(m for m in self.metrics if start <= m.date <= end))

    def list_prescriptions(self, user_id, start=None, end=None):
        return self._result("prescriptions", ())


def load_with_replies(client, activity_id="act_1", day=DAY):
    return load_activity(client, user_id="me", activity_id=activity_id, day=day, today=TODAY)


def load(client, activity_id="act_1", day=DAY):
    return load_with_replies(client, activity_id, day)[0]


def test_a_link_with_the_day_asks_for_the_sessions_once():
    before = rides.activity("act_0", start=rides.START - timedelta(days=80))
    client = FakeClient([rides.activity(), before], streams=rides.streams())
    data = load(client)

    assert len(client.asked) == 1
    assert len(data.streams) == 600
    assert data.missing == ()


def test_a_link_without_the_day_finds_an_old_session():
    old = rides.activity(start=rides.START - timedelta(days=700))
    data = load(FakeClient([old]), day=None)

    assert data.activity.id == "act_1"
    assert data.day == DAY - timedelta(days=700)


def test_an_unknown_session_is_distinguished_from_an_error():
    with pytest.raises(ActivityUnknown):
        load(FakeClient([rides.activity("act_2")]))


def test_neighbours_are_those_before_and_after_in_time():
    sessions = [rides.activity(f"act_{n}", start=rides.START + timedelta(days=n)) for n in (2, 1, 0)]
    data = load(FakeClient(sessions), "act_1", day=DAY + timedelta(days=1))

    assert (data.previous.id, data.next.id) == ("act_0", "act_2")


def test_neighbours_may_be_years_away():
    days = {"act_old": -900, "act_1": -400, "act_new": -200}
    sessions = [rides.activity(name, start=rides.START + timedelta(days=n)) for name, n in days.items()]
    day = DAY - timedelta(days=400)
    data = load(FakeClient(sessions), "act_1", day=day)

    assert (data.previous.id, data.next.id) == ("act_old", "act_new")
    assert load(FakeClient(sessions), "act_new", day=DAY - timedelta(days=200)).next is None
    assert load(FakeClient(sessions), "act_old", day=DAY - timedelta(days=900)).previous is None


def test_neighbours_whose_list_fails_are_named_as_missing():
    class Narrow(FakeClient):
        """Times out on all years at once."""

        def list_activities(self, user_id, start=None, end=None):
            self.broken = ("activities",) if start is None else ()
            return super().list_activities(user_id, start, end)

    data = load(Narrow([rides.activity()]))

    assert (data.previous, data.next) == (None, None)
    assert [missing.what for missing in data.missing] == ["earlier and later sessions"]


def test_legs_are_those_of_the_same_group_in_order():
    legs = [
        rides.activity(f"act_{n}", start=rides.START + timedelta(hours=n), group_id="grp_1")
        for n in (2, 1, 0)
    ]
    data = load(FakeClient(legs), "act_1")

    assert [leg.id for leg in data.legs] == ["act_0", "act_1", "act_2"]


def test_no_streams_is_an_answer_and_a_timeout_is_a_gap():
    none = load(FakeClient([rides.activity()]))
    late = load(FakeClient([rides.activity()], streams=rides.streams(), broken={"streams", "metrics"}))

    assert isinstance(none.streams_error, NotFound)
    assert none.missing == ()
    assert [gap.what for gap in late.missing] == ["the streams", "the metrics"]


def test_a_session_comes_with_the_age_and_the_problems_of_its_replies():
    problem = RowProblem("streams.power", "numbers expected", is_set_aside=True)

    class Odd(FakeClient):
        def _result(self, name, value):
            problems = (problem,) if name == "streams" else ()
            return Result(
                value, datetime(2026, 3, 9, tzinfo=UTC), is_stale=name == "metrics", problems=problems
            )

    data = load(Odd([rides.activity()], streams=rides.streams()))

    assert len(data.results) == 5
    assert [result.is_stale for result in data.results].count(True) == 1
    (unread,) = unread_of(*data.results)
    assert (unread.name, unread.rows, unread.total) == ("streams", 1, len(rides.streams().columns) + 1)


def test_capacities_are_those_of_the_day_and_of_the_sport():
    metrics = [
        metric(MetricType.CRITICAL_POWER, 250, day=DAY - timedelta(days=30)),
        metric(MetricType.CRITICAL_POWER, 260, day=DAY),
        metric(MetricType.CRITICAL_POWER, 300, day=DAY, sport=MetricSport.RUNNING),
        metric(MetricType.W_PRIME, 21, day=DAY, unit=MetricUnit.KJ),
        metric(MetricType.WEIGHT, 70, day=DAY, sport=MetricSport.GLOBAL),
    ]
    found = load(FakeClient([rides.activity()], metrics=metrics)).capacities

    assert (found.critical_power_w, found.w_prime_j, found.weight_kg) == (260, 21_000, 70)
    assert found.max_heart_rate_bpm is None


@pytest.mark.parametrize(
    ("sessions", "found"),
    [
        ({"short": (0, 600), "long": (0, 5_400), "newest": (5, 600)}, "long"),
        ({"before": (-2, 600), "newest": (5, 600)}, "newest"),
        ({"years": (-900, 600), "older": (-901, 600)}, "years"),
        ({}, None),
    ],
    ids=["of the day", "newest", "of all years", "none"],
)
def test_the_nearest_session_is_the_days_longest_else_the_newest(sessions, found):
    activities = [
        rides.activity(name, start=rides.START + timedelta(days=days), total_duration=duration_s)
        for name, (days, duration_s) in sessions.items()
    ]
    client = FakeClient(sorted(activities, key=lambda one: one.started_at, reverse=True))

    near = find_near(client, user_id="usr_1", day=DAY, today=TODAY)

    assert (near and near.id) == found


@pytest.mark.parametrize(
    ("value", "unit"), [(21, None), (21_000, None), (21, MetricUnit.KJ), (21_000, MetricUnit.J)]
)
def test_w_prime_is_the_same_in_joules_and_kilojoules(value, unit):
    sent = [metric(MetricType.W_PRIME, value, day=DAY, unit=unit)]

    assert load(FakeClient([rides.activity()], metrics=sent)).capacities.w_prime_j == 21_000


def test_a_zero_never_becomes_a_capacity_and_leaves_the_value_before_it():
    sent = [
        metric(MetricType.WEIGHT, 70, day=DAY - timedelta(days=9), sport=MetricSport.GLOBAL),
        metric(MetricType.WEIGHT, 0, day=DAY, sport=MetricSport.GLOBAL),
        metric(MetricType.CRITICAL_POWER, 0, day=DAY),
    ]
    found = load(FakeClient([rides.activity()], metrics=sent)).capacities

    assert (found.weight_kg, found.critical_power_w) == (70, None)


def test_a_zero_of_the_profile_never_becomes_a_capacity():
    sent = LatestMetric(sport=MetricSport.GLOBAL, type=MetricType.WEIGHT, source=None, value=0)
    person = UserProfile.model_construct(latest_metrics=(sent,))

    assert capacities_on(DAY, Sport.CYCLING, metrics=(), profile=person).weight_kg is None


class SteadyClient(FakeClient):
    """Gives the same rows as long as they are the same, as the client's cache does; streams again each time."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.results, self.read_at = {}, {}

    def _result(self, name, value):
        found = super()._result(name, value)
        if name == "streams":
            return Result(value, self.read_at.get(name, found.as_of))
        first = self.results.setdefault((name, str(value)), found)
        return replace(first, as_of=self.read_at.get(name, found.as_of))


def test_a_rerun_gets_the_record_of_the_run_before():
    client = SteadyClient([rides.activity()], streams=rides.streams())

    assert load(client) is load(client)


@pytest.mark.parametrize("name", ["activities", "profile", "metrics", "prescriptions"])
def test_a_refresh_that_changes_no_row_keeps_the_record_and_gives_the_newer_age(name):
    client = SteadyClient([rides.activity()], streams=rides.streams())
    before, _ = load_with_replies(client)
    client.read_at[name] = datetime(2026, 3, 10, 1, tzinfo=UTC)
    after, replies = load_with_replies(client)

    assert after is before
    assert [one.as_of.hour for one in replies].count(1) == 1


def test_streams_that_were_fetched_again_make_a_new_record():
    client = SteadyClient([rides.activity()], streams=rides.streams())
    before = load(client)
    client.read_at["streams"] = datetime(2026, 3, 10, 1, tzinfo=UTC)

    assert load(client) is not before


def test_other_rows_another_session_and_a_failed_part_make_a_new_record():
    client = SteadyClient([rides.activity(), rides.activity("act_2")], streams=rides.streams())
    before = load(client)
    assert load(client, "act_2").activity.id == "act_2"

    client.metrics = [metric(MetricType.CRITICAL_POWER, 250.0, day=DAY)]
    assert load(client).capacities.critical_power_w == 250.0

    client.profile = UserProfile.model_construct(id="me", latest_metrics=())
    assert load(client).profile == client.profile

    client.broken = ("streams",)
    failed = load(client)
    assert failed.streams is None
    assert failed.missing

    assert load(client) is not failed  # each page shows the error of its own request

    client.broken, client.metrics, client.profile = (), (), None
    assert load(client) is before


def test_a_session_stays_one_record_while_a_page_shows_it(monkeypatch):
    """With more than the newest records, 100 people made all sections of their pages run again."""
    client = SteadyClient([rides.activity(), rides.activity("act_2")], streams=rides.streams())
    monkeypatch.setattr(page_data, "_NEWEST", deque(maxlen=1))
    shown = load(client)
    load(client, "act_2")
    assert load(client) is shown

    left = weakref.ref(shown)
    del shown
    gc.collect()
    assert left() is None


def test_two_keys_never_share_a_record():
    first, second = (SteadyClient([rides.activity()], streams=rides.streams()) for _ in range(2))

    assert load(first) is not load(second)


def test_a_figure_is_computed_once_per_record_and_arguments():
    calls = []

    @once
    def noted(data, name, *, is_pace=False):
        calls.append((data.activity.id, name, is_pace))
        return [name]

    client = SteadyClient([rides.activity(), rides.activity("act_2")], streams=rides.streams())
    data, other = load(client), load(client, "act_2")

    assert noted(data, "power") is noted(data, "power")
    noted(data, "speed")
    noted(data, "power", is_pace=True)
    noted(other, "power")
    assert calls == [
        ("act_1", "power", False),
        ("act_1", "speed", False),
        ("act_1", "power", True),
        ("act_2", "power", False),
    ]
