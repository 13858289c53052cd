"""The pages of the navigation: their files, titles and icons, and who sees them."""

from copy import copy
from functools import lru_cache
from importlib import import_module
from types import MappingProxyType
from typing import Literal, NamedTuple

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from coachboard.listening import DASHBOARD

PAGES_FOLDER = DASHBOARD / "pages"
Audience = Literal["everyone", "coaches", "own data", "plans", "public"]
"""Who sees a page: everyone with a key, users with athletes, users of a service that lets people change their own data, users
of a service that has plans of several weeks, or people without a key, who have a link, as no navigation shows the page."""


class NavigationEntry(NamedTuple):
    """A page of the navigation: file `pages/<name>.py`, address `/<name>`."""

    title: str
    icon: str
    audience: Audience = "everyone"


PLACES = MappingProxyType(
    {
        "roster": NavigationEntry("Roster", ":material/groups:", "coaches"),
        "athlete": NavigationEntry("Athlete", ":material/person:"),
        "activity": NavigationEntry("Activity", ":material/monitor_heart:"),
        "calendar": NavigationEntry("Calendar", ":material/calendar_month:"),
        "plans": NavigationEntry("Plans", ":material/view_week:", "plans"),
        "trends": NavigationEntry("Trends", ":material/show_chart:"),
        "imports": NavigationEntry("Import", ":material/upload:", "own data"),
        "values": NavigationEntry("Values", ":material/speed:", "own data"),
        "workspaces": NavigationEntry("Workspaces", ":material/group_add:"),
        "settings": NavigationEntry("Settings", ":material/tune:"),
        "invitation": NavigationEntry("Invitation", ":material/mail:", "public"),
    }
)
"""In the order of the navigation; the first one is at `/`."""


def pages_for(*audiences: Audience) -> frozenset[str]:
    """The names of the pages of these audiences."""
    return frozenset(name for name, place in PLACES.items() if place.audience in audiences)


def page_path(name: str) -> str:
    """The page argument of `st.page_link` and `st.switch_page`."""
    return str(PAGES_FOLDER / f"{name}.py")


def declared() -> list[str]:
    """The pages whose files exist, in the order of the navigation."""
    return [name for name in PLACES if (PAGES_FOLDER / f"{name}.py").exists()]


def import_pages() -> None:
    """Import the pages' modules at the start: the first request would otherwise take half a second longer."""
    for name in declared():
        import_module(f"coachboard.pages.{name}")


def streamlit_pages(hidden: frozenset[str], unread: int = 0) -> list[StreamlitPage]:
    """The pages as Streamlit declares them; a hidden page is reached by its address only.

    The number of unread comments is at the roster, else at the calendar.
    Each run gets copies, because Streamlit notes in the page that it may run. To declare ten pages in each run took 3 %
    of a rerun of the roster.
    """
    pages = list(map(copy, _declared_pages(hidden)))
    if unread:
        names = declared()
        name = "calendar" if "roster" in hidden else "roster"
        title = f"{PLACES[name].title} ({unread} new)"
        pages[names.index(name)] = _page(name, title, hidden, is_default=name == names[0])
    return pages


@lru_cache(maxsize=8)
def _declared_pages(hidden: frozenset[str]) -> list[StreamlitPage]:
    names = declared()
    return [_page(name, PLACES[name].title, hidden, is_default=name == names[0]) for name in names]


def _page(name: str, title: str, hidden: frozenset[str], *, is_default: bool) -> StreamlitPage:
    return st.Page(
        PAGES_FOLDER / f"{name}.py",
        title=title,
        icon=PLACES[name].icon,
        url_path=name,
        default=is_default,
        visibility="hidden" if name in hidden else "visible",
    )
