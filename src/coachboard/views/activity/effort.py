"""The working part of the page: panels, selection, parts and route, redrawn together as the selection moves."""

import streamlit as st

from coachboard.charts.streams import Target
from coachboard.loaders import stream_panels
from coachboard.loaders.activity import ActivityData
from coachboard.loaders.planned_steps import PlannedStep, planned_steps
from coachboard.loaders.session_streams import SessionStreams
from coachboard.views.activity import selection
from coachboard.views.activity.card import draw_card, draw_span
from coachboard.views.activity.like_intervals import draw_like_intervals
from coachboard.views.activity.opening import say_no_streams
from coachboard.views.activity.parts import draw_parts
from coachboard.views.activity.route import draw_route
from coachboard.views.activity.streams import PanelView, draw_panels, per_unit_of, pick_view
from coachboard.views.shell import Page

_CLOCKS = {
    "repaired": "Some records had no time or went back in time; they were put between their neighbours.",
    "assumed": "The records have no time; they were spread evenly over the session's duration.",
}


@st.fragment
def draw_effort(page: Page, data: ActivityData) -> None:
    """Effort over time, the selected part, laps and route: one fragment, as one selection moves them all."""
    streams = data.streams
    if streams is None or not len(streams):
        say_no_streams(data)
    else:
        _draw_record(page, data, streams)
    draw_parts(page, data)
    draw_route(page, data)


def _draw_record(page: Page, data: ActivityData, streams: SessionStreams) -> None:
    st.header("Effort over time", anchor=False)
    steps = planned_steps(data)
    view = pick_view(page, data, streams, has_plan=bool(steps))
    if not view.columns:
        st.caption("The record of this session holds no value that could be drawn.")
        return
    draw_panels(page, data, streams, view=view, targets=_targets(page, data, streams, view=view, steps=steps))
    if streams.clock in _CLOCKS:
        st.caption(_CLOCKS[streams.clock])
    chosen = selection.current(data)
    draw_span(data, streams, chosen)
    if chosen is not None:
        draw_card(page, data, streams, chosen=chosen, columns=view.columns)
        draw_like_intervals(page, data, chosen)


def _targets(
    page: Page,
    data: ActivityData,
    streams: SessionStreams,
    *,
    view: PanelView,
    steps: tuple[PlannedStep, ...],
) -> list[Target]:
    if not view.has_plan:
        return []
    per_unit = per_unit_of(page, data, view.axis)
    return [
        target
        for planned in steps
        for target in _targets_of(planned, view, streams=streams, per_unit=per_unit)
    ]


def _targets_of(
    planned: PlannedStep, view: PanelView, *, streams: SessionStreams, per_unit: float
) -> list[Target]:
    step = planned.step
    ranges = {"power": step.power_w, "heart_rate": step.heart_rate_bpm, "speed": step.speed_mps}
    start, end = (
        stream_panels.along(streams, view.axis, at) / per_unit for at in (planned.from_s, planned.to_s)
    )
    found = []
    for name, asked in ranges.items():
        column = view.columns.get(name)
        if asked is None or column is None or name not in view.shown or end <= start:
            continue
        edges = (asked.low if asked.low is not None else 0.0, asked.high)
        low, high = (None if edge is None else column.one(edge) for edge in edges)
        found.append(Target(name, start, end, low or 0.0, high if high is not None else 1.25 * (low or 0.0)))
    return found
