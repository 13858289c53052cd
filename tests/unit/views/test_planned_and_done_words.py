"""The words next to a session's verdict: which number decides, and why it is not the work steps."""

from math import nan
from types import SimpleNamespace

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
from coachboard.loaders.activity.plan_alignment import Basis
from coachboard.loaders.activity.planned_and_done import PlannedAndDone, Score
from coachboard.views.activity.planned_and_done import (
    _load_card,
    _says_height,
    _verdict_card,
    _work_card,
    says_verdict,
)


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
        (SCORED, True, "Compliance scores the work steps.", "cool-down do not count"),
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
            "Compliance is by duration, because no classified laps show the planned work steps.",
            "come from the recording and do not count",
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
        (REPLACED, 0.0, ("Work steps as planned", "0 of 2", "not counted in compliance")),
        (BARE, 0.0, ("Work steps as planned", "0 of 2", "not counted in compliance")),
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


@pytest.mark.parametrize(
    ("ratio", "note"), [(0.96, "✓ on target"), (0.5, "Δ off by 50 %"), (1.72, "! far off by 72 %")]
)
def test_a_verdict_says_how_far_off_it_is(ratio, note):
    """ "≈ off" read as about equal."""
    nothing = Score(nan, nan)
    found = PlannedAndDone((), "", None, by_duration(ratio), duration=nothing, load=nothing, work=nothing)

    assert _verdict_card(found).note == note


@pytest.mark.parametrize(
    ("basis", "source", "says"),
    [
        (Basis("power", 264), "device laps", ""),
        (Basis("heart_rate", 180), "classified laps", "Height: heart rate, not power. "),
        (Basis("speed", 3.6), "changes in speed", "Height: grade-adjusted speed, not power. "),
        (
            Basis("speed", 3.6),
            "device laps",
            "Height: grade-adjusted speed, not power. Colour of a device lap: its intensity by power. ",
        ),
        (None, "", ""),
    ],
)
def test_the_height_of_a_bar_names_its_quantity_if_it_is_no_power(monkeypatch, basis, source, says):
    """A lap of 198 W was lower than one of 183 W uphill."""
    monkeypatch.setattr("coachboard.views.activity.planned_and_done.can_adjust", lambda data: True)
    rows = (SimpleNamespace(done_intensity="tempo"),)
    found = SimpleNamespace(basis=basis, source=source, rows=rows)

    assert _says_height(None, found) == says


def test_the_load_by_steps_is_a_percentage_alone():
    """68 of 70 contradicted the session's load of 81, which is computed in another way."""
    cards = [_load_card(score) for score in (Score(70.0, 68.0), Score(nan, 68.0))]

    assert [(card.value, card.note) for card in cards] == [
        ("97 %", "of plan, both estimated"),
        ("–", "no comparison"),
    ]
