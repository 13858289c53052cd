"""The stream panels, and selection by a drawn box."""

from functools import partial

import numpy as np
import pandas as pd

from coachboard.charts import palette
from coachboard.charts.panel_marks import PartBand, TargetRange
from coachboard.charts.streams import PANEL_HEIGHT_PX, PHONE_PANEL_HEIGHT_PX, streams_chart
from coachboard.formulas.session.grade import ADJUSTED_SPEED, GradeModel
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.loaders.summary_motion import is_whole
from coachboard.pages.activity import selection, stream_panels
from coachboard.pages.activity.compare import Compared
from coachboard.pages.activity.data import ActivityData
from coachboard.pages.activity.panels import PanelView, panel_of, trace_of, with_other
from coachboard.pages.activity.selection_summary import summaries_of_both
from coachboard.pages.activity.session_parts import Part, Parts, PartSpan, parts_of
from coachboard.pages.activity.stream_panels import AxisName, Trace
from coachboard.ui.frame import formats, theme
from coachboard.ui.frame.formats import Units
from coachboard.ui.frame.page import Page
from coachboard.ui.widgets.figure import Listener, Report
from coachboard.ui.widgets.plot import draw_chart
from coachboard.wire.activities import Activity
from coachboard.wire.enums import LapIntensity


def draw_panels(
    page: Page,
    data: ActivityData,
    streams: SessionStreams,
    *,
    view: PanelView,
    targets: list[TargetRange],
    compared: Compared | None,
) -> None:
    """The stacked panels; a box drawn along x becomes the selection."""
    zoom = selection.zoomed(data)
    window = zoom.samples if zoom else slice(None)
    per_unit, at_s = per_unit_of(page, data, view.axis), selection.moment(data)
    traces = {name: trace_of(data, streams, name, view=view, window=window) for name in view.shown}
    panels = [panel_of(traces[name], view.columns[name], per_unit) for name in view.shown]
    if compared is not None:
        shared = compared.overlay.common(window)
        both = summaries_of_both(streams, compared.overlay, shared) if shared.stop > shared.start else None
        panels = [
            with_other(panel, compared, streams, view=view, window=window, per_unit=per_unit, both=both)
            for panel in panels
        ]
    # The figure's cache key: while it stays the same, a drawn box needs no new figure.
    made_of = (
        data.activity.id,
        tuple(view.shown),
        view.axis,
        view.smoothing,
        view.bands,
        view.has_plan,
        window,
        at_s,
        compared and compared.key,
        theme.is_dark(),
    )
    to_draw = selection.to_draw(selection.current(data), figure=str(made_of))
    figure = partial(
        streams_chart,
        panels,
        axis=view.axis,
        distance_unit="mi" if per_unit > 1000 else "km",
        bands=_bands(data, streams, view, window=window, per_unit=per_unit),
        targets=targets,
        selection=span_along(streams, to_draw, view.axis, per_unit) if to_draw else None,
        cursor=None if at_s is None else span_along(streams, (at_s, at_s), view.axis, per_unit)[0],
        other_name=compared.name if compared else None,
        panel_px=PHONE_PANEL_HEIGHT_PX if theme.is_phone() else PANEL_HEIGHT_PX,
    )
    key = f"activity.streams.{data.activity.id}"
    draw_chart(
        figure,
        key=key,
        alt=_averages_words(view, traces, zoom=zoom),
        says=_zoom_words(zoom)
        + _marks_words(view, has_targets=bool(targets), has_intensities=_has_intensities(data, view))
        + _derived_words(streams, view)
        + _distance_words(data.activity, streams, page.units),
        data=lambda: _table(streams, view, window),
        listener=Listener(
            "box", lambda box: _take_box(box, streams, view.axis, per_unit, figure=str(made_of))
        ),
    )


def bands_of(parts: Parts) -> list[PartBand]:
    """Parts as coloured bands in elapsed seconds."""
    return [_band(stretch) for stretch in parts.stretches]


def _band(stretch: PartSpan) -> PartBand:
    duration = formats.duration_hms(stretch.to_s - stretch.from_s)
    return PartBand(
        stretch.from_s, stretch.to_s, part_colour(stretch.intensity, stretch.number),
        f"{stretch.number}: {stretch.label}, {duration}",
    )  # fmt: skip


def part_colour(intensity: LapIntensity | None, number: int) -> str:
    """The ramp's colour by intensity; parts without intensity alternate between two greys."""
    if intensity is not None:
        return palette.intensity(intensity)
    return palette.STALE.light if number % 2 else palette.PLANNED.light


def _bands(
    data: ActivityData, streams: SessionStreams, view: PanelView, *, window: slice, per_unit: float
) -> list[PartBand]:
    if view.bands == "none" or not len(streams):
        return []
    window_s = streams.elapsed_s[window]
    low, high = (float(window_s[0]), float(window_s[-1])) if len(window_s) else (0.0, 0.0)
    bands = []
    for band in bands_of(parts_of(data, Part(view.bands))):
        if band.end > low and band.start < high:
            span = max(band.start, low), min(band.end, high)
            start, end = span_along(streams, span, view.axis, per_unit)
            bands.append(PartBand(start, end, band.colour, band.label))
    return bands


