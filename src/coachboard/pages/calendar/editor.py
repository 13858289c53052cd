"""The editor of an entry: its fields, the profile of the typed text, and saving as one batch."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from enum import StrEnum
from functools import partial
from hashlib import sha256
from math import isnan, nan
from types import MappingProxyType
from typing import Any, TypeVar

import orjson
import streamlit as st
from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from coachboard.client.errors import BadRequest, EditConflict, NotFound, ServiceError
from coachboard.client.planning import PlanConflict, Planning
from coachboard.pages import comments
from coachboard.pages.calendar import library, planning
from coachboard.pages.calendar.data import CalendarData
from coachboard.pages.session_fields import sport_options
from coachboard.pages.workout_preview import (
    GRAMMAR,
    day_values_of,
    examples_of,
    missing_words,
    preview_of,
    title_of,
)
from coachboard.plain_text import plain
from coachboard.ui.frame import formats, state
from coachboard.ui.frame.addresses import page_url
from coachboard.ui.frame.page import Page, inviting_workspaces
from coachboard.ui.widgets.plan_editor import (
    EditorField,
    EditorPanel,
    EditorReport,
    MissingAmounts,
    WorkoutPreview,
    draw_editor,
)
from coachboard.wire.base import plausible_day
from coachboard.wire.enums import NoteType, Sport, TrainingStimulus
from coachboard.wire.library import LibraryValue, LibraryWorkout
from coachboard.wire.planning import EntryKind, EventPriority, PlanEntry, PlanOp, PlanOperation
from coachboard.wire.prescriptions import StructureElement
from coachboard.workout_text.parsing import TypedWorkout, parse_workout
from coachboard.workout_text.summary import WorkoutSummary, summarize_workout
from coachboard.workout_text.values import DayValues
from coachboard.workout_text.writing import write_workout

M = TypeVar("M", PlanOperation, LibraryValue)
_STATE = "calendar.editor"
LIBRARY = "library"
"""`what` of a workout of the library."""
_RECENT_DAYS = 42
_NOTES = MappingProxyType(
    {
        "note": (NoteType.TRAINING, ""),
        "day-off": (NoteType.REST_DAY, "Day off"),
        "illness": (NoteType.MEDICAL, "Illness"),
        "travel": (NoteType.AVAILABILITY, "Travel"),
    }
)
"""Type and title of the new notes."""


@dataclass(frozen=True, slots=True)
class OpenEntry:
    """The entry in the editor as it was when it was opened, with what was typed and what the service refused."""

    key: str  # as in the address
    entry: PlanEntry | None
    what: str = ""  # of a new entry
    day: date | None = None
    user_id: str = ""
    sport: Sport = Sport.CYCLING  # of a new workout or event
    typed: Mapping[str, Any] | None = None
    refusal: str = ""
    theirs: PlanEntry | LibraryWorkout | None = None
    can_be_draft: bool = False  # refused for errors of the text alone
    values: Mapping[str, Any] | None = None  # of the refused save
    workout: LibraryWorkout | None = None  # of the library, or the one that a new entry repeats

    @property
    def kind(self) -> EntryKind:
        if self.entry is not None:
            return self.entry.kind
        kinds = {"workout": EntryKind.WORKOUT, "event": EntryKind.EVENT, LIBRARY: EntryKind.WORKOUT}
        return kinds.get(self.what, EntryKind.NOTE)

    @property
    def is_of_library(self) -> bool:
        return self.what == LIBRARY

    @property
    def text(self) -> str:
        """The typed workout as it was when it was opened."""
        if self.entry is not None:
            return text_of(self.entry)
        return (self.workout.text or "") if self.workout else ""


@st.fragment
def draw(page: Page, data: CalendarData) -> None:
    """The panel of the entry in the address; nothing for a service without the planning API."""
    if not page.client.planning.has("entries"):
        return
    if planning.is_written():
        st.rerun()
    opened = _opened(page, data)
    saved = str(state.get(f"{_STATE}.saved", ""))
    gone = str(state.get(f"{_STATE}.gone", ""))
    panel = EditorPanel(gone=gone) if opened is None else _panel(page, data, opened)
    draw_editor(
        replace(panel, saved=saved, answered=state.get(f"{_STATE}.answered", 0)),
        key=_STATE,
        on_typed=_take_typed,
        on_act=partial(_take_act, page),
    )


def _opened(page: Page, data: CalendarData) -> OpenEntry | None:
    key = state.get_param(planning.EDITED)
    entry: OpenEntry | None = state.get(f"{_STATE}.opened")
    if key is None:
        state.forget(f"{_STATE}.opened")
        return None
    if entry is None or entry.key != key:
        entry = _open(page, data, key)
        state.put(f"{_STATE}.opened", entry)
        state.forget(f"{_STATE}.saved")
    return entry


def _open(page: Page, data: CalendarData, key: str) -> OpenEntry | None:
    if key == library.NEW or key.startswith(library.PREFIX):
        return _of_library(page, data, key)
    if key.startswith("new."):
        return _new(page, data, key)
    entry = data.entries.get(key)
    try:
        entry = entry or page.client.planning.entry(key)
    except NotFound:
        state.put(f"{_STATE}.gone", _draft_key(page, key))
    except ServiceError:
        pass  # the page says that the service does not answer; the draft waits in the tab
    if entry is None:
        state.set_param(planning.EDITED, None)
        return None
    return OpenEntry(key, entry, user_id=entry.user_id, day=entry.date)


def _draft_key(page: Page, key: str) -> str:
    """The name of an entry's draft in the browser's tab: one person never gets the draft of another."""
    return f"{page.profile.id} {key}"


def _new_key(page: Page, entry: PlanEntry) -> str:
    """The address of a new entry like this one, for a draft whose entry was deleted meanwhile."""
    what = "note" if entry.kind is EntryKind.NOTE else str(entry.kind)
    user_id = state.OWN if entry.user_id == page.profile.id else entry.user_id
    return f"new.{what}.{entry.date}.{user_id}"


def _new(page: Page, data: CalendarData, key: str) -> OpenEntry | None:
    _, what, *rest = key.split(".")
    users = {user.id for user in page.everyone}
    with suppress(ValueError):
        day, user_id = plausible_day(rest[0]), ".".join(rest[1:])
        if what in dict(planning.NEW_ENTRIES) and user_id in users:
            sport = main_sport(data, user_id)
            return OpenEntry(key, None, what=what, day=day, user_id=user_id, sport=sport)
        if what.startswith(library.PREFIX) and user_id in users:
            with suppress(ServiceError):
                workout = page.client.planning.workout(what)
                return OpenEntry(
                    key, None, what="workout", day=day, user_id=user_id, sport=workout.sport, workout=workout
                )
    state.set_param(planning.EDITED, None)
    return None


def _of_library(page: Page, data: CalendarData, key: str) -> OpenEntry | None:
    """A workout of the library, with the figures of the calendar's first athlete."""
    user_id = data.athletes[0].user_id
    if key == library.NEW:
        return OpenEntry(key, None, what=LIBRARY, user_id=user_id, sport=main_sport(data, user_id))
    with suppress(ServiceError):
        workout = page.client.planning.workout(key)
        return OpenEntry(key, None, what=LIBRARY, user_id=user_id, sport=workout.sport, workout=workout)
    state.set_param(planning.EDITED, None)
    return None


