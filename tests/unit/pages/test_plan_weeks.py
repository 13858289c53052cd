"""The page of plans: entries of a calendar as entries of a plan, the weeks, the typed values, the race of an athlete."""

from datetime import date, timedelta

import pytest

from coachboard.pages.plans import weeks
from coachboard.pages.plans.applying import race_of
from coachboard.pages.plans.saving import plan_entry
from coachboard.pages.plans.weeks import OpenPlanEntry, entry_of, grid, seconds_of
from coachboard.wire.enums import NoteType, Sport
from coachboard.wire.planning import EntryKind, EventPriority, PlanValue
from coachboard.wire.training_plans import TrainingPlan, TrainingPlanEntry
from plan_entries import MONDAY, note, race, workout


def entry(day=3, **value):
    return TrainingPlanEntry(
        id="ple_1",
        day=day,
        kind=EntryKind.WORKOUT,
        value=PlanValue(**{"title": "Long", "sport": Sport.CYCLING, "text": "- 1h 60%", **value}),
    )


def plan_with(*entries, days=10):
    return TrainingPlan(
        id="pln_1", title="P", description=None, sport=Sport.CYCLING, workspace_id=None, days=days, workouts=1, version=1,
        changed_by={"id": "usr_1", "name": "Carla"}, changed_at="2026-03-01 00:00:00+00", etag="1", entries=entries,
    )  # fmt: skip


def test_a_workout_of_a_calendar_becomes_one_of_the_plan_without_dates_and_what_follows_from_its_text():
    kept = plan_entry(workout("Long", MONDAY + timedelta(days=3), text="- 1h 60%", is_locked=True), MONDAY)

    assert (kept.day, kept.kind, kept.id) == (4, EntryKind.WORKOUT, None)
    assert kept.value.to_wire() == {"title": "Long", "sport": "cycling", "text": "- 1h 60%", "isLocked": True}


def test_a_span_keeps_its_length():
    kept = plan_entry(note("Camp", MONDAY, end_date=MONDAY + timedelta(days=2), is_private=True), MONDAY)

    assert (kept.day, kept.last_day, kept.value.is_private) == (1, 3, True)


def test_races_illness_and_travel_stay_with_the_athlete():
    entries = [
        workout("W", MONDAY),
        note("N", MONDAY),
        note("Off", MONDAY, NoteType.REST_DAY),
        note("Flu", MONDAY, NoteType.MEDICAL),
        note("Away", MONDAY, NoteType.AVAILABILITY),
        race("R", MONDAY),
    ]

    assert [each.title for each in entries if each.is_repeatable] == ["W", "N", "Off"]


def test_the_weeks_have_their_days_numbers_and_hours():
    drawn = grid(plan_with(entry(3), entry(8, text="- 30m 60%").model_copy(update={"id": "ple_2"})))

    assert [[day.number for day in week.days if not day.is_outside] for week in drawn.weeks] == [
        ["1", "2", "3", "4", "5", "6", "7"],
        ["8", "9", "10"],
    ]
    assert [[line.value for line in week.lines] for week in drawn.weeks] == [["1", "1h00"], ["1", "30 min"]]


def test_the_length_of_a_workout_follows_from_its_text_steps_or_duration():
    assert [seconds_of(entry()), seconds_of(entry(text=None, duration=1_800.0)), seconds_of(entry(text=None))] == [
        3_600, 1_800, None,
    ]  # fmt: skip


def opened(before=None, **changes):
    return OpenPlanEntry("ple_1", EntryKind.WORKOUT, 3, before or entry(), **changes)


def test_typed_values_replace_those_of_the_entry_and_keep_the_others():
    before = entry(rpe=7.0, description="Old")
    typed = {"title": "Longer", "day": "9", "text": "- 2h 60%", "description": " "}
    saved = entry_of(plan_with(before), opened(before), typed, is_draft=False)

    assert (saved.id, saved.day) == ("ple_1", 9)
    assert saved.value.to_wire() == {
        "title": "Longer", "sport": "cycling", "text": "- 2h 60%", "rpe": 7.0, "description": None,
    }  # fmt: skip


def test_the_stimulus_is_chosen_stays_with_other_steps_and_is_taken_away():
    before = entry(training_stimulus="tempo")
    texts = {"text": "- 2h 60%"}
    saved = [
        entry_of(plan_with(before), opened(before), typed, is_draft=False).value.training_stimulus
        for typed in (texts, texts | {"training_stimulus": "threshold"}, {"training_stimulus": ""})
    ]

    assert saved == ["tempo", "threshold", None]


def test_a_workout_without_a_title_gets_that_of_its_text():
    saved = entry_of(
        plan_with(entry()), opened(), {"title": " ", "text": "3x\n- 5m 100%\n- 2m 50%"}, is_draft=False
    )

    assert saved.value.title == "3 × 5 min"


@pytest.mark.parametrize("day", ["0", "11", "x", "", "²"])
def test_a_day_outside_the_plan_is_refused(day):
    with pytest.raises(ValueError, match="enter a day from 1 to 10"):
        entry_of(plan_with(entry()), opened(), {"day": day}, is_draft=False)


def test_a_title_that_is_too_long_is_refused():
    with pytest.raises(ValueError, match="title: "):
        entry_of(plan_with(entry()), opened(), {"title": "x" * 201}, is_draft=False)


def test_the_race_is_the_next_a_race_else_the_next_or_that_of_a_name():
    races = [
        race("Spring", date(2026, 4, 1), priority=EventPriority.B),
        race("Tour", date(2026, 6, 1), priority=EventPriority.A),
    ]

    named = {rule: race_of(races, rule).title for rule in ("next", "next-a", "Spring")}
    assert named == {"next": "Tour", "next-a": "Tour", "Spring": "Spring"}
    assert (race_of(races[:1], "next").title, race_of(races[:1], "next-a"), race_of([], "next")) == (
        "Spring",
        None,
        None,
    )


def test_the_grid_and_the_url_name_days_of_the_plan():
    assert weeks.grid(plan_with(entry())).weeks[0].days[2].date == "2001-01-03"
