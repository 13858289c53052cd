"""Parts as bars: width is duration, height is intensity or speed; a click selects a part."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from html import escape

import plotly.graph_objects as go

from coachboard.charts import palette
from coachboard.charts.clock_axis import set_clock_axis
from coachboard.charts.panel_marks import PartBand
from coachboard.pages.activity.columns import speed_column
from coachboard.pages.activity.data import ActivityData
from coachboard.pages.activity.selection import selected_row, take
from coachboard.pages.activity.session_parts import Parts
from coachboard.pages.activity.streams import bands_of
from coachboard.ui.frame import formats
from coachboard.ui.frame.page import Page
from coachboard.ui.widgets.figure import Listener
from coachboard.ui.widgets.pace_ticks import pace_ticks
from coachboard.ui.widgets.plot import draw_chart

HEIGHT_PX = 170
_LEGEND_PX = 24
"""Extra height for a legend below the title: beside it, a phone cuts the last entry off."""


@dataclass(frozen=True, slots=True)
class LapBar:
    """A part: time, height and hover text."""

    band: PartBand
    height: float  # NaN leaves a gap as wide as the lap
    text: str


def lap_bars_chart(  # noqa: PLR0913 (each is another part of the chart)
    bars: Sequence[LapBar],
    *,
    title: str,
    unit: str,
    selected: int | None = None,
    reference: tuple[float, str] | None = None,
    ticks: Sequence[tuple[float, str]] = (),
    end_s: float = 0.0,
) -> go.Figure:
    """Bars along elapsed time, at least up to the end of the session.

    The reference is a line such as critical power, `ticks` label speeds as paces.
    """
    figure = palette.layout(go.Figure(), height=HEIGHT_PX)
    outlines = [palette.INK.light if i == selected else palette.SURFACE.light for i in range(len(bars))]
    figure.add_bar(
        x=[(bar.band.start + bar.band.end) / 2 for bar in bars],
        y=[bar.height for bar in bars],
        width=[max(bar.band.end - bar.band.start, 1.0) for bar in bars],
        marker={"color": [bar.band.colour for bar in bars],
                "pattern": palette.pattern([bar.band.colour for bar in bars]),
                "line": {"color": outlines, "width": [2 if i == selected else 0.5 for i in range(len(bars))]}},
        customdata=[escape(bar.text) for bar in bars],
        hovertemplate="%{customdata}<extra></extra>",
        showlegend=False,
    )  # fmt: skip
    heading = f"<b>{escape(title)}</b>, {escape(unit)}"
    if reference is not None:
        level, name = reference
        figure.add_hline(y=level, line={"color": palette.MUTED.light, "width": 1, "dash": "dot"})
        heading += f"; dashed: {escape(name)}"  # a label on the line covered the last bars
    figure.update_layout(
        bargap=0, hovermode="closest", dragmode=False,
        margin={"t": 22, "b": 28, "l": 46, "r": 12},
    )  # fmt: skip
    longest_s = max([end_s, *(bar.band.end for bar in bars)])
    set_clock_axis(figure, longest_s, showgrid=False)
    figure.update_yaxes(fixedrange=True, nticks=4, rangemode="tozero")
    if ticks:
        figure.update_yaxes(tickvals=[tick for tick, _ in ticks], ticktext=[text for _, text in ticks])
    _add_title(figure, heading, [bar.band.colour for bar in bars])
    return figure


def _add_title(figure: go.Figure, text: str, colours: Sequence[str]) -> None:
    """The title, and next to it a legend of the intensities; without intensities the title alone."""
    font = {"size": 12, "color": palette.MUTED.light}
    entries = palette.intensity_legend(colours)
    if entries:
        figure.add_traces(entries)
        figure.update_layout(
            barmode="overlay",
            legend=palette.KEY | {"title": {"text": text, "font": font, "side": "top"}, "font_size": 11},
            height=HEIGHT_PX + _LEGEND_PX,
            margin_t=figure.layout.margin.t + _LEGEND_PX,
        )
        return
    figure.add_annotation(
        text=text, x=0, y=1, xref="paper", yref="paper",
        xanchor="left", yanchor="bottom", showarrow=False, font=font,
    )  # fmt: skip


def draw_bars(page: Page, data: ActivityData, parts: Parts, *, title: str) -> None:
    """Height by power if known, else by speed or pace; draws nothing without both."""
    by_power = "average_power_w" in parts.table and bool(parts.table["average_power_w"].notna().any())
    values = parts.table["average_power_w" if by_power else "average_speed_mps"]
    if not values.notna().any():
        return
    speed = speed_column(data.activity.sport, page.units)
    quantity, unit = ("power", "W") if by_power else (speed.title.lower(), speed.unit)
    heights = values.to_numpy() if by_power or speed.is_pace else speed.shown(values.to_numpy())
    texts = [_text(page, data, parts, row) for row in range(len(parts.table))]
    bars = [
        LapBar(band, float(value), text)
        for band, value, text in zip(bands_of(parts), heights, texts, strict=True)
    ]
    critical_power_w = data.capacities.critical_power_w if by_power else None
    draw_chart(
        partial(
            lap_bars_chart,
            bars,
            title=f"Average {quantity}",
            unit=unit,
            selected=selected_row(data, parts),
            reference=(critical_power_w, f"critical power {formats.power(critical_power_w)}")
            if critical_power_w
            else None,
            ticks=pace_ticks(0.0, float(values.max()), speed.pace_per_m)
            if speed.pace_per_m and not by_power
            else (),
            end_s=data.streams.end_s if data.streams is not None else 0.0,
        ),
        key=f"activity.bars.{data.activity.id}.{parts.kind}",
        says=f"{title}: width = duration, height = average {quantity}{_coloured(parts)}.",
        hint="Select a bar to mark it in the panels.",
        listener=Listener("point", lambda bar: take(bar["point"] if bar else None, parts)),
    )


def _coloured(parts: Parts) -> str:
    if any(stretch.intensity is not None for stretch in parts.stretches):
        return ", colour and pattern = intensity"
    return ""


def _text(page: Page, data: ActivityData, parts: Parts, row: int) -> str:
    stretch, numbers = parts.stretches[row], parts.table.iloc[row]
    texts = [
        f"{stretch.number}: {stretch.label}",
        formats.duration_hms(numbers["duration_s"]),
        formats.power(numbers.get("average_power_w")),
        formats.heart_rate(numbers.get("average_heart_rate_bpm")),
        formats.speed_or_pace(numbers["average_speed_mps"], data.activity.sport, units=page.units),
    ]
    return ", ".join(text for text in texts if text != formats.MISSING)
