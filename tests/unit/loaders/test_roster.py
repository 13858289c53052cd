"""The roster loads row by row, one failure hides no other athlete, and flags can be snoozed per key."""

import threading
import time
from datetime import UTC, datetime, timedelta
from math import isnan

import pytest

import rides
import seeded
import squad
import training
from coachboard.client import Client, NotFound, Options, RowProblem, cache
from coachboard.client.result import Result
from coachboard.client.retry import FAILURE_REST_S
from coachboard.execution.adherence import Adherence
from coachboard.execution.compliance import ComplianceState, Measure
from coachboard.execution.work_steps import ScoreBasis
from coachboard.formulas.season.load import CLASSIC, SERVICE
from coachboard.loaders import done_and_planned, known_days, roster_row
from coachboard.loaders.athlete_today import AthleteToday
from coachboard.loaders.flag_snooze import FlagOf, load_snoozes, snooze, unsnooze
from coachboard.loaders.known_days import load_known
from coachboard.loaders.local_store import open_store
from coachboard.loaders.memo import RowsMemo
from coachboard.loaders.roster_row import load_row
from coachboard.pages import squad_rows
from coachboard.pages.athlete.data import (
    load_athlete,
    season,
    share_done,
    weekly,
    weekly_planned,
    weekly_targets,
)
from coachboard.pages.squad_rows import RosterFill, RosterPhase
from coachboard.wire.body import Metric
from coachboard.wire.enums import DataOnboardingStatus, MetricSource, MetricSport, Sport
from coachboard.wire.metrics import MetricType
from coachboard.wire.users import UserMetricReadiness
from faulty_proxy import faulty, reset
from waiting import wait_until

TODAY = training.TODAY


def critical_power(sport):
    return Metric(
        id="mtr_cp",
        type=MetricType.CRITICAL_POWER,
        value=250,
        unit="W",
        sport=sport,
        source=MetricSource.USER,
        date=TODAY - timedelta(days=30),
    )


class Failing:
    """The client, except that one athlete is gone."""

    def __init__(self, client, user_id):
        self._client, self._user_id = client, user_id

    def __getattr__(self, name):
        return getattr(self._client, name)

    def list_sleeps(self, user_id, *args):
        if user_id == self._user_id:
            return self._client.list_sleeps("usr_nobody", *args)
        return self._client.list_sleeps(user_id, *args)


class Slow:
    """The client, except that nights come when the test says so."""

    def __init__(self, client):
        self._client, self.asked, self.answers = client, set(), threading.Event()

    def __getattr__(self, name):
        return getattr(self._client, name)

    def list_sleeps(self, user_id, *args):
        self.asked.add(user_id)
        self.answers.wait(10)
        return self._client.list_sleeps(user_id, *args)


def filled(client):
    fill = RosterFill(client, client.list_users().value, day_of=lambda _: AthleteToday(TODAY), thresholds={})
    fill.read_again_after(0)
    fill.go_on()
    fill.wait(20)
    return fill


def test_every_athlete_gets_a_row(client):
    roster = filled(client).look()

    assert set(roster.rows) == {squad.ANA, squad.BEN}
    assert (roster.waiting, roster.is_filling, roster.failed) == ((), False, {})


class Stale(Failing):
    """The client, except that nights are last known until a refresh behind them has come."""

    def __init__(self, client, *, settles, error=None):
        super().__init__(client, "")
        self.asked, self.settles, self._error = 0, settles, error

    def is_settled(self, timeout_s=0.0):
        self.asked += 1
        return True

    def list_sleeps(self, user_id, *args):
        found = self._client.list_sleeps(user_id, *args)
        is_stale = user_id == squad.ANA and self.asked < self.settles
        return Result(found.value, found.as_of, is_stale=is_stale, error=self._error)


def whole(fill):
    end = time.monotonic() + 20
    while fill.look().phase is not RosterPhase.WHOLE:
        assert time.monotonic() < end
        time.sleep(0.01)
    return fill.look()


def test_refreshed_rows_replace_cached_rows(client):
    """Nobody has to open the page again: a roster of last night is this morning's once the service has answered."""
    source = Stale(client, settles=2)
    roster = whole(filled(source))

    assert source.asked == 2
    assert not roster.rows[squad.ANA].is_stale


