"""The changes of the plan that follow from the workout that a person chose for a session."""

from datetime import date

import pytest

import training
from coachboard.pages.activity.pairing import AUTOMATIC, operations_of
from coachboard.wire.planning import EntryKind, Pairing, PairingMode, PlanEntry, PlanOp

DAY = date(2026, 5, 4)


def entry(key, mode="auto", activity_id=None, listed=None):
    row = training.prescription("Ride", DAY).model_copy(update={"activity_id": activity_id or listed})
    unset = dict.fromkeys(name for name in PlanEntry.model_fields)
    return PlanEntry.model_construct(
        **unset
        | {
            "id": key,
            "kind": EntryKind.WORKOUT,
            "user_id": "usr_1",
            "etag": key,
            "prescription": row,
            "pairing": Pairing(mode=PairingMode(mode), activity_id=activity_id),
        }
    )


PAIR, UNPAIR = PlanOp.PAIR, PlanOp.UNPAIR


@pytest.mark.parametrize(
    ("entries", "own", "chosen", "expected"),
    [
        ([entry("a"), entry("b")], None, "a", [(PAIR, "a")]),
        ([entry("a"), entry("b")], "a", "b", [(PAIR, "b")]),  # a was a likely match
        ([entry("a"), entry("b")], "a", "a", [(PAIR, "a")]),  # confirmed
        ([entry("a"), entry("b")], "a", None, [(UNPAIR, "a")]),
        ([entry("a"), entry("b")], None, None, []),
        ([entry("a", "manual", "act_1"), entry("b")], "a", "b", [(UNPAIR, "a"), (PAIR, "b")]),
        ([entry("a", "manual", "act_1"), entry("b")], "a", "a", []),
        ([entry("a", listed="act_1"), entry("b")], "a", "b", [(UNPAIR, "a"), (PAIR, "b")]),
        ([entry("a", "manual", "act_2"), entry("b")], None, "b", [(PAIR, "b")]),  # of another session
        ([entry("a", "none"), entry("b")], None, "a", [(PAIR, "a")]),
        ([entry("a", "manual", "act_1"), entry("b", "none")], "a", AUTOMATIC, [(PAIR, "a"), (PAIR, "b")]),
        ([entry("a", "manual", "act_2"), entry("b")], "b", AUTOMATIC, []),
    ],
)
def test_the_session_belongs_to_the_chosen_workout_alone(entries, own, chosen, expected):
    operations = operations_of(entries, own, chosen, "act_1")

    assert [(operation.op, operation.id) for operation in operations] == expected
    assert all((operation.op is PAIR) == (operation.value is not None) for operation in operations)
