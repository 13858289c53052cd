"""Age of each number of an athlete's row: its source, its newest day, when it was fetched."""

from datetime import date, datetime
from typing import NamedTuple

import streamlit as st

from coachboard.loaders.roster_row import RosterRow
from coachboard.pages.athlete_words import readiness
from coachboard.pages.roster import cells
from coachboard.pages.roster.visible_rows import VisibleRoster
from coachboard.ui.frame import formats, notices
from coachboard.ui.frame.formats import MISSING, number
from coachboard.ui.frame.text import plain
from coachboard.ui.widgets.people_table import Cell, PeopleTable, TableColumn, TableRow, draw_table


class Aged(NamedTuple):
    """A number as text, with its newest day."""

    name: str
    value: str
    newest: date | None
    read_at: datetime


def draw(visible: VisibleRoster, row: RosterRow) -> None:
    """A line per number; the same as the tooltips, but reachable by touch and keyboard."""
    columns = [
        TableColumn("name", "Metric", width=220),
        TableColumn("value", "Value"),
        TableColumn("newest", "Newest data", width=120),
        TableColumn("read", "Updated", width=104),
    ]
    now = visible.page.now
    rows = [
        TableRow(
            aged.name,
            [
                Cell(aged.name),
                Cell(aged.value),
                _newest(aged, row.today),
                Cell(formats.ago(aged.read_at, now)),
            ],
        )
        for aged in numbers(visible, row)
    ]
    draw_table(PeopleTable("Age of each value", columns, rows, kind="list"), key=f"roster.ages.{row.user.id}")
    ready = readiness(row.user)
    if ready:
        words = (f"{name} {'ready' if is_ready else 'not ready'}" for name, is_ready in ready.items())
        st.caption(f"Performance models: {', '.join(words)}.")
    unread = "; ".join(notices.unread_words(gap) for gap in row.unread)
    if unread:
        st.caption(f":material/rule: {unread}.")


def _newest(aged: Aged, today: date) -> Cell:
    if aged.newest is None:
        return Cell(MISSING)
    midnight = datetime.combine(today, datetime.min.time())
    return Cell(formats.day(aged.newest, today=today), formats.ago(aged.newest, midnight))


def numbers(visible: VisibleRoster, row: RosterRow) -> list[Aged]:
    """Every number of the athlete's row."""
    load, model = row.loads[visible.choice.model.id], visible.choice.model
    plan, event = row.next_session, row.next_event
    done = f"{row.adherence.done} of {row.adherence.due}" if row.adherence.due else MISSING
    sessions, plans, nights = row.sessions_as_of, row.plans_as_of, row.nights_as_of
    last = row.last_session
    return [
        Aged("Load, done vs planned, last 7 days", cells.week_words(row), last, sessions),
        Aged("Planned load, next 7 days with today", number(row.planned_next), None, plans),
        Aged(f"{model.fitness} {model.fitness_d:g} d, {model.fatigue.lower()} {model.fatigue_d:g} d",
             f"{number(load.fitness)}, {number(load.fatigue)}", last, sessions),
        Aged("Form", number(load.form, signed=True), last, sessions),
        Aged("Planned sessions done, last 7 days", done, last, min(sessions, plans)),
        Aged("Sleep, 7-day mean", _night(row, "sleep_h"), row.sleep_h.day, nights),
        Aged("HRV (ms), 7-day mean", _night(row, "hrv_ms"), row.hrv_ms.day, nights),
        Aged("Next session", plain(plan.title, longest=60) if plan else MISSING, plan.day if plan else None, plans),
        Aged("Next event", plain(event[1], longest=60) if event else MISSING, event[0] if event else None, plans),
    ]  # fmt: skip


def _night(row: RosterRow, name: str) -> str:
    body, write = (
        (row.sleep_h, formats.hours) if name == "sleep_h" else (row.hrv_ms, cells.milliseconds(row.hrv_ms))
    )
    if body.day is None:
        return MISSING
    return f"{write(body.mean)}, last {write(body.last)}, normal {cells.normal_words(body, write)}"
