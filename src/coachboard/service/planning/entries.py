"""One operation on one row of a calendar, and the row as an entry of a reply."""

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import orjson

from coachboard.plain_text import lines_of, name_of, visible
from coachboard.service.api.errors import InvalidRequest
from coachboard.service.ids import new_id
from coachboard.service.own_data.requests import tag_of
from coachboard.service.planning import targets
from coachboard.service.planning.rights import Rights
from coachboard.service.planning.texts import check_structure, read_text
from coachboard.service.store.plans import MOST_SPAN_DAYS, PlanRow
from coachboard.wire.base import LAST_DAY, Wire, wire_names, write_timestamp
from coachboard.wire.enums import Sport
from coachboard.wire.library import LibraryValue
from coachboard.wire.planning import EntryKind, PairingMode, PlanValue
from coachboard.wire.plans import Event, Note
from coachboard.wire.prescriptions import TrainingPrescription

MODELS: dict[EntryKind, type[Wire]] = {
    EntryKind.WORKOUT: TrainingPrescription,
    EntryKind.NOTE: Note,
    EntryKind.EVENT: Event,
}
_OBJECTS = {EntryKind.WORKOUT: "prescription", EntryKind.NOTE: "note", EntryKind.EVENT: "event"}
_PREFIXES = {EntryKind.WORKOUT: "tpr", EntryKind.NOTE: "not", EntryKind.EVENT: "evt"}
_REQUIRED = {
    EntryKind.WORKOUT: ("date", "title", "sport"),
    EntryKind.NOTE: ("date", "title", "type"),
    EntryKind.EVENT: ("date", "name", "sport"),
}
_LINES = frozenset({"title", "name"})
_PARAGRAPHS = frozenset({"description", "content", "comment"})
_OF_ENTRY = {
    EntryKind.WORKOUT: ("text", "is_draft", "visible_from", "is_locked", "pairing"),
    EntryKind.NOTE: ("visible_from", "is_private", "end_date"),
    EntryKind.EVENT: ("visible_from", "end_date", "priority", "pairing"),
}
_WIRE_NAMES = wire_names(PlanValue)
_OF_TEXT = frozenset({"text", "sport", "free_duration", "is_draft"})
_OF_STRUCTURE = _OF_TEXT | {"structure"}
_DERIVED = frozenset({"structure", "zones_type", "duration", "distance"})
"""Fields that follow from the text of a workout; a person cannot set it beside a text."""
_OF_STEPS = ("training_stimulus", "average_power", "work", "calories")
"""Fields that describe the steps of a workout: none of them is true of other steps."""
_UNPAIRED = {"mode": PairingMode.NONE, "activityId": None}


def fields_of(kind: EntryKind) -> frozenset[str]:
    """The fields that `create` and `update` of that kind take, as they are called in Python."""
    own = set(MODELS[kind].model_fields) - {"id", "activity_id"}
    return frozenset(own | set(_OF_ENTRY[kind]))


def created(
    kind: EntryKind, user_id: str, value: PlanValue, *, creator_id: str, workspace_id: str | None
) -> PlanRow:
    """A new row. Raises `InvalidRequest`."""
    missing = [name for name in _REQUIRED[kind] if getattr(value, name) is None]
    if missing:
        raise InvalidRequest(f"a new {kind} needs {', '.join(missing)}")
    empty = dict.fromkeys(wire_names(MODELS[kind]).values())
    row = PlanRow(
        kind=kind,
        id=new_id(_PREFIXES[kind], user_id),
        user_id=user_id,
        day=value.date or date.min,
        moment="",
        body=orjson.dumps(empty),
        creator_id=creator_id,
        workspace_id=workspace_id,
    )
    return updated(row, value)


