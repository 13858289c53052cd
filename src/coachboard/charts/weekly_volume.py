"""Weekly totals, stacked by sport or by stimulus; planned amounts are outlined."""

from collections.abc import Sequence
from datetime import date, timedelta
from html import escape
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from coachboard.analytics.days import DAYS_A_WEEK
from coachboard.analytics.frames import SPORT, STIMULUS, WEEK
from coachboard.charts import palette
from coachboard.charts.day_axis import day_ticks
from coachboard.models.enums import TrainingStimulus
from coachboard.plain_text import plain

_MUTED = palette.STALE.light
_MOST_SPORTS, _OTHER = 8, "other sports"
"""With more groups, colours repeat and the legend leaves no height for the bars."""


def weekly_volume_chart(  # noqa: PLR0913 (two frames, their columns, and the races over both)
    done: pd.DataFrame,
    planned: pd.DataFrame,
    *,
    by: str,
    amount: str,
    title: str,
    labels: dict[str, str],
    races: Sequence[tuple[date, str]] = (),
) -> go.Figure:
    """A bar per week; groups keep their colour and are ordered by size; a line per race."""
    figure = palette.layout(go.Figure(), height=280)
    groups = _largest_first(done, planned, by, amount)
    if by == SPORT and len(groups) > _MOST_SPORTS:
        small = {str(group): _OTHER for group in groups[_MOST_SPORTS - 1 :]}
        done, planned = (_merged(frame, by, amount, small) for frame in (done, planned))
        groups = [group for group in groups if group not in small] + [_OTHER]
        labels = labels | {_OTHER: "Other sports"}
    for at, group in enumerate(groups):
        colour = _colour(group, by, at)
        name = escape(labels.get(group, group))
        is_named = False
        for frame, is_done in ((done, True), (planned, False)):
            rows = frame[frame[by] == group]
            if rows.empty:
                continue
            fill = colour if is_done else palette.translucent(colour, 0.08)
            figure.add_bar(
                x=rows[WEEK].tolist(), y=rows[amount].tolist(), legendgroup=name, showlegend=not is_named,
                name=name if is_done else f"{name}, planned", hovertemplate="%{y:,.1f}",
                marker={
                    "color": fill,
                    "line": {"width": 0 if is_done else 1, "color": colour},
                    "pattern": _pattern(colour) if by == STIMULUS and is_done else {},
                },
            )  # fmt: skip
            is_named = True
    figure.update_layout(barmode="stack", bargap=0.25, margin={"t": 40})
    figure.update_xaxes(tickformat="%-d %b\n%Y", **day_ticks([*done[WEEK], *planned[WEEK]], 9))
    figure.update_yaxes(title={"text": title})
    return _with_races(figure, races, [*done[WEEK], *planned[WEEK]])


def _with_races(figure: go.Figure, races: Sequence[tuple[date, str]], weeks: Sequence[date]) -> go.Figure:
    """A line in the week of each race of these weeks, named by the tooltip: names would overlap."""
    shown = [
        (day, name)
        for day, name in races
        if weeks and min(weeks) <= day < max(weeks) + timedelta(days=DAYS_A_WEEK)
    ]
    if not shown:
        return figure
    # The bars are centred on the first day of their week.
    at = {day: max(week for week in weeks if week <= day) for day, _ in shown}
    figure.layout.shapes = [
        {
            "type": "line", "x0": at[day], "x1": at[day], "y0": 0, "y1": 1, "yref": "paper",
            "line": {"color": palette.ACCENT.light, "width": 1},
        }
        for day, _ in shown
    ]  # fmt: skip
    figure.add_scatter(
        x=[at[day] for day, _ in shown], y=[0] * len(shown), name="Race", mode="markers",
        marker={"color": palette.ACCENT.light, "symbol": "triangle-up", "size": 9},
        text=[f"{escape(plain(name), quote=False)}, {day:%-d %b}" for day, name in shown],
        hovertemplate="%{text}<extra>Race</extra>",
    )  # fmt: skip
    return figure


def _pattern(colour: str) -> dict[str, Any]:
    """The pattern of all bars: Plotly takes a list of one for the first bar only."""
    return palette.pattern([colour]) | {"shape": palette.shape_of(colour)}


def _largest_first(done: pd.DataFrame, planned: pd.DataFrame, by: str, amount: str) -> list[str]:
    total = pd.concat([done, planned]).groupby(by)[amount].sum().sort_values(ascending=False)
    return [str(group) for group in total.index]


def _merged(frame: pd.DataFrame, by: str, amount: str, into: dict[str, str]) -> pd.DataFrame:
    """The rows with small groups merged into `into`."""
    renamed = frame.assign(**{by: frame[by].replace(into)})
    return renamed.groupby([WEEK, by], as_index=False, sort=False)[[amount]].sum()


def _colour(group: str, by: str, at: int) -> str:
    if by == STIMULUS:
        return palette.STIMULI[TrainingStimulus(group)].light if group in set(TrainingStimulus) else _MUTED
    return palette.CATEGORICAL[at % len(palette.CATEGORICAL)].light
