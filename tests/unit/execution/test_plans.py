"""Compliance, adherence, forecast and weeks."""

from datetime import date, timedelta
from math import isnan, nan
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coachboard.execution.adherence import Adherence, Done, Planned, match_sessions, summarize
from coachboard.execution.compliance import ComplianceState, Measure, by_work_steps, compliance, state_of
from coachboard.execution.forecast import expected_load, load_rates, own_share
from coachboard.execution.weeks import week_totals, weekly_volume
from coachboard.execution.work_steps import ScoreBasis, WorkOutcome, WorkScore, WorkStep
from coachboard.formulas.frames import SESSIONS, STIMULUS, VOLUME
from coachboard.wire.enums import NoteType, Sport, TrainingStimulus

MONDAY = date(2026, 3, 2)
TODAY = date(2026, 3, 9)
RIDE = Sport.CYCLING


def amounts(duration_s=nan, distance_m=nan, volume=nan, work_kj=nan):
    return SimpleNamespace(duration_s=duration_s, distance_m=distance_m, volume=volume, work_kj=work_kj)


def plan(name="tpr_1", day=MONDAY, sport=RIDE, duration_s=3600.0, **more):
    return Planned(name, day, sport, duration_s=duration_s, **more)


def done(name="act_1", day=MONDAY, sport=RIDE, duration_s=3600.0, **more):
    return Done(name, day, sport, duration_s=duration_s, **more)


def matched(plans, sessions, excuses=()):
    return match_sessions(plans, sessions, excuses=excuses, today=TODAY)


@pytest.mark.parametrize(
    ("ratio", "state"),
    [
        (0.0, "far off"),
        (0.499, "far off"),
        (0.5, "off"),
        (0.799, "off"),
        (0.8, "on target"),
        (1.2, "on target"),
        (1.201, "off"),
        (1.5, "off"),
        (1.501, "far off"),
    ],
)
def test_states_begin_at_the_published_limits(ratio, state):
    assert state_of(ratio) == state


def test_duration_is_compared_first_then_distance_then_volume_then_work():
    whole = amounts(100, 100, 100, 100)

    assert compliance(whole, amounts(100, 10, 10, 10)).measure is Measure.DURATION
    assert compliance(amounts(nan, 100, 100), amounts(50, 100, 10)).measure is Measure.DISTANCE
    assert compliance(amounts(nan, 0, 100), amounts(50, 100, 130)).state is ComplianceState.OFF
    assert compliance(amounts(work_kj=500), amounts(60, work_kj=500)).measure is Measure.WORK
    assert compliance(amounts(), whole).state is None
    with pytest.raises(ValueError, match="ratio"):
        state_of(-0.1)


def test_a_pair_of_the_service_counts_on_any_day():
    found = matched([plan(activity_id="act_1")], [done(day=MONDAY + timedelta(days=4), duration_s=1800.0)])

    assert [(m.adherence, m.days_moved, m.is_inferred) for m in found] == [(Adherence.MOVED, 4, False)]
    assert found[0].compliance.state is ComplianceState.OFF


@pytest.mark.parametrize(
    ("session", "is_inferred"),
    [
        (done(), True),
        (done(day=MONDAY + timedelta(days=1)), True),
        (done(day=MONDAY + timedelta(days=2)), False),
        (done(sport=Sport.RUNNING), False),
        (done(duration_s=1000.0), True),
        (done(day=MONDAY + timedelta(days=1), duration_s=1000.0), False),
    ],
)
def test_an_unpaired_session_is_inferred_where_it_fits(session, is_inferred):
    assert any(match.is_inferred for match in matched([plan()], [session])) is is_inferred


def test_of_two_that_fit_the_nearer_in_day_stimulus_and_size_is_taken():
    near, far = done("act_near"), done("act_far", duration_s=4300.0)
    found = matched([plan()], [far, near])

    assert {(m.done.id, m.adherence) for m in found} == {
        ("act_near", Adherence.ON_TIME),
        ("act_far", Adherence.UNPLANNED),
    }


@pytest.mark.parametrize(
    ("kind", "adherence"),
    [
        (NoteType.MEDICAL, Adherence.EXCUSED),
        (NoteType.AVAILABILITY, Adherence.EXCUSED),
        (NoteType.TRAINING, Adherence.MISSED),
        (NoteType.REST_DAY, Adherence.EXCUSED),
    ],
)
def test_illness_absence_and_a_day_off_alone_excuse_a_miss(kind, adherence):
    assert matched([plan()], [], [(MONDAY, kind)])[0].adherence is adherence