def main_sport(data: CalendarData, user_id: str) -> Sport:
    """The sport of most hours of the athlete's sessions of the last six weeks and the plans from then on; else cycling."""
    first = data.today - timedelta(days=_RECENT_DAYS)
    hours = Counter[Sport]()
    for athlete in data.athletes:
        if athlete.user_id == user_id:
            plans = [match.planned for match in athlete.matches if match.planned]
            for part in (*athlete.season_sessions, *(athlete.season_plans or plans)):
                if part.sport is not None and part.day >= first:
                    hours[part.sport] += 1 if isnan(part.duration_s) else part.duration_s / 3600
    return max(hours, key=lambda sport: (hours[sport], sport), default=Sport.CYCLING)


# The panel.


def _panel(page: Page, data: CalendarData, opened: OpenEntry) -> EditorPanel:
    entry = opened.entry
    allowed = set(PlanOp) if entry is None else set(entry.allowed)
    fields = fields_of(page, opened)
    is_built_in = opened.workout is not None and opened.workout.is_built_in
    new_key = library.NEW if opened.is_of_library else _new_key(page, entry) if entry else None
    return EditorPanel(
        id=opened.key,
        version=entry.etag if entry else opened.workout.etag if opened.workout else "new",
        draft_key=_draft_key(page, opened.key),
        new_draft_key="" if new_key is None else _draft_key(page, new_key),
        title=_title(page, opened),
        fields=fields,
        can_save=bool(allowed & {PlanOp.UPDATE, PlanOp.MOVE}),
        save_label="Save a copy" if opened.is_of_library and is_built_in else "Save",
        actions=_actions(page, data, opened),
        remarks=_library_remarks(page, opened) if opened.is_of_library else _remarks(page, entry),
        refusal=opened.refusal,
        theirs=_theirs(page, opened),
        can_be_draft=opened.can_be_draft,
        preview=_preview(page, opened),
        templates=examples_of(_sport(opened)),
        help=GRAMMAR,
    )


