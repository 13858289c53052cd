"""A range of days in words."""

from datetime import date
from types import SimpleNamespace

import pytest

from coachboard.views.widgets.pickers import range_words

TODAY = date(2026, 11, 23)


@pytest.mark.parametrize(
    ("start", "end", "says"),
    [
        (date(2026, 11, 17), date(2026, 11, 23), "Tue 17 Nov to Mon 23 Nov"),
        (date(2026, 10, 26), date(2026, 12, 6), "26 Oct to 6 Dec"),
        (date(2026, 11, 23), date(2027, 1, 3), "23 Nov to 3 Jan 2027"),
    ],
)
def test_both_ends_have_a_weekday_or_none(start, end, says):
    """ "26 Oct to Sun 6 Dec" reads as a mistake."""
    assert range_words(SimpleNamespace(today=TODAY), start, end) == says
