"""The sections of the planning calendar; below the days the next events, then adherence, season or week totals, exports."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import streamlit as st

from coachboard.client.errors import ServiceError
from coachboard.loaders.newest_day import EVENTS
from coachboard.pages.calendar import adherence, files, history, planning, season, totals
from coachboard.pages.calendar.choice import CalendarChoice, pick
from coachboard.pages.calendar.data import CalendarData, season_events
from coachboard.pages.calendar.days import draw_days, load
from coachboard.ui.frame import formats, notices, state
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md
from coachboard.ui.widgets.lazy_section import is_near, mark_reached
from coachboard.ui.widgets.toolbar import RadioRow, draw_bar

__all__ = ["draw_below", "draw_days", "load", "pick"]

_LOOKS: Mapping[str, tuple[str, Callable[[Page, CalendarChoice, CalendarData], None]]] = MappingProxyType(
    {
        "adherence": ("Planned sessions", adherence.draw_adherence),
        "season": ("Season", lambda page, _choice, data: season.draw_strip(page, data)),
        "totals": ("Week totals", totals.draw_totals),
        "history": ("Changes", lambda page, _choice, data: history.draw_history(page, data)),
    }
)
_PARTS = ("look", "plans")
"""URL parameters that name a section below the grid scroll to it."""
_PLACE = "calendar.below"
_NEAREST_EVENTS = 4
_MOST_DAYS_WITHOUT_WEEKS = 20


@st.fragment
def draw_below(page: Page, choice: CalendarChoice, data: CalendarData) -> None:
    """Load on scroll below a month, which fills the window; immediately below a week."""
    if planning.is_written():
        st.rerun()
    if choice.view == "week" or any(name in st.query_params for name in _PARTS):
        mark_reached(_PLACE)
    if is_near(_PLACE, shows="events, planned sessions, season, totals and files"):
        _draw_events(page, data)
        _draw_look(page, choice, data)
        files.draw_downloads(page, choice, data)


def _draw_look(page: Page, choice: CalendarChoice, data: CalendarData) -> None:
    """The section in the URL; adherence by default, which needs no chart. Changes are those of the planning API."""
    titles = {name: title for name, (title, _) in _LOOKS.items() if name != "history" or data.can_plan}
    look = state.get_param("look") or ""
    look = look if look in titles else "adherence"
    draw_bar([RadioRow("look", "Section", titles, look)], key="calendar.look", on_change=_take_look)
    _, draw = _LOOKS[look]
    draw(page, choice, data)


def _take_look(name: str, look: str) -> None:
    state.set_param(name, None if look == "adherence" else look)


def _draw_events(page: Page, data: CalendarData) -> None:
    """The next events with countdowns; none if the calendar shows another year."""
    if not data.is_around_today:
        return
    try:
        dated = season_events(page.client, data)
    except ServiceError as error:
        notices.say(error, about="Events")
        return
    today = {athlete.user_id: page.today_of(athlete.user_id) for athlete in data.athletes}
    ahead = [(user_id, event) for user_id, event in dated if event.date >= today[user_id]]
    if not ahead:
        is_known = all(missing.what != EVENTS for missing in data.missing)
        fills = (
            "Add one with + in its day." if data.can_plan else "Planned events appear here with a countdown."
        )
        notices.say_empty(
            "No upcoming events." if is_known else "The events could not be loaded.",
            fills=fills if is_known else "Reload the page in a minute.",
            rows=EVENTS,
            of=data.results,
        )
        return
    names = page.names if len(data.athletes) > 1 else {}
    with st.container(horizontal=True, gap="medium"):
        for user_id, event in ahead[:_NEAREST_EVENTS]:
            facts = [formats.day(event.date, today=page.today), formats.sport(event.sport)]
            if event.distance is not None:
                facts.append(formats.distance(event.distance, event.sport, units=page.units))
            facts += [names[user_id]] if user_id in names else []
            countdown = _countdown((event.date - today[user_id]).days)
            st.markdown(
                f"**{md(event.name, longest=60)}** {countdown}  \n:small[{md(' · '.join(facts))}]",
                width="content",
            )


def _countdown(days: int) -> str:
    if days == 0:
        return "today"
    weeks, rest = divmod(days, 7)
    exact = " ".join([formats.count(weeks, "week"), *([formats.count(rest, "day")] if rest else [])])
    return f"in {formats.count(days, 'day')}" + (f" ({exact})" if days > _MOST_DAYS_WITHOUT_WEEKS else "")