def span_along(
    streams: SessionStreams, span: tuple[float, float], axis: AxisName, per_unit: float
) -> tuple[float, float]:
    """Two elapsed seconds as positions on an axis."""
    start, end = (stream_panels.along(streams, axis, edge_s) / per_unit for edge_s in span)
    return start, end


def per_unit_of(page: Page, data: ActivityData, axis: AxisName) -> float:
    if axis != "distance":
        return 1.0
    return 1000 * formats.KM_PER_MILE if page.units.is_imperial(data.activity.sport) else 1000.0


def _averages_words(view: PanelView, traces: dict[str, Trace], *, zoom: selection.Selection | None) -> str:
    averages = [
        f"{view.columns[name].title.lower()} {view.columns[name].text(trace.average)}"
        for name, trace in traces.items()
        if np.isfinite(trace.average) and not view.columns[name].is_running_total
    ]
    part = "whole session"
    if zoom is not None:
        part = f"{formats.duration_hms(zoom.from_s)} to {formats.duration_hms(zoom.to_s)}"
    over = {"elapsed": "elapsed time", "moving": "moving time", "distance": "distance"}[view.axis]
    mean = f" Averages: {', '.join(averages)}." if averages else ""
    return f"Over {over}, {part}.{mean}"


def _zoom_words(zoom: selection.Selection | None) -> str:
    if zoom is None:
        return ""
    return f"Zoomed to {formats.duration_hms(zoom.from_s)}–{formats.duration_hms(zoom.to_s)}. "


def _has_intensities(data: ActivityData, view: PanelView) -> bool:
    """Whether the coloured bands are intensities: climbs, and laps without power, have none."""
    return view.bands != "none" and any(
        part.intensity is not None for part in parts_of(data, Part(view.bands)).stretches
    )


def _marks_words(view: PanelView, *, has_targets: bool, has_intensities: bool) -> str:
    """The marks that the legend does not name: dashes, boxes of the plan, and on a phone the colours of the laps."""
    boxes = " Grey boxes: planned targets." if has_targets else ""
    colours = (
        " Colours at the top: intensity of the laps, as named under Laps."
        if theme.is_phone() and has_intensities
        else ""
    )
    moving = [
        view.columns[name].title.lower()
        for name in ("speed", ADJUSTED_SPEED, "cadence")
        if name in view.shown
    ]
    but = f" ({', '.join(moving)}: moving time only)" if moving else ""
    return f"Dashed lines: averages including stops{but}.{boxes}{colours}"


DISTANCES_DIFFER = 0.005
"""A smaller share between the distances of summary and recording is lost in rounding; a choice of this project."""


def _distance_words(activity: Activity, streams: SessionStreams, units: Units) -> str:
    """Which distance the averages divide, if the recording has another one than the headline."""
    if (
        streams.distance_m is None
        or not len(streams)
        or not activity.distance
        or "distance" in streams.derived
    ):
        return ""
    recorded_m = streams.covered_m
    if not abs(recorded_m / activity.distance - 1) > DISTANCES_DIFFER:
        return ""
    recorded, sent = (
        formats.distance(metres, activity.sport, units=units) for metres in (recorded_m, activity.distance)
    )
    if not is_whole(streams, activity):
        return (
            f" The recording has {recorded} of the session's {sent}: panels and selections use the recording."
        )
    return f" The recording has {recorded}, the session's summary {sent}: parts of the session use the recording."


def _derived_words(streams: SessionStreams, view: PanelView) -> str:
    """Which of speed and distance is computed, because the session has only the other; the model of a grade-adjusted pace."""
    derived = [
        f" {name.capitalize()} is derived from {origin}."
        for name, origin in streams.derived.items()
        if name != ADJUSTED_SPEED
    ]
    if ADJUSTED_SPEED in view.shown:
        title = view.columns[ADJUSTED_SPEED].title
        derived.append(f" {title}: on flat ground at the same energy cost ({GradeModel.MINETTI}).")
    return "".join(derived)


def _table(streams: SessionStreams, view: PanelView, window: slice) -> pd.DataFrame:
    columns = {"Elapsed time, s": streams.elapsed_s[window]}
    for name in view.shown:
        columns |= view.columns[name].in_table(streams.columns[name][window])
    return pd.DataFrame(columns)


def _take_box(
    box: Report | None, streams: SessionStreams, axis: AxisName, per_unit: float, *, figure: str
) -> None:
    if box is None:
        selection.clear()
        return
    ends = sorted(float(end) * per_unit for end in box["x"])
    from_s, to_s = (stream_panels.elapsed_at(streams, axis, end) for end in ends)
    if to_s > from_s:
        selection.boxed(from_s, to_s, figure=figure)
