"""The selected section of a session, stored in the URL only (`sel=600-1200`, elapsed seconds); a row or a bar selects too."""

import re
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import pandas as pd
import streamlit as st

from coachboard.pages.activity.data import ActivityData
from coachboard.pages.activity.session_parts import Parts
from coachboard.ui.frame import formats, state
from coachboard.ui.widgets.paper import draw_for_paper
from coachboard.ui.widgets.phone_columns import fitted

_SPAN = re.compile(r"(\d{1,7})-(\d{1,7})", re.ASCII)
_MOMENT = re.compile(r"\d{1,7}", re.ASCII)
_BOXED, _BAKED = "activity.boxed", "activity.baked"


@dataclass(frozen=True, slots=True)
class Selection:
    """From and to in elapsed seconds, and the slice of samples."""

    from_s: float
    to_s: float
    samples: slice

    @property
    def length_s(self) -> float:
        return self.to_s - self.from_s

    @property
    def text(self) -> str:
        """The value of the URL parameter."""
        return span_text(self.from_s, self.to_s)


def span_text(from_s: float, to_s: float) -> str:
    return f"{max(round(from_s), 0)}-{max(round(to_s), 0)}"


def current(data: ActivityData) -> Selection | None:
    """The selection in the URL, if it lies within this session."""
    return _read("sel", data)


def zoomed(data: ActivityData) -> Selection | None:
    """The section to which the panels are zoomed."""
    return _read("zoom", data)


def choose(from_s: float, to_s: float) -> None:
    """Select a section; for callbacks of charts and tables."""
    low, high = sorted((from_s, to_s))
    state.set_param("sel", span_text(low, max(high, low + 1)))


def clear() -> None:
    state.set_param("sel", None)


def moment(data: ActivityData) -> float | None:
    """The moment marked in panels and route, in elapsed seconds (`at=754`)."""
    text = state.get_param("at") or ""
    streams = data.streams
    if not _MOMENT.fullmatch(text) or streams is None or not len(streams):
        return None
    return float(text) if float(text) <= streams.elapsed_s[-1] else None


def mark(at_s: float | None) -> None:
    state.set_param("at", None if at_s is None else str(max(round(at_s), 0)))


def zoom_in(selected: Selection) -> None:
    state.set_param("zoom", selected.text)


def zoom_out() -> None:
    state.set_param("zoom", None)


def boxed(from_s: float, to_s: float, *, figure: Hashable) -> None:
    """Select the box that the user drew; its figure already shows it."""
    choose(from_s, to_s)
    state.put(_BOXED, (state.get_param("sel"), figure))


def to_draw(selected: Selection | None, *, figure: Hashable) -> tuple[float, float] | None:
    """The selection to draw on a figure.

    A figure already shows a box that the user drew on it; leave it unchanged to send and draw nothing again.
    """
    text = selected.text if selected else None
    if text is not None and state.get(_BOXED) == (text, figure):
        kept: tuple[float, float] | None = state.get(_BAKED)
        return kept
    fresh = (selected.from_s, selected.to_s) if selected else None
    state.put(_BAKED, fresh)
    state.forget(_BOXED)
    return fresh


def _read(name: str, data: ActivityData) -> Selection | None:
    span = _SPAN.fullmatch(state.get_param(name) or "")
    streams = data.streams
    if span is None or streams is None or not len(streams):
        return None
    from_s, to_s = (min(float(text), streams.end_s) for text in span.groups())
    samples = streams.between(from_s, to_s)
    return Selection(from_s, to_s, samples) if to_s > from_s and samples.stop > samples.start else None


def selected_row(data: ActivityData, parts: Parts) -> int | None:
    """The part that equals the selection."""
    chosen = current(data)
    if chosen is None:
        return None
    texts = [span_text(stretch.from_s, stretch.to_s) for stretch in parts.stretches]
    return texts.index(chosen.text) if chosen.text in texts else None


def take_row(key: str, parts: Parts) -> None:
    """Select the part of the clicked row; without a row clear the selection."""
    take(_picked_row(key), parts)


def _picked_row(key: str) -> int | None:
    rows = (state.get(key) or {}).get("selection", {}).get("rows", [])
    return rows[0] if rows else None


def take(row: int | None, parts: Parts) -> None:
    if row is None or row >= len(parts.stretches):
        clear()
    else:
        choose(parts.stretches[row].from_s, parts.stretches[row].to_s)


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
    row = _picked_row(key)
    span = spans[row] if row is not None and row < len(spans) else None
    if span is not None:
        choose(*span)
        # The panels are outside this fragment: rerun the page to show the selection.
        state.put(f"{key}.moved", True)
