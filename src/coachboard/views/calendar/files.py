"""Exports of the calendar's days: an iCalendar file, a printable page."""

from collections.abc import Iterator

import streamlit as st

from coachboard.loaders.calendar.export import calendar_ics, printable_page
from coachboard.loaders.calendar.page_data import CalendarData
from coachboard.views.calendar import prescription, weeks
from coachboard.views.calendar.opening import CalendarChoice
from coachboard.views.frame import formats
from coachboard.views.frame.page import Page
from coachboard.views.widgets.calendar_grid import GridItem


def draw_downloads(page: Page, choice: CalendarChoice, data: CalendarData) -> None:
    """Two small buttons; a click creates the file."""
    stem = f"calendar-{choice.start.isoformat()}-to-{choice.end.isoformat()}"
    with st.container(horizontal=True, gap="small"):
        st.download_button(
            "iCalendar",
            lambda: calendar_ics(data, made_at=page.now, names=choice.full_names),
            f"{stem}.ics",
            "text/calendar",
            key="calendar.ics",
            icon=":material/download:",
            type="tertiary",
            on_click="ignore",
        )
        st.download_button(
            "Printable page",
            lambda: printable_page(_title(choice), _days(page, choice, data)),
            f"{stem}.html",
            "text/html",
            key="calendar.print",
            icon=":material/print:",
            type="tertiary",
            on_click="ignore",
        )


def _title(choice: CalendarChoice) -> str:
    return f"{', '.join(athlete.name for athlete in choice.athletes)}: {choice.title}"


def _days(
    page: Page, choice: CalendarChoice, data: CalendarData
) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    shown = weeks.CalendarLook(
        "agenda", choice.title, page.first_weekday, page.units, zone=page.zone, names=choice.full_names
    )
    texts = _texts(page, data)
    for week in weeks.grid(data, shown).weeks:
        for day in week.days:
            yield (
                day.title,
                [(_titled(item), "\n".join([_beside(item), *texts.get(item.id, ())])) for item in day.items],
            )
        totals = ", ".join(f"{line.label} {line.value}" for line in week.lines)
        yield week.title, [(totals or formats.MISSING, "")]


def _texts(page: Page, data: CalendarData) -> dict[str, list[str]]:
    """Text under an entry's title by its id: the steps of a future plan, the content of a note."""
    found = {}
    for athlete in data.athletes:
        ahead = [match.planned.id for match in athlete.matches if match.planned and match.done is None]
        for plan_id in ahead:
            found[plan_id] = prescription.to_print(page, athlete.user_id, athlete.prescriptions[plan_id])
        found |= {note.id: [note.content] for note in athlete.notes if note.content}
        found |= {event.id: [event.description] for event in athlete.events if event.description}
    return found


def _titled(item: GridItem) -> str:
    return f"{item.who}: {item.title}" if item.who else item.title


def _beside(item: GridItem) -> str:
    """An entry's description without its title."""
    if item.kind == "note":
        return item.detail
    return item.spoken.removeprefix(item.title).removeprefix(", ")
