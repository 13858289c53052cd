"""The words next to a session's verdict: which number decides, and why it is not the work steps."""

from math import nan
from types import SimpleNamespace

import pytest

from coachboard.execution.compliance import (
    NOT_COMPARABLE,
    Compliance,
    ComplianceState,
    Measure,
    by_work_steps,
    state_of,
)
from coachboard.execution.work_steps import ScoreBasis, WorkOutcome, WorkScore, WorkStep
from coachboard.pages.activity.execution import PlannedAndDone, Score
from coachboard.pages.activity.plan_alignment import Basis
from coachboard.pages.activity.planned_and_done import (
    _load_card,
    _says_height,
    _verdict_card,
    _work_card,
    says_verdict,
)


def work(*shares):
    steps = (WorkStep(at, WorkOutcome.DONE, credit) for at, credit in enumerate(shares))
    return WorkScore(tuple(steps), ScoreBasis.HEART_RATE)


def by_duration(ratio):
    return Compliance(state_of(ratio), Measure.DURATION, ratio)


SCORED = by_work_steps(work(1.0, 0.5))
BARE = by_duration(0.96)
OPEN = Compliance(ComplianceState.OPEN, Measure.DURATION, 0.96)


@pytest.mark.parametrize(
    ("found", "is_recorded", "words"),
    [
        (SCORED, True, "Compliance scores the work steps by heart rate. Warm-up, recoveries and cool-down do not count."),
        (BARE, True, "Compliance is by duration: the workout has no work steps, or the recording does not show them."),
        (BARE, False, "Compliance is by duration: the session has no recording."),
        (OPEN, True, "Compliance is by duration until the work steps are scored."),
        (NOT_COMPARABLE, True, "No compliance: plan and session have no duration, distance, load or work in common."),
    ],
)  # fmt: skip
def test_the_verdict_names_what_was_compared(found, is_recorded, words):
    assert says_verdict(found, is_recorded=is_recorded) == words


@pytest.mark.parametrize(
    ("score", "shown"),
    [
        (Score(2.0, 1.5), ("Work steps", "75 %", "1.5 of 2")),
        (Score(nan, nan), ("Work steps", "–", "no comparison")),
    ],
)
def test_work_steps_have_a_percentage_if_they_were_scored(score, shown):
    nothing = Score(nan, nan)
    card = _work_card(PlannedAndDone((), "", None, SCORED, duration=nothing, load=nothing, work=score))

    assert (card.label, card.value, card.note) == shown


@pytest.mark.parametrize(("ratio", "value"), [(0.96, "96 %"), (1.0, "100 %"), (1.28, "100 % (+28 %)")])
def test_a_score_is_at_most_100_and_extra_time_is_beside_it(ratio, value):
    nothing = Score(nan, nan)
    found = PlannedAndDone((), "", None, by_duration(ratio), duration=nothing, load=nothing, work=nothing)

    assert _verdict_card(found).value == value


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
    monkeypatch.setattr("coachboard.pages.activity.planned_and_done.can_adjust", lambda data: True)
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
