"""The plan above and its execution below, on one time axis; lines connect matching steps."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import isfinite

import plotly.graph_objects as go

from coachboard.charts import palette
from coachboard.charts.clock_axis import set_clock_axis
from coachboard.plain_text import plain

HEIGHT_PX = 300


@dataclass(frozen=True, slots=True)
class Block:
    """A step or section: span, height, colour and text."""

    from_s: float
    to_s: float
    height: float  # in percent of the reference, or in its own unit without one
    colour: str
    text: str
    is_missing: bool = False  # skipped or unplanned: drawn as an outline


def planned_and_done_chart(
    planned: Sequence[Block],
    done: Sequence[Block],
    links: Sequence[tuple[float, float]],
    *,
    reference: str,
    unit: str = "%",
) -> go.Figure:
    """Two rows of bars over a shared axis; `links` connect the middles of a planned and a done block."""
    figure = palette.layout(go.Figure(), height=HEIGHT_PX)
    for blocks, axis in ((planned, "y"), (done, "y2")):
        fills = [palette.translucent(b.colour, 0.12) if b.is_missing else b.colour for b in blocks]
        figure.add_bar(
            x=[(block.from_s + block.to_s) / 2 for block in blocks],
            y=[block.height for block in blocks],
            width=[max(block.to_s - block.from_s, 1.0) for block in blocks],
            marker={"color": fills, "pattern": palette.pattern([block.colour for block in blocks]),
                    "line": {"color": [b.colour if b.is_missing else palette.SURFACE.light for b in blocks],
                             "width": [1.5 if b.is_missing else 0.5 for b in blocks]}},
            customdata=[escape(plain(block.text)) for block in blocks],
            hovertemplate="%{customdata}<extra></extra>", showlegend=False, yaxis=axis,
        )  # fmt: skip
    # One trace with breaks instead of a trace per step.
    figure.add_scatter(
        x=_broken(links),
        y=[level for _ in links for level in (1.0, 0.0, None)],
        mode="lines", line={"color": palette.STALE.light, "width": 1}, hoverinfo="skip", showlegend=False,
        yaxis="y3",
    )  # fmt: skip
    figure.add_traces(palette.intensity_legend([block.colour for block in (*planned, *done)]))
    # "Planned, %" was taken for a share of the plan.
    scale = f"<br>{escape(reference)}" if reference.startswith("%") else f", {escape(unit)}"
    most = max((b.height for b in (*planned, *done) if isfinite(b.height)), default=0.0) or 100.0
    shared = {"range": [0, most * 1.08], "fixedrange": True, "nticks": 3}
    figure.update_layout(
        barmode="overlay", bargap=0, hovermode="closest", dragmode=False, legend=palette.KEY,
        margin={"t": 20, "b": 36, "l": 68, "r": 12},
        yaxis={**shared, "domain": [0.58, 1.0], "title": {"text": f"Planned{scale}"}},
        yaxis2={**shared, "domain": [0.0, 0.42], "title": {"text": f"Done{scale}"}, "anchor": "x"},
        yaxis3={"domain": [0.43, 0.57], "range": [0, 1], "visible": False, "fixedrange": True},
    )  # fmt: skip
    muted = {"color": palette.MUTED.light, "size": 12}
    figure.update_yaxes(gridcolor=palette.GRID.light, tickfont=muted, title_font=muted)
    longest_s = max((block.to_s for block in (*planned, *done)), default=0.0)
    title = {"text": f"Elapsed time; height in {escape(reference)}"}
    set_clock_axis(figure, longest_s, anchor="y2", title=title)
    return figure


def _broken(links: Sequence[tuple[float, float]]) -> list[float | None]:
    return [place for pair in links for place in (*pair, None)]
