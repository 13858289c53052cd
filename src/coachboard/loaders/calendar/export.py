"""Calendar exports: an iCalendar file, and a week as a printable page."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from html import escape

from icalendar import Calendar as ICalendar
from icalendar import Event as IEvent
from icalendar import vText

from coachboard import __version__
from coachboard.analytics.planning.structure import DEFAULT_SPEED_MPS, estimated_duration_s
from coachboard.loaders.calendar.page_data import AthleteCalendar, CalendarData
from coachboard.models.activities import Activity
from coachboard.models.plans import Event, Note
from coachboard.models.prescriptions import TrainingPrescription
from coachboard.plain_text import plain, visible


def calendar_ics(data: CalendarData, *, made_at: datetime, names: Mapping[str, str] | None = None) -> bytes:
    """Plans, sessions, notes and events of the span as RFC 5545; local times without zone, as on the wire.

    `names` by athlete come before the titles if one file has several athletes.
    """
    calendar = ICalendar()
    calendar.add("prodid", f"-//Coachboard//{__version__}//EN")
    calendar.add("version", "2.0")
    for athlete in data.athletes:
        for entry in _entries(athlete, data.start, data.end):
            entry.add("dtstamp", made_at)
            if who := (names or {}).get(athlete.user_id):
                entry["summary"] = vText(f"{plain(who)}: {entry['summary']}")
            calendar.add_component(entry)
    return bytes(calendar.to_ical())


def _entries(athlete: AthleteCalendar, start: date, end: date) -> Iterable[IEvent]:
    for prescription in athlete.prescriptions.values():
        if start <= prescription.date <= end:
            yield _planned(prescription)
    for activity in athlete.activities.values():
        moment = activity.started_at_local or activity.started_at
        if moment is not None and start <= moment.date() <= end:
            yield _done(activity, moment.replace(tzinfo=None))
    for event in athlete.events:
        length_s, text = _length(event.duration, _by_distance_s(event), event.description)
        yield _dated(event, event.name, text, category="Event", duration_s=length_s)
    for note in athlete.notes:
        yield _dated(note, note.title, note.content, category=f"Note: {note.type}", duration_s=None)


def _planned(prescription: TrainingPrescription) -> IEvent:
    steps_s = estimated_duration_s(
        prescription.structure,
        free_duration_s=prescription.free_duration,
        speed_mps=DEFAULT_SPEED_MPS.get(str(prescription.sport)),
    )
    estimate_s = steps_s if steps_s > 0 else _by_distance_s(prescription)
    length_s, text = _length(prescription.duration, estimate_s, prescription.description)
    return _dated(
        prescription, prescription.title, text, category=f"Planned: {prescription.sport}", duration_s=length_s
    )


def _by_distance_s(row: TrainingPrescription | Event) -> float | None:
    speed_mps = DEFAULT_SPEED_MPS.get(str(row.sport))
    return row.distance / speed_mps if row.distance and speed_mps else None


def _length(
    stated_s: float | None, estimate_s: float | None, text: str | None
) -> tuple[float | None, str | None]:
    """The stated length, else the estimate, marked in the text: calendars hide entries without a length."""
    if stated_s or not estimate_s:
        return stated_s, text
    return round(estimate_s / 60) * 60, "\n".join(part for part in (text, "Length estimated.") if part)


def _done(activity: Activity, moment: datetime) -> IEvent:
    entry = _entry(activity.id, activity.name or str(activity.sport or "Session"), activity.description)
    entry.add("categories", [f"Done: {activity.sport or 'session'}"])
    entry.add("dtstart", moment)
    entry.add("duration", timedelta(seconds=float(activity.total_duration or activity.moving_duration or 0)))
    return entry


def _dated(
    row: TrainingPrescription | Event | Note,
    title: str,
    text: str | None,
    *,
    category: str,
    duration_s: float | None,
) -> IEvent:
    entry = _entry(row.id, title, text)
    entry.add("categories", [category])
    if row.time is None:
        entry.add("dtstart", row.date)
        entry.add("dtend", row.date + timedelta(days=1))
    else:
        entry.add("dtstart", datetime.combine(row.date, row.time))
        entry.add("duration", timedelta(seconds=float(duration_s or 0)))
    return entry


def _entry(row_id: str, title: str, text: str | None) -> IEvent:
    entry = IEvent()
    entry.add("uid", plain(f"{row_id}@coachboard"))
    entry.add("summary", visible(title))
    if text:
        entry.add("description", visible(text))
    return entry


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
