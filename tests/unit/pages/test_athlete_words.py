"""Words of the athlete page: the measure of a compliance, scenarios of the plan, and the numbers that a phone shows first."""

from dataclasses import replace
from math import nan
from types import SimpleNamespace

import pytest

from coachboard.execution.adherence import Adherence, Done, Match, Planned
from coachboard.execution.compliance import Compliance, ComplianceState, Measure
from coachboard.flags.engine import RULES_BY_ID
from coachboard.flags.flag import Flag
from coachboard.pages.athlete import days
from coachboard.pages.athlete.data import shares_of_plan
from coachboard.pages.athlete.headline import with_flagged_first
from coachboard.ui.frame.formats import System, Units
from coachboard.ui.widgets.key_numbers import Card, first_on_phone
from coachboard.wire.enums import Sport, TrainingStimulus
from unit.pages.test_roster_cells import TODAY


@pytest.mark.parametrize(
    ("state", "says", "title"),
    [
        (ComplianceState.ON_TARGET, "duration", "duration, on target"),
        (ComplianceState.OFF, "duration, off", "duration, off"),
    ],
)
def test_a_compliance_names_its_measure(state, says, title):
    """Each session read "100 %" next to a week of 685 of 602 points."""
    done = Done("act_1", TODAY, Sport.CYCLING)
    found = days.compliance_cell(
        Match(None, done, Adherence.ON_TIME, Compliance(state, Measure.DURATION, 1.0))
    )

    assert (found.main, found.sub, found.title) == ("100 %", says, title)


@pytest.mark.parametrize(
    ("done", "more"), [(0.9, ["as done so far (90 %)"]), (1.004, []), (0.8, []), (nan, [])]
)
def test_the_share_done_so_far_is_a_scenario_unless_it_repeats_another(done, more):
    assert list(shares_of_plan(done)) == ["as planned", "at 80 % of plan", *more]


def test_a_phone_shows_the_flagged_numbers_among_its_six():
    cards = [
        Card(label, "1") for label in ("Fitness", "Fatigue", "Form", "Load", "Done", "Sleep", "HRV", "Event")
    ]

    flags = [
        Flag(rule=RULES_BY_ID[rule_id], threshold=1.0, is_raised=True)
        for rule_id in ("hrv_low", "medical_note")
    ]
    first = [card.label for card in first_on_phone(with_flagged_first(cards, flags))]
    assert first == ["HRV", "Fitness", "Fatigue", "Form", "Load", "Done"]


def test_a_session_done_as_another_type_says_so():
    """The page called a group ride of 7 hours VO2max, and the same ride of next week a group ride."""
    group_ride = Planned("tpr_1", TODAY, Sport.CYCLING, title="Group ride")
    aerobic = replace(group_ride, stimulus=TrainingStimulus.AEROBIC)
    done = Done("act_1", TODAY, Sport.CYCLING, TrainingStimulus.VO2MAX, duration_s=25_200, title="Group ride")
    page = SimpleNamespace(today_of=lambda _user_id: TODAY, units=Units(System.METRIC, {}))

    rows = [
        days.last_row(Match(plan, done, Adherence.ON_TIME), SimpleNamespace(user_id="usr_1"), page)
        for plan in (aerobic, group_ride)
    ]
    assert [row.cells[1].sub for row in rows] == ["Cycling, done as VO2max, 7h00", "Cycling, 7h00"]
