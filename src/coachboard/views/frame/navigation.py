"""The pages of the navigation: their files, titles and icons, and who sees them."""

from copy import copy
from functools import lru_cache
from importlib import import_module
from types import MappingProxyType
from typing import NamedTuple

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from coachboard.listening import DASHBOARD

PAGES_FOLDER = DASHBOARD / "pages"
COACHING = frozenset({"roster"})
"""Pages for users with athletes only."""
OWN_DATA = frozenset({"imports", "values"})
"""Pages for a service that lets people change their own data."""
PUBLIC = frozenset({"invitation"})
"""Pages that need no key; no navigation shows them."""


class NavigationEntry(NamedTuple):
    """A page of the navigation: file `pages/<name>.py`, address `/<name>`."""

    title: str
    icon: str


PLACES = MappingProxyType(
    {
        "roster": NavigationEntry("Roster", ":material/groups:"),
        "athlete": NavigationEntry("Athlete", ":material/person:"),
        "activity": NavigationEntry("Activity", ":material/monitor_heart:"),
        "calendar": NavigationEntry("Calendar", ":material/calendar_month:"),
        "trends": NavigationEntry("Trends", ":material/show_chart:"),
        "imports": NavigationEntry("Import", ":material/upload:"),
        "values": NavigationEntry("My values", ":material/speed:"),
        "workspaces": NavigationEntry("Workspaces", ":material/group_add:"),
        "settings": NavigationEntry("Settings", ":material/tune:"),
        "invitation": NavigationEntry("Invitation", ":material/mail:"),
    }
)
"""In the order of the navigation; the first one is at `/`."""


def page_path(name: str) -> str:
    """The page argument of `st.page_link` and `st.switch_page`."""
    return str(PAGES_FOLDER / f"{name}.py")


def declared() -> list[str]:
    """The pages whose files exist, in the order of the navigation."""
    return [name for name in PLACES if (PAGES_FOLDER / f"{name}.py").exists()]


def import_pages() -> None:
    """Import the pages' modules at the start: the first request would otherwise take half a second longer."""
    for name in declared():
        import_module(f"coachboard.views.{name}")


def streamlit_pages(hidden: frozenset[str]) -> list[StreamlitPage]:
    """The pages as Streamlit declares them; a hidden page is reached by its address only.

    Each run gets copies, because Streamlit notes in the page that it may run. To declare ten pages in each run took 3 %
    of a rerun of the roster.
    """
    return list(map(copy, _declared_pages(hidden)))


@lru_cache(maxsize=8)
def _declared_pages(hidden: frozenset[str]) -> list[StreamlitPage]:
    names = declared()
    return [
        st.Page(
            PAGES_FOLDER / f"{name}.py",
            title=PLACES[name].title,
            icon=PLACES[name].icon,
            url_path=name,
            default=name == names[0],
            visibility="hidden" if name in hidden else "visible",
        )
        for name in names
    ]
