"""Gestures of the calendar become operations of the planning API, with one line in words."""

from datetime import date, timedelta
from functools import partial

import pytest

from coachboard.client.errors import BadRequest, NotFound, TimedOut, Unreachable
from coachboard.client.planning import PlanConflict
from coachboard.pages.calendar import planning
from coachboard.wire.enums import NoteType, Sport
from coachboard.wire.library import LibraryWorkout
from coachboard.wire.planning import ConflictRow, Person, PlanOp, Skipped
from plan_entries import MONDAY, calendar, note, race, workout

THRESHOLD = workout("Threshold", MONDAY)
RIDE = workout("Ride", MONDAY + timedelta(days=2))
DONE = workout("Done", MONDAY + timedelta(days=1))
CUP = race("Cup", MONDAY + timedelta(days=5))
COLD = note("Cold", MONDAY, NoteType.MEDICAL)
FOCUS = note("Focus", MONDAY)
WEEK = calendar(THRESHOLD, RIDE, DONE, CUP, COLD, FOCUS, done=["tpr_Done"])


def batch_of(data=WEEK, clipboard=None, **change):
    return planning.gesture_of(change, data, clipboard)


def operations(batch):
    return [(one.op, one.id, one.value.date if one.value else None) for one in batch.operations]


@pytest.mark.parametrize(
    ("change", "expected", "text"),
    [
        (
            {"act": "move", "ids": ["tpr_Threshold"], "days": 3, "user": "", "isCopy": False},
            [(PlanOp.MOVE, "tpr_Threshold", date(2026, 3, 5))],
            "Moved Threshold to Thu 5 Mar",
        ),
        (
            {"act": "move", "ids": ["tpr_Threshold", "tpr_Ride"], "days": -1, "user": "", "isCopy": False},
            [(PlanOp.MOVE, "tpr_Threshold", date(2026, 3, 1)), (PlanOp.MOVE, "tpr_Ride", date(2026, 3, 3))],
            "Moved 2 workouts to Sun 1 Mar",
        ),
        (
            {"act": "move", "ids": ["evt_Cup", "tpr_Ride"], "days": 7, "user": "", "isCopy": True},
            [(PlanOp.COPY, "evt_Cup", date(2026, 3, 14)), (PlanOp.COPY, "tpr_Ride", date(2026, 3, 11))],
            "Copied 2 entries to Sat 14 Mar",
        ),
        (
            {"act": "delete", "ids": ["not_Cold", "gone"]},
            [(PlanOp.DELETE, "not_Cold", None)],
            "Deleted Cold",
        ),
        (
            {"act": "week", "what": "shift", "date": "2026-03-02", "user": "", "days": 2},
            [(PlanOp.MOVE, "tpr_Threshold", date(2026, 3, 4)), (PlanOp.MOVE, "tpr_Ride", date(2026, 3, 6))],
            "Moved 2 workouts 2 days later",
        ),
        (
            {"act": "week", "what": "clear", "date": "2026-03-02", "user": "usr_ana"},
            [(PlanOp.DELETE, "tpr_Threshold", None), (PlanOp.DELETE, "tpr_Ride", None)],
            "Deleted 2 workouts",
        ),
    ],
)
def test_a_gesture_is_one_batch(change, expected, text):
    batch = batch_of(**change)

    assert (operations(batch), batch.text) == (expected, text)
    assert all((one.if_match == "1") is (one.op is not PlanOp.COPY) for one in batch.operations)


def pattern(**fields):
    empty = dict.fromkeys(LibraryWorkout.model_fields) | {"is_draft": False, "is_built_in": False}
    return LibraryWorkout(
        **empty | {"id": "lib_1", "title": "Hills", "sport": Sport.CYCLING, "etag": "1"} | fields
    )


def test_a_workout_of_the_library_is_planned_with_all_that_it_has():
    change = {"act": "add", "id": "lib_1", "date": "2026-03-05", "user": "usr_ben"}
    typed = pattern(
        text="- 1h 60%", duration=3_600, description="Even", training_stimulus="tempo", workspace_id="wke_1"
    )
    data = calendar(THRESHOLD, people=("usr_ana", "usr_ben"))
    batch = planning.addition(typed, change, data, own_id="usr_me")
    (operation,) = batch.operations

    assert batch.text == "Added Hills to Thu 5 Mar"
    assert (operation.op, operation.user_id) == (PlanOp.CREATE, "usr_ben")
    assert operation.value.to_wire() == {
        "date": "2026-03-05", "title": "Hills", "sport": "cycling", "trainingStimulus": "tempo",
        "description": "Even", "text": "- 1h 60%",
    }  # fmt: skip


def test_a_workout_without_steps_keeps_its_amounts_and_a_draft_stays_one():
    change = {"act": "add", "date": "2026-03-05", "user": ""}
    add = partial(planning.addition, change=change, data=WEEK, own_id="usr_me")
    (free,) = add(pattern(duration=1_800, distance=5_000)).operations
    (draft,) = add(pattern(text="- 10 parsecs", is_draft=True)).operations

    assert (free.user_id, free.value.duration, free.value.distance) == ("usr_ana", 1_800, 5_000)
    assert (draft.value.text, draft.value.is_draft) == ("- 10 parsecs", True)
    for wrong in ("", "2026-02-30", "1800-01-01"):
        with pytest.raises(planning.Refused):
            add(pattern(), change={**change, "date": wrong})


