"""What each week held, stacked by sport or by stimulus; what is still planned is outlined."""

from html import escape
from types import MappingProxyType

import pandas as pd
import plotly.graph_objects as go

from coachboard.analytics.frames import STIMULUS, WEEK
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
"""Stimuli that are no intensity, each in a tone of its own: all in grey they were one."""


def weekly_volume_chart(
    done: pd.DataFrame, planned: pd.DataFrame, *, by: str, amount: str, title: str, labels: dict[str, str]
) -> go.Figure:
    """One bar a week; groups keep their colour and their order from the largest."""
    figure = palette.layout(go.Figure(), height=280)
    groups = pd.concat([done, planned]).groupby(by)[amount].sum().sort_values(ascending=False).index
    for at, group in enumerate(groups):
        colour = _colour(str(group), by, at)
        name = escape(labels.get(str(group), str(group)))
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


def _colour(group: str, by: str, at: int) -> str:
    if by == STIMULUS:
        if group in set(LapIntensity):
            return palette.intensity(group)
        return palette.quantity(_BESIDE_THE_RAMP[group]) if group in _BESIDE_THE_RAMP else _MUTED
    return palette.CATEGORICAL[at % len(palette.CATEGORICAL)].light
