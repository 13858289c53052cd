"""A range of days in words, and one option in the URL."""

from datetime import date
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from coachboard.ui.widgets.pickers import range_words

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


def _page():
    import streamlit as st  # noqa: PLC0415 # run by Streamlit as a script of its own

    from coachboard.ui.widgets.pickers import pick_one  # noqa: PLC0415

    st.text(pick_one("Layout", {"panels": "Separate", "together": "Overlay"}, param="layout"))


def test_an_option_is_in_the_url_unless_it_is_the_default():
    at = AppTest.from_function(_page).run()
    picker = at.button_group(key="pick.layout")
    assert at.text[0].value == "panels"

    picker.set_value("together").run()
    assert at.text[0].value == "together"
    assert at.query_params["layout"] == "together"

    picker.set_value("panels").run()
    assert at.text[0].value == "panels"
    assert "layout" not in at.query_params


@pytest.mark.parametrize(("asked", "shown"), [("together", "together"), ("no option", "panels")])
def test_a_link_opens_with_its_option(asked, shown):
    at = AppTest.from_function(_page)
    at.query_params["layout"] = asked
    at.run()

    assert at.text[0].value == shown
    assert at.button_group(key="pick.layout").value == shown
