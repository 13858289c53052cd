"""Exports of the calendar's days: an iCalendar file, a printable page."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone, tzinfo
from functools import partial
from html import escape

import streamlit as st
from icalendar import Event as IEvent

from coachboard.calendar_file import (
    add_owner,
    calendar_file,
    done_entry,
    note_entry,
    planned_entry,
    race_entry,
)
from coachboard.execution.adherence import Adherence, Match
from coachboard.pages.calendar import device_files, items, subscriptions, weeks, workout
from coachboard.pages.calendar.choice import CalendarChoice
from coachboard.pages.calendar.data import AthleteCalendar, CalendarData
from coachboard.pages.calendar.items import adherence_words, amounts, match_id, raced_ids
from coachboard.plain_text import plain, visible
from coachboard.ui.frame import formats
from coachboard.ui.frame.formats import Units
from coachboard.ui.frame.page import Page
from coachboard.ui.widgets.calendar_grid import GridItem
from coachboard.wire.activities import Activity
from coachboard.wire.prescriptions import TrainingPrescription


@dataclass(frozen=True, slots=True)
class FileWords:
    """The texts of an iCalendar file: names by athlete, units, and the steps of a plan in lines."""

    names: Mapping[str, str]
    units: Units
    steps: Callable[[str, TrainingPrescription], list[str]]
    zone: tzinfo | None = None  # of the reader


def draw_downloads(page: Page, choice: CalendarChoice, data: CalendarData) -> None:
    """Small buttons; a click creates the file."""
    stem = f"calendar-{choice.start.isoformat()}-to-{choice.end.isoformat()}"
    title = f"{', '.join(athlete.name for athlete in choice.athletes)}: {choice.title}"
    words = FileWords(page.names, page.units, partial(workout.to_print, page), page.zone)
    with st.container(horizontal=True, gap="small"):
        st.download_button(
            "iCalendar",
            lambda: calendar_ics(data, words, made_at=page.now),
            f"{stem}.ics",
            "text/calendar",
            key="calendar.ics",
            icon=":material/download:",
            type="tertiary",
            on_click="ignore",
        )
        st.download_button(
            "Printable page",
            lambda: printable_page(title, _days(page, choice, data)),
            f"{stem}.html",
            "text/html",
            key="calendar.print",
            icon=":material/print:",
            type="tertiary",
            on_click="ignore",
        )
    device_files.draw_week(page, choice, data)
    subscriptions.draw_subscriptions(page, choice)


def _days(
    page: Page, choice: CalendarChoice, data: CalendarData
) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    look = weeks.CalendarLook(
        "agenda", choice.title, page.first_weekday, page.units, zone=page.zone, names=choice.full_names
    )
    texts = _texts(page, data)
    for week in weeks.grid(data, look).weeks:
        for day in week.days:
            yield (
                day.title,
                [
                    (_titled(item), "\n".join(filter(None, [_beside(item), *texts.get(item.id, ())])))
                    for item in day.items
                ],
            )
        totals = ", ".join(f"{line.label} {line.value}" for line in week.lines)
        yield week.title, [(totals or formats.MISSING, "")]


def _texts(page: Page, data: CalendarData) -> dict[str, list[str]]:
    """Text under an entry's title by its id: the steps of a future plan, the type and the content of a note."""
    texts = {}
    for athlete in data.athletes:
        ahead = [match.planned.id for match in athlete.matches if match.planned and match.done is None]
        for plan_id in ahead:
            texts[plan_id] = workout.to_print(page, athlete.user_id, athlete.prescriptions[plan_id])
        texts |= {note.id: [items.note_kind(note), note.content or ""] for note in athlete.notes}
        texts |= {event.id: [event.description] for event in athlete.events if event.description}
    return texts


def _titled(item: GridItem) -> str:
    return f"{item.who}: {item.title}" if item.who else item.title


def _beside(item: GridItem) -> str:
    """An entry's description without its title."""
    if item.kind == "note":  # its text has the type
        return ""
    return item.spoken.removeprefix(item.title).removeprefix(", ")


def calendar_ics(data: CalendarData, words: FileWords, *, made_at: datetime) -> bytes:
    """One entry for each session, planned or done, each note and event of the span, as RFC 5545.

    Times are in UTC where the athlete's UTC offset is known, else local without zone. The names of the athletes come before the
    titles if a file has several, and in each description.
    """
    entries = []
    for athlete in data.athletes:
        name = words.names.get(athlete.user_id, "")
        for entry in _entries(athlete, words, made_at):
            if name:
                add_owner(entry, name, is_titled=len(data.athletes) > 1)
            entries.append(entry)
    return calendar_file(entries)