def _title(page: Page, opened: OpenEntry) -> str:
    if opened.is_of_library:
        return "Workout of the library" if opened.workout else "New workout of the library"
    kind = dict(planning.NEW_ENTRIES).get(opened.what) or str(opened.kind).capitalize()
    label = kind if opened.entry else f"New {kind[:1].lower()}{kind[1:]}"
    name = "" if opened.user_id in {state.OWN, page.profile.id} else page.names.get(opened.user_id, "")
    return " · ".join(part for part in (label, name) if part)


def _actions(page: Page, data: CalendarData, opened: OpenEntry) -> list[tuple[str, ...]]:
    """Name and label of each button; with a question for one that has to be confirmed."""
    entry, workout = opened.entry, opened.workout
    if opened.is_of_library:
        question = "Delete this workout from the library? Planned copies of it stay."
        delete = [("delete", "Delete", question)] if workout and not workout.is_built_in else []
        return [("plan", "Add to a day…"), *delete] if workout else []
    can_keep = opened.kind is EntryKind.WORKOUT and library.has_library(page, data)
    keep = [("library", "Save to library")] if can_keep else []
    if entry is None:
        return [*keep]
    is_done = any(entry.id in athlete.done_ids for athlete in data.athletes)
    actions = {
        PlanOp.SKIP: ("skip", "Skip…"),
        PlanOp.UNSKIP: ("unskip", "Undo skip"),
        PlanOp.DELETE: ("delete", "Delete"),
    }
    offered = [
        action
        for op, action in actions.items()
        if op in entry.allowed and not (op is PlanOp.SKIP and is_done)
    ]
    unread = comments.unread_by_row(page)[entry.id]
    new = f", {unread} new" if unread else ""
    details = f"Details and comments{new}" if page.client.planning.has("comments") else "Show details"
    return [*offered, *keep, ("details", details)]


def _library_remarks(page: Page, opened: OpenEntry) -> str:
    """Whose values the figures follow, as a library has no athlete; who made the workout."""
    name = plain(page.names.get(opened.user_id), longest=60)
    figures = f"Load and zones for {name}" if name and opened.user_id != state.OWN else ""
    return " · ".join(part for part in (library.remarks_of(page, opened.workout), figures) if part)


def _remarks(page: Page, entry: PlanEntry | None) -> str:
    if entry is None:
        return ""
    by = f"Planned by {plain(entry.created_by.name, longest=60)}" if entry.created_by else ""
    changed = ""
    if entry.updated_by and entry.updated_at:
        changed = (
            f"changed by {plain(entry.updated_by.name, longest=60)} {formats.ago(entry.updated_at, page.now)}"
        )
    text = " · ".join(part for part in (by, changed, *planning.remarks_of(entry, today=page.today)) if part)
    return f"{text[:1].upper()}{text[1:]}"