def test_a_row_whose_refresh_fails_is_not_waited_for(client):
    source = Stale(client, settles=9, error=NotFound("GET", "/"))
    roster = whole(filled(source))

    assert source.asked == 0
    assert not roster.rows[squad.ANA].is_stale
    assert isinstance(roster.rows[squad.ANA].error, NotFound)
    assert roster.rows[squad.BEN].error is None


def test_one_athlete_that_fails_shows_as_such_and_hides_nobody(client):
    roster = filled(Failing(client, squad.BEN)).look()

    assert set(roster.rows) == {squad.ANA}
    assert isinstance(roster.failed[squad.BEN], NotFound)


@pytest.fixture
def aging(client):
    """A complete roster over a source whose rows are old again after `now` has moved by 300 s."""

    def made(source, day_of=lambda _: AthleteToday(TODAY)):
        now = [0.0]
        fill = RosterFill(
            source,
            client.list_users().value,
            day_of=day_of,
            thresholds={},
            clock=lambda: now[0],
        )
        fill.read_again_after(300)
        fill.go_on()
        whole(fill)
        return fill, now

    return made


def test_rows_stay_until_they_are_old(client, aging):
    fill, now = aging(client)
    first = fill.look().rows
    now[0] = 299
    fill.read_again_after(300)
    again = whole(fill).rows
    now[0] = 300
    fill.read_again_after(300)
    last = whole(fill).rows

    assert again == first
    assert all(last[user_id] is not row for user_id, row in first.items())


def test_a_complete_roster_shows_no_old_row_while_its_rows_are_renewed(client, aging):
    """The page waited 0.25 s for each rerun meanwhile, and each row that came made each session draw the table again."""
    source = Stale(client, settles=0)
    fill, now = aging(source)
    first, source.settles, now[0] = fill.look(), 1, 300
    fill.read_again_after(300)
    seen = [fill.look()]
    started = time.monotonic()
    fill.wait(5)
    assert time.monotonic() - started < 1
    while seen[-1].phase is not RosterPhase.WHOLE:
        seen.append(fill.look())

    assert source.asked == 1
    assert all(roster.phase is not RosterPhase.READING for roster in seen)
    assert not any(row.is_stale for roster in seen for row in roster.rows.values())
    assert {roster.progress for roster in seen} == {first.progress}
    assert all(seen[-1].rows[user_id] is not row for user_id, row in first.rows.items())


def test_rows_whose_refreshes_go_on_are_replaced_by_newer_ones(client, aging, monkeypatch):
    """600 athletes take more than the two minutes for which the lists of these days are fresh."""
    monkeypatch.setattr(squad_rows, "RENEWAL_ROUNDS", 2)
    source = Stale(client, settles=0)
    fill, now = aging(source)
    first, source.settles, now[0] = fill.look(), 99, 300
    fill.read_again_after(300)
    row = whole(fill).rows[squad.ANA]

    assert source.asked == 2
    assert row.is_stale
    assert row is not first.rows[squad.ANA]


def test_the_date_of_an_athlete_changes_with_the_row(client, aging):
    today = [TODAY]
    source = Stale(client, settles=0)
    fill, now = aging(source, day_of=lambda _: AthleteToday(today[0]))
    source.settles, source.asked, now[0], today[0] = 1, 0, 300, TODAY + timedelta(days=1)
    fill.read_again_after(300)
    while fill.look().phase is not RosterPhase.WHOLE:
        rows, days = fill.look().rows, fill.days
        if fill.look().rows == rows:
            assert {user_id: row.today for user_id, row in rows.items()} == {
                user_id: day.day for user_id, day in days.items()
            }

    assert {day.day for day in fill.days.values()} == {today[0]}


def test_a_renewal_ends_when_its_client_is_closed(client, aging):
    fill, now = aging(client)
    now[0] = 300
    fill.read_again_after(300)
    assert fill.look().phase is RosterPhase.RENEWING
    client.close()
    whole(fill)


def test_a_person_waits_for_rows_that_could_not_be_refreshed(client, aging):
    """The button "Try again" was away meanwhile, and nothing showed that rows were loading."""
    fill, now = aging(Stale(client, settles=9, error=NotFound("GET", "/")))
    first, now[0] = fill.look(), 300
    fill.read_again_after(300)

    assert whole(fill).progress is not first.progress


