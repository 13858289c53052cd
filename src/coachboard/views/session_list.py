"""Sessions as a list, newest first: a line each, which leads to the session's page."""

from collections.abc import Callable, Iterable

import streamlit as st

from coachboard.analytics.adherence import Done
from coachboard.views import formats, shell
from coachboard.views.people_table import Cell, Column, Row, Table, draw_table
from coachboard.views.shell import Page
from coachboard.views.text import plain

_COLUMNS = (
    Column("day", "Day", width=82),
    Column("what", "Session"),
    Column("sport", "Sport", "stimulus", width=170, is_minor=True),
    Column("duration", "Moving", is_number=True, width=66),
    Column("distance", "Distance", is_number=True, width=84, is_minor=True),
    Column("volume", "Volume", is_number=True, width=70),
)


def draw_session_list(
    page: Page, sessions: Iterable[Done], *, name: str, key: str, lead: Callable[[Done], str]
) -> None:
    """The lines in the order given; `lead` is the address that a line opens."""
    rows = [_row(page, session, lead(session)) for session in sessions]
    draw_table(Table(name, list(_COLUMNS), rows, kind="list"), key=key)


def link_undated(user_id: str, session_ids: Iterable[str]) -> None:
    """Sessions that the service gives no time and that so stand in no list by day."""
    for session_id in session_ids:
        st.page_link(
            shell.page_path("activity"), label="Session without a date", icon=":material/event_busy:",
            query_params={"athlete": user_id, "activity": session_id},
        )  # fmt: skip


def load_cell(session: Done) -> Cell:
    """The volume; where the service gives none, the computed load with its method under it."""
    return Cell(formats.number(session.volume), session.load_method or "",
                title=formats.load_source([session.load_method] if session.load_method else []))  # fmt: skip


def _row(page: Page, session: Done, lead: str) -> Row:
    sport, distance_m = session.sport, session.distance_m or None
    what = plain(session.title) or (formats.sport(sport) if sport else "Unnamed session")
    cells = [
        Cell(formats.day(session.day, today=page.today)),
        Cell(what, href=lead),
        Cell(formats.sport(sport), formats.label(session.stimulus) if session.stimulus else ""),
        Cell(formats.duration_hms(session.duration_s)),
        Cell(formats.distance(distance_m, sport, units=page.units)),
        load_cell(session),
    ]
    return Row(session.id, cells, href=lead)