def updated(row: PlanRow, value: PlanValue) -> PlanRow:
    """The row with the fields that the value names. Raises `InvalidRequest`."""
    given = value.model_fields_set - {"workspace_id"}
    foreign = sorted(given - fields_of(row.kind))
    if foreign:
        raise InvalidRequest(f"a {row.kind} has no {', '.join(_WIRE_NAMES[name] for name in foreign)}")
    nulls = [name for name in _REQUIRED[row.kind] if name in given and getattr(value, name) is None]
    if nulls:
        raise InvalidRequest(f"{', '.join(nulls)}: may not be null")
    body, entry = orjson.loads(row.body), dict(row.entry)
    body["id"] = row.id
    own = value.model_dump(
        mode="json", by_alias=True, exclude_unset=True, include=given & set(MODELS[row.kind].model_fields)
    )
    body |= own
    for name in (_LINES | _PARAGRAPHS) & given:
        body[name] = cleaned_text(name, getattr(value, name))
    columns = _with_entry_fields(row, value, given, body, entry)
    if row.kind is EntryKind.WORKOUT:
        follow_text(value, given, body, entry)
        if given & _OF_STRUCTURE:
            columns["in_percent"] = targets.follows_values(body["structure"], entry.get("text"))
            if body["structure"] != orjson.loads(row.body)["structure"]:
                body |= {_WIRE_NAMES[name]: None for name in _OF_STEPS if name not in given}
    return _placed(row, body, entry, columns)


def cleaned_text(name: str, text: str | None) -> str | None:
    """A text of a field as it is stored. Raises `InvalidRequest` for a title of which nothing is left to see."""
    if name in _PARAGRAPHS:
        return lines_of(text)
    line = name_of(text)
    if line is None:
        raise InvalidRequest(f"{name}: has no visible character")
    return line


def _with_entry_fields(
    row: PlanRow, value: PlanValue, given: set[str], body: dict[str, Any], entry: dict[str, Any]
) -> dict[str, Any]:
    """The columns that the value changes; fields without a column are set in `entry`."""
    columns: dict[str, Any] = {}
    if "visible_from" in given:
        columns["hidden_until"] = value.visible_from
    if "is_private" in given:
        if value.is_private and row.workspace_id is None:
            raise InvalidRequest("only the note of a coach can be private")
        columns["is_private"] = bool(value.is_private)
    if "end_date" in given:
        columns["end_day"] = value.end_date
    for name in {"priority", "is_locked", "is_draft"} & given:
        entry[_WIRE_NAMES[name]] = getattr(value, name)
    if "pairing" in given:
        if value.pairing is not None and (value.pairing.mode is PairingMode.MANUAL) != bool(
            value.pairing.activity_id
        ):
            raise InvalidRequest("pairing: only the mode manual has an activityId")
        _pair(body, entry, None if value.pairing is None else value.pairing.to_wire())
    return columns


def _pair(body: dict[str, Any], entry: dict[str, Any], pairing: dict[str, Any] | None) -> None:
    """Set the pairing; under `auto` the session that the row had before a person chose returns."""
    if pairing is None or pairing["mode"] == PairingMode.AUTO:
        if entry.pop("pairing", None) is not None:
            body["activityId"] = entry.pop("automatic", None)
        return
    if "pairing" not in entry:
        entry["automatic"] = body["activityId"]
    entry["pairing"] = {"activityId": None, **pairing}
    body["activityId"] = entry["pairing"]["activityId"]


def follow_text(
    value: PlanValue | LibraryValue, given: AbstractSet[str], body: dict[str, Any], entry: dict[str, Any]
) -> None:
    """Let structure, duration and distance in `body` follow the text in `entry`. Raises `InvalidRequest`."""
    if "text" in given:
        entry["text"] = stored_text(value.text)
    elif "structure" in given:
        entry["text"] = None
        check_structure(body["structure"] or ())
    if entry.get("text") is not None:
        derived = {name for name in given & _DERIVED if getattr(value, name) is not None}
        if derived:
            names = ", ".join(sorted(_WIRE_NAMES[name] for name in derived))
            raise InvalidRequest(f"{names}: follows from the text")
        if given & _OF_TEXT:
            _read_text(body, entry)
    elif "text" in given and "structure" not in given:
        body |= dict.fromkeys(("structure", "zonesType"))