@pytest.mark.parametrize(("age_s", "phase"), [(599, RosterPhase.RENEWING), (600, RosterPhase.READING)])
def test_a_person_waits_for_the_rows_of_a_roster_that_nobody_has_seen_for_long(client, aging, age_s, phase):
    """A coach came back to the roster after hours, and saw the rows of the morning without a word."""
    source = Slow(client)
    source.answers.set()
    fill, now = aging(source)
    source.answers.clear()
    now[0] = age_s
    fill.read_again_after(300)

    assert fill.look().phase is phase
    source.answers.set()
    whole(fill)


def test_a_person_who_tries_again_waits_for_the_rows(client, aging):
    source = Slow(client)
    source.answers.set()
    fill, now = aging(source)
    source.answers.clear()
    now[0] = 1
    fill.read_again_after(0)

    assert fill.look().phase is RosterPhase.READING
    source.answers.set()
    whole(fill)


def test_a_roster_with_a_failed_athlete_is_read_and_not_renewed(client, aging):
    source = Failing(client, squad.BEN)
    fill, now = aging(source)
    now[0] = 300
    fill.read_again_after(300)
    whole(fill)

    assert isinstance(fill.look().failed[squad.BEN], NotFound)
    assert fill.look().progress.done == 2


def test_where_the_first_has_to_be_asked_for_the_others_wait_until_the_page_is_drawn(client):
    slow = Slow(client)
    fill = RosterFill(slow, client.list_users().value, day_of=lambda _: AthleteToday(TODAY), thresholds={})
    fill.read_again_after(0)
    fill.wait(0.25)
    slow.answers.set()
    wait_until(lambda: len(fill.look().rows) == 1)
    assert len(slow.asked) == 1
    fill.go_on()
    wait_until(lambda: len(fill.look().rows) == 2)

    assert len(slow.asked) == 2


def test_others_who_are_known_come_with_the_first(client):
    """Nobody has to say that the page is drawn, where nothing has to be asked for."""
    assert len(filled(client).look().rows) == 2
    again = RosterFill(client, client.list_users().value, day_of=lambda _: AthleteToday(TODAY), thresholds={})
    again.read_again_after(0)
    again.wait(5)

    assert len(again.look().rows) == 2


def test_a_fault_of_the_code_is_raised(client):
    class Broken(Failing):
        def list_sleeps(self, user_id, *args):
            raise ZeroDivisionError

    fill = filled(Broken(client, ""))

    with pytest.raises(ZeroDivisionError):
        fill.look()


def test_a_row_shows_the_figures_of_the_data(client):
    user = next(one for one in client.list_users().value if one.id == squad.ANA)
    row = load_row(client, user, today=TODAY, thresholds={})

    assert row.last_session is not None
    assert row.last_session <= TODAY
    assert sum(row.weekly) > 0
    assert row.loads[CLASSIC.id].fitness != row.loads[SERVICE.id].fitness
    assert row.adherence.due >= row.adherence.done
    assert row.next_event[0] >= TODAY
    # 15 min of sleep, 1 ms and 1 bpm: a mean closer to the normal range has no sign.
    assert (row.sleep_h.error, row.hrv_ms.error, row.resting_hr_bpm.error) == (0.25, 1.0, 1.0)


def test_an_athlete_without_data_has_an_empty_row(client):
    user = next(one for one in client.list_users().value if one.id == squad.BEN)
    row = load_row(client, user, today=TODAY, thresholds={})

    assert (row.last_session, row.next_session, row.next_event, row.sports) == (None, None, None, ())
    assert (row.planned_until, row.days_planned) == (None, 0)
    assert row.raised == ()


def test_a_plan_ends_with_its_last_workout_or_race(client, squad_store):
    days = (-1, 2, 60)  # the last one is too far ahead to be part of this plan
    plans = [training.prescription(f"Day {day}", TODAY + timedelta(days=day)) for day in days]
    squad_store.put_prescriptions(squad.BEN, plans)
    user = next(one for one in client.list_users().value if one.id == squad.BEN)
    assert load_row(client, user, today=TODAY, thresholds={}).days_planned == 3


def test_the_season_continues_from_today_with_the_plan(client):
    known = load_known(client, squad.ANA, today=TODAY)
    outlook = season(known, CLASSIC)

    assert outlook.days[outlook.today_at] == TODAY
    assert len(outlook.days) == len(outlook.volume) == len(outlook.planned)
    assert [future.name for future in outlook.futures][:2] == ["as planned", "at 80 % of plan"]
    assert outlook.futures[0].frame.iloc[-1].fitness >= outlook.futures[1].frame.iloc[-1].fitness
    assert not share_done(known) < 0


