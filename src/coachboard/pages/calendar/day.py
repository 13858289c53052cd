"""Details under the calendar: a day with all its entries, or one plan, session, note or event."""

from datetime import date, timedelta
from itertools import chain, groupby

import streamlit as st

from coachboard.execution.adherence import Match
from coachboard.pages import comments
from coachboard.pages.calendar import items, workout
from coachboard.pages.calendar.data import AthleteCalendar, CalendarData
from coachboard.ui.frame import formats, state
from coachboard.ui.frame.navigation import page_path
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md, md_lines
from coachboard.ui.widgets.toolbar import Press, draw_bar
from coachboard.wire.base import plausible_day
from coachboard.wire.plans import Event, Note


def day_of(data: CalendarData, opened: str | None) -> date | None:
    """The open day: named in the URL, or the day of the open entry; None if it is not shown.

    A day outside the loaded range has unknown entries; do not show it as empty.
    """
    if opened is None:
        return None
    try:
        day = plausible_day(opened)
    except ValueError:
        return next((day for day, key in _dated(data) if key == opened), None)
    return day if day is not None and data.start <= day <= data.end else None


def _dated(data: CalendarData) -> list[tuple[date, str]]:
    matches = chain.from_iterable(athlete.matches for athlete in data.athletes)
    notes = chain.from_iterable(athlete.notes for athlete in data.athletes)
    events = chain.from_iterable(athlete.events for athlete in data.athletes)
    return [
        *((items.match_day(match, data.start, data.end), items.match_id(match)) for match in matches),
        *((note.date, note.id) for note in notes),
        *((event.date, event.id) for event in events),
    ]


def draw_opened(page: Page, data: CalendarData, opened: str | None) -> None:
    """The open day; without one the grid has a hint."""
    day = day_of(data, opened)
    if day is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(formats.day(day, today=page.today), anchor=False, width="stretch")
        _draw_next_links(data, day)
    is_whole_day = opened == day.isoformat()
    opened_rows = [
        (athlete, row)
        for athlete in data.athletes
        for row in _rows(data, athlete, day)
        if is_whole_day or row_id(row) == opened or (isinstance(row, Event) and row.activity_id == opened)
    ]
    plans = sum(isinstance(row, Match) and row.planned is not None for _, row in opened_rows)
    for user_id, rows in groupby(opened_rows, key=lambda pair: pair[0].user_id):
        if len(data.athletes) > 1:
            st.markdown(f"**{md(page.names[user_id])}**")
        for athlete, row in rows:
            # Expand a day's only plan.
            _draw_row(page, athlete, row, is_alone=not is_whole_day or plans == 1)
            _draw_comments(page, row, is_alone=len(opened_rows) == 1)
    if not opened_rows:
        st.caption("No plans, sessions, notes or events on this day.")


def _draw_next_links(data: CalendarData, day: date) -> None:
    """Links to the previous and next day, which may be in another week."""

    def go(_name: str, target: str) -> None:
        state.set_param("open", target or None)
        asked = plausible_day(target) if target else day
        if not data.start <= asked <= data.end:
            state.set_params({"on": asked, "month": None})

    ways = [
        Press("day", "Previous day", (day - timedelta(days=1)).isoformat(), is_quiet=True),
        Press("day", "Next day", (day + timedelta(days=1)).isoformat(), is_quiet=True),
        Press("close", "Close", "", is_quiet=True),
    ]
    draw_bar(ways, key="calendar.ways", on_change=go)


def _rows(data: CalendarData, athlete: AthleteCalendar, day: date) -> list[Match | Event | Note]:
    entries = athlete.entries or {}

    def covers(row: Event | Note) -> bool:
        last_day = entries[row.id].end_date if row.id in entries else None
        return row.date <= day <= (last_day or row.date)

    return [
        *(event for event in athlete.events if covers(event)),
        *(match for match in athlete.matches if items.match_day(match, data.start, data.end) == day),
        *(note for note in athlete.notes if covers(note)),
    ]


