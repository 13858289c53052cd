"""Weekly totals, stacked by sport or by stimulus; planned amounts are outlined."""

from html import escape
from types import MappingProxyType

import pandas as pd
import plotly.graph_objects as go

from coachboard.analytics.frames import SPORT, STIMULUS, WEEK
from coachboard.charts import palette
from coachboard.models.enums import LapIntensity

_MUTED = palette.STALE.light
_BESIDE_THE_RAMP = MappingProxyType(
    {
        "durability": "load",
        "race": "dynamics",
        "heat": "skinTemperature",
        "test": "torque",
        "lactate clearance": "fluid",
        "activation": "grade",
    }
)
"""Stimuli without an intensity have a tone each: in grey they would look like one."""
_MOST_SPORTS, _OTHER = 8, "other sports"
"""With more groups, colours repeat and the legend leaves no height for the bars."""


def weekly_volume_chart(
    done: pd.DataFrame, planned: pd.DataFrame, *, by: str, amount: str, title: str, labels: dict[str, str]
) -> go.Figure:
    """A bar per week; groups keep their colour and are ordered by size."""
    figure = palette.layout(go.Figure(), height=280)
    groups = _from_the_largest(done, planned, by, amount)
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
                marker={"color": fill, "line": {"width": 0 if is_done else 1, "color": colour}},
            )  # fmt: skip
            is_named = True
    figure.update_layout(barmode="stack", bargap=0.25, margin={"t": 40})
    figure.update_xaxes(tickformat="%-d %b\n%Y", nticks=9)
    figure.update_yaxes(title={"text": title})
    return figure


def _from_the_largest(done: pd.DataFrame, planned: pd.DataFrame, by: str, amount: str) -> list[str]:
    total = pd.concat([done, planned]).groupby(by)[amount].sum().sort_values(ascending=False)
    return [str(group) for group in total.index]


def _merged(frame: pd.DataFrame, by: str, amount: str, into: dict[str, str]) -> pd.DataFrame:
    """The rows with small groups merged into `into`."""
    renamed = frame.assign(**{by: frame[by].replace(into)})
    return renamed.groupby([WEEK, by], as_index=False, sort=False)[[amount]].sum()


def _colour(group: str, by: str, at: int) -> str:
    if by == STIMULUS:
        if group in set(LapIntensity):
            return palette.intensity(group)
        return palette.quantity(_BESIDE_THE_RAMP[group]) if group in _BESIDE_THE_RAMP else _MUTED
    return palette.CATEGORICAL[at % len(palette.CATEGORICAL)].light
