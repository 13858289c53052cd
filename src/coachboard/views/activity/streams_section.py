"""Panels, selection, parts and route in one fragment, because a selection redraws all of them."""

import streamlit as st

from coachboard.charts.panel_marks import TargetRange
from coachboard.loaders.activity import stream_panels
from coachboard.loaders.activity.page_data import ActivityData
from coachboard.loaders.activity.planned_and_done import planned_and_done
from coachboard.loaders.activity.planned_rows import PlannedRow
from coachboard.loaders.activity.selected_part import summary_of
from coachboard.loaders.activity.session_parts import Part, counts_of, parts_of
from coachboard.loaders.activity.session_streams import SessionStreams
from coachboard.models.enums import Sport
from coachboard.views.activity import selection
from coachboard.views.activity.columns import Column
from coachboard.views.activity.compare import pick_compared
from coachboard.views.activity.compared_numbers import draw_compared
from coachboard.views.activity.like_intervals import draw_like_intervals
from coachboard.views.activity.opening import say_no_streams
from coachboard.views.activity.panels import PanelView
from coachboard.views.activity.part_bars import draw_bars
from coachboard.views.activity.part_table import draw_table
from coachboard.views.activity.pool import draw_lengths
from coachboard.views.activity.route import draw_route, has_route
from coachboard.views.activity.selection_summary import draw_card, draw_line, line_of_selection
from coachboard.views.activity.streams import draw_panels, per_unit_of, pick_view
from coachboard.views.frame import notices
from coachboard.views.frame.page import Page
from coachboard.views.widgets import lazy_section
from coachboard.views.widgets.pickers import pick_one

_CLOCKS = {
    "repaired": "Some samples had no valid time and were placed between their neighbours.",
    "assumed": "The samples have no time and are spread evenly over the session.",
}
_TITLES = {Part.LAPS: "Laps", Part.CLIMBS: "Climbs", Part.LENGTHS: "Lengths", Part.DEVICE: "Device laps"}


@st.fragment
def draw_streams_section(page: Page, data: ActivityData) -> None:
    """The streams section: panels, selection, parts and route."""
    streams = data.streams
    has_record = streams is not None and len(streams) > 0
    if streams is not None and has_record:
        _draw_record(page, data, streams)
    else:
        say_no_streams(data)
    # A session without streams has a short page: load immediately.
    shows = "laps and route" if has_route(streams) else "laps"
    if not has_record or lazy_section.is_near(f"activity.parts.{data.activity.id}", shows=shows):
        _draw_parts(page, data)
        draw_route(page, data)


def _draw_record(page: Page, data: ActivityData, streams: SessionStreams) -> None:
    done = planned_and_done(data)
    rows = done.rows if done else ()
    chosen = selection.current(data)
    summary = summary_of(data, streams, chosen.samples) if chosen else None
    with st.container(gap="xxsmall"):
        view = pick_view(page, data, streams, has_plan=any(map(_has_box, rows)), chosen=chosen)
        if not view.columns:
            st.caption("The recording of this session contains no data to draw.")
            return
        with line_of_selection(chosen):
            draw_line(page, data, chosen=chosen, summary=summary)
            compared = pick_compared(page, data, view.axis)
        targets = _targets(page, data, streams, view=view, rows=rows)
        draw_panels(page, data, streams, view=view, targets=targets, compared=compared)
    if streams.clock in _CLOCKS:
        st.caption(_CLOCKS[streams.clock])
    if compared is not None:
        shown = {name: view.columns[name] for name in view.shown}
        draw_compared(page, data, streams, compared=compared, columns=shown, chosen=chosen)
    if chosen is not None and summary is not None:
        draw_card(page, data, streams, chosen=chosen, summary=summary, columns=view.columns)
        draw_like_intervals(page, data, chosen)


def _has_box(row: PlannedRow) -> bool:
    """Whether a panel can show the target of the step: "Targets" was switched on above a chart without boxes."""
    step = row.step
    targets = (step.power_w, step.heart_rate_bpm, step.speed_mps) if step and row.is_found else ()
    return any(target is not None and target.middle is not None for target in targets)


def _targets(
    page: Page, data: ActivityData, streams: SessionStreams, *, view: PanelView, rows: tuple[PlannedRow, ...]
) -> list[TargetRange]:
    """The planned steps at the time they were done; a step that was not found has no place on the time axis."""
    per_unit = per_unit_of(page, data, view.axis)
    return [
        target
        for row in rows
        if view.has_plan and row.is_found
        for target in _targets_of(row, view, streams=streams, per_unit=per_unit)
    ]


def _targets_of(
    row: PlannedRow, view: PanelView, *, streams: SessionStreams, per_unit: float
) -> list[TargetRange]:
    step = row.step
    if step is None:
        return []
    start, end = (stream_panels.along(streams, view.axis, at) / per_unit for at in (row.from_s, row.to_s))
    asked = {"power": step.power_w, "heart_rate": step.heart_rate_bpm, "speed": step.speed_mps}
    found = []
    for name in view.shown:
        wish = asked.get(name)
        if wish is not None and wish.middle is not None and end > start:
            # Draw an open end a fifth away from the other end.
            low = wish.low if wish.low is not None else wish.middle * 0.8
            high = wish.high if wish.high is not None else wish.middle * 1.2
            column = view.columns[name]
            found.append(TargetRange(name, start, end, _shown(column, low), _shown(column, high)))
    return found


def _shown(column: Column, value: float) -> float:
    return value if column.is_pace else column.one(value)


def _draw_parts(page: Page, data: ActivityData) -> None:
    """Laps, climbs, pool lengths or device laps: the most detailed kind first; the reason if no lap has an intensity."""
    counts = counts_of(data)
    reason = _why_unclassified(data)
    if not counts and not reason:
        return
    st.header("Laps", anchor=False)
    if reason:
        notices.say_empty("No laps by intensity:", fills=reason)
    if not counts:
        return
    titles = {str(kind): f"{_TITLES[kind]} ({count})" for kind, count in counts.items()}
    kind = Part(pick_one("Lap type", titles, param="part"))
    if {Part.LAPS, Part.DEVICE} <= counts.keys():
        st.caption("Laps: found by the data service, by intensity. Device laps: as the device recorded them.")
    parts = parts_of(data, kind)
    if kind is Part.LENGTHS:
        draw_lengths(page, data, parts)
    else:
        draw_bars(page, data, parts, title=_TITLES[kind])
    draw_table(page, data, parts, title=_TITLES[kind])


def _why_unclassified(data: ActivityData) -> str:
    """Empty if there are classified laps, and where no user expects them: in a pool, at weights, in transitions."""
    streams = data.streams
    if data.activity.laps or data.activity.lengths or streams is None or not len(streams):
        return ""
    if streams.get("power") is None:
        has_way = streams.get("speed") is not None and data.activity.sport != Sport.TRANSITION
        return (
            "the data service sent none, and there is no power recording to detect them." if has_way else ""
        )
    if data.capacities.critical_power_w is None:
        return "the data service sent none, and critical power is unknown for that day."
    return ""
