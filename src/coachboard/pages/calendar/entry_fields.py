"""The fields of an entry in the editor: their values, and the typed ones as fields of the planning API."""

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, time
from enum import StrEnum
from functools import partial
from math import nan
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from coachboard.pages.calendar import library, planning
from coachboard.pages.session_fields import sport_options, stimulus_options
from coachboard.pages.workout_preview import title_of
from coachboard.plain_text import plain
from coachboard.ui.frame import formats, state
from coachboard.ui.frame.page import Page, inviting_workspaces
from coachboard.ui.widgets.plan_editor import EditorField
from coachboard.wire.base import plausible_day
from coachboard.wire.enums import NoteType, Sport, TrainingStimulus
from coachboard.wire.library import LibraryValue, LibraryWorkout
from coachboard.wire.planning import EntryKind, EventPriority, PlanEntry, PlanOp, PlanOperation
from coachboard.workout_text.parsing import parse_workout
from coachboard.workout_text.writing import write_workout

M = TypeVar("M", PlanOperation, LibraryValue)
LIBRARY = "library"
"""`what` of a workout of the library."""
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


def _workout_fields(opened: OpenEntry) -> list[EditorField]:
    entry = opened.entry
    row = entry.prescription if entry else None
    source = row or opened.workout
    return [
        EditorField("title", "Title", "text", source.title if source else "", is_wide=True),
        _sport_field(row.sport if row else opened.sport),
        _day_field("date", "Date", opened.day),
        _time_field(row.time if row else None),
        EditorField(
            "training_stimulus", "Stimulus", "choice", (source.training_stimulus or "") if source else "",
            stimulus_options(),
        ),
        EditorField("text", "Steps", "workout", opened.text),
        EditorField("description", "For the athlete", "lines", (source.description or "") if source else ""),
        _visible_field(entry),
        EditorField(
            "is_locked", "Locked: the athlete cannot move it", "check", bool(entry and entry.is_locked)
        ),
    ]  # fmt: skip


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


def _day_field(name: str, label: str, day: date | None, hint: str = "") -> EditorField:
    return EditorField(name, label, "date", day.isoformat() if day else "", hint=hint)


def _time_field(clock: time | None) -> EditorField:
    return EditorField("time", "Time", "time", f"{clock:%H:%M}" if clock else "")


def _visible_field(entry: PlanEntry | None) -> EditorField:
    return _day_field("visible_from", "Hidden from the athlete until", entry.visible_from if entry else None)


def _sport_field(sport: Sport) -> EditorField:
    return EditorField("sport", "Sport", "choice", sport, sport_options())


def text_of(entry: PlanEntry) -> str:
    """The typed workout; of one that came with steps only, the steps as text."""
    row = entry.prescription
    if entry.text is not None or row is None or not row.structure:
        return entry.text or ""
    return write_workout(row.structure, row.sport)


def sport_of(opened: OpenEntry) -> Sport:
    """The chosen sport, else that of the entry."""
    typed = (opened.typed or {}).get("sport")
    with suppress(ValueError):
        return Sport(str(typed))
    return opened.entry.prescription.sport if opened.entry and opened.entry.prescription else opened.sport


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
    sport = sport_of(replace(opened, typed=values))
    return {**values, "title": title_of(parse_workout(text, sport), sport) or formats.sport(sport)}


EMPTIED = {
    "description", "content", "text", "time", "end_date", "visible_from", "priority", "distance", "training_stimulus",
}  # fmt: skip
"""Fields that may be empty."""


def wire_values(
    values: Mapping[str, Any], kind: EntryKind, *, emptied: AbstractSet[str] = EMPTIED
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
