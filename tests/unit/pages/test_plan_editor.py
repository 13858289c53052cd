"""Typed values of the editor become fields of an operation; a wrong one is refused by its name."""

from dataclasses import replace
from datetime import date, time, timedelta

import pytest

from coachboard.client.errors import ServiceError
from coachboard.client.planning import Planning
from coachboard.execution.adherence import Done
from coachboard.pages import workout_preview
from coachboard.pages.calendar import editor, entry_fields, planning
from coachboard.ui.widgets.plan_editor import EditorField
from coachboard.wire.enums import NoteType, Sport
from coachboard.wire.planning import EntryKind, EventPriority
from coachboard.workout_text.parsing import parse_workout
from coachboard.workout_text.summary import summarize_workout
from coachboard.workout_text.values import DayValues
from plan_entries import MONDAY, calendar, workout


@pytest.mark.parametrize(
    ("kind", "typed", "expected"),
    [
        (
            EntryKind.WORKOUT,
            {"title": " Ride ", "sport": "running", "date": "2026-03-05", "time": "07:30", "text": "- 1h\n"},
            {
                "title": "Ride",
                "sport": Sport.RUNNING,
                "date": date(2026, 3, 5),
                "time": time(7, 30),
                "text": "- 1h\n",
            },
        ),
        (
            EntryKind.WORKOUT,
            {"title": "Ride", "text": "", "description": "", "visible_from": "", "is_locked": True},
            {"title": "Ride", "text": None, "description": None, "visible_from": None, "is_locked": True},
        ),
        (
            EntryKind.NOTE,
            {"title": "Cold", "type": "medical", "end_date": "2026-03-07", "is_private": False},
            {"title": "Cold", "type": NoteType.MEDICAL, "end_date": date(2026, 3, 7), "is_private": False},
        ),
        (
            EntryKind.EVENT,
            {"name": "Cup", "distance": "42,2", "priority": "A"},
            {"name": "Cup", "distance": 42_200, "priority": EventPriority.A},
        ),
    ],
)
def test_typed_values_become_fields(kind, typed, expected):
    assert entry_fields.wire_values(typed, kind) == expected


@pytest.mark.parametrize(
    ("kind", "typed", "text"),
    [
        (EntryKind.WORKOUT, {"title": " "}, "Title: enter a few words."),
        (EntryKind.EVENT, {"name": ""}, "Name: enter a few words."),
        (EntryKind.NOTE, {"title": "x", "date": ""}, "Enter a date."),
        (EntryKind.NOTE, {"title": "x", "date": "31.3.2026"}, "Enter a date as year, month and day."),
        (EntryKind.EVENT, {"name": "x", "time": "25:00"}, "Time: enter hours and minutes, such as 07:30."),
        (
            EntryKind.EVENT,
            {"name": "x", "distance": "far"},
            "Distance: enter kilometres from 0 to 5,000, such as 42.2.",
        ),
        (
            EntryKind.EVENT,
            {"name": "x", "distance": "-5"},
            "Distance: enter kilometres from 0 to 5,000, such as 42.2.",
        ),
        (
            EntryKind.EVENT,
            {"name": "x", "distance": "99999999999"},
            "Distance: enter kilometres from 0 to 5,000, such as 42.2.",
        ),
        (
            EntryKind.EVENT,
            {"name": "x", "distance": "nan"},
            "Distance: enter kilometres from 0 to 5,000, such as 42.2.",
        ),
        (EntryKind.WORKOUT, {"title": "x", "sport": "quidditch"}, "Sport: choose a value of the list."),
    ],
)
def test_a_wrong_value_is_refused_by_its_name(kind, typed, text):
    with pytest.raises(planning.Refused) as refused:
        entry_fields.wire_values(typed, kind)

    assert str(refused.value) == text


LABELS = entry_fields.labels_of([EditorField("description", "For the athlete", "lines", "")])


def test_a_value_that_is_too_long_is_refused_by_its_label():
    with pytest.raises(planning.Refused) as refused:
        entry_fields.checked(
            lambda: Planning.create("usr_1", EntryKind.WORKOUT, description="x" * 10_001), LABELS
        )

    assert str(refused.value) == "For the athlete: at most 10,000 characters."


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("description: must be a text.", "Not saved: For the athlete: must be a text."),
        ("The day is closed.", "Not saved: The day is closed."),
    ],
)
def test_a_refusal_of_the_service_has_the_label_of_the_field(words, text):
    error = ServiceError("POST", "/plan/v1/batches", status=400, text=words)

    assert planning.refusal(error, LABELS) == text


def test_a_text_that_is_too_long_gets_no_title_from_its_beginning():
    opened = entry_fields.OpenEntry("new", None, what="workout")
    values = {"text": "- 10s 60%\n" * 2_500, "title": ""}

    assert entry_fields.with_title(values, opened)["title"] == "Cycling"


