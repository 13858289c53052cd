"""The x axis of session charts: elapsed or moving time with round clock ticks, or distance.

Seconds are numbers on a linear axis. Plotly reads a number on a date axis in the browser's time zone: a session began
at 1:00 in Berlin and at 16:00 in Los Angeles, and a drag over a lap selected another part of the session.
"""

from math import ceil, floor
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from coachboard.charts import palette

Axis = Literal["elapsed", "moving", "distance"]
Floats = NDArray[np.float64]

_MINUTE_S, _HOUR_S, _DAY_S = 60, 3_600, 86_400
STEPS_S = (
    *(1, 2, 5, 10, 15, 20, 30),
    *(minutes * _MINUTE_S for minutes in (1, 2, 5, 10, 15, 20, 30)),
    *(hours * _HOUR_S for hours in (1, 2, 3, 6, 12, 24)),
)
"""Tick steps that are easy to add up; beyond a day, whole days."""
SECONDS_TITLE = {"text": "%{x:.0f} s"}
"""The hover title; Plotly cannot format a number as h:mm:ss, so the figure's script does."""
_MOST_TICKS = 10
_CLEAR_PX = 3
"""Gap between axis and labels; without it the first label touches the zero of the y axis."""


def clock_text(seconds: float) -> str:
    """`1:23:45`, below an hour `23:45`; hours go on past 24."""
    whole = round(seconds)
    hours, minutes, rest = whole // _HOUR_S, whole // _MINUTE_S % 60, whole % 60
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def clock_ticks(low_s: float, high_s: float, *, most: int) -> list[int]:
    """The multiples of a round step within a range, with the smallest step that gives at most `most` ticks.

    `clockTicks` in ui/widgets/figure/clock.js applies the same rule for narrow windows and zoom.
    """
    smallest = (high_s - low_s) / most
    days = _DAY_S * ceil(smallest / _DAY_S)
    step = next((step for step in STEPS_S if step >= smallest), days)
    first = max(0, ceil(low_s / step))  # a pan may show x < 0
    return [step * multiple for multiple in range(first, floor(high_s / step) + 1)]


def set_clock_axis(figure: go.Figure, longest_s: float, **settings: Any) -> None:
    """Add an x axis of elapsed seconds, from zero to the longest, to a small figure."""
    ends = (0.0, max(longest_s, 1.0))
    figure.update_layout(meta=clock_meta("elapsed"))
    figure.update_xaxes(
        range=list(ends),
        fixedrange=True,
        ticklabelstandoff=_CLEAR_PX,
        **_clock(ends, _MOST_TICKS),
        **settings,
    )


def clock_meta(axis: Axis) -> dict[str, Any]:
    """The data with which the figure's script fits ticks to the width and formats seconds in labels."""
    return {} if axis == "distance" else {"clock_steps_s": STEPS_S}


def shared_x_axis(
    ends: tuple[float, float], axis: Axis, distance_unit: str, *, most_ticks: int = 12
) -> dict[str, Any]:
    """One axis under all panels; its spike line is the crosshair."""
    settings: dict[str, Any] = {
        "range": list(ends),
        "anchor": "free",
        "position": 0,
        "showspikes": True,
        "spikemode": "across",
        "spikesnap": "cursor",
        "spikethickness": 1,
        "spikedash": "solid",
        "spikecolor": palette.MUTED.light,
        "tickangle": 0,
        "ticklabelstandoff": _CLEAR_PX,
        "automargin": False,
    }
    if axis == "distance":
        return settings | {"nticks": most_ticks, "ticksuffix": f" {distance_unit}", "hoverformat": ".2f"}
    return settings | _clock(ends, most_ticks)


def _clock(ends: tuple[float, float], most_ticks: int) -> dict[str, Any]:
    ticks = clock_ticks(*ends, most=most_ticks)
    return {
        "type": "linear",
        "nticks": most_ticks,  # Plotly ignores it with explicit ticks; the figure's script uses it
        "tickvals": ticks,
        "ticktext": [clock_text(tick) for tick in ticks],
        "unifiedhovertitle": SECONDS_TITLE,
    }
