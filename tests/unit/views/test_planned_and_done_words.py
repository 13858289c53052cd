"""The words next to a session's verdict: which number decides, and why it is not the work steps."""

from math import nan

import pytest

from coachboard.analytics.planning.alignment import Alignment
from coachboard.analytics.planning.compliance import (
    NOT_COMPARABLE,
    Compliance,
    Measure,
    state_of,
    verdict,
)
from coachboard.analytics.planning.work_steps import WorkOutcome, WorkScore, WorkStep
from coachboard.loaders.activity.planned_and_done import PlannedAndDone, Score
from coachboard.views.activity.planned_and_done import _load_card, _work_card, says_verdict


def work(*shares):
    steps = (WorkStep(at, WorkOutcome.DONE, credit) for at, credit in enumerate(shares))
    return WorkScore(tuple(steps), Alignment((), 0.0))


def by_duration(ratio):
    return Compliance(state_of(ratio), Measure.DURATION, ratio)


REPLACED = verdict(by_duration(0.98), work(0.0, 0.0), 0.96)
CUT_OFF = verdict(by_duration(0.4), work(1.0, 1.0, 0.5), nan)
SCORED = verdict(by_duration(1.0), work(1.0, 0.5), 1.0)
BARE = by_duration(0.96)


@pytest.mark.parametrize(
    ("found", "has_work", "starts", "says"),
    [
        (SCORED, True, "Compliance scores the work steps.", "cool-down are not scored"),
        (
            REPLACED,
            True,
            "Compliance is by load: only 0 of 2 work steps were done",
            "time and load are within 20 %",
        ),
        (
            CUT_OFF,
            True,
            "Compliance is by duration, although 2.5 of 3 work steps",
            "below 50 % or above 150 %",
        ),
        (
            BARE,
            True,
            "Compliance is by duration: the laps do not show the work steps.",
            "by the recording alone",
        ),
        (BARE, False, "Compliance is by duration: the workout has no work step", ""),
        (NOT_COMPARABLE, True, "No compliance: plan and session have no", "in common."),
    ],
)
def test_the_verdict_says_which_number_decides(found, has_work, starts, says):
    words = says_verdict(found, has_work=has_work)

    assert words.startswith(starts)
    assert says in words
    assert "None" not in words


@pytest.mark.parametrize(
    ("found", "done", "shown"),
    [
        (SCORED, 1.5, ("Work steps", "75 %", "1.5 of 2")),
        (REPLACED, 0.0, ("Work steps as planned", "0 of 2", "by the laps, not scored")),
        (BARE, 0.0, ("Work steps as planned", "0 of 2", "by the recording, not scored")),
    ],
)
def test_work_steps_have_a_percentage_only_where_they_are_the_verdict(found, done, shown):
    """The page showed 96 %, on target, next to work steps of 0 %."""
    card = _work_card(
        PlannedAndDone(
            (), "", None, found, duration=Score(nan, nan), load=Score(nan, nan), work=Score(2.0, done)
        )
    )

    assert (card.label, card.value, card.note) == shown


def test_the_load_by_steps_is_a_percentage_alone():
    """68 of 70 contradicted the session's load of 81, which is computed in another way."""
    cards = [_load_card(score) for score in (Score(70.0, 68.0), Score(nan, 68.0))]

    assert [(card.value, card.note) for card in cards] == [
        ("97 %", "of plan, both estimated"),
        ("–", "no comparison"),
    ]
