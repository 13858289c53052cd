"""The words above and below the charts of trends."""

from coachboard.flags.engine import RULES
from coachboard.formulas.season.load import CLASSIC
from coachboard.formulas.season.monotony import MONOTONOUS
from coachboard.pages.trends import shades_legend


def test_a_colour_of_shaded_days_is_named_once_with_all_its_kinds():
    """Illness and medical notes are both red: the legend seemed to name two reds."""
    assert shades_legend({"rest day": 2, "illness": 1, "availability": 1, "medical": 2}) == (
        "2 rest days (grey), 1 illness, 2 medical notes (red), 1 availability note (blue)"
    )


def test_the_definition_of_form_says_where_it_is():
    moment = "Fitness, fatigue and form are morning values, before the day's sessions."

    shown = CLASSIC.definition("Form (only in the table)")

    assert f" Form (only in the table) is fitness minus fatigue. {moment}" in shown
    assert f" Form is fitness minus fatigue. {moment}" in CLASSIC.says


def test_the_limit_of_monotony_is_that_of_its_flag():
    assert next(rule.threshold for rule in RULES if rule.id == "monotony_high") == MONOTONOUS
