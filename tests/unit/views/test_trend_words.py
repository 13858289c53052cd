"""The words above and below the charts of trends."""

from coachboard.analytics.season.load import CLASSIC
from coachboard.views.trends.look import _legend


def test_a_colour_of_shaded_days_is_named_once_with_all_its_kinds():
    """Illness and medical notes are both red: the legend seemed to name two reds."""
    assert _legend({"rest day": 2, "illness": 1, "availability": 1, "medical": 2}) == (
        "2 rest days (grey), 1 illness, 2 medical notes (red), 1 availability note (blue)"
    )


def test_the_definition_of_form_says_where_it_is():
    assert " Form (in the table): fitness minus fatigue, before rounding." in CLASSIC.definition(
        "Form (in the table)"
    )
    assert " Form: fitness minus fatigue, before rounding." in CLASSIC.says
