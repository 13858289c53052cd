"""Best means by duration, heart rate against output by minute, and measured and grade-adjusted speed by split."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from coachboard.charts import palette
from coachboard.charts.clock_axis import SECONDS_TITLE

BEST_HEIGHT_PX = 340
HEIGHT_PX = 300
SPLITS_HEIGHT_PX = 240
Floats = NDArray[np.float64]

_DURATION_TICKS = (
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
    figure = palette.layout(go.Figure(), height=BEST_HEIGHT_PX)
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
    labels = [(duration_s, text) for duration_s, text in _DURATION_TICKS if first <= duration_s <= last]
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


@dataclass(frozen=True, slots=True, eq=False)
class Half:
    """Output and heart rate by minute of one half."""

    name: str
    output: Floats
    heart_rate_bpm: Floats
    texts: Sequence[str]


def decoupling_chart(
    halves: Sequence[Half], *, title: str, ticks: Sequence[tuple[float, str]] = ()
) -> go.Figure:
    """Open dots for the first half, filled ones for the second; a cross for each half's mean.

    `ticks` replace the numbers of the x axis by paces.
    """
    figure = palette.layout(go.Figure(), height=HEIGHT_PX)
    colour = palette.quantity("heartRate")
    for number, half in enumerate(halves):
        symbol = "circle" if number else "circle-open"
        figure.add_scatter(
            x=half.output, y=half.heart_rate_bpm, mode="markers", name=escape(half.name),
            marker={"color": palette.translucent(colour, 0.75), "size": 6, "symbol": symbol},
            customdata=[escape(text) for text in half.texts], hovertemplate="%{customdata}<extra></extra>",
        )  # fmt: skip
        if len(half.output):
            figure.add_scatter(
                x=[float(np.nanmean(half.output))], y=[float(np.nanmean(half.heart_rate_bpm))],
                mode="markers", name=f"Mean of the {escape(half.name.lower())}", showlegend=False,
                marker={"color": palette.INK.light, "size": 13, "symbol": "cross" if number else "cross-open",
                        "line": {"width": 1.5, "color": palette.INK.light}},
                hovertemplate=f"Mean of the {escape(half.name.lower())}<extra></extra>",
            )  # fmt: skip
    figure.update_layout(hovermode="closest", dragmode=False, margin={"t": 34, "b": 42, "l": 50, "r": 12})
    figure.update_xaxes(fixedrange=True, title={"text": escape(title)})
    if ticks:
        figure.update_xaxes(tickvals=[tick for tick, _ in ticks], ticktext=[text for _, text in ticks])
    figure.update_yaxes(fixedrange=True, title={"text": "Heart rate, bpm"})
    return figure


def grade_adjusted_chart(
    splits: Floats,
    speeds: Sequence[tuple[str, Floats, Sequence[str]]],
    *,
    unit: str,
    ticks: Sequence[tuple[float, str]],
    title: str,
) -> go.Figure:
    """Steps by split: measured solid, adjusted dashed."""
    figure = palette.layout(go.Figure(), height=SPLITS_HEIGHT_PX)
    for number, (name, values, texts) in enumerate(speeds):
        figure.add_scatter(
            x=splits, y=values, mode="lines", name=escape(name),
            line={"color": palette.quantity("speed" if not number else "grade"), "width": 2, "shape": "hvh",
                  "dash": "dash" if number else "solid"},
            customdata=[escape(text) for text in texts], hovertemplate="%{customdata}",
        )  # fmt: skip
    figure.update_layout(dragmode=False, margin={"t": 34, "b": 42, "l": 56, "r": 12})
    figure.update_xaxes(fixedrange=True, title={"text": escape(unit)}, hoverformat=".0f")
    figure.update_yaxes(
        fixedrange=True, title={"text": escape(title)},
        tickvals=[tick for tick, _ in ticks], ticktext=[text for _, text in ticks],
    )  # fmt: skip
    return figure
