"""The review shows the outcome of a session with its own feel score."""

from dataclasses import replace
from datetime import timedelta

import pytest

from coachboard.charts import palette
from coachboard.execution.adherence import Adherence, Done, Match, Planned
from coachboard.execution.compliance import (
    MISSED,
    NOT_COMPARABLE,
    Compliance,
    ComplianceState,
    Measure,
    by_work_steps,
)
from coachboard.execution.work_steps import ScoreBasis, WorkOutcome, WorkScore, WorkStep
from coachboard.flags.athlete_days import AthleteDays
from coachboard.loaders.roster_row import LastNight
from coachboard.pages import workout_outlook
from coachboard.pages.activity import planned_and_done
from coachboard.pages.athlete import days
from coachboard.pages.calendar import items
from coachboard.pages.roster import cells, feed, flags, review, squad
from coachboard.ui.frame import theme
from coachboard.ui.frame.formats import METRIC, System, Units
from coachboard.wire.enums import Sport, TrainingStimulus
from unit.pages.test_roster_cells import ATHLETE, ROW, TODAY, shown

DAY = TODAY - timedelta(days=1)
RIDE = Done("act_1", DAY, Sport.CYCLING, distance_m=30_000, title="Ride")
GYM = Done("act_2", DAY, Sport.TRAINING)


def outcome(done, compliance=None, adherence=Adherence.ON_TIME):
    look = shown(ROW)
    look.page.units = Units(System.METRIC, {})
    return review.outcome_words(look, Match(None, done, adherence, compliance))


def test_the_queue_starts_when_all_athletes_are_loaded(monkeypatch):
    """The athlete who was loaded first stayed in the URL, and the queue began at "3 of 25"."""
    said, asked = [], []
    monkeypatch.setattr(review.st, "caption", said.append)
    monkeypatch.setattr(review.state, "get_id", lambda name: None)
    monkeypatch.setattr(review.state, "set_param", lambda *values: asked.append(values))
    look = shown()
    look.roster.waiting = ("usr_2",)
    review.draw(look)

    assert said == ["The review starts when all athletes are loaded."]
    assert asked == []


def test_a_session_has_the_name_of_its_plan():
    plan = Planned("tpr_1", DAY, Sport.CYCLING, title="VO2max 5 × 4 min")

    assert review.session_title(Match(plan, RIDE, Adherence.ON_TIME)) == "VO2max 5 × 4 min"
    assert review.session_title(Match(None, RIDE, Adherence.UNPLANNED)) == "Ride"
    assert review.session_title(Match(None, GYM, Adherence.UNPLANNED)) == "Strength"


def test_a_session_shows_distance_compliance_and_feel_score():
    found = Compliance(ComplianceState.ON_TARGET, Measure.DURATION, 0.98)

    assert (
        outcome(replace(RIDE, feeling=2.0), compliance=found)
        == "30.0 km, 98 % of the planned duration, feel 2 of 5"
    )


@pytest.mark.parametrize("state", ComplianceState)
def test_a_session_has_the_same_mark_on_every_page(monkeypatch, state):
    """The review showed "100 % of the planned duration" without a mark, so that it read as the score."""
    monkeypatch.setattr(theme, "is_dark", lambda: False)
    plan = Planned("tpr_1", DAY, Sport.CYCLING, duration_s=3600, title="Ride")
    is_missed = state is ComplianceState.MISSED
    compliance = MISSED if is_missed else Compliance(state, Measure.DURATION, 0.98)
    kind = Adherence.MISSED if is_missed else Adherence.ON_TIME
    match = Match(plan, None if is_missed else replace(RIDE, duration_s=3500), kind, compliance)
    row = replace(ROW, week=(match,), days=AthleteDays(TODAY, *[None] * 6))
    look = shown(row)
    look.page.units = METRIC
    marks = {
        "calendar": items.match_item(match, who=None, units=METRIC).sign,
        "squad week": squad.chip_of(look, match, ATHLETE).sign,
        "athlete page": days.compliance_cell(match).sign,
        "review": review.session_row(look, row, match).cells[1].sign,
    }
    if not is_missed:
        marks["newest sessions"] = feed.session_item(look, ATHLETE, match).sign

    assert set(marks.values()) == {palette.COMPLIANCE[state].sign}, marks


