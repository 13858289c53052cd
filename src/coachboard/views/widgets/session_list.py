"""A list of sessions, newest first; a row links to the session's page."""

from collections.abc import Callable, Iterable

import streamlit as st

from coachboard.analytics.planning.adherence import Done
from coachboard.views.frame import formats, navigation
from coachboard.views.frame.page import Page
from coachboard.views.frame.text import plain
from coachboard.views.widgets.people_table import Cell, PeopleTable, TableColumn, TableRow, draw_table

_COLUMNS = (
    TableColumn("day", "Day", width=82),
    TableColumn("what", "Session"),
    TableColumn("sport", "Sport", "stimulus", width=170, is_minor=True),
    TableColumn("duration", "Time", "moving", is_number=True, width=66),
    TableColumn("distance", "Distance", is_number=True, width=84, is_minor=True),
    TableColumn("volume", "Load", is_number=True, width=70),
)


def draw_session_list(
    page: Page, sessions: Iterable[Done], *, name: str, key: str, url_of: Callable[[Done], str]
) -> None:
    """The sessions in the given order; `url_of` names the page that a row opens."""
    rows = [_row(page, session, url_of(session)) for session in sessions]
    draw_table(PeopleTable(name, list(_COLUMNS), rows, kind="list"), key=key)


def link_undated(user_id: str, session_ids: Iterable[str]) -> None:
    """Links to sessions without a start time, which no list by day contains."""
    for session_id in session_ids:
        st.page_link(
            navigation.page_path("activity"), label="Session without a date", icon=":material/event_busy:",
            query_params={"athlete": user_id, "activity": session_id},
        )  # fmt: skip


def load_cell(session: Done) -> Cell:
    """The volume, else the computed load with its method below."""
    return Cell(formats.number(session.volume), session.load_method or "",
                title=formats.load_source([session.load_method] if session.load_method else []))  # fmt: skip


def _row(page: Page, session: Done, url: str) -> TableRow:
    sport, distance_m = session.sport, session.distance_m or None
    title = plain(session.title) or (formats.sport(sport) if sport else "Unnamed session")
    cells = [
        Cell(formats.day(session.day, today=page.today)),
        Cell(title, href=url),
        Cell(formats.sport(sport), formats.label(session.stimulus) if session.stimulus else ""),
        Cell(formats.duration_hms(session.duration_s)),
        Cell(formats.distance(distance_m, sport, units=page.units)),
        load_cell(session),
    ]
    return TableRow(session.id, cells, href=url)
