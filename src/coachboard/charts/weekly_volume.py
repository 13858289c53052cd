"""Weekly totals, stacked by sport or by stimulus; planned amounts are outlined."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from html import escape
from types import MappingProxyType
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from coachboard.charts import palette
from coachboard.charts.day_axis import day_ticks
from coachboard.formulas.days import DAYS_A_WEEK
from coachboard.formulas.frames import SPORT, STIMULUS, WEEK
from coachboard.plain_text import plain
from coachboard.wire.enums import TrainingStimulus

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
    targets: Mapping[date, float] = MappingProxyType({}),
    races: Sequence[tuple[date, str]] = (),
) -> go.Figure:
    """A bar per week and a dash at its planned total in `targets`; groups keep their colour, ordered by size; a line per race."""
    figure = palette.layout(go.Figure(), height=280)
    groups = _largest_first(done, planned, by, amount)
    if by == SPORT and len(groups) > _MOST_SPORTS:
        small = {str(group): _OTHER for group in groups[_MOST_SPORTS - 1 :]}
        done, planned = (_merged(frame, by, amount, small) for frame in (done, planned))
        groups = [group for group in groups if group not in small] + [_OTHER]
        labels = labels | {_OTHER: "Other sports"}
    for number, group in enumerate(groups):
        colour = _colour(group, by, number)
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
    if targets:
        figure.add_scatter(
            x=list(targets), y=list(targets.values()), name="Planned in all", mode="markers",
            marker={"symbol": "line-ew", "size": 22, "line": {"width": 2, "color": palette.INK.light}},
            hovertemplate="%{y:,.1f}",
        )  # fmt: skip
    figure.update_layout(barmode="stack", bargap=0.25, margin={"t": 40})
    figure.update_xaxes(tickformat="%-d %b\n%Y", **day_ticks([*done[WEEK], *planned[WEEK]], 9))
    figure.update_yaxes(title={"text": title})
    return _with_races(figure, races, [*done[WEEK], *planned[WEEK]])


def _with_races(figure: go.Figure, races: Sequence[tuple[date, str]], weeks: Sequence[date]) -> go.Figure:
    """A line in the week of each race of these weeks, named by the tooltip: names would overlap."""
    dated = [
        (day, name)
        for day, name in races
        if weeks and min(weeks) <= day < max(weeks) + timedelta(days=DAYS_A_WEEK)
    ]
    if not dated:
        return figure
    # The bars are centred on the first day of their week.
    week_of = {day: max(week for week in weeks if week <= day) for day, _ in dated}
    figure.layout.shapes = [
        {
            "type": "line", "x0": week_of[day], "x1": week_of[day], "y0": 0, "y1": 1, "yref": "paper",
            "line": {"color": palette.ACCENT.light, "width": 1},
        }
        for day, _ in dated
    ]  # fmt: skip
    figure.add_scatter(
        x=[week_of[day] for day, _ in dated], y=[0] * len(dated), name="Race", mode="markers",
        marker={"color": palette.ACCENT.light, "symbol": "triangle-up", "size": 9},
        text=[f"{escape(plain(name), quote=False)}, {day:%-d %b}" for day, name in dated],
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


def _colour(group: str, by: str, number: int) -> str:
    if by == STIMULUS:
        return palette.STIMULI[TrainingStimulus(group)].light if group in set(TrainingStimulus) else _MUTED
    return palette.CATEGORICAL[number % len(palette.CATEGORICAL)].light