def test_past_races_are_of_the_season_and_not_the_next_event(client, squad_store):
    days = [TODAY - timedelta(days=20), TODAY, TODAY + timedelta(days=9)]
    squad_store.put_events(squad.ANA, [seeded.event(f"evt_{n}", day) for n, day in enumerate(days)])
    known = load_known(client, squad.ANA, today=TODAY)

    assert [day for day, _ in known.past_events if day in days] == days[:1]
    assert [day for day, _ in known.days.events if day in days] == days
    assert known.events[0][0] == TODAY
    assert set(days) <= {day for day, _ in season(known, CLASSIC).events}


@pytest.fixture(params=["in memory", "not in memory"])
def decoded_lists(request, monkeypatch):
    """The lists of a squad of more than 27 athletes are decoded for one athlete after the other."""
    if request.param == "not in memory":
        monkeypatch.setattr(cache, "DECODED_BYTES", 1)
        monkeypatch.setattr(known_days, "_KEPT", RowsMemo(1))


@pytest.mark.usefixtures("decoded_lists")
@pytest.mark.parametrize("hours", [0.3, 7, 8 * 24])
def test_a_refresh_computes_only_the_rows_that_changed(squad_store, squad_service, tmp_path, hours):
    """Two passes over 25 athletes took 0.75 s of CPU time every five minutes, with nothing changed."""
    ahead_s, kept = 0.0, {}
    options = Options(today=TODAY, clock=lambda: time.time() + ahead_s)
    cache_url = f"sqlite:///{tmp_path / 'cache.db'}"
    with Client(squad_service, squad.COACH_KEY, cache_url=cache_url, options=options) as client:

        def rows():
            users = [user for user in client.list_users().value if user.id in {squad.ANA, squad.BEN}]
            found = {
                one.id: load_row(client, one, today=TODAY, thresholds={}, before=[kept.get(one.id)])
                for one in users
            }
            kept.update({user_id: row for user_id, row in found.items() if not row.is_stale})
            return found

        first = rows()
        squad_store.put_prescriptions(squad.BEN, [training.prescription("Hills", TODAY + timedelta(days=1))])
        ahead_s = hours * 3600
        old = rows()
        assert client.is_settled(20)
        new = rows()
        assert rows()[squad.BEN].flags is new[squad.BEN].flags

    ana = [found[squad.ANA] for found in (first, old, new)]
    assert [row.is_stale for row in ana] == [False, True, False]
    assert ana[2].plans_as_of - ana[0].plans_as_of > timedelta(hours=0.9 * hours)
    assert ana[2].nights_as_of > ana[0].nights_as_of
    assert ana[2].sessions_as_of > ana[0].sessions_as_of
    assert ana[2].flags is ana[0].flags
    assert new[squad.BEN].next_session.title == "Hills"


def test_a_row_follows_the_athletes_profile_and_the_users_thresholds(client):
    user = next(one for one in client.list_users().value if one.id == squad.ANA)
    failed = user.model_copy(update={"data_onboarding_status": DataOnboardingStatus.FAILED})

    def row(user, before=None, **thresholds):
        return load_row(client, user, today=TODAY, thresholds=thresholds, before=[before])

    first = row(user)
    assert row(user, first).flags is first.flags
    assert row(failed, first).user == failed
    limits = [one.limit for one in row(user, first, no_session=20.0).flags if one.rule.id == "no_session"]
    assert limits == [20]
    assert (
        load_row(client, user, today=TODAY + timedelta(days=1), thresholds={}, before=[first]).today > TODAY
    )


@pytest.mark.usefixtures("decoded_lists")
def test_a_roster_with_another_athlete_keeps_the_rows_of_the_others(client):
    newest = {}

    def flags(users):
        fill = RosterFill(client, users, day_of=lambda _: AthleteToday(TODAY), thresholds={}, newest=newest)
        fill.read_again_after(0)
        fill.go_on()
        return {user_id: row.flags for user_id, row in whole(fill).rows.items()}

    users = client.list_users().value
    changed = [one.model_copy(update={"first_name": "New"}) if one.id == squad.BEN else one for one in users]
    alone, both, renamed = flags(users[:1]), flags(users), flags(changed)

    assert both[users[0].id] is alone[users[0].id]
    assert [renamed[one.id] is both[one.id] for one in users] == [one.id != squad.BEN for one in users]


@pytest.fixture
def computed(monkeypatch):
    """The athletes whose rows are computed."""
    found, real = [], roster_row._row

    def counted(user, *args):
        found.append(user.id)
        return real(user, *args)

    monkeypatch.setattr(roster_row, "_row", counted)
    return found


