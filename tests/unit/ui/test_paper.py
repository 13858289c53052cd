"""Cells of a printed table: the formats of the screen, a dash for a missing value, text as text."""

import datetime as dt

import pandas as pd
import pytest
import streamlit as st

from coachboard.ui.widgets.paper import html_of, text_of


@pytest.mark.parametrize(
    ("value", "pattern", "text"),
    [
        (dt.time(0, 5, 7), "m:ss", "5:07"),
        (dt.time(0, 5, 7), "H:mm:ss", "0:05:07"),
        (dt.time(1, 5, 7), "m:ss", "1:05:07"),
        (12.345, "%.1f", "12.3"),
        (-2.0, "%.0f", "−2"),
        (float("nan"), "%.0f", "–"),
        (None, "", "–"),
        ("", "", "–"),
        (7, "", "7"),
    ],
)
def test_a_cell_is_written_as_on_the_screen(value, pattern, text):
    assert text_of(value, pattern) == text


def test_text_of_strangers_is_text_and_numbers_are_right_aligned():
    table = pd.DataFrame({"Label": ["<b>Hard</b>"], "Power, W": [250.4]})
    html = html_of(table, {"Power, W": st.column_config.NumberColumn(format="%.0f")})

    assert '<td class="words">&lt;b&gt;Hard&lt;/b&gt;</td>' in html
    assert "<th>Power, W</th>" in html
    assert "<td>250</td>" in html
