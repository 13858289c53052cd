"""Whether nights and the sessions after them go together for this athlete; no claim without enough pairs."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from coachboard.analytics.relation import MINIMUM_PAIRS, relation
from coachboard.loaders.relations import Named, night_and_day
from coachboard.loaders.trends import TrendsData
from coachboard.views import export, formats, formulas, theme
from coachboard.views.trends.unread import say_unread


def draw_relations(data: TrendsData) -> None:
    """One row a pair of quantities, with n and the 95 % interval."""
    if say_unread(data, "sessions", "nights"):
        return
    named = night_and_day(data)
    how = formulas.on_demand(
        relation, night_and_day, window="the selected range; each night with the day that follows it."
    )
    if theme.is_phone():
        _draw_list(named, how=how)
    else:
        _draw_table(named, how=how)
    st.caption(
        f"Pearson correlation with Fisher's 95 % interval; needs {MINIMUM_PAIRS} pairs. Consecutive days are not independent, "
        "so the true interval is wider. Correlation is not causation."
    )
    export.draw_downloads(values(named), name="night-and-day-after", key="trends.relations.export")


def _draw_list(named: Sequence[Named], *, how: str) -> None:
    """Two lines a pair of quantities, where a table of six columns has no room."""
    with st.container(gap="xsmall"):
        for one in named:
            st.markdown(f"**{one.night}**, {one.day}: {reading(one)}", help=how)
            told = f"r {formats.signed(one.found.r, 2)} ({_interval(one)}), " if one.found.is_known else ""
            st.caption(f"{told}{formats.count(one.found.pairs, 'pair')}")


def _draw_table(named: Sequence[Named], *, how: str) -> None:
    frame = pd.DataFrame(
        {
            "Night": [one.night for one in named],
            "Next day": [one.day for one in named],
            "Correlation": [formats.signed(one.found.r, 2) for one in named],
            "95 % interval": [_interval(one) for one in named],
            "Pairs": [one.found.pairs for one in named],
            "Result": [reading(one) for one in named],
        }
    )
    right = st.column_config.TextColumn(alignment="right", help=how)
    st.dataframe(
        frame,
        hide_index=True,
        key="trends.relations",
        column_config={
            "Correlation": right,
            "95 % interval": right,
            "Pairs": st.column_config.NumberColumn(help=how),
        },
    )


def values(named: Sequence[Named]) -> pd.DataFrame:
    """The table as numbers."""
    return pd.DataFrame(
        {
            "Night": [one.night for one in named],
            "Next day": [one.day for one in named],
            "Correlation": [one.found.r for one in named],
            "95 % from": [one.found.low for one in named],
            "95 % to": [one.found.high for one in named],
            "Pairs": [one.found.pairs for one in named],
        }
    )


def _interval(one: Named) -> str:
    if not one.found.is_known:
        return formats.MISSING
    return f"{formats.signed(one.found.low, 2)} to {formats.signed(one.found.high, 2)}"


def reading(one: Named) -> str:
    if one.found.pairs < MINIMUM_PAIRS:
        return f"needs {MINIMUM_PAIRS} pairs, has {one.found.pairs}"
    if not one.found.is_known:
        return "no result: one value never varied"
    if not one.found.excludes_zero:
        return "no clear link"
    return "positive" if one.found.r > 0 else "negative"
