"""Best means by duration on a log axis: this session, the season, and critical power."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from coachboard.charts import palette
from coachboard.charts.clock_axis import SECONDS_TITLE

HEIGHT_PX = 340
Floats = NDArray[np.float64]

_TICKS = (
    (1, "1 s"), (5, "5 s"), (15, "15 s"), (60, "1 min"), (300, "5 min"), (1200, "20 min"), (3600, "1 h"),
    (10_800, "3 h"), (36_000, "10 h"),
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A line: name, values by duration, and hover texts."""

    name: str
    values: Floats  # NaN if the duration is longer than any session
    texts: Sequence[str]
    is_this: bool = False
    is_model: bool = False


def mean_maximal_chart(
    durations_s: Sequence[int],
    curves: Sequence[Curve],
    *,
    title: str,
    colour: str,
    reference: tuple[float, str] | None = None,
    ticks: Sequence[tuple[float, str]] = (),
) -> go.Figure:
    """Curves by duration; `ticks` label the y axis with paces."""
    figure = palette.layout(go.Figure(), height=HEIGHT_PX)
    for curve in curves:
        figure.add_scatter(
            x=durations_s, y=curve.values, mode="lines", name=escape(curve.name), line=_line(curve, colour),
            customdata=[escape(text) for text in curve.texts], hovertemplate="%{customdata}",
            showlegend=bool(np.isfinite(curve.values).any()),
        )  # fmt: skip
    if reference is not None:
        figure.add_hline(
            y=reference[0],
            line={"color": palette.MUTED.light, "width": 1, "dash": "dot"},
            annotation={"text": escape(reference[1]), "font": {"size": 11, "color": palette.MUTED.light}},
            annotation_position="bottom left",
        )
    first, last = _ends(durations_s, curves)
    labels = [(duration_s, text) for duration_s, text in _TICKS if first <= duration_s <= last]
    figure.update_xaxes(
        type="log", range=[float(np.log10(first)), float(np.log10(last))], fixedrange=True, title={"text": "Duration"},
        tickvals=[duration_s for duration_s, _ in labels], ticktext=[text for _, text in labels], showgrid=True,
        unifiedhovertitle=SECONDS_TITLE, ticklabelstandoff=5,  # else the first label is on the zero of the other axis
    )  # fmt: skip
    figure.update_yaxes(fixedrange=True, title={"text": escape(title)})
    if ticks:  # paces: do not extend the axis to zero speed
        figure.update_yaxes(tickvals=[tick for tick, _ in ticks], ticktext=[text for _, text in ticks])
    else:
        figure.update_yaxes(rangemode="tozero")
    figure.update_layout(dragmode=False, margin={"t": 34, "b": 42, "l": 56, "r": 12})
    return figure


def _line(curve: Curve, colour: str) -> dict[str, object]:
    if curve.is_this:
        return {"color": colour, "width": 2.5}
    if curve.is_model:
        return {"color": palette.MUTED.light, "width": 1.2, "dash": "dash"}
    return {"color": palette.translucent(colour, 0.55), "width": 1.4}


def _ends(durations_s: Sequence[int], curves: Sequence[Curve]) -> tuple[float, float]:
    """From the shortest duration of this session to the longest of any."""
    places = [(curve, np.flatnonzero(np.isfinite(curve.values))) for curve in curves if not curve.is_model]
    own = [durations_s[int(measured[0])] for curve, measured in places if curve.is_this and len(measured)]
    longest = [durations_s[int(measured[-1])] for _, measured in places if len(measured)]
    first = float(min(own, default=1))
    return first, float(max([*longest, 2 * first]))
