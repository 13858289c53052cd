"""Saving what the editor has: one batch on a calendar, or a workout of the library."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import Any

import orjson

from coachboard.client.errors import EditConflict, NotFound, ServiceError
from coachboard.client.planning import PlanConflict, Planning
from coachboard.pages.calendar import library, planning
from coachboard.pages.calendar.entry_fields import (
    EMPTIED,
    LIBRARY,
    OpenEntry,
    checked,
    fields_of,
    labels_of,
    wire_values,
    with_title,
)
from coachboard.plain_text import plain
from coachboard.ui.frame import state
from coachboard.ui.frame.page import Page
from coachboard.ui.widgets.plan_editor import EditorField, EditorReport
from coachboard.wire.library import LibraryWorkout
from coachboard.wire.planning import PlanEntry, PlanOp, PlanOperation


def save(page: Page, opened: OpenEntry, report: EditorReport, values: Mapping[str, Any]) -> Iterable[str]:
    """Do what a button says with the typed values; returns the athletes whose calendars it wrote.

    Raises `Refused` for a wrong value, and a `ServiceError`.
    """
    if report.get("act") == LIBRARY:
        _save_copy(page, opened, report, values)
        return ()
    if opened.is_of_library:
        _write_workout(page, opened, report, values)
        return ()
    return _write_entry(page, opened, report, values)


def _write_entry(
    page: Page, opened: OpenEntry, report: EditorReport, values: Mapping[str, Any]
) -> Iterable[str]:
    """Write the operation of a button as one batch, if it changes anything."""
    operation, text = _operation(page, opened, report, values)
    if operation is None:
        return ()
    key = f"{page.fingerprint[:16]}-{_key(report.get('draft'), operation)}"
    reply = page.client.planning.batch([operation], source=planning.SOURCE, idempotency_key=key)
    planning.note_batch(reply, text, number=number_of(report))
    return planning.written_by([operation])


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


def _creation(
    page: Page, opened: OpenEntry, values: Mapping[str, Any], draft: Mapping[str, Any]
) -> PlanOperation:
    value = {**wire_values(values, opened.kind), **draft}
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
    if "training_stimulus" in before and not changed.keys().isdisjoint({"text", "sport"}):
        # Other steps delete the stimulus of a workout: the visible one is saved with them.
        changed["training_stimulus"] = values["training_stimulus"]
    value = {**wire_values(changed, entry.kind), **draft}
    if not value:
        return None, ""
    if set(value) == {"date"}:
        return Planning.operation(entry, PlanOp.MOVE, date=value["date"]), f"Moved {named}"
    update = partial(Planning.operation, entry, PlanOp.UPDATE, **value)
    return checked(update, labels_of(fields)), f"Saved {named}"


def _write_workout(page: Page, opened: OpenEntry, report: EditorReport, values: Mapping[str, Any]) -> None:
    """Save or delete a workout of the library; one of Coachboard's is saved as a copy."""
    client, workout, fields = page.client.planning, opened.workout, fields_of(page, opened)
    values = with_title(values, opened)
    named = plain(str(values.get("title") or ""), longest=60) or "the workout"
    etag = str(report.get("version"))
    if report.get("force") and opened.theirs:
        etag = opened.theirs.etag
    if report.get("act") == "delete" and workout is not None:
        client.delete_workout(workout.id, etag)
        planning.tell(f"Deleted {named} from the library", number=number_of(report))
        return
    is_new = workout is None or workout.is_built_in
    before = {field.name: field.value for field in fields}
    given = {name: value for name, value in values.items() if is_new or value != before.get(name)}
    wire = wire_values(given, opened.kind, emptied=EMPTIED | library.EMPTIED)
    make = partial(library.value_of, wire, is_draft=bool(report.get("asDraft")))
    value = checked(make, labels_of(fields))
    if is_new or workout is None:
        client.create_workout(value)
    elif given:
        client.change_workout(workout.id, etag, value)
    planning.tell(f"Saved {named} to the library", number=number_of(report))


def _save_copy(page: Page, opened: OpenEntry, report: EditorReport, values: Mapping[str, Any]) -> None:
    """Save what the editor of an entry has as a private workout of the library."""
    fields = library.copy_of(opened.entry or opened.workout, with_title(values, opened))
    if "title" not in fields:
        raise planning.Refused("Title: enter a few words.")
    make = partial(library.value_of, fields, is_draft=True)
    page.client.planning.create_workout(checked(make, labels_of(fields_of(page, opened))))
    planning.tell(f"Saved {plain(fields['title'], longest=60)} to the library", number=number_of(report))


def theirs_of(error: ServiceError) -> PlanEntry | LibraryWorkout | None:
    """The row of a conflict as it is now."""
    if isinstance(error, PlanConflict):
        return error.rows[0].entry if error.rows else None
    current = error.current if isinstance(error, EditConflict) else None
    return LibraryWorkout.from_wire(current) if current else None


def is_gone(error: ServiceError) -> bool:
    """Whether the entry was deleted, or is no longer for the user to see."""
    return isinstance(error, NotFound) or (isinstance(error, EditConflict) and theirs_of(error) is None)


def _key(draft: object, operation: PlanOperation) -> str:
    """The same for an unchanged draft, which the service writes once: the answer to the first attempt may be lost."""
    digest = sha256(orjson.dumps(operation.to_wire(), option=orjson.OPT_SORT_KEYS)).hexdigest()
    return f"{draft if isinstance(draft, int) else 0}-{digest[:32]}"


def number_of(report: EditorReport) -> int:
    """The number of the button's press, which the message about it answers; 0 without one."""
    number = report.get("number")
    return number if isinstance(number, int) else 0