def test_a_score_names_what_it_compared_on_every_page_and_in_the_files_of_the_calendar(monkeypatch):
    """Only the session's own page said that heart rates were compared."""
    monkeypatch.setattr(theme, "is_dark", lambda: False)
    steps = (WorkStep(0, WorkOutcome.DONE, 1.0), WorkStep(1, WorkOutcome.CUT_SHORT, 0.5))
    plan = Planned("tpr_1", DAY, Sport.CYCLING, duration_s=3600, title="Ride")
    match = Match(plan, RIDE, Adherence.ON_TIME, by_work_steps(WorkScore(steps, ScoreBasis.HEART_RATE)))
    row = replace(ROW, week=(match,), days=AthleteDays(TODAY, *[None] * 6))
    look = shown(row)
    look.page.units = METRIC
    texts = {
        "calendar, its files and its open day": items.match_item(match, who=None, units=METRIC).spoken,
        "squad week": squad.chip_of(look, match, ATHLETE).spoken,
        "athlete page": days.compliance_cell(match).sub,
        "review": review.outcome_words(look, match),
        "session": planned_and_done.verdict_words(match.compliance),
        "last similar workouts": workout_outlook.done_words(match, look.page),
    }

    assert all("work steps by heart rate" in text for text in texts.values()), texts


def test_a_mean_of_five_nights_says_so_wherever_it_is_a_7_day_mean():
    """Means of five nights were called 7-day."""
    day, five = TODAY, {"last": 7.5, "mean": 7.25, "low": 7.0, "high": 8.0, "nights": 40, "recent": 5}
    row = replace(ROW, sleep_h=LastNight(**five, day=day), hrv_ms=LastNight(**five, day=day))
    look = shown(row)
    aged = {each.name: each.value for each in flags.numbers(look, row)}

    assert cells.sleep(look, ATHLETE, row).sub == "7h00\u2060–\u20608h00; 5\u00a0nights"
    assert cells.hrv(look, ATHLETE, row).sub.endswith("; 5\u00a0nights")
    assert [line.cells[2].sub.endswith("; 5 nights") for line in review.night_table(row).rows][:2] == [
        True
    ] * 2
    assert aged["Sleep, mean of 5 nights"].endswith("; 5 nights")
    assert aged["HRV (ms), mean of 5 nights"].endswith("; 5 nights")
    assert review.night_table(row).columns[2].label == "Mean"
    whole = replace(row, sleep_h=replace(row.sleep_h, recent=7), hrv_ms=replace(row.hrv_ms, recent=7))
    assert {"Sleep, 7-day mean", "HRV (ms), 7-day mean"} <= {each.name for each in flags.numbers(look, whole)}
    assert review.night_table(replace(whole, resting_hr_bpm=whole.sleep_h)).columns[2].label == "7-day mean"
    assert cells.sleep(look, ATHLETE, whole).sub == "7h00\u2060–\u20608h00"


def test_a_session_without_a_plan_is_unplanned():
    assert outcome(RIDE, adherence=Adherence.UNPLANNED) == "30.0 km, unplanned"


def test_a_session_that_cannot_be_compared_has_no_percentage():
    assert outcome(GYM, compliance=NOT_COMPARABLE) == ""


def test_the_plan_has_the_days_of_the_rosters_planned_load():
    plans = [Planned(f"tpr_{n}", TODAY + timedelta(days=n), Sport.CYCLING, title=f"Plan {n}") for n in (6, 7)]
    week = tuple(Match(plan, None, Adherence.AHEAD) for plan in plans)

    assert [row.id for row in review.plan_table(replace(ROW, week=week)).rows] == ["tpr_6"]


def test_a_plan_named_by_its_type_has_the_type_once():
    """A recovery ride read "Recovery / Recovery"."""
    plan = Planned("tpr_1", TODAY, Sport.CYCLING, TrainingStimulus.RECOVERY, title="Recovery")
    named = replace(plan, title="Easy spin")

    (same, other) = (
        review.plan_row(ROW, Match(one, None, Adherence.AHEAD)).cells[1] for one in (plan, named)
    )
    assert [(one.main, one.sub) for one in (same, other)] == [("Recovery", ""), ("Easy spin", "Recovery")]
