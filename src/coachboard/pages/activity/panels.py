"""The content of a panel: the column's line, range and ticks, its average, and a second session's line."""

from dataclasses import dataclass, replace

import numpy as np

from coachboard.charts.panels import Panel
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.loaders.memo import once
from coachboard.pages.activity import stream_panels
from coachboard.pages.activity.columns import Column, pace_text
from coachboard.pages.activity.compare import BothParts, Compared, laid_over
from coachboard.pages.activity.data import ActivityData
from coachboard.pages.activity.stream_panels import AxisName, Trace
from coachboard.ui.frame import formats
from coachboard.ui.widgets.pace_ticks import pace_ticks


@dataclass(frozen=True, slots=True)
class PanelView:
    """View options: columns, x axis, smoothing, coloured bands."""

    columns: dict[str, Column]
    shown: list[str]
    axis: AxisName
    smoothing: str
    bands: str
    has_plan: bool


def trace_of(
    data: ActivityData, streams: SessionStreams, name: str, *, view: PanelView, window: slice
) -> Trace:
    """The part of a column inside the window; only the whole session is computed once, because windows are many."""
    is_pace = view.columns[name].is_pace
    if window == slice(None):
        return _whole_trace(data, streams, name, view.axis, view.smoothing, is_pace=is_pace)
    return stream_panels.trace_of(
        streams, name, axis=view.axis, smoothing_s=float(view.smoothing), window=window, is_pace=is_pace
    )


@once
def _whole_trace(
    _data: ActivityData, streams: SessionStreams, name: str, axis: AxisName, smoothing: str, *, is_pace: bool
) -> Trace:
    return stream_panels.trace_of(streams, name, axis=axis, smoothing_s=float(smoothing), is_pace=is_pace)


def panel_of(trace: Trace, column: Column, per_unit: float) -> Panel:
    """The line in the user's units, with average and range."""
    line_y = column.shown(trace.y)
    low, high = (column.one(edge) for edge in (trace.low, trace.high))
    return Panel(
        name=trace.name,
        title=column.title,
        unit=column.unit,
        colour=column.colour,
        x=trace.x / per_unit,
        y=line_y,
        low=min(low, 0.0) if column.starts_at_zero else low,
        high=high,
        note=_note(trace, column),
        average=None if trace.values < 2 or column.is_running_total else column.one(trace.average),
        number=f",.{column.digits}f",
        hover=[pace_text(mps, column.pace_per_m) for mps in trace.y.tolist()] if column.pace_per_m else None,
        ticks=pace_ticks(trace.low, trace.high, column.pace_per_m) if column.pace_per_m else (),
        is_filled=column.is_filled,
        is_sparse=trace.is_sparse,
    )


def with_other(  # noqa: PLR0913 (a line over a panel depends on all that the panel does)
    panel: Panel,
    compared: Compared,
    streams: SessionStreams,
    *,
    view: PanelView,
    window: slice,
    per_unit: float,
    both: BothParts | None,
) -> Panel:
    """The panel with the second session's line; its range fits both."""
    column = view.columns[panel.name]
    overlaid = laid_over(
        compared, streams, column,
        axis=view.axis, smoothing_s=float(view.smoothing), window=window, per_unit=per_unit, both=both,
    )  # fmt: skip
    if overlaid is None:
        return panel
    other, values = overlaid
    if not np.isfinite(values).any():
        return replace(panel, other=other)
    ends = stream_panels.bulk_range(values)
    low, high = (column.one(end) for end in ends)
    ticks = panel.ticks
    if column.pace_per_m:
        ticks = pace_ticks(min(panel.low, low), max(panel.high, high), column.pace_per_m)
    return replace(panel, other=other, low=min(panel.low, low), high=max(panel.high, high), ticks=ticks)


def _note(trace: Trace, column: Column) -> str:
    origin = f", derived from {column.derived_from}" if column.derived_from else ""
    return _values_in_words(trace, column) + origin


def _values_in_words(trace: Trace, column: Column) -> str:
    if not trace.values:
        return "no data here"
    if trace.values == 1:
        return f"one value, {column.text(trace.average)}"
    if column.pace_per_m is not None:
        return f"average {pace_text(trace.average, column.pace_per_m)}"
    if column.is_running_total:
        return f"max {formats.number(column.one(trace.highest), column.digits)}"
    numbers = (trace.average, trace.highest)
    average, highest = (formats.number(column.one(n), column.digits) for n in numbers)
    return f"average {average}, max {highest}"