def fields_of(page: Page, opened: OpenEntry) -> list[EditorField]:
    """The fields of the entry's kind with its values."""
    if opened.is_of_library:
        return library.workout_fields(page, opened.workout, opened.sport)
    makers = {
        EntryKind.WORKOUT: _workout_fields,
        EntryKind.NOTE: _note_fields,
        EntryKind.EVENT: _event_fields,
    }
    fields = makers[opened.kind](opened)
    if opened.user_id in {state.OWN, page.profile.id}:
        fields = [field for field in fields if field.name not in _OF_COACHES]
    if opened.entry is None:
        led = inviting_workspaces(page.profile)
        if len(led) > 1 and opened.user_id not in {state.OWN, page.profile.id}:
            options = [
                ("", "Choose automatically"),
                *((workspace.id, plain(workspace.name)) for workspace in led),
            ]
            fields.append(EditorField("workspace_id", "Workspace", "choice", "", options))
        return fields
    if PlanOp.UPDATE in opened.entry.allowed:
        return fields
    may_move = PlanOp.MOVE in opened.entry.allowed
    return [replace(field, is_disabled=not (may_move and field.name == "date")) for field in fields]


_OF_COACHES = {"visible_from", "is_private", "is_locked"}
"""Fields without a meaning on one's own calendar."""


def _day_field(name: str, label: str, day: date | None, hint: str = "") -> EditorField:
    return EditorField(name, label, "date", day.isoformat() if day else "", hint=hint)


def _time_field(clock: time | None) -> EditorField:
    return EditorField("time", "Time", "time", f"{clock:%H:%M}" if clock else "")


def _visible_field(entry: PlanEntry | None) -> EditorField:
    return _day_field("visible_from", "Hidden from the athlete until", entry.visible_from if entry else None)


def _sport_field(sport: Sport) -> EditorField:
    return EditorField("sport", "Sport", "choice", sport, sport_options())


def _workout_fields(opened: OpenEntry) -> list[EditorField]:
    entry = opened.entry
    row = entry.prescription if entry else None
    source = row or opened.workout
    return [
        EditorField("title", "Title", "text", source.title if source else "", is_wide=True),
        _sport_field(row.sport if row else opened.sport),
        _day_field("date", "Date", opened.day),
        _time_field(row.time if row else None),
        EditorField("text", "Steps", "workout", opened.text),
        EditorField("description", "For the athlete", "lines", (source.description or "") if source else ""),
        _visible_field(entry),
        EditorField(
            "is_locked", "Locked: the athlete cannot move it", "check", bool(entry and entry.is_locked)
        ),
    ]


def text_of(entry: PlanEntry) -> str:
    """The typed workout; of one that came with steps only, the steps as text."""
    row = entry.prescription
    if entry.text is not None or row is None or not row.structure:
        return entry.text or ""
    return write_workout(row.structure, row.sport)


def _note_fields(opened: OpenEntry) -> list[EditorField]:
    entry = opened.entry
    row = entry.note if entry else None
    kind, title = _NOTES.get(opened.what, _NOTES["note"])
    return [
        EditorField("title", "Title", "text", row.title if row else title, is_wide=True),
        EditorField(
            "type",
            "Type",
            "choice",
            row.type if row else kind,
            [(note_type, formats.label(note_type)) for note_type in NoteType],
        ),
        _day_field("date", "First day", opened.day),
        _day_field("end_date", "Last day", entry.end_date if entry else None),
        EditorField("content", "Text", "lines", (row.content or "") if row else ""),
        _visible_field(entry),
        EditorField("is_private", "Private: for coaches only", "check", bool(entry and entry.is_private)),
    ]


def _event_fields(opened: OpenEntry) -> list[EditorField]:
    entry = opened.entry
    row = entry.event if entry else None
    km = f"{row.distance / 1000:g}" if row and row.distance is not None else ""
    priorities = [("", "No priority"), *((level, f"{level} race") for level in EventPriority)]
    return [
        EditorField("name", "Name", "text", row.name if row else "", is_wide=True),
        _sport_field(row.sport if row else opened.sport),
        EditorField("priority", "Priority", "choice", (entry.priority or "") if entry else "", priorities),
        _day_field("date", "First day", opened.day),
        _day_field("end_date", "Last day", entry.end_date if entry else None),
        _time_field(row.time if row else None),
        EditorField("distance", "Distance (km)", "text", km),
        EditorField("description", "Text", "lines", (row.description or "") if row else ""),
        _visible_field(entry),
    ]