def test_a_workout_of_the_library_on_the_users_own_calendar_is_written_for_the_user():
    batch = planning.addition(
        pattern(), {"act": "add", "date": "2026-03-05", "user": ""}, calendar(people=("me",)), own_id="usr_me"
    )

    assert planning.written_by(batch.operations) == {"usr_me"}


def test_a_copied_week_leaves_out_races_and_illness_and_is_pasted_on_the_same_weekdays():
    week = planning.copied_week({"date": "2026-03-02", "user": ""}, WEEK)
    batch = batch_of(clipboard=week, act="week", what="paste", date="2026-03-09", user="")

    assert week.title == "2 Mar to 8 Mar"
    assert operations(batch) == [
        (PlanOp.COPY, "tpr_Threshold", date(2026, 3, 9)),
        (PlanOp.COPY, "tpr_Ride", date(2026, 3, 11)),
        (PlanOp.COPY, "tpr_Done", date(2026, 3, 10)),
        (PlanOp.COPY, "not_Focus", date(2026, 3, 9)),
    ]


def test_an_entry_that_is_dropped_on_another_athlete_is_copied_for_them():
    data = calendar(THRESHOLD, people=("usr_ana", "usr_ben"))
    batch = batch_of(data, act="move", ids=["tpr_Threshold"], days=0, user="usr_ben", isCopy=False)

    assert operations(batch) == [(PlanOp.COPY, "tpr_Threshold", MONDAY)]
    assert batch.operations[0].value.user_id == "usr_ben"


def test_a_week_of_one_lane_leaves_the_other_athletes_alone():
    data = calendar(THRESHOLD, workout("Run", MONDAY, user="usr_ben"), people=("usr_ana", "usr_ben"))
    batch = batch_of(data, act="week", what="clear", date="2026-03-02", user="usr_ben")

    assert operations(batch) == [(PlanOp.DELETE, "tpr_Run", None)]


LOCKED = calendar(workout("Locked", MONDAY, allowed=(PlanOp.COPY,)))


@pytest.mark.parametrize(
    ("change", "data"),
    [
        ({"act": "move", "ids": ["gone"], "days": 1}, WEEK),
        ({"act": "move", "ids": ["tpr_Ride"], "days": "1"}, WEEK),
        ({"act": "move", "ids": ["tpr_Ride"], "days": 4_000}, WEEK),
        ({"act": "move", "ids": ["tpr_Locked"], "days": 1}, LOCKED),
        ({"act": "delete", "ids": ["tpr_Locked"]}, LOCKED),
        ({"act": "week", "what": "shift", "date": "2026-03-09", "user": "", "days": 1}, WEEK),
        ({"act": "week", "what": "shift", "date": "soon", "user": "", "days": 1}, WEEK),
        ({"act": "week", "what": "paste", "date": "2026-03-09", "user": ""}, WEEK),
        ({"act": "dance"}, WEEK),
    ],
)
def test_a_change_that_is_no_batch_is_refused_with_a_reason(change, data):
    with pytest.raises(planning.Refused, match=r"\w+ \w+"):
        batch_of(data, **change)


def test_remarks_name_what_the_object_does_not_hold():
    entry = workout(
        "Ride",
        MONDAY,
        is_locked=True,
        original_date=date(2026, 3, 1),
        visible_from=date(2026, 3, 4),
        skipped=Skipped(reason="Ill", by=None),
    )

    assert planning.remarks_of(entry, today=MONDAY) == [
        "skipped: Ill",
        "moved from Sun 1 Mar",
        "locked",
        "hidden until Wed 4 Mar",
    ]
    assert planning.gestures_of(entry) == "move delete"
    assert planning.gestures_of(workout("x", MONDAY, allowed=(PlanOp.MOVE,))) == "move"


def conflict(entry):
    error = PlanConflict("POST", "/plan/v1/batches", status=412)
    error.rows = (ConflictRow(id="tpr_Ride", entry=entry),)
    return error


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            conflict(workout("Ride", MONDAY, updated_by=Person(id="usr_2", name="Anna Berg"))),
            "Not saved: Ride was changed by Anna Berg meanwhile. The calendar shows the current plan.",
        ),
        (conflict(None), "Not saved: the entry was deleted meanwhile. The calendar shows the current plan."),
        (NotFound("POST", "/plan"), "Not saved: the entry is gone. The calendar shows the current plan."),
        (
            TimedOut("POST", "/plan"),
            "No answer from the service: perhaps saved. Look at the calendar before you try again.",
        ),
        (
            Unreachable("POST", "/plan", may_have_arrived=False),
            "Not saved: the service does not answer. The plan is as before; try again.",
        ),
        (BadRequest("POST", "/plan", text="Write 400mtr."), "Not saved: Write 400mtr."),
    ],
)
def test_a_refusal_says_why_and_what_is_true(error, text):
    assert planning.refusal(error) == text
