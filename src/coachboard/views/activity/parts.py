"""The parts of a session, one kind at a time: laps, climbs, pool lengths, device laps."""

import streamlit as st

from coachboard.loaders.activity.page_data import ActivityData
from coachboard.loaders.activity.session_parts import Part, counts_of, parts_of
from coachboard.models.enums import Sport
from coachboard.views.activity import choices
from coachboard.views.activity.part_bars import draw_bars
from coachboard.views.activity.part_table import draw_table
from coachboard.views.activity.pool import draw_lengths
from coachboard.views.frame import notices
from coachboard.views.frame.shell import Page

TITLES = {Part.LAPS: "Laps", Part.CLIMBS: "Climbs", Part.LENGTHS: "Lengths", Part.DEVICE: "Device laps"}


def draw_parts(page: Page, data: ActivityData) -> None:
    """The most detailed kind first, with bars and table; the reason if no lap has an intensity."""
    counts = counts_of(data)
    reason = _why_unclassified(data)
    if not counts and not reason:
        return
    st.header("Laps", anchor=False)
    if reason:
        notices.say_empty("No laps by intensity:", fills=reason)
    if not counts:
        return
    titles = {str(kind): f"{TITLES[kind]} ({count})" for kind, count in counts.items()}
    kind = Part(choices.pick_one("Lap type", titles, param="part"))
    parts = parts_of(data, kind)
    if kind is Part.LENGTHS:
        draw_lengths(page, data, parts)
    else:
        draw_bars(page, data, parts, title=TITLES[kind])
    draw_table(page, data, parts, title=TITLES[kind])


def _why_unclassified(data: ActivityData) -> str:
    """Empty if there are classified laps, and where no user expects them: in a pool, at weights, in transitions."""
    streams = data.streams
    if data.activity.laps or data.activity.lengths or streams is None or not len(streams):
        return ""
    if streams.get("power") is None:
        has_way = streams.get("speed") is not None and data.activity.sport != Sport.TRANSITION
        return "the service sent none, and there is no power recording to detect them." if has_way else ""
    if data.capacities.critical_power_w is None:
        return "the service sent none, and critical power is unknown for that day."
    return ""
