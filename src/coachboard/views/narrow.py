"""Tables on a phone: the columns asked for first, the others behind one switch, so that none scrolls sideways."""

from collections.abc import Collection

import pandas as pd
import streamlit as st

from coachboard.views import theme


def fitted(table: pd.DataFrame, first: Collection[str], *, key: str) -> pd.DataFrame:
    """The table as it is on a desk; on a phone the columns named, in the table's order, until all are asked for."""
    if not theme.is_phone() or set(table.columns) <= set(first):
        return table
    if st.toggle("All columns", key=f"{key}.all"):
        return table
    return table[[head for head in table.columns if head in first]]