def test_rosters_with_other_thresholds_keep_their_own_rows(client, computed):
    newest, users = {}, client.list_users().value
    fills = [
        RosterFill(client, users, day_of=lambda _: AthleteToday(TODAY), thresholds=thresholds, newest=newest)
        for thresholds in ({}, {"no_session": 20.0})
    ]
    for fill in (*fills, *fills):
        fill.read_again_after(0)
        fill.go_on()
        whole(fill)

    assert sorted(computed) == sorted(2 * [user.id for user in users])


class Noon(datetime):
    """The current time, at noon: in the first hour of a day, a list that is an hour old may lack sessions of yesterday."""

    @classmethod
    def now(cls, tz=None):
        return datetime.now(tz).replace(hour=12)


def test_a_roster_over_an_old_cache_computes_each_row_once(squad_service, tmp_path, computed, monkeypatch):
    monkeypatch.setattr(done_and_planned, "datetime", Noon)
    ahead_s = 0.0
    options = Options(today=TODAY, clock=lambda: time.time() + ahead_s)
    for ahead_s in (0.0, 3_600.0):  # noqa: B007 (read by the clock)
        computed.clear()
        cache_url = f"sqlite:///{tmp_path / 'cache.db'}"
        with Client(squad_service, squad.COACH_KEY, cache_url=cache_url, options=options) as client:
            roster = filled(client).look
            wait_until(lambda: not any(row.is_stale for row in roster().rows.values()))  # noqa: B023

    assert sorted(computed) == sorted(roster().rows)


def test_an_athlete_who_left_the_squad_leaves_the_newest_rows(client):
    newest, users = {}, client.list_users().value
    for some in (users, users[:1]):
        fill = RosterFill(client, some, day_of=lambda _: AthleteToday(TODAY), thresholds={}, newest=newest)
        fill.read_again_after(0)
        fill.go_on()
        whole(fill)

    assert list(newest) == [users[0].id]


def test_a_renewed_roster_keeps_the_rows_that_did_not_change(aging, client):
    fill, now = aging(client)
    before = whole(fill).rows
    for now[0] in (300, 1_000):  # behind the page, and while a person waits
        fill.read_again_after(300)
        after = whole(fill).rows
        assert [after[one].flags is before[one].flags for one in before] == [True, True]


def test_the_season_is_computed_again_for_other_rows(client):
    class Fewer(Failing):
        def list_activities(self, user_id, *args):
            found = self._client.list_activities(user_id, *args)
            return Result(found.value[1:], found.as_of)

    known = load_known(client, squad.ANA, today=TODAY)
    first = season(known, CLASSIC)

    assert season(load_known(client, squad.ANA, today=TODAY), CLASSIC) is first
    fewer = load_known(Fewer(client, squad.BEN), squad.ANA, today=TODAY)
    assert len(fewer.done) == len(known.done) - 1
    assert sum(season(fewer, CLASSIC).volume) < sum(first.volume)


def test_the_week_has_the_first_day_of_a_reader_whose_date_is_the_athletes_yesterday(client):
    year = load_known(client, squad.ANA, today=TODAY).done
    on = max(one.day for one in year if one.day <= TODAY - timedelta(days=7))
    row = load_row(client, next(u for u in client.list_users().value if u.id == squad.ANA),
                   today=on + timedelta(days=7), thresholds={})  # fmt: skip

    assert on in {match.day for match in row.week}


def test_a_plan_is_missed_again_once_the_service_is_back_with_the_same_rows(
    squad_store, squad_service, tmp_path
):
    """While the list is older than the end of a day, a session of that day may be missing in it."""
    plan_day = TODAY - timedelta(days=1)
    squad_store.put_prescriptions(squad.ANA, [training.prescription("Yesterday", plan_day)])
    ahead_s = -26 * 3600.0
    options = Options(today=TODAY, clock=lambda: time.time() + ahead_s, sleep=lambda _: None)

    def said():
        matches = load_known(client, squad.ANA, today=TODAY).matches
        (plan,) = [match for match in matches if match.planned and match.day == plan_day]
        return plan.adherence

    with (
        faulty(squad_service) as proxy,
        Client(
            proxy.url, squad.COACH_KEY, cache_url=f"sqlite:///{tmp_path / 'cache.db'}", options=options
        ) as client,
    ):
        rows = client.list_activities(squad.ANA).value
        assert said() is Adherence.MISSED

        ahead_s, proxy.always = 0.0, reset
        assert said() is Adherence.UNKNOWN
        wait_until(lambda: client.list_activities(squad.ANA).error is not None)
        assert said() is Adherence.UNKNOWN

        proxy.always = None

        def is_missed_later():
            """A read that was under way may still fail: the clock moves past its rest, too."""
            nonlocal ahead_s
            ahead_s += FAILURE_REST_S + 1
            return said() is Adherence.MISSED

        wait_until(is_missed_later)
        assert client.list_activities(squad.ANA).value == rows


