"""A table below the panels whose rows select their stretch in the panels above."""

from collections.abc import Collection, Sequence
from typing import Literal, TypeAlias

import pandas as pd
import streamlit as st

from coachboard.views import formats, state
from coachboard.views.activity import selection
from coachboard.views.narrow import fitted
from coachboard.views.paper import draw_for_paper

Span: TypeAlias = tuple[float, float] | None
"""From and to in elapsed seconds; None where nothing was done that could be selected."""

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
    """One span a row; on a phone the columns named first; `tenths` are the columns with one decimal."""
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
        # The panels stand outside this fragment, so that the page has to run to show the selection.
        state.put(f"{key}.moved", True)
