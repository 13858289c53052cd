"""The editor of an entry: opening it, its panel with the profile of the typed text, and the buttons of the panel."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from math import isnan

import streamlit as st

from coachboard.client.errors import BadRequest, NotFound, ServiceError
from coachboard.pages import comments
from coachboard.pages.calendar import library, planning
from coachboard.pages.calendar.data import CalendarData
from coachboard.pages.calendar.entry_fields import LIBRARY, OpenEntry, fields_of, labels_of, sport_of, text_of
from coachboard.pages.calendar.entry_saving import is_gone, number_of, save, theirs_of
from coachboard.pages.workout_preview import GRAMMAR, day_values_of, examples_of, missing_words, preview_of
from coachboard.plain_text import plain
from coachboard.ui.frame import formats, state
from coachboard.ui.frame.addresses import page_url
from coachboard.ui.frame.page import Page
from coachboard.ui.widgets.plan_editor import (
    EditorPanel,
    EditorReport,
    MissingAmounts,
    WorkoutPreview,
    draw_editor,
)
from coachboard.wire.base import plausible_day
from coachboard.wire.enums import Sport
from coachboard.wire.library import LibraryWorkout
from coachboard.wire.planning import EntryKind, PlanEntry, PlanOp
from coachboard.wire.prescriptions import StructureElement
from coachboard.workout_text.parsing import TypedWorkout, parse_workout
from coachboard.workout_text.summary import WorkoutSummary, summarize_workout
from coachboard.workout_text.values import DayValues

_STATE = "calendar.editor"
_RECENT_DAYS = 42


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
        templates=examples_of(sport_of(opened)),
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


def _preview(page: Page, opened: OpenEntry) -> WorkoutPreview | None:
    if opened.kind is not EntryKind.WORKOUT:
        return None
    typed = (opened.typed or {}).get("text")
    text = typed if isinstance(typed, str) else opened.text
    if not text.strip():
        return None
    sport = sport_of(opened)
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
    state.put(f"{_STATE}.answered", number_of(report) or state.get(f"{_STATE}.answered", 0))
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
    try:
        written = save(page, opened, report, values)
    except planning.Refused as error:
        refused = replace(opened, refusal=str(error), theirs=None, can_be_draft=False, values=values)
        state.put(f"{_STATE}.opened", refused)
    except ServiceError as error:
        theirs = theirs_of(error)
        text = planning.refusal(error, labels_of(fields_of(page, opened)))
        if report.get("act") == "save" and is_gone(error):
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