def stored_text(text: str | None) -> str | None:
    """The text of a workout as it is stored; None if it is empty."""
    return visible((text or "").replace("\r\n", "\n")).strip("\n") or None


def parse_ahead(value: PlanValue) -> None:
    """Parse the text of a new workout before the transaction, for which other writers wait."""
    text = stored_text(value.text)
    if text is not None and value.sport is not None:
        read_text(text, value.sport, value.free_duration)


def _read_text(body: dict[str, Any], entry: dict[str, Any]) -> None:
    read = read_text(entry["text"], Sport(body["sport"]), body["freeDuration"])
    if read.error is not None and not entry.get("isDraft"):
        raise InvalidRequest(f"text: {read.error}")
    is_draft = read.error is not None
    entry["isDraft"] = is_draft
    body["structure"] = None if is_draft else read.structure
    body["zonesType"] = None if is_draft else read.zones_type
    body["duration"] = None if is_draft else read.duration
    body["distance"] = None if is_draft else read.distance


def _placed(row: PlanRow, body: dict[str, Any], entry: dict[str, Any], columns: dict[str, Any]) -> PlanRow:
    """The row with its day; the day first planned is kept as long as the workout is on another day."""
    day = date.fromisoformat(body["date"])
    if row.kind is EntryKind.WORKOUT and row.moment:
        first = entry.get("originalDate") or row.day.isoformat()
        entry["originalDate"] = None if first == body["date"] else first
    end_day = columns.get("end_day", row.end_day)
    if end_day is not None and not day <= end_day < day + timedelta(days=MOST_SPAN_DAYS):
        raise InvalidRequest(f"endDate: must be from {day} on, and within {MOST_SPAN_DAYS} days")
    if end_day is not None and end_day > LAST_DAY:
        raise InvalidRequest(f"endDate: must be at most {LAST_DAY}")
    return replace(
        row,
        day=day,
        moment=f"{body['date']} {body['time'] or ''}",
        body=orjson.dumps(body),
        entry=_kept(entry),
        **columns,
    )


