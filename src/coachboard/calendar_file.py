"""iCalendar files (RFC 5545) of plans, sessions, races and notes, for the calendar's export and for subscriptions."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta, tzinfo

from icalendar import Calendar as ICalendar
from icalendar import Event as IEvent
from icalendar import vText

from coachboard import __version__
from coachboard.execution.structure import DEFAULT_SPEED_MPS, estimated_duration_s
from coachboard.plain_text import plain, visible
from coachboard.wire.activities import Activity
from coachboard.wire.plans import Event, Note
from coachboard.wire.prescriptions import TrainingPrescription

_DAY = timedelta(days=1)
Texts = Iterable[str | None]
"""Lines of a description; empty ones are left out."""


def calendar_file(entries: Iterable[IEvent], *, name: str = "") -> bytes:
    """The entries as one file; `name` is the title that calendars propose for a subscription."""
    calendar = ICalendar()
    calendar.add("prodid", f"-//Coachboard//{__version__}//EN")
    calendar.add("version", "2.0")
    if name:
        calendar["x-wr-calname"] = vText(plain(name))
        calendar.add("refresh-interval", timedelta(hours=1), parameters={"value": "DURATION"})
        calendar["x-published-ttl"] = "PT1H"
    for entry in entries:
        calendar.add_component(entry)
    return bytes(calendar.to_ical())


def planned_entry(
    plan: TrainingPrescription, texts: Texts, *, state: str, zone: tzinfo | None, made_at: datetime
) -> IEvent:
    """A planned workout, at its time or on its whole day."""
    steps_s = estimated_duration_s(
        plan.structure,
        free_duration_s=plan.free_duration,
        speed_mps=DEFAULT_SPEED_MPS.get(str(plan.sport)),
    )
    length_s, estimated = _length(plan.duration, steps_s if steps_s > 0 else _by_distance_s(plan))
    entry = _entry(plan.id, plan.title, [*texts, estimated], made_at)
    entry.add("categories", [f"{state}: {plan.sport}"])
    _add_time(entry, plan, length_s, zone)
    return entry


def done_entry(
    activity: Activity, entry_id: str, title: str, texts: Texts, *, made_at: datetime
) -> IEvent | None:
    """A session at the time at which it was done; None without a time."""
    moment = activity.started_at or activity.started_at_local
    if moment is None:
        return None
    entry = _entry(entry_id, title, texts, made_at)
    entry.add("categories", [f"Done: {activity.sport or 'session'}"])
    entry.add("dtstart", moment.astimezone(UTC) if activity.started_at else moment.replace(tzinfo=None))
    durations = (activity.total_duration, activity.effective_duration, activity.moving_duration)
    entry.add("duration", timedelta(seconds=float(next(filter(None, durations), 0))))
    return entry


def race_entry(
    event: Event, *, zone: tzinfo | None, made_at: datetime, last_day: date | None = None
) -> IEvent:
    """A race or another event, at its time or on its whole days."""
    length_s, estimated = _length(event.duration, _by_distance_s(event))
    entry = _entry(event.id, event.name, [event.description, estimated], made_at)
    entry.add("categories", ["Event"])
    _add_time(entry, event, length_s, zone, last_day=last_day)
    return entry


def note_entry(note: Note, *, zone: tzinfo | None, made_at: datetime, last_day: date | None = None) -> IEvent:
    """A note, at its time or on its whole days, which stay free."""
    entry = _entry(note.id, note.title, [note.content], made_at)
    entry.add("categories", [f"Note: {note.type}"])
    entry.add("transp", "TRANSPARENT")
    _add_time(entry, note, None, zone, last_day=last_day)
    return entry


def add_owner(entry: IEvent, name: str, *, is_titled: bool) -> None:
    """Name the athlete of an entry first in its description, and with `is_titled` before its title."""
    if is_titled:
        entry["summary"] = vText(f"{plain(name)}: {entry['summary']}")
    text = str(entry.pop("description", ""))
    entry.add("description", "\n".join(filter(None, [f"Athlete: {plain(name)}", text])))


def _by_distance_s(row: TrainingPrescription | Event) -> float | None:
    speed_mps = DEFAULT_SPEED_MPS.get(str(row.sport))
    return row.distance / speed_mps if row.distance and speed_mps else None


def _length(stated_s: float | None, estimate_s: float | None) -> tuple[float | None, str | None]:
    """The stated length, else the estimate, marked in the text: calendars hide entries without a length."""
    if stated_s or not estimate_s:
        return stated_s, None
    return round(estimate_s / 60) * 60, "Length estimated."


def _entry(row_id: str, title: str, texts: Texts, made_at: datetime) -> IEvent:
    """An entry whose UID follows from its row: calendars replace their copy."""
    entry = IEvent()
    entry.add("uid", plain(f"{row_id}@coachboard"))
    entry.add("dtstamp", made_at)
    entry.add("summary", visible(title))
    if text := "\n".join(filter(None, texts)):
        entry.add("description", visible(text))
    return entry


def _add_time(
    entry: IEvent,
    row: TrainingPrescription | Event | Note,
    length_s: float | None,
    zone: tzinfo | None,
    *,
    last_day: date | None = None,
) -> None:
    if row.time is None or last_day not in {None, row.date}:
        entry.add("dtstart", row.date)
        entry.add("dtend", (last_day or row.date) + _DAY)
        return
    start = datetime.combine(row.date, row.time, zone)
    entry.add("dtstart", start.astimezone(UTC) if zone is not None else start)
    entry.add("duration", timedelta(seconds=float(length_s or 0)))
