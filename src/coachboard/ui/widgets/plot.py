"""Draw a chart with its summary sentence, its text alternative and its data as a table."""

from collections.abc import Callable
from datetime import date, datetime

import numpy as np
import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from coachboard.ui.frame import formats, state, theme
from coachboard.ui.frame.text import md
from coachboard.ui.widgets import export
from coachboard.ui.widgets.figure import Chart, Listener, draw_figure, file_name
from coachboard.ui.widgets.toolbar import Press, draw_bar

_LONGEST_TABLE, _LONGEST_STYLED = 5_000, 1_000
"""Rows of the table, and of one whose cells are written as text: 5,000 rows of 12 columns would take 1.6 s."""


def draw_chart(  # noqa: PLR0913 (each argument is a part of the section)
    chart: Chart,
    *,
    key: str,
    says: str,
    alt: str = "",
    hint: str = "",
    data: pd.DataFrame | Callable[[], pd.DataFrame] | None = None,
    formulas: str | None = None,
    listener: Listener | None = None,
) -> None:
    """The chart, its summary, and after a click its data and formulas; a callable creates the data then.

    `alt` comes before the summary in the text alternative only: numbers that the chart shows. `hint` says how to select; paper
    does not show it.
    """
    draw_figure(
        chart, is_dark=theme.is_dark(), key=key, alt=f"{alt} {says} {hint}".strip(), listener=listener
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(md(says), width="stretch", help=formulas)
        wants_table = data is not None and _wants_table(key)
    if data is not None and wants_table:
        _draw_table(data() if callable(data) else data, key=key)
    if hint:
        draw_hint(hint, key=key)


def draw_hint(text: str, *, key: str) -> None:
    """How to select something: "Select a bar" has no meaning on paper."""
    with st.container(key=f"screen-only.{key}.hint"):
        st.caption(text)


def _wants_table(key: str) -> bool:
    wanted = f"{key}.table"
    is_on = bool(state.get(wanted))
    table = Press("table", "Table", "", help="Show the chart data", is_on=is_on)
    draw_bar([table], key=f"{wanted}.bar", on_change=lambda _name, _says: state.put(wanted, not is_on))
    return is_on


def _draw_table(data: pd.DataFrame, *, key: str) -> None:
    st.dataframe(
        _on_screen(data.head(_LONGEST_TABLE)), hide_index=True, placeholder=formats.MISSING, key=f"{key}.rows"
    )
    if len(data) > _LONGEST_TABLE:
        st.caption(f"First {_LONGEST_TABLE:,} of {formats.count(len(data), 'row')}; the files contain all.")
    export.draw_downloads(lambda: data, name=file_name(key), key=f"{key}.export")


def _on_screen(data: pd.DataFrame) -> Styler | pd.DataFrame:
    """Dates and numbers as on the rest of the page; the column still sorts by its values, and files have them."""
    if len(data) > _LONGEST_STYLED:
        return data
    return data.reset_index(drop=True).style.format(_cell_text)


def _cell_text(value: object) -> str:
    if isinstance(value, datetime):
        return formats.moment(value)
    if isinstance(value, date):
        return formats.day(value)
    if isinstance(value, int | float | np.number):
        return formats.MISSING if np.isnan(value) else f"{value:,.10g}".replace("-", formats.MINUS)
    return formats.MISSING if value is None else str(value)