def _kept(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that have a value, in one order: equal entries have one etag."""
    return {name: entry[name] for name in sorted(entry) if entry[name] not in (None, False)}


def moved(row: PlanRow, day: date) -> PlanRow:
    """The row on another day; a span keeps its length."""
    body = {**orjson.loads(row.body), "date": day.isoformat()}
    columns = {} if row.end_day is None else {"end_day": row.end_day + (day - row.day)}
    return _placed(row, body, dict(row.entry), columns)


def copied(row: PlanRow, day: date, *, user_id: str, creator_id: str, workspace_id: str | None) -> PlanRow:
    """A copy on that day, as planned and not yet done: without pairing, skip, lock and comment."""
    body = {**orjson.loads(row.body), "id": new_id(_PREFIXES[row.kind], user_id), "date": day.isoformat()}
    if row.kind is not EntryKind.NOTE:
        body["activityId"] = None
    if row.kind is EntryKind.WORKOUT:
        body["comment"] = None
    entry = {
        name: held for name, held in row.entry.items() if name in {"text", "isDraft", "priority", "isLocked"}
    }
    copy = PlanRow(
        kind=row.kind,
        id=body["id"],
        user_id=user_id,
        day=row.day,
        moment="",
        body=b"",
        creator_id=creator_id,
        workspace_id=workspace_id,
        hidden_until=row.hidden_until,
        is_private=row.is_private and workspace_id is not None,
        end_day=None if row.end_day is None else row.end_day + (day - row.day),
        in_percent=row.kind is EntryKind.WORKOUT
        and targets.follows_values(body["structure"], entry.get("text")),
    )
    return _placed(copy, body, entry, {})


def planned_by(row: PlanRow, plan: Mapping[str, Any]) -> PlanRow:
    """The row with what a plan that wrote it needs to find it again."""
    return replace(row, entry=_kept({**row.entry, "plan": plan}))


def without_plan(row: PlanRow) -> PlanRow:
    """The row as a person would have written it."""
    return replace(row, entry={name: held for name, held in row.entry.items() if name != "plan"})


def with_identity_of(row: PlanRow, older: PlanRow) -> PlanRow:
    """The row with the id, the author and the workspace of an older one, which it replaces."""
    body = orjson.dumps({**orjson.loads(row.body), "id": older.id})
    return replace(row, id=older.id, body=body, creator_id=older.creator_id, workspace_id=older.workspace_id)


def paired(row: PlanRow, activity_id: str | None, *, is_automatic: bool = False) -> PlanRow:
    """The row with a session that a person chose, with none, or with the choice left to the dashboard."""
    body, entry = orjson.loads(row.body), dict(row.entry)
    pairing = _UNPAIRED if activity_id is None else {"mode": PairingMode.MANUAL, "activityId": activity_id}
    _pair(body, entry, None if is_automatic else pairing)
    return replace(row, body=orjson.dumps(body), entry=_kept(entry))


def skipped(row: PlanRow, reason: str | None, by: str) -> PlanRow:
    """The workout as skipped with a reason; without a reason as planned again."""
    entry = {name: held for name, held in row.entry.items() if name != "skipped"}
    if reason is not None:
        entry["skipped"] = {"reason": reason, "by": by}
    return replace(row, entry=_kept(entry))


def etag_of(row: PlanRow) -> str:
    return tag_of(row.content().decode())


@dataclass(frozen=True)
class EntryReplies:
    """Entries as one caller sees them; `athlete_of` has the athlete of a person's id."""

    rights: Rights
    names: Mapping[str, str]
    athlete_of: Callable[[str], targets.PlannedAthlete]

    def reply(self, row: PlanRow) -> dict[str, Any]:
        """The entry by the names of the wire, its object as encoded JSON."""
        entry, changed, body = row.entry, row.changed or {}, row.body
        if row.in_percent:
            body = targets.resolved(row.body, self.athlete_of(row.user_id), entry.get("text"))
        skip = entry.get("skipped")
        changed_at = changed.get("at")
        return {
            "id": row.id,
            "kind": row.kind,
            "userId": row.user_id,
            "workspaceId": row.workspace_id,
            **dict.fromkeys(_OBJECTS.values()),
            _OBJECTS[row.kind]: orjson.Fragment(body),
            "text": entry.get("text"),
            "isDraft": entry.get("isDraft", False),
            "originalDate": entry.get("originalDate"),
            "visibleFrom": row.hidden_until,
            "isPrivate": row.is_private,
            "endDate": row.end_day,
            "priority": entry.get("priority"),
            "isLocked": entry.get("isLocked", False),
            "skipped": None if skip is None else {"reason": skip["reason"], "by": self._person(skip["by"])},
            "pairing": _pairing_of(row),
            "plan": _plan_of(row),
            "createdBy": self._person(row.creator_id or (row.user_id if row.import_id else None)),
            "updatedBy": self._person(changed.get("by")),
            "updatedAt": None
            if changed_at is None
            else write_timestamp(datetime.fromtimestamp(changed_at, UTC)),
            "batchId": changed.get("batch"),
            "etag": etag_of(row),
            "allowed": self.rights.allowed(row),
        }

    def _person(self, user_id: str | None) -> dict[str, str] | None:
        return None if user_id is None else {"id": user_id, "name": self.names.get(user_id, user_id)}


def people_in(row: PlanRow) -> set[str]:
    """The ids of the people whose names the entry has."""
    skip, changed = row.entry.get("skipped") or {}, row.changed or {}
    ids = {row.creator_id, row.user_id, skip.get("by"), changed.get("by")}
    return {user_id for user_id in ids if user_id is not None}


def _plan_of(row: PlanRow) -> Mapping[str, Any] | None:
    plan = row.entry.get("plan")
    return None if plan is None else {name: plan[name] for name in ("planId", "entryId", "version")}


def _pairing_of(row: PlanRow) -> Mapping[str, Any] | None:
    if row.kind is EntryKind.NOTE:
        return None
    pairing: Mapping[str, Any] | None = row.entry.get("pairing")
    return pairing or {"mode": PairingMode.AUTO, "activityId": None}