def _theirs(page: Page, opened: OpenEntry) -> list[tuple[str, str, str]]:
    """The fields whose value at the service differs from the user's."""
    if opened.theirs is None or opened.values is None:
        return []
    theirs = opened.theirs
    current = fields_of(
        page,
        replace(opened, workout=theirs)
        if isinstance(theirs, LibraryWorkout)
        else replace(opened, entry=theirs, day=theirs.date),
    )
    values = opened.values
    return [
        (field.name, field.label, _words(field.value))
        for field in current
        if field.name in values and values[field.name] != field.value
    ]


def _words(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


# The profile of the text.


def _sport(opened: OpenEntry) -> Sport:
    typed = (opened.typed or {}).get("sport")
    with suppress(ValueError):
        return Sport(str(typed))
    return opened.entry.prescription.sport if opened.entry and opened.entry.prescription else opened.sport


def _preview(page: Page, opened: OpenEntry) -> WorkoutPreview | None:
    if opened.kind is not EntryKind.WORKOUT:
        return None
    typed = (opened.typed or {}).get("text")
    text = typed if isinstance(typed, str) else opened.text
    if not text.strip():
        return None
    sport = _sport(opened)
    values = _values(page, opened, sport)
    workout = parse_workout(text, sport, values)
    summary = summarize_workout(
        _stored_structure(opened, sport, text) or workout.structure,
        sport,
        values,
        free_duration_s=_free_s(opened),
        pace_bands=page.pace_bands,
    )
    missing = _missing(page, opened, *_needed(workout, summary, sport, values))
    return preview_of(page, workout, summary, sport, missing=missing)


def _stored_structure(opened: OpenEntry, sport: Sport, text: str) -> Sequence[StructureElement] | None:
    """Steps that came without a text, as long as nobody types: they may hold more than the text written for them."""
    entry = opened.entry
    row = entry.prescription if entry else None
    if entry is None or row is None or row.sport != sport or text != text_of(entry):
        return None
    return row.structure


def _free_s(opened: OpenEntry) -> float | None:
    row = opened.entry.prescription if opened.entry else opened.workout
    return row.free_duration if row else None


def _values(page: Page, opened: OpenEntry, sport: Sport) -> DayValues:
    """Those of the service, which computes the load of the saved workout with them; read once for a sport and day."""
    asked = opened.user_id, sport, opened.day or page.today
    kept = state.get(f"{_STATE}.values")
    if kept is not None and kept[0] == asked:
        return kept[1]  # type: ignore[no-any-return] # put below
    try:
        values = day_values_of(page.client.planning.values(*asked))
    except ServiceError:
        return DayValues()
    state.put(f"{_STATE}.values", (asked, values))
    return values


_THRESHOLD = "threshold heart rate"


def _needed(
    workout: TypedWorkout, summary: WorkoutSummary, sport: Sport, values: DayValues
) -> tuple[str, str]:
    """The value that an error of the text names, else that of `missing_words`."""
    if any(_THRESHOLD in error.text for error in workout.errors):
        return f"Targets in % LTHR need a {_THRESHOLD}.", _THRESHOLD
    return missing_words(summary, sport, values) if workout.structure else ("", "")


def _missing(page: Page, opened: OpenEntry, words: str, value: str) -> MissingAmounts | None:
    """With the address of the page on which the athlete's value is set."""
    if not value:
        return MissingAmounts(words) if words else None
    link = page_url("values", athlete=opened.user_id) if page.client.planning.has("availability") else ""
    return MissingAmounts(words, link, f"Set the {value} in Values")


# Reports of the panel.


def _take_typed(report: EditorReport) -> None:
    opened = state.get(f"{_STATE}.opened")
    if isinstance(opened, OpenEntry):
        state.put(f"{_STATE}.opened", replace(opened, typed=report))


def _take_act(page: Page, report: EditorReport) -> None:
    state.put(f"{_STATE}.answered", _number(report) or state.get(f"{_STATE}.answered", 0))
    opened = state.get(f"{_STATE}.opened")
    act = report.get("act")
    if act == "open":
        state.set_param(planning.EDITED, str(report.get("id")) if report.get("id") else None)
    elif not isinstance(opened, OpenEntry):
        return
    elif act == "plan":
        state.set_param(planning.EDITED, f"new.{opened.key}.{page.today}.{opened.user_id}")
    elif act in {"close", "details"}:
        _close()
        if act == "details":
            state.set_param("open", opened.key)
            planning.mark_written([opened.user_id])
    elif act == "reload":
        state.forget(f"{_STATE}.opened")
        planning.mark_written([opened.user_id])
    elif act in _WRITES:
        _write(page, opened, report)


_WRITES = {"save", "delete", "skip", "unskip", LIBRARY}


def _close() -> None:
    state.set_param(planning.EDITED, None)
    state.forget(f"{_STATE}.opened")
    state.forget(f"{_STATE}.values")


def _write(page: Page, opened: OpenEntry, report: EditorReport) -> None:
    values = report.get("values")
    values = values if isinstance(values, dict) else {}
    write = _write_workout if opened.is_of_library else _write_entry
    if report.get("act") == LIBRARY:
        write = _write_copy
    try:
        written = write(page, opened, report, values)
    except planning.Refused as error:
        refused = replace(opened, refusal=str(error), theirs=None, can_be_draft=False, values=values)
        state.put(f"{_STATE}.opened", refused)
    except ServiceError as error:
        theirs = _theirs_of(error)
        text = planning.refusal(error, labels_of(fields_of(page, opened)))
        if report.get("act") == "save" and _is_gone(error):
            _close()
            state.put(f"{_STATE}.gone", _draft_key(page, opened.key))
            planning.mark_written([opened.user_id])
            return
        if theirs is not None:
            text = f"{text} Save mine writes the fields that you changed and keeps their others."
        refused = replace(opened, refusal=text, theirs=theirs, values=values)
        is_of_text = isinstance(error, BadRequest) and error.words.startswith("text: ")
        state.put(f"{_STATE}.opened", replace(refused, can_be_draft=is_of_text))
    else:
        if report.get("act") != LIBRARY:
            state.put(f"{_STATE}.saved", _draft_key(page, opened.key))
            _close()
        planning.mark_written(written)


def _theirs_of(error: ServiceError) -> PlanEntry | LibraryWorkout | None:
    """The row of a conflict as it is now."""
    if isinstance(error, PlanConflict):
        return error.rows[0].entry if error.rows else None
    current = error.current if isinstance(error, EditConflict) else None
    return LibraryWorkout.from_wire(current) if current else None


def _write_entry(
    page: Page, opened: OpenEntry, report: EditorReport, values: Mapping[str, Any]
) -> Iterable[str]:
    """Do the operation of a button; returns the athletes whose calendars it wrote."""
    operation, text = _operation(page, opened, report, values)
    if operation is None:
        return ()
    key = f"{page.fingerprint[:16]}-{_key(report.get('draft'), operation)}"
    reply = page.client.planning.batch([operation], source=planning.SOURCE, idempotency_key=key)
    planning.note_batch(reply, text, number=_number(report))
    return planning.written_by([operation])


def _write_workout(
    page: Page, opened: OpenEntry, report: EditorReport, values: Mapping[str, Any]
) -> Iterable[str]:
    """Save or delete a workout of the library; one of Coachboard's is saved as a copy."""
    client, workout, fields = page.client.planning, opened.workout, fields_of(page, opened)
    values = with_title(values, opened)
    named = plain(str(values.get("title") or ""), longest=60) or "the workout"
    etag = str(report.get("version"))
    if report.get("force") and opened.theirs:
        etag = opened.theirs.etag
    if report.get("act") == "delete" and workout is not None:
        client.delete_workout(workout.id, etag)
        planning.tell(f"Deleted {named} from the library", number=_number(report))
        return ()
    is_new = workout is None or workout.is_built_in
    before = {field.name: field.value for field in fields}
    given = {name: value for name, value in values.items() if is_new or value != before.get(name)}
    wire = wire_values(given, opened.kind, emptied=_EMPTIED | library.EMPTIED)
    make = partial(library.value_of, wire, is_draft=bool(report.get("asDraft")))
    value = checked(make, labels_of(fields))
    if is_new or workout is None:
        client.create_workout(value)
    elif given:
        client.change_workout(workout.id, etag, value)
    planning.tell(f"Saved {named} to the library", number=_number(report))
    return ()


def _write_copy(
    page: Page, opened: OpenEntry, report: EditorReport, values: Mapping[str, Any]
) -> Iterable[str]:
    """Save what the editor of an entry has as a private workout of the library."""
    fields = library.copy_of(opened.entry or opened.workout, with_title(values, opened))
    if "title" not in fields:
        raise planning.Refused("Title: enter a few words.")
    make = partial(library.value_of, fields, is_draft=True)
    page.client.planning.create_workout(checked(make, labels_of(fields_of(page, opened))))
    planning.tell(f"Saved {plain(fields['title'], longest=60)} to the library", number=_number(report))
    return ()


def _number(report: EditorReport) -> int:
    number = report.get("number")
    return number if isinstance(number, int) else 0


def _is_gone(error: ServiceError) -> bool:
    """Whether the entry was deleted, or is no longer for the user to see."""
    return isinstance(error, NotFound) or (isinstance(error, EditConflict) and _theirs_of(error) is None)


def _key(draft: object, operation: PlanOperation) -> str:
    """The same for an unchanged draft, which the service writes once: the answer to the first attempt may be lost."""
    digest = sha256(orjson.dumps(operation.to_wire(), option=orjson.OPT_SORT_KEYS)).hexdigest()
    return f"{draft if isinstance(draft, int) else 0}-{digest[:32]}"


def _operation(
    page: Page, opened: OpenEntry, report: EditorReport, values: Mapping[str, Any]
) -> tuple[PlanOperation | None, str]:
    """The operation of a button, with its news; None if nothing was changed."""
    entry = opened.entry
    values = with_title(values, opened)
    draft = {"is_draft": True} if report.get("asDraft") else {}
    named = plain(str(values.get("title") or values.get("name") or ""), longest=60) or "the entry"
    if entry is None:
        return _creation(page, opened, values, draft), f"Added {named}"
    # The version that the typed text began from; with `force` the user has seen the newer one.
    etag = (
        opened.theirs.etag if report.get("force") and opened.theirs else report.get("version") or entry.etag
    )
    entry = entry.model_copy(update={"etag": str(etag)})
    act = report.get("act")
    if act == "delete":
        return Planning.operation(entry, PlanOp.DELETE), f"Deleted {named}"
    if act == "unskip":
        return Planning.operation(entry, PlanOp.UNSKIP), f"No longer skipped: {named}"
    if act == "skip":
        reason = str(report.get("reason") or "").strip()
        if not reason:
            raise planning.Refused("Enter a reason: why is the workout skipped?")
        return Planning.operation(entry, PlanOp.SKIP, reason=reason[:500]), f"Skipped {named}"
    return _update(entry, fields_of(page, opened), values, named, draft)


def with_title(values: Mapping[str, Any], opened: OpenEntry) -> Mapping[str, Any]:
    """The typed values; a workout without a title gets the one that its text proposes, else that of its sport."""
    text = values.get("text")
    if (
        opened.kind is not EntryKind.WORKOUT
        or not isinstance(text, str)
        or not text.strip()
        or str(values.get("title") or "").strip()
    ):
        return values
    sport = _sport(replace(opened, typed=values))
    return {**values, "title": title_of(parse_workout(text, sport), sport) or formats.sport(sport)}


def _creation(
    page: Page, opened: OpenEntry, values: Mapping[str, Any], draft: Mapping[str, Any]
) -> PlanOperation:
    value = {**wire_values(values, opened.kind), **draft}
    if opened.workout is not None and opened.workout.training_stimulus is not None:
        value["training_stimulus"] = opened.workout.training_stimulus
    user_id = page.profile.id if opened.user_id == state.OWN else opened.user_id
    return checked(
        partial(Planning.create, user_id, opened.kind, **value), labels_of(fields_of(page, opened))
    )


def _update(
    entry: PlanEntry,
    fields: Sequence[EditorField],
    values: Mapping[str, Any],
    named: str,
    draft: Mapping[str, Any],
) -> tuple[PlanOperation | None, str]:
    """The changed values; a new day alone is a move, which keeps the day first planned."""
    before = {field.name: field.value for field in fields}
    changed = {name: value for name, value in values.items() if name in before and value != before[name]}
    value = {**wire_values(changed, entry.kind), **draft}
    if not value:
        return None, ""
    if set(value) == {"date"}:
        return Planning.operation(entry, PlanOp.MOVE, date=value["date"]), f"Moved {named}"
    update = partial(Planning.operation, entry, PlanOp.UPDATE, **value)
    return checked(update, labels_of(fields)), f"Saved {named}"


_EMPTIED = {"description", "content", "text", "time", "end_date", "visible_from", "priority", "distance"}
"""Fields that may be empty."""


def wire_values(
    values: Mapping[str, Any], kind: EntryKind, *, emptied: AbstractSet[str] = _EMPTIED
) -> dict[str, Any]:
    """The typed values as fields of a `PlanValue`; an empty one is None. Raises `Refused` naming the field."""
    fields: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, bool):
            fields[name] = value
            continue
        text = str(value).strip() if name != "text" else str(value)
        fields[name] = _READERS.get(name, str)(text) if text else None
    required = {EntryKind.EVENT: ("name", "Name")}.get(kind, ("title", "Title"))
    if required[0] in fields and not fields[required[0]]:
        raise planning.Refused(f"{required[1]}: enter a few words.")
    if "date" in fields and fields["date"] is None:
        raise planning.Refused("Enter a date.")
    return {name: value for name, value in fields.items() if value is not None or name in emptied}


