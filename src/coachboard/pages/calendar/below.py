"""Below the days: next events, then adherence, season or week totals, and exports."""

from collections.abc import Mapping
from types import MappingProxyType

import streamlit as st

from coachboard.pages.calendar import adherence, events, files, history, planning, season, totals
from coachboard.pages.calendar.choice import CalendarChoice, counts_missed
from coachboard.pages.calendar.data import CalendarData
from coachboard.ui.frame import state
from coachboard.ui.frame.page import Page
from coachboard.ui.widgets.lazy_section import is_near, mark_reached
from coachboard.ui.widgets.toolbar import RadioRow, draw_bar

LOOKS = MappingProxyType({"adherence": "Planned sessions", "season": "Season", "totals": "Week totals"})
_HISTORY = MappingProxyType({"history": "Changes"})  # with the planning API
_PARTS = ("look", "plans")
"""URL parameters that name a section below the grid scroll to it."""
_PLACE = "calendar.below"


@st.fragment
def draw_below(page: Page, choice: CalendarChoice, data: CalendarData) -> None:
    """Load on scroll below a month, which fills the window; immediately below a week."""
    if planning.is_written():
        st.rerun()
    if choice.view == "week" or any(name in st.query_params for name in _PARTS):
        mark_reached(_PLACE)
    if is_near(_PLACE, shows="events, planned sessions, season, totals and files"):
        events.draw_events(page, data)
        _draw_look(page, choice, data)
        files.draw_downloads(page, choice, data)


def _draw_look(page: Page, choice: CalendarChoice, data: CalendarData) -> None:
    """The section in the URL; adherence by default, which needs no chart."""
    look = _draw_section_picker({**LOOKS, **_HISTORY} if data.can_plan else LOOKS)
    if look == "season":
        season.draw_strip(page, data)
    elif look == "totals":
        totals.draw_totals(page, choice, data if counts_missed() else totals.without_missed(data))
    elif look == "history":
        history.draw_history(page, choice, data)
    else:
        adherence.draw_adherence(page, choice, data)


def _draw_section_picker(looks: Mapping[str, str]) -> str:
    """Draw the choice of the section; returns the chosen one."""
    asked = state.get_param("look")
    look = asked if asked and asked in looks else "adherence"
    draw_bar([RadioRow("look", "Section", looks, look)], key="calendar.look", on_change=_take_look)
    return look


def _take_look(name: str, look: str) -> None:
    state.set_param(name, None if look == "adherence" else look)
