"""Correlations of nights with the sessions of the next day for this athlete; none without enough pairs."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from html import escape

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from coachboard.charts import palette
from coachboard.formulas.recovery.baseline import deviations_from_normal
from coachboard.formulas.recovery.hrv import ln_hrv
from coachboard.formulas.season.relation import MINIMUM_PAIRS, Relation, relation
from coachboard.pages.trends.data import TrendsData
from coachboard.pages.trends.opening import say_failed
from coachboard.ui.frame import formats, theme
from coachboard.ui.widgets import export, formula_help
from coachboard.ui.widgets.plot import draw_chart
from coachboard.wire.activities import local_day

_PER_ROW = 3
_UNITS = {
    "sleep duration": " (h)",
    "HRV vs 60-day mean": " (SD)",
    "feel score": " (5 = best)",
    "RPE": " (10 = hardest)",
}


@dataclass(frozen=True, slots=True, eq=False)
class NamedRelation:
    """A correlation with the names and values of its two quantities."""

    night: str
    day: str
    result: Relation
    night_values: np.ndarray = field(repr=False)
    day_values: np.ndarray = field(repr=False)


def night_and_day(data: TrendsData) -> list[NamedRelation]:
    """Sleep and HRV of each night with load, feeling and RPE of the day after.

    A night has the date of the day it ends on, so the day after it is the same date.
    """
    nights = data.nights
    deviations = deviations_from_normal(ln_hrv(nights.hrv_ms), nights.hrv_normal)
    causes = {
        "sleep duration": nights.in_range(nights.asleep_s) / 3600,
        "HRV vs 60-day mean": nights.in_range(deviations),
    }
    answers = {
        "feel score": _mean_of_sessions(data, "feeling"),
        "RPE": _mean_of_sessions(data, "rpe"),
        "load": np.where(data.load.volume > 0, data.load.volume, np.nan),
    }
    return [
        NamedRelation(night, day, relation(cause, answer), cause, answer)
        for night, cause in causes.items()
        for day, answer in answers.items()
    ]


def _mean_of_sessions(data: TrendsData, name: str) -> np.ndarray:
    """The mean of the day's sessions, NaN on days without one."""
    by_day: dict[object, list[float]] = {day: [] for day in data.load.days}
    for activity in data.activities:
        if (value := getattr(activity, name)) is not None:
            by_day[local_day(activity)].append(float(value))
    return np.array([np.mean(values) if values else np.nan for values in by_day.values()])


def draw_relations(data: TrendsData) -> None:
    """A row per pair of quantities, with n and the 95 % interval."""
    if say_failed(data, "sessions", "nights"):
        return
    relations = night_and_day(data)
    how = formula_help.text_of(
        relation,
        window="the selected range; sleep and HRV of each night with load, feeling and RPE of the day that follows it.",
    )
    (_draw_list if theme.is_phone() else _draw_table)(relations, how=how)
    st.caption(
        f"Pearson correlation with Fisher's 95 % interval; needs {MINIMUM_PAIRS} pairs. Consecutive days are not independent, "
        "so the true interval is wider. Correlation is not causation."
    )
    _draw_scatters([pair for pair in relations if pair.result.is_known], how=how)
    export.draw_downloads(
        lambda: values(relations), name="night-and-day-after", key="trends.relations.export"
    )


def _draw_list(relations: Sequence[NamedRelation], *, how: str) -> None:
    """Two lines per pair of quantities, for a screen too narrow for six columns."""
    with st.container(gap="xsmall"):
        for pair in relations:
            st.markdown(f"**{_capital(pair.night)} and {pair.day}:** {reading(pair)}", help=how)
            if pair.result.is_known:  # else the line above says how many pairs there are
                st.caption(_coefficient(pair))


def _draw_table(relations: Sequence[NamedRelation], *, how: str) -> None:
    frame = pd.DataFrame(
        {
            "Night": [_capital(pair.night) for pair in relations],
            "Next day": [_capital(pair.day) for pair in relations],
            "Correlation": [formats.signed(pair.result.r, 2) for pair in relations],
            "95 % interval": [_interval(pair) for pair in relations],
            "Pairs": [pair.result.pairs for pair in relations],
            "Result": [reading(pair) for pair in relations],
        }
    )
    right = st.column_config.TextColumn(alignment="right", help=how)
    pairs = st.column_config.NumberColumn(help=how)
    columns = {"Correlation": right, "95 % interval": right, "Pairs": pairs}
    st.dataframe(frame, hide_index=True, key="trends.relations", column_config=columns)