def _day(text: str) -> date:
    try:
        return plausible_day(text)
    except ValueError:
        raise planning.Refused("Enter a date as year, month and day.") from None


def _time(text: str) -> time:
    try:
        return time.fromisoformat(text)
    except ValueError:
        raise planning.Refused("Time: enter hours and minutes, such as 07:30.") from None


_MOST_KM = 5_000


def _metres(text: str) -> float:
    try:
        kilometres = float(text.replace(",", "."))
    except ValueError:
        kilometres = nan
    if not 0 <= kilometres <= _MOST_KM:
        raise planning.Refused(f"Distance: enter kilometres from 0 to {_MOST_KM:,}, such as 42.2.")
    return kilometres * 1000


def _choice(values: type[StrEnum], label: str, text: str) -> StrEnum:
    try:
        return values(text)
    except ValueError:
        raise planning.Refused(f"{label}: choose a value of the list.") from None


_READERS: Mapping[str, Callable[[str], object]] = MappingProxyType(
    {
        "date": _day,
        "end_date": _day,
        "visible_from": _day,
        "time": _time,
        "distance": _metres,
        "sport": partial(_choice, Sport, "Sport"),
        "training_stimulus": partial(_choice, TrainingStimulus, "Stimulus"),
        "type": partial(_choice, NoteType, "Type"),
        "priority": partial(_choice, EventPriority, "Priority"),
    }
)


def labels_of(fields: Iterable[EditorField]) -> dict[str, str]:
    """The labels of the fields by their names on the wire."""
    return {to_camel(field.name): field.label for field in fields}


def checked(make: Callable[[], M], labels: Mapping[str, str]) -> M:
    """The operation or the fields. Raises `Refused` with the label of the first wrong field, such as a title that is too long."""
    try:
        return make()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name, limits = str(first["loc"][0]), first.get("ctx", {})
        words = f"at most {limits['max_length']:,} characters" if "max_length" in limits else first["msg"]
        raise planning.Refused(f"{labels.get(name, name)}: {words}.") from error