def test_a_workout_with_steps_and_no_text_is_shown_as_text():
    entry = workout("Ride", MONDAY)
    steps = parse_workout("2x\n- 10m 90%\n- 5m 50%", Sport.CYCLING).structure
    with_steps = entry.prescription.model_copy(update={"structure": steps})

    assert entry_fields.text_of(entry) == ""
    assert entry_fields.text_of(entry.model_copy(update={"text": "- 1h"})) == "- 1h"
    assert (
        entry_fields.text_of(entry.model_copy(update={"prescription": with_steps}))
        == "2x\n- 10m 90%\n- 5m 50%"
    )


@pytest.mark.parametrize(
    ("sport", "text"),
    [(sport, text) for sport in Sport for _title, text in workout_preview.examples_of(sport)]
    + [
        (Sport.CYCLING, text.partition(",")[0])
        for text, _meaning in workout_preview.GRAMMAR
        if text.startswith("-")
    ],
)
def test_examples_and_the_help_follow_the_grammar(sport, text):
    values = DayValues(critical_power_w=250, critical_speed_mps=4, max_heart_rate_bpm=190)

    assert parse_workout(text, sport, values).errors == ()


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Warm-up\n- 15m 50%\n\nMain set 3x\n- 12m 95-100%\n- Easy 4m 50%", "3 × 12 min"),
        ("Hills 6x\n- 90s 110%\n- Easy 2m 50%", "Hills 6 × 1:30 min"),
        ("2x\n- 5m 90%\n\n2x\n  4x\n  - 400mtr 105%\n- Rest 5m 50%", "2 × 4 × 400 m"),
        ("- 1h30m 65%", "Cycling 1h30"),
        ("- 30h 65%", "Cycling"),  # the refusal is then about the text
        ("", ""),
    ],
)
def test_a_workout_without_a_title_gets_one_from_its_text(text, title):
    opened = entry_fields.OpenEntry("new.workout.2026-03-05.usr_ana", None, what="workout")

    assert (
        entry_fields.with_title({"title": " ", "text": text, "sport": "cycling"}, opened)["title"].strip()
        == title
    )
    assert entry_fields.with_title({"title": "Mine", "text": text}, opened)["title"] == "Mine"


@pytest.mark.parametrize(
    ("sport", "text", "values", "words", "value"),
    [
        (
            Sport.CYCLING,
            "- 1h 60%",
            {},
            "Load, time in zones and W′ balance need a critical power.",
            "critical power",
        ),
        (Sport.CYCLING, "- 1h 60%", {"critical_power_w": 250}, "The lowest W′ balance needs a W′.", "W′"),
        (Sport.CYCLING, "- 1h 60%", {"critical_power_w": 250, "w_prime_j": 20_000}, "", ""),
        (
            Sport.RUNNING,
            "- 1h Z2 HR",
            {"max_heart_rate_bpm": 190},
            "Load needs a resting heart rate.",
            "resting heart rate",
        ),
        (Sport.RUNNING, "- 1h 80% Pace", {"critical_speed_mps": 4}, "", ""),
        (Sport.RUNNING, "- 1h", {}, "Load and time in zones need a target, such as 60% or Z2 HR.", ""),
        (
            Sport.RUNNING,
            "- 5km Z2 HR",
            {},
            "Duration and load need a pace: the athlete's usual one in this sport is not known.",
            "",
        ),
    ],
)
def test_the_editor_names_what_an_amount_needs(sport, text, values, words, value):
    day = DayValues(**values)
    summary = summarize_workout(parse_workout(text, sport, day).structure, sport, day)

    assert workout_preview.missing_words(summary, sport, day) == (words, value)


def test_the_sport_of_a_new_workout_is_that_of_most_hours():
    ride, run = workout("Ride", MONDAY), workout("Run", MONDAY)
    data = calendar(ride, run)
    (ana,) = data.athletes
    old = Done("act_old", MONDAY - timedelta(days=60), Sport.SWIMMING, duration_s=90_000)
    sessions = (
        Done("act_1", MONDAY, Sport.RUNNING, duration_s=9_000),
        Done("act_2", MONDAY, Sport.ROWING, duration_s=3_600),
    )

    assert editor.main_sport(data, "usr_ana") is Sport.CYCLING
    assert editor.main_sport(data, "usr_ben") is Sport.CYCLING
    with_runs = replace(data, athletes=(replace(ana, season_sessions=(old, *sessions)),))
    assert editor.main_sport(with_runs, "usr_ana") is Sport.RUNNING


def test_a_zone_of_heart_rate_has_its_unit():
    day = DayValues(max_heart_rate_bpm=190, critical_power_w=250)
    labels = []
    for text in ("- 1h Z2 HR", "- 1h 100%"):
        summary = summarize_workout(parse_workout(text, Sport.CYCLING, day).structure, Sport.CYCLING, day)
        labels += [
            workout_preview.zone_label(summary.quantity, zone.zone) for zone in summary.zones if zone.seconds
        ]

    assert labels == ["60 to 70 % of maximum", "Threshold"]