def _draw_scatters(relations: Sequence[NamedRelation], *, how: str) -> None:
    """The pairs behind each correlation: one outlier can make a coefficient."""
    for first in range(0, len(relations), _PER_ROW):
        for place, pair in zip(st.columns(_PER_ROW), relations[first : first + _PER_ROW], strict=False):
            table = pd.DataFrame({_axis(pair.night): pair.night_values, _axis(pair.day): pair.day_values})
            with place:
                draw_chart(
                    partial(relation_chart, pair),
                    key=f"trends.relation.{pair.night}.{pair.day}".replace(" ", "-"),
                    alt=f"{_coefficient(pair).capitalize()}.",
                    says=f"{_capital(pair.night)} and {pair.day} of the next day: {reading(pair)}.",
                    data=table.dropna().round(3),
                    formulas=how,
                )


def relation_chart(pair: NamedRelation) -> go.Figure:
    """A dot per pair, with the least squares line if the correlation is clear."""
    is_pair = np.isfinite(pair.night_values) & np.isfinite(pair.day_values)
    x, y = pair.night_values[is_pair], pair.day_values[is_pair]
    figure = go.Figure()
    figure.add_scatter(
        x=x, y=y, mode="markers", showlegend=False,
        marker={"size": 6, "color": palette.translucent(palette.quantity("load"), 0.6)},
        hovertemplate="%{x:.2f}, %{y:.1f}<extra></extra>",
    )  # fmt: skip
    if pair.result.excludes_zero:
        slope = float(np.cov(x, y)[0, 1] / np.var(x, ddof=1))
        ends = np.array([x.min(), x.max()])
        figure.add_scatter(
            x=ends, y=y.mean() + slope * (ends - x.mean()), mode="lines", showlegend=False, hoverinfo="skip",
            line={"width": 1.5, "color": palette.MUTED.light},
        )  # fmt: skip
    palette.layout(figure, height=200)
    figure.update_layout(hovermode="closest", margin={"t": 8, "b": 40, "l": 48, "r": 8})
    figure.update_xaxes(title_text=escape(_axis(pair.night)), nticks=5)
    figure.update_yaxes(title_text=escape(_axis(pair.day)), nticks=4)
    return figure


def values(relations: Sequence[NamedRelation]) -> pd.DataFrame:
    """The table as numbers."""
    return pd.DataFrame(
        {
            "Night": [pair.night for pair in relations],
            "Next day": [pair.day for pair in relations],
            "Correlation": [pair.result.r for pair in relations],
            "95 % from": [pair.result.low for pair in relations],
            "95 % to": [pair.result.high for pair in relations],
            "Pairs": [pair.result.pairs for pair in relations],
        }
    )


def _axis(name: str) -> str:
    return f"{_capital(name)}{_UNITS.get(name, '')}"


def _capital(name: str) -> str:
    return f"{name[:1].upper()}{name[1:]}"


def _coefficient(pair: NamedRelation) -> str:
    interval, pairs = _interval(pair), formats.count(pair.result.pairs, "pair")
    return f"correlation {formats.signed(pair.result.r, 2)} (95 % interval {interval}), {pairs}"


def _interval(pair: NamedRelation) -> str:
    if not pair.result.is_known:
        return formats.MISSING
    return f"{formats.signed(pair.result.low, 2)} to {formats.signed(pair.result.high, 2)}"


def reading(pair: NamedRelation) -> str:
    """Whether the correlation is clear, or why it is not known."""
    if pair.result.pairs < MINIMUM_PAIRS:
        return f"needs {MINIMUM_PAIRS} pairs, has {pair.result.pairs}"
    if not pair.result.is_known:
        return "no result: one value never varied"
    if not pair.result.excludes_zero:
        return "no clear link"
    return f"clear, {'positive' if pair.result.r > 0 else 'negative'}"
