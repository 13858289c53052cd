"""The x axis of charts along a session: elapsed or moving time as round ticks of a clock, or distance."""

from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from coachboard.charts import palette

Axis = Literal["elapsed", "moving", "distance"]
Floats = NDArray[np.float64]

_HOUR_S, _DAY_S = 3_600, 86_400
_CLEAR_PX = 3
"""Between the axis and its labels, else the first one touches the zero of the axis beside it."""
_NO_YEAR_MS = 0.25
"""Plotly reads a bare 9000 on a date axis as the year 9000; with a fraction it is a number of milliseconds."""


def axis_values(x: Floats, axis: Axis) -> NDArray[np.float32]:
    """Seconds as the milliseconds of a date axis, which picks round ticks; distances as they are."""
    return (x if axis == "distance" else x * 1000 + _NO_YEAR_MS).astype(np.float32)


def axis_value(x: float, axis: Axis) -> float:
    """One place along x in the figure's own measure."""
    return x if axis == "distance" else x * 1000 + _NO_YEAR_MS


def path_place(x: float, axis: Axis) -> str:
    """One place along x as a shape's path takes it: on a date axis a date, with `_` where a blank would part it."""
    return repr(x) if axis == "distance" else str(np.datetime64(round(x * 1000), "ms")).replace("T", "_")


def clock_values(elapsed_s: Floats) -> list[float]:
    """Seconds as the axis takes them."""
    return [float(value) for value in axis_values(np.asarray(elapsed_s, np.float64), "elapsed")]


def set_clock_axis(figure: go.Figure, longest_s: float, **settings: Any) -> None:
    """Give all x axes of a smaller figure the clock: `5:30` below an hour, `1:05` above."""
    is_short = longest_s < _HOUR_S
    figure.update_xaxes(
        type="date",
        tickformat="%-M:%S" if is_short else "%-H:%M",
        hoverformat="%-M:%S" if is_short else "%-H:%M:%S",
        nticks=10,
        fixedrange=True,
        ticklabelstandoff=_CLEAR_PX,
        **settings,
    )


def shared_x_axis(
    ends: tuple[float, float], axis: Axis, distance_unit: str, *, most_ticks: int = 12
) -> dict[str, Any]:
    """One axis under all panels, its spike the crosshair that reads them."""
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
        "nticks": most_ticks,
        "tickangle": 0,
        "ticklabelstandoff": _CLEAR_PX,
        "automargin": False,
    }
    if axis == "distance":
        return settings | {"ticksuffix": f" {distance_unit}", "hoverformat": ".2f"}
    if ends[1] - ends[0] < most_ticks * 1000:
        settings |= {"tick0": 0, "dtick": 1000}  # else several ticks have the same second
    return settings | {"type": "date"} | _clock_formats(ends[1] / 1000)


def _clock_formats(longest_s: float) -> dict[str, object]:
    """Minutes and seconds below an hour, hours and minutes above, days where a session has several."""
    if longest_s < _HOUR_S:
        return {"tickformat": "%-M:%S", "hoverformat": "%-M:%S"}
    day = "day %-d, " if longest_s >= _DAY_S else ""
    return {
        "hoverformat": f"{day}%-H:%M:%S",
        "tickformatstops": [
            {"dtickrange": [None, 59_999], "value": f"{day}%-H:%M:%S"},
            {"dtickrange": [60_000, None], "value": f"{day}%-H:%M"},
        ],
    }