def row_id(row: Match | Event | Note) -> str:
    """The id of an entry in the URL."""
    return items.match_id(row) if isinstance(row, Match) else row.id


def _draw_comments(page: Page, row: Match | Event | Note, *, is_alone: bool) -> None:
    """The comments of the only open row; of several a button that opens the row alone."""
    planned, done = (row.planned, row.done) if isinstance(row, Match) else (row, None)
    ids = {"entry_id": planned.id if planned else "", "activity_id": done.id if done else ""}
    if is_alone:
        comments.draw_thread(page, **ids)
    elif page.client.planning.has("comments"):
        unread = sum(comments.unread_by_row(page)[each] for each in ids.values())
        st.button(
            f"Comments, {unread} new" if unread else "Comments",
            key=f"calendar.comments.{row_id(row)}",
            type="tertiary",
            icon=":material/chat:",
            on_click=state.set_param,
            args=("open", row_id(row)),
        )


def _draw_row(page: Page, athlete: AthleteCalendar, row: Match | Event | Note, *, is_alone: bool) -> None:
    if isinstance(row, Match):
        _draw_match(page, athlete, row, is_alone=is_alone)
    elif isinstance(row, Event):
        _draw_event(page, row)
    else:
        _draw_note(row)


def _draw_match(page: Page, athlete: AthleteCalendar, match: Match, *, is_alone: bool) -> None:
    item = items.match_item(match, who=None, units=page.units)
    source = match.planned or match.done
    assert source is not None
    if items.match_id(match) not in items.raced_ids(athlete):  # its event has the title
        st.markdown(f"**{md(item.title)}** · {md(formats.sport(source.sport))}")
    if match.done is not None:
        started = formats.started(athlete.activities[match.done.id], page.zone)
        st.caption(md(f"Started {started}") if started else "Start time unknown")
    words = items.adherence_words(match)
    st.caption(md(f"{words[:1].upper()}{words[1:]}. {item.detail}".strip()))
    if match.done is not None:
        st.page_link(
            page_path("activity"),
            label="Open session",
            icon=":material/monitor_heart:",
            query_params={
                "athlete": athlete.user_id,
                "activity": match.done.id,
                "day": match.done.day.isoformat(),
            },
        )
    if match.planned is not None and is_alone:
        workout.draw(page, athlete, athlete.prescriptions[match.planned.id])
    elif match.planned is not None:
        st.button(
            "Open plan",
            key=f"calendar.open.{match.planned.id}",
            type="tertiary",
            icon=":material/bar_chart:",
            on_click=state.set_param,
            args=("open", match.planned.id),
        )


def _draw_event(page: Page, event: Event) -> None:
    st.markdown(f"**★ {md(event.name)}** · {md(formats.sport(event.sport))}")
    targets = [
        f"{event.time:%H:%M}" if event.time else "",
        formats.distance(event.distance, event.sport, units=page.units) if event.distance is not None else "",
        f"{formats.elevation(event.elevation_gain, units=page.units, sport=event.sport)} gain"
        if event.elevation_gain is not None
        else "",
        f"{formats.duration_hm(event.duration)} planned" if event.duration is not None else "",
        formats.work(event.work) if event.work is not None else "",
        formats.number(event.carb_intake, 0, "g/h carbohydrate") if event.carb_intake is not None else "",
    ]
    st.caption(md(" · ".join(target for target in targets if target)) or "No targets set.")
    if event.description:
        st.markdown(md_lines(event.description))


def _draw_note(note: Note) -> None:
    clock = f" · {note.time:%H:%M}" if note.time else ""
    kind = formats.label(note.type)
    named = "" if note.title.casefold() == kind.casefold() else f" · {md(kind)}"
    st.markdown(f"**{md(note.title)}**{named}{clock}")
    if note.content:
        st.markdown(md_lines(note.content))
