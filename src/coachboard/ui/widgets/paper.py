"""Print tables: Streamlit's table widget paints only the visible rows, so print a plain copy of all rows.

The screen hides the copy and paper hides the widget; streamlit_hooks/page.css has the rules.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import pandas as pd
import streamlit as st

from coachboard.ui.frame.formats import MINUS, MISSING
from coachboard.ui.frame.text import plain


def draw_for_paper(table: pd.DataFrame, column_config: Mapping[str, Any]) -> None:
    """Draw the copy; numbers and times keep the widget's column formats."""
    st.html(html_of(table, column_config))


def html_of(table: pd.DataFrame, column_config: Mapping[str, Any]) -> str:
    """The copy as HTML; all text is escaped."""
    columns = [
        (str(head), _format_of(column_config.get(head) or {}), _is_words(table[head]))
        for head in table.columns
    ]
    head = "".join(_cell("th", name, is_words=is_words) for name, _, is_words in columns)
    body = "".join(_line(row, columns) for row in table.itertuples(index=False))
    return f'<table class="for-paper"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def text_of(value: object, pattern: str = "") -> str:
    """The text of a cell: a time by its pattern, a number by its printf format, a missing value as a dash."""
    if isinstance(value, dt.time):
        return _time(value, with_hours="H" in pattern)
    if value is None or value == "" or (isinstance(value, float) and pd.isna(value)):
        return MISSING
    if isinstance(value, float):
        return (pattern or "%g") % value if value >= 0 else MINUS + text_of(-value, pattern)
    return plain(str(value))


def _line(row: tuple[Any, ...], columns: Sequence[tuple[str, str, bool]]) -> str:
    cells = (
        _cell("td", text_of(value, pattern), is_words=is_words)
        for value, (_, pattern, is_words) in zip(row, columns, strict=True)
    )
    return f"<tr>{''.join(cells)}</tr>"


def _cell(tag: str, text: str, *, is_words: bool) -> str:
    words = ' class="words"' if is_words else ""
    return f"<{tag}{words}>{escape(text)}</{tag}>"


def _is_words(column: pd.Series) -> bool:
    return (
        not pd.api.types.is_numeric_dtype(column)
        and not column.map(lambda cell: isinstance(cell, dt.time)).any()
    )


def _time(time: dt.time, *, with_hours: bool) -> str:
    if with_hours or time.hour:
        return f"{time.hour}:{time:%M:%S}"
    return f"{time.minute}:{time:%S}"


def _format_of(config: Any) -> str:
    kind = config.get("type_config") or {}
    return str(kind.get("format") or "")