@pytest.mark.parametrize("ago", range(9))
def test_load_and_planned_sessions_count_the_same_seven_days(client, ago):
    """One day per test: nine days with one client exceed the rate limit, which takes a minute."""
    user = next(one for one in client.list_users().value if one.id == squad.ANA)
    today = TODAY - timedelta(days=ago)
    row = load_row(client, user, today=today, thresholds={})
    known = load_known(client, squad.ANA, today=today)
    first = today - timedelta(days=6)

    assert row.done_week == sum(one.volume for one in known.done if first <= one.day <= today)
    assert row.adherence.done == sum(
        match.adherence in {Adherence.ON_TIME, Adherence.MOVED}
        for match in known.matches
        if first <= (match.done.day if match.done else match.day) <= today
    )
    # The flag counts the same plans: it said 4 of 10 next to 4 of 11.
    missed = next(flag for flag in row.flags if flag.rule.id == "missed_sessions")
    if row.adherence.due:
        assert (missed.value, missed.high) == (row.adherence.due - row.adherence.done, row.adherence.due)


@pytest.mark.parametrize("status", list(DataOnboardingStatus))
def test_silence_after_a_failed_import_is_a_to_do_and_no_flag(squad_store, client, status):
    seed_power(squad_store, sessions=5)
    found = next(one for one in client.list_users().value if one.id == squad.BEN)
    user = found.model_copy(update={"data_onboarding_status": status})
    row = load_row(client, user, today=TODAY + timedelta(days=6), thresholds={})

    silent = "no_session" in {flag.rule.id for flag in row.raised}
    assert silent is (status is not DataOnboardingStatus.FAILED)


def test_a_failed_import_without_a_session_of_this_week_has_no_load(squad_store, client):
    """Silva's row said load 0 three weeks after the last session, as of a fresh athlete."""
    seed_power(squad_store, sessions=5)  # until yesterday
    found = next(one for one in client.list_users().value if one.id == squad.BEN)
    user = found.model_copy(update={"data_onboarding_status": DataOnboardingStatus.FAILED})
    row = load_row(client, user, today=TODAY + timedelta(days=6), thresholds={})

    assert row.no_data_since == TODAY - timedelta(days=1)
    assert isnan(row.done_week)
    assert isnan(row.loads[CLASSIC.id].form)


def test_weeks_of_an_athlete_add_up_to_the_sessions(client):
    data = load_athlete(client, squad.ANA, today=TODAY, thresholds={})
    totals = weekly(data.known, first_weekday=0, weeks=52)

    assert totals["sessions"].sum() == len(data.known.done)
    targets = weekly_targets(data.known, first_weekday=0, weeks=52)
    counted = [m for m in data.known.matches if m.planned and m.adherence is not Adherence.EXCUSED]
    assert targets["sessions"].sum() == len(counted) > len(data.ahead)
    assert weekly_planned(data.known, first_weekday=0)["sessions"].sum() == len(data.ahead)
    assert all(match.day >= TODAY for match in data.ahead)


@pytest.mark.parametrize(("days", "is_uncertain"), [(35, True), (42, True), (43, False)])
def test_fitness_and_form_of_an_athlete_of_less_than_six_weeks_are_uncertain(
    squad_store, client, days, is_uncertain
):
    rides = [TODAY - timedelta(days=back) for back in range(0, days, 2)] + [TODAY - timedelta(days=days - 1)]
    squad_store.put_activities(squad.BEN, [training.activity(f"r{day}", day) for day in set(rides)])
    user = next(one for one in client.list_users().value if one.id == squad.BEN)
    row = load_row(client, user, today=TODAY, thresholds={})

    assert {load.is_settling for load in row.loads.values()} == {is_uncertain}


