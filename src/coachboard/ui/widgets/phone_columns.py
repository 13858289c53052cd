"""Tables on a phone: the main columns first, the others behind a switch, so that no table scrolls sideways."""

from collections.abc import Collection

import pandas as pd
import streamlit as st

from coachboard.ui.frame import theme


def fitted(table: pd.DataFrame, first: Collection[str], *, key: str) -> pd.DataFrame:
    """The whole table on a desktop; on a phone the columns `first`, in the table's order, until the switch is on."""
    if not theme.is_phone() or set(table.columns) <= set(first):
        return table
    if st.toggle("All columns", key=f"{key}.all"):
        return table
    return table[[head for head in table.columns if head in first]]
