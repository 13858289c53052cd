"""A table below the panels; a click on a row selects its section in the panels."""

from collections.abc import Collection, Sequence
from typing import Literal, TypeAlias

import pandas as pd
import streamlit as st

from coachboard.pages.activity import selection
from coachboard.ui.frame import formats, state
from coachboard.ui.widgets.paper import draw_for_paper
from coachboard.ui.widgets.phone_columns import fitted

Span: TypeAlias = tuple[float, float] | None
"""From and to in elapsed seconds; None for a row without a section."""

_ROW_PX = 31


def draw_choosing_rows(  # noqa: PLR0913 (what a table shows, and what its rows select)
    table: pd.DataFrame,
    spans: Sequence[Span],
    *,
    key: str,
    first: Collection[str],
    alt: str,
    most_rows: int = 14,
    width: Literal["stretch", "content"] = "stretch",
    tenths: Collection[str] = (),
) -> None:
    """One section per row; a phone shows the columns in `first`; `tenths` are columns with one decimal."""
    column_config = {head: st.column_config.NumberColumn(format="%.1f") for head in tenths}
    st.dataframe(
        fitted(table, first, key=key),
        hide_index=True,
        placeholder=formats.MISSING,
        key=key,
        width=width,
        height="auto" if len(table) <= most_rows else (most_rows + 1) * _ROW_PX,
        on_select=lambda: _take(key, spans),
        selection_mode="single-row",
        column_config=column_config,
        alt=alt,
    )
    draw_for_paper(table, column_config)
    if state.get(f"{key}.moved"):
        state.forget(f"{key}.moved")
        st.rerun()


def _take(key: str, spans: Sequence[Span]) -> None:
    rows = (state.get(key) or {}).get("selection", {}).get("rows", [])
    span = spans[rows[0]] if rows and rows[0] < len(spans) else None
    if span is not None:
        selection.choose(*span)
        # The panels are outside this fragment: rerun the page to show the selection.
        state.put(f"{key}.moved", True)