def test_plans_of_today_and_later_are_ahead():
    found = matched([plan(day=TODAY), plan("tpr_2", TODAY + timedelta(days=3))], [])

    assert {match.adherence for match in found} == {Adherence.AHEAD}
    assert isnan(summarize(found).share)


def test_a_pair_outside_the_period_is_done_without_a_comparison():
    match = matched([plan(activity_id="act_elsewhere")], [])[0]

    assert (match.adherence, match.compliance.state) == (Adherence.ON_TIME, None)


sports = st.sampled_from([Sport.CYCLING, Sport.RUNNING])
days = st.integers(0, 12).map(lambda n: MONDAY + timedelta(days=n))
seconds = st.sampled_from([1800.0, 3600.0, 7200.0, nan])


@given(
    st.lists(st.tuples(days, sports, seconds), max_size=8),
    st.lists(st.tuples(days, sports, seconds), max_size=8),
)
def test_every_plan_and_every_session_occurs_once(planned, sessions):
    plans = [plan(f"tpr_{n}", *row) for n, row in enumerate(planned)]
    rides = [done(f"act_{n}", *row) for n, row in enumerate(sessions)]

    found = matched(plans, rides)

    assert sorted(m.planned.id for m in found if m.planned) == sorted(p.id for p in plans)
    assert sorted(m.done.id for m in found if m.done) == sorted(r.id for r in rides)
    assert sum(summarize(found).counts.values()) == len(found)


def test_rates_widen_where_like_sessions_are_few():
    sessions = [
        done(str(n), volume=60.0, stimulus=TrainingStimulus.VO2MAX, distance_m=30_000.0) for n in range(3)
    ]
    rates = load_rates([*sessions, done("x", sport=Sport.RUNNING, volume=100.0), done("y", duration_s=nan)])

    assert rates.volume_of(plan(stimulus=TrainingStimulus.TEMPO)) == 60
    assert rates.volume_of(plan(sport=Sport.ROWING)) == 60
    assert rates.volume_of(plan(volume=42.0)) == 42
    assert rates.volume_of(plan(duration_s=nan, distance_m=60_000.0)) == pytest.approx(120)
    assert isnan(rates.volume_of(plan(duration_s=nan)))
    assert isnan(load_rates([]).volume_of(plan()))


def test_expected_line_takes_today_as_done_where_anything_was():
    assert expected_load([80, 20, 0], [70, 60, 90], today_index=1, open_today=60).tolist() == [80, 20, 90]
    assert expected_load([80, 0, 0], [70, 60, 90], today_index=1, open_today=60).tolist() == [80, 60, 90]
    with pytest.raises(ValueError, match="share"):
        expected_load([0], [0], today_index=0, share=-1)


def test_own_share_is_of_volume_and_counts_misses():
    assert own_share([50, 50], [50, 0]) == 0.5
    assert isnan(own_share([nan], [50]))


def test_weeks_count_sessions_without_amounts():
    totals = week_totals([done(duration_s=nan), done("act_2", stimulus=TrainingStimulus.TEMPO)], by=STIMULUS)

    assert totals[[STIMULUS, SESSIONS]].values.tolist() == [["tempo", 1], ["unknown", 1]]
    assert totals[VOLUME].sum() == 0
    assert week_totals([]).empty
    with pytest.raises(ValueError, match="by"):
        week_totals([], by="colour")


def test_weekly_volume_leaves_out_unscored_and_older_sessions():
    days_ = [TODAY, TODAY - timedelta(days=7), TODAY - timedelta(days=30), TODAY]

    assert weekly_volume(days_, [10, 20, 99, nan], last_day=TODAY, weeks=2) == [20, 10]


@pytest.mark.parametrize(
    ("counted", "state"),
    [
        ([1] * 9 + [0], "on target"),
        ([1] * 4 + [0], "off"),
        ([1] * 4 + [0.5], "on target"),
        ([0.5] * 4, "off"),
        ([1, 0, 0], "far off"),
    ],
)
def test_a_session_with_missed_work_is_no_tick(counted, state):
    """4 of 5 repetitions were "on target", like a ride of 80 % of the planned time."""
    steps = tuple(WorkStep(number, WorkOutcome.DONE, credit) for number, credit in enumerate(counted))

    assert by_work_steps(WorkScore(steps, ScoreBasis.POWER)).state == state
