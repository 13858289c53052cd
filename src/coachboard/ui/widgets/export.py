"""Downloads of tables: CSV that no spreadsheet executes, and Parquet with types."""

import io
import re
from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

# A spreadsheet executes a cell that starts with one of these, full-width forms included; a quote before it makes it text.
# Some spreadsheets also start a cell at a semicolon or a tab, despite the quotes around the field.
_FORMULA = re.compile(r"(^ *(?=[\t\r\n])|(?:^|[;\t\r\n]) *(?=[=+\-@\uff1d\uff0b\uff0d\uff20]))")


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """UTF-8 with a byte order mark, by which spreadsheets recognise it."""
    safe = frame.map(_as_text_cell)
    safe.columns = pd.Index([_as_text_cell(str(name)) for name in frame.columns])
    return safe.to_csv(index=False).encode("utf-8-sig")


def parquet_bytes(frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()


def draw_downloads(make: Callable[[], pd.DataFrame], *, name: str, key: str) -> None:
    """Two small buttons; a click calls `make` for the table and writes the file.

    A table that is made before the click would hold up to 2 MB in each browser session.
    """
    with st.container(horizontal=True, gap="small"):
        st.download_button(
            "CSV",
            lambda: csv_bytes(make()),
            f"{name}.csv",
            "text/csv",
            key=f"{key}.csv",
            icon=":material/download:",
            type="tertiary",
            on_click="ignore",
        )
        st.download_button(
            "Parquet",
            lambda: parquet_bytes(make()),
            f"{name}.parquet",
            "application/vnd.apache.parquet",
            key=f"{key}.parquet",
            icon=":material/download:",
            type="tertiary",
            on_click="ignore",
        )


def _as_text_cell(value: Any) -> Any:
    return _FORMULA.sub(r"\1'", value) if isinstance(value, str) else value