def test_an_athlete_of_three_sports_is_not_named_after_the_longest(squad_store, client):
    """A triathlete read "cycling"; an hour of strength in a season is no sport of its own."""
    hours = {Sport.CYCLING: 10, Sport.RUNNING: 6, Sport.SWIMMING: 4, Sport.TRAINING: 1}
    squad_store.put_activities(
        squad.BEN,
        [
            training.activity(
                f"{sport}", TODAY - timedelta(days=3), sport=sport, moving_duration=3600 * count
            )
            for sport, count in hours.items()
        ],
    )
    user = next(one for one in client.list_users().value if one.id == squad.BEN)
    row = load_row(client, user, today=TODAY, thresholds={})

    assert row.main_sports == (Sport.CYCLING, Sport.RUNNING, Sport.SWIMMING)
    assert row.sports == (*row.main_sports, Sport.TRAINING)


@pytest.mark.parametrize("first_weekday", [0, 6])
@pytest.mark.parametrize("weeks", [13, 52])
def test_the_first_week_of_the_weekly_bars_is_a_whole_week(squad_store, client, weeks, first_weekday):
    """The window began in the middle of a week, whose bar was drawn like a whole one."""
    days = [TODAY - timedelta(days=back) for back in range(364)]
    squad_store.put_activities(squad.ANA, [training.activity(f"daily_{day}", day) for day in days])
    known = load_athlete(client, squad.ANA, today=TODAY, thresholds={}).known
    totals = weekly(known, first_weekday=first_weekday, weeks=weeks).groupby("week")["sessions"].sum()

    assert len(totals) == weeks
    assert (totals.iloc[:-1] >= 7).all()
    assert totals.index[-1] <= TODAY < totals.index[-1] + timedelta(days=7)


def test_a_snooze_ends_by_itself_and_belongs_to_one_key(tmp_path):
    store = open_store(f"sqlite:///{tmp_path / 'cache.db'}")
    flag = FlagOf("usr_1", "hrv_low")
    now = datetime(2026, 3, 9, 7, tzinfo=UTC)
    snooze(store, "a" * 64, flag, until=TODAY, reason="spoke", now=now)
    snooze(store, "a" * 64, flag, until=TODAY, reason="spoke again", now=now)

    kept = load_snoozes(store, "a" * 64, today=TODAY)
    assert kept[flag].reason == "spoke again"
    assert load_snoozes(store, "b" * 64, today=TODAY) == {}
    assert load_snoozes(store, "a" * 64, today=TODAY + timedelta(days=1)) == {}

    unsnooze(store, "a" * 64, flag)
    assert load_snoozes(store, "a" * 64, today=TODAY) == {}
    store.dispose()


def test_a_plan_with_steps_alone_has_their_duration(client, squad_store):
    plan = training.prescription("Steps", TODAY + timedelta(days=2))
    structured = next(one for one in client.list_prescriptions(squad.ANA).value if one.structure)
    bare = plan.model_copy(update={"structure": structured.structure, "duration": None, "free_duration": 60})
    squad_store.put_prescriptions(squad.BEN, [bare])

    known = load_known(client, squad.BEN, today=TODAY)

    assert [planned.duration_s for planned in known.planned] == [3 * (180 + 60)]


def test_a_row_counts_the_unreadable_rows_of_each_list(client):
    class Odd(Failing):
        def list_sleeps(self, user_id, *args):
            found = self._client.list_sleeps(user_id, *args)
            odd = RowProblem("sleeps[slp_1].day", "no such day", is_set_aside=True)
            return Result(found.value, found.as_of, problems=(odd,))

    user = next(one for one in client.list_users().value if one.id == squad.ANA)
    (unread,) = load_row(Odd(client, ""), user, today=TODAY, thresholds={}).unread

    assert (unread.name, unread.rows, unread.total) == ("sleeps", 1, 10)
    assert load_row(client, user, today=TODAY, thresholds={}).unread == ()


def ben(client, **changed):
    found = next(one for one in client.list_users().value if one.id == squad.BEN)
    return load_row(client, found.model_copy(update=changed), today=TODAY, thresholds={})


def seed_power(squad_store, *, sessions=3, metrics=(), **changes):
    changes = {"average_power": 210, **changes}
    days = [TODAY - timedelta(days=n) for n in range(1, sessions + 1)]
    rides = [training.activity(f"Power {n}", day, **changes) for n, day in enumerate(days)]
    squad_store.put_activities(squad.BEN, rides)
    squad_store.put_metrics(squad.BEN, metrics)