def _entries(athlete: AthleteCalendar, words: FileWords, made_at: datetime) -> Iterator[IEvent]:
    zone, raced = _zone_of(athlete, words.zone, made_at), raced_ids(athlete)
    plans: dict[str, list[Match]] = {}
    for match in athlete.matches:
        plans.setdefault(match.done.id if match.done else match_id(match), []).append(match)
    for matches in plans.values():  # a session that two plans name is one entry
        done = matches[0].done
        if done is None:
            yield _planned(athlete.prescriptions[match_id(matches[0])], matches[0], athlete, words, made_at)
        elif (entry := _done(athlete.activities[done.id], matches, athlete, words, made_at)) is not None:
            yield entry
    for event in athlete.events:
        if event.activity_id not in raced:  # its session has an entry
            yield race_entry(event, zone=zone, made_at=made_at)
    for note in athlete.notes:
        yield note_entry(note, zone=zone, made_at=made_at)


def _zone_of(athlete: AthleteCalendar, reader: tzinfo | None, now: datetime) -> tzinfo | None:
    """The reader's zone where its clock is the athlete's, as it knows summer time; else the athlete's UTC offset, if known."""
    if athlete.utc_offset_min is None:
        return None
    offset = timedelta(minutes=athlete.utc_offset_min)
    if reader is not None and now.astimezone(reader).utcoffset() == offset:
        return reader
    return timezone(offset)


def _planned(
    prescription: TrainingPrescription,
    match: Match,
    athlete: AthleteCalendar,
    words: FileWords,
    made_at: datetime,
) -> IEvent:
    kind = "Planned" if match.adherence is Adherence.AHEAD else str(match.adherence).capitalize()
    return planned_entry(
        prescription,
        [_outcome(match, words), *words.steps(athlete.user_id, prescription)],
        state=kind,
        zone=_zone_of(athlete, words.zone, made_at),
        made_at=made_at,
    )


def _outcome(match: Match, words: FileWords) -> str:
    part = match.planned or match.done
    sport = formats.sport(part.sport) if part else ""
    return ", ".join(filter(None, (sport, amounts(match, units=words.units), adherence_words(match))))


def _done(
    activity: Activity,
    matches: Sequence[Match],
    athlete: AthleteCalendar,
    words: FileWords,
    made_at: datetime,
) -> IEvent | None:
    """A session under the titles of its plans, as in the grid, else its own."""
    plans = [match.planned for match in matches if match.planned is not None]
    title = " + ".join(plan.title for plan in plans if plan.title) or activity.name
    texts = [
        *(_outcome(match, words) for match in matches),
        activity.name if activity.name != title else None,
        *(line for plan in plans for line in words.steps(athlete.user_id, athlete.prescriptions[plan.id])),
        activity.description,
    ]
    title = title or formats.sport(activity.sport)
    return done_entry(activity, match_id(matches[0]), title, texts, made_at=made_at)


_STYLE = (
    "body{font:11pt/1.35 sans-serif;margin:12mm;color:#111}h1{font-size:15pt;margin:0 0 4mm}"
    "table{border-collapse:collapse;width:100%}th,td{border-bottom:.3mm solid #bbb;padding:2mm;text-align:left;"
    "vertical-align:top}th{width:32mm;white-space:nowrap}p{margin:0 0 1.5mm}.minor{color:#555;font-size:9.5pt}"
    ".lines{white-space:pre-line}@page{margin:14mm}@media print{body{margin:0}tr{break-inside:avoid}}"
)


def printable_page(title: str, days: Iterable[tuple[str, Iterable[tuple[str, str]]]]) -> bytes:
    """Days with their entries (title, detail lines) as one page of plain HTML; all text is escaped."""
    rows = "".join(f"<tr><th>{escape(day)}</th><td>{_cells(entries)}</td></tr>" for day, entries in days)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(plain(title))}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{escape(plain(title))}</h1><table>{rows}</table></body></html>"
    ).encode()


def _cells(entries: Iterable[tuple[str, str]]) -> str:
    return "".join(
        f'<p dir="auto">{escape(plain(title))}<br><span class="minor lines">{escape(visible(detail))}</span></p>'
        for title, detail in entries
    )
