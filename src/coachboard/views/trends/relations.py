"""Correlations of nights with the sessions of the next day for this athlete; none without enough pairs."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from coachboard.analytics.season.relation import MINIMUM_PAIRS, relation
from coachboard.charts.performance import relation_chart
from coachboard.loaders.trends.page_data import TrendsData
from coachboard.loaders.trends.relations import NamedRelation, night_and_day
from coachboard.views.frame import formats, theme
from coachboard.views.trends.unread import say_unread
from coachboard.views.widgets import export, formulas
from coachboard.views.widgets.plot import draw_chart

_PER_ROW = 3
_UNITS = {
    "sleep duration": " (h)",
    "HRV vs 60-day mean": " (SD)",
    "feel score": " (5 = best)",
    "RPE": " (10 = hardest)",
}


def draw_relations(data: TrendsData) -> None:
    """A row per pair of quantities, with n and the 95 % interval."""
    if say_unread(data, "sessions", "nights", is_empty=False):
        return
    named = night_and_day(data)
    how = formulas.on_demand(
        relation,
        window="the selected range; sleep and HRV of each night with load, feeling and RPE of the day that follows it.",
    )
    if theme.is_phone():
        _draw_list(named, how=how)
    else:
        _draw_table(named, how=how)
    st.caption(
        f"Pearson correlation with Fisher's 95 % interval; needs {MINIMUM_PAIRS} pairs. Consecutive days are not independent, "
        "so the true interval is wider. Correlation is not causation."
    )
    _draw_scatters(named, how=how)
    export.draw_downloads(lambda: values(named), name="night-and-day-after", key="trends.relations.export")


def _draw_scatters(named: Sequence[NamedRelation], *, how: str) -> None:
    """The pairs behind each correlation: one outlier can make a coefficient."""
    known = [one for one in named if one.found.is_known]
    for at in range(0, len(known), _PER_ROW):
        for place, one in zip(st.columns(_PER_ROW), known[at : at + _PER_ROW], strict=False):
            with place:
                draw_chart(
                    partial(
                        relation_chart,
                        one.night_values, one.day_values,
                        titles=(_axis(one.night), _axis(one.day)), has_line=one.found.excludes_zero,
                    ),
                    key=f"trends.relation.{one.night}.{one.day}".replace(" ", "-"),
                    alt=f"Correlation {formats.signed(one.found.r, 2)} (95 % interval {_interval(one)}), "
                    f"{formats.count(one.found.pairs, 'pair')}.",
                    says=f"{_capital(one.night)} and {one.day} of the next day: {reading(one)}.",
                    data=pd.DataFrame(
                        {_axis(one.night): one.night_values, _axis(one.day): one.day_values}
                    ).dropna().round(3),
                    formulas=how,
                )  # fmt: skip


def _axis(name: str) -> str:
    return f"{_capital(name)}{_UNITS.get(name, '')}"


def _capital(name: str) -> str:
    return f"{name[:1].upper()}{name[1:]}"


def _draw_list(named: Sequence[NamedRelation], *, how: str) -> None:
    """Two lines per pair of quantities, for a screen too narrow for six columns."""
    with st.container(gap="xsmall"):
        for relation in named:
            st.markdown(f"**{_capital(relation.night)} and {relation.day}:** {reading(relation)}", help=how)
            coefficient = (
                f"correlation {formats.signed(relation.found.r, 2)} (95 % interval {_interval(relation)}), "
                if relation.found.is_known
                else ""
            )
            if coefficient:  # else the line above says how many pairs there are
                st.caption(f"{coefficient}{formats.count(relation.found.pairs, 'pair')}")


def _draw_table(named: Sequence[NamedRelation], *, how: str) -> None:
    frame = pd.DataFrame(
        {
            "Night": [_capital(one.night) for one in named],
            "Next day": [_capital(one.day) for one in named],
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


def values(named: Sequence[NamedRelation]) -> pd.DataFrame:
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


def _interval(one: NamedRelation) -> str:
    if not one.found.is_known:
        return formats.MISSING
    return f"{formats.signed(one.found.low, 2)} to {formats.signed(one.found.high, 2)}"


def reading(one: NamedRelation) -> str:
    if one.found.pairs < MINIMUM_PAIRS:
        return f"needs {MINIMUM_PAIRS} pairs, has {one.found.pairs}"
    if not one.found.is_known:
        return "no result: one value never varied"
    if not one.found.excludes_zero:
        return "no clear link"
    return f"clear, {'positive' if one.found.r > 0 else 'negative'}"