def test_sport_with_power_and_no_critical_power_is_named(squad_store, client):
    seed_power(squad_store)
    first = ben(client)
    assert first.without_critical_power == (Sport.CYCLING,)

    squad_store.put_metrics(squad.BEN, [critical_power(MetricSport.CYCLING)])
    client.get_user(squad.BEN, max_age_s=0)
    again = load_row(client, first.user, today=TODAY, thresholds={}, before=[first])
    assert again.flags is first.flags
    assert again.without_critical_power == ()


@pytest.mark.parametrize(
    "seeded",
    [
        {"sessions": 2},
        {"average_power": None},
        {"sport": Sport.ROWING},
        {"metrics": [critical_power(MetricSport.CYCLING)]},
    ],
    ids=["a borrowed bike", "no power", "a sport without the model", "a value of the athlete"],
)
def test_critical_power_is_not_asked_for_where_nothing_needs_it(squad_store, client, seeded):
    seed_power(squad_store, **seeded)

    assert ben(client).without_critical_power == ()


def test_a_critical_power_of_another_sport_does_not_count(squad_store, client):
    seed_power(squad_store, metrics=[critical_power(MetricSport.RUNNING)])

    assert ben(client).without_critical_power == (Sport.CYCLING,)


def test_a_model_of_the_service_needs_no_profile(squad_store, client):
    class NoProfile(Failing):
        def get_user(self, user_id="me"):
            raise AssertionError

    seed_power(squad_store)
    ready = UserMetricReadiness(
        has_service_cycling_critical_power=True,
        has_service_running_critical_power=False,
        has_service_running_critical_speed=False,
    )

    assert ben(NoProfile(client, ""), user_metric_readiness=ready).without_critical_power == ()


def test_an_unread_profile_is_no_task(squad_store, client):
    class NoProfile(Failing):
        def get_user(self, user_id="me"):
            raise NotFound("GET", "/")

    seed_power(squad_store)

    assert ben(NoProfile(client, "")).without_critical_power == ()


def seed_session_of_a_plan(store):
    """A session of Ben's with samples, which did a plan with steps; the plan's id."""
    start = datetime.combine(TODAY - timedelta(days=1), datetime.min.time(), UTC).replace(hour=8)
    ride = rides.activity("act_scored", start=start, moving_duration=600)
    plan = seeded.prescription("tpr_scored", start.date()).model_copy(update={"activity_id": ride.id})
    store.put_activities(squad.BEN, [ride])
    store.put_streams(ride.id, rides.streams(600))
    store.put_prescriptions(squad.BEN, [plan])
    return plan.id


def compliance(roster, plan_id):
    week = roster.rows[squad.BEN].week
    (match,) = (match for match in week if match.planned and match.planned.id == plan_id)
    return match.compliance


def test_a_session_gets_its_score_without_a_click(client, squad_store):
    plan_id = seed_session_of_a_plan(squad_store)
    fill = filled(client)
    first, last = compliance(fill.look(), plan_id), compliance(whole(fill), plan_id)

    assert first.state in {ComplianceState.OPEN, last.state}
    assert last.measure is Measure.WORK_STEPS
    assert last.work.compared is ScoreBasis.POWER


@pytest.mark.parametrize("are_samples_kept", [False, True])
def test_no_session_is_scored_while_athletes_wait_for_their_rows(client, squad_store, are_samples_kept):
    """Samples and values for scores took requests of the first minute: the last rows of 57 athletes came after it."""
    plan_id = seed_session_of_a_plan(squad_store)
    if are_samples_kept:
        client.get_streams("act_scored")

    class AnaIsLate(Slow):
        def list_sleeps(self, user_id, *args):
            read = super().list_sleeps if user_id == squad.ANA else client.list_sleeps
            return read(user_id, *args)

        def pass_streams(self, activity_id):
            self.asked.add(activity_id)
            return client.pass_streams(activity_id)

    source = AnaIsLate(client)
    fill = RosterFill(source, client.list_users().value, day_of=lambda _: AthleteToday(TODAY), thresholds={})
    fill.read_again_after(0)
    fill.go_on()
    wait_until(lambda: squad.BEN in fill.look().rows)
    assert client.is_settled(10)

    assert source.asked == {squad.ANA}
    assert compliance(fill.look(), plan_id).state is ComplianceState.OPEN
    source.answers.set()
    assert compliance(whole(fill), plan_id).measure is Measure.WORK_STEPS
