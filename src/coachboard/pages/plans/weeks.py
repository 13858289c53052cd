"""The weeks of a plan, and the editor of one of its entries."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import partial
from typing import Any

import streamlit as st
from pydantic import ValidationError

from coachboard.charts import palette
from coachboard.client.errors import BadRequest, EditConflict, NotFound, ServiceError
from coachboard.execution.structure import DEFAULT_SPEED_MPS, estimated_duration_s
from coachboard.pages.plans.listing import input_of
from coachboard.pages.session_fields import sport_options, stimulus_options
from coachboard.pages.workout_preview import GRAMMAR, examples_of, preview_of, title_of
from coachboard.ui.frame import formats, notices, state, theme
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import plain
from coachboard.ui.widgets.calendar_grid import Grid, GridDay, GridItem, GridWeek, Total, draw_grid
from coachboard.ui.widgets.plan_editor import (
    EditorField,
    EditorPanel,
    EditorReport,
    WorkoutPreview,
    draw_editor,
)
from coachboard.wire.enums import NoteType, Sport
from coachboard.wire.planning import EntryKind, PlanValue
from coachboard.wire.training_plans import TrainingPlan, TrainingPlanEntry
from coachboard.workout_text.parsing import parse_workout
from coachboard.workout_text.summary import summarize_workout
from coachboard.workout_text.values import DayValues
from coachboard.workout_text.writing import write_workout

ENTRY = "entry"
"""URL parameter of the entry in the editor: its id, or `new.workout.3` for a workout on day 3."""
_STATE = "plans.editor"
_FIRST = date(2001, 1, 1)
"""The grid counts in dates: day 1 of a plan is a Monday there."""
_WEEK = 7


@dataclass(frozen=True, slots=True)
class OpenPlanEntry:
    """The entry in the editor as it was when it was opened, with what was typed and why it was not saved."""

    key: str  # as in the URL
    kind: EntryKind
    day: int
    entry: TrainingPlanEntry | None = None
    typed: Mapping[str, Any] | None = None
    refusal: str = ""
    can_be_draft: bool = False


@st.fragment
def draw_weeks(page: Page, plan: TrainingPlan) -> None:
    """The plan week by week; a click on an entry opens it, a click on a day adds a workout there."""
    with st.container(horizontal=True):
        for kind, label in ((EntryKind.WORKOUT, "Add workout"), (EntryKind.NOTE, "Add note")):
            st.button(
                label,
                key=f"plans.add.{kind}",
                icon=":material/add:",
                on_click=state.set_param,
                args=(ENTRY, f"new.{kind}.1"),
            )
    picked = draw_grid(grid(plan), key="plans.grid")
    if picked is not None:
        with suppress(ValueError):  # a day; else an entry
            picked = f"new.workout.{(date.fromisoformat(picked) - _FIRST).days + 1}"
        state.set_param(ENTRY, picked)
    opened = _opened(plan)
    panel = EditorPanel() if opened is None else _panel(page, plan, opened)
    draw_editor(
        replace(
            panel, saved=str(state.get(f"{_STATE}.saved", "")), answered=state.get(f"{_STATE}.answered", 0)
        ),
        key=_STATE,
        on_typed=_take_typed,
        on_act=partial(_take_act, page, plan),
    )
    if state.get(f"{_STATE}.written"):
        state.forget(f"{_STATE}.written")
        st.rerun()


def grid(plan: TrainingPlan) -> Grid:
    """The weeks of a plan for the grid of the calendar; nothing of it can be dragged."""
    weeks = -(-plan.days // _WEEK)
    return Grid(
        view="month",
        title=plain(plan.title),
        weekdays=[f"Day {number + 1}" for number in range(_WEEK)],
        weeks=[_week(plan, number) for number in range(weeks)],
        signs={},
        totals_title="Planned",
        hint="Choose an entry to change it, or a day to add a workout.",
    )


def _week(plan: TrainingPlan, number: int) -> GridWeek:
    first = number * _WEEK + 1
    entries = [entry for entry in plan.entries if first <= entry.day < first + _WEEK]
    workouts = [entry for entry in entries if entry.kind is EntryKind.WORKOUT]
    seconds = sum(filter(None, map(seconds_of, workouts)))
    lines = [Total("Workouts", str(len(workouts)))]
    if seconds:
        lines.append(Total("Duration", formats.duration_hm(seconds)))
    return GridWeek(
        title=f"Week {number + 1}",
        days=[_day(plan, first + place, number) for place in range(_WEEK)],
        lines=lines,
    )


def _day(plan: TrainingPlan, number: int, week: int) -> GridDay:
    title = f"Week {week + 1}, day {(number - 1) % _WEEK + 1}"
    items = [
        _item(plan, entry) for entry in plan.entries if entry.day <= number <= (entry.last_day or entry.day)
    ]
    return GridDay(
        date=str(_FIRST + timedelta(days=number - 1)),
        number=str(number),
        title=title,
        spoken=f"{title}, day {number} of {plan.days}",
        items=items,
        is_outside=number > plan.days,
    )


def _item(plan: TrainingPlan, entry: TrainingPlanEntry) -> GridItem:
    value = entry.value
    title = plain(value.title or value.name)
    details = ""
    if entry.kind is EntryKind.WORKOUT:
        seconds = seconds_of(entry)
        parts = (
            formats.duration_hm(seconds) if seconds else "",
            "" if value.sport is plan.sport else formats.sport(value.sport),
            "draft" if value.is_draft else "",
        )
        details = " · ".join(part for part in parts if part)
    stimulus = value.training_stimulus
    colour = theme.colour(palette.STIMULI[stimulus] if stimulus else palette.PLANNED)
    kinds = {EntryKind.WORKOUT: "planned", EntryKind.NOTE: "note", EntryKind.EVENT: "event"}
    return GridItem(
        id=entry.id or "",
        kind=kinds[entry.kind],  # type: ignore[arg-type] # literals of the grid
        title=title,
        detail=details,
        spoken=", ".join(part for part in (title, str(entry.kind), details) if part),
        tone=colour if entry.kind is EntryKind.WORKOUT else None,
    )


def seconds_of(entry: TrainingPlanEntry) -> float | None:
    """The length of a workout for an athlete of usual speed; None if nothing says it."""
    value = entry.value
    if value.duration is not None or value.sport is None:
        return value.duration
    structure = parse_workout(value.text, value.sport).structure if value.text else value.structure
    return (
        estimated_duration_s(structure, speed_mps=DEFAULT_SPEED_MPS.get(str(value.sport)))
        if structure
        else None
    )


# The editor.


def _opened(plan: TrainingPlan) -> OpenPlanEntry | None:
    key = state.get_param(ENTRY)
    opened: OpenPlanEntry | None = state.get(f"{_STATE}.opened")
    if key is None:
        state.forget(f"{_STATE}.opened")
        return None
    if opened is None or opened.key != key:
        opened = _open(plan, key)
        state.put(f"{_STATE}.opened", opened)
        state.forget(f"{_STATE}.saved")
    return opened


def _open(plan: TrainingPlan, key: str) -> OpenPlanEntry | None:
    entry = next((each for each in plan.entries if each.id == key), None)
    if entry is not None:
        return OpenPlanEntry(key, entry.kind, entry.day, entry)
    with suppress(ValueError):
        new, kind, day = key.split(".")
        if new == "new" and 1 <= int(day) <= plan.days:
            return OpenPlanEntry(key, EntryKind(kind), int(day))
    state.set_param(ENTRY, None)
    return None


def _panel(page: Page, plan: TrainingPlan, opened: OpenPlanEntry) -> EditorPanel:
    label = str(opened.kind).capitalize() if opened.entry else f"New {opened.kind}"
    return EditorPanel(
        id=opened.key,
        version=opened.entry.model_dump_json(by_alias=True) if opened.entry else "new",
        draft_key=_draft_key(page, plan, opened),
        title=f"{label} of the plan",
        fields=fields_of(plan, opened),
        can_save=True,
        actions=[("delete", "Delete")] if opened.entry else [],
        refusal=opened.refusal,
        can_be_draft=opened.can_be_draft,
        preview=_preview(page, plan, opened),
        templates=examples_of(_sport(plan, opened)),
        help=GRAMMAR,
    )


def _draft_key(page: Page, plan: TrainingPlan, opened: OpenPlanEntry) -> str:
    return f"{page.profile.id} {plan.id} {opened.key}"


def fields_of(plan: TrainingPlan, opened: OpenPlanEntry) -> list[EditorField]:
    """The fields of an entry of a plan."""
    value = opened.entry.value if opened.entry else PlanValue()
    day = EditorField("day", "Day of the plan", "number", str(opened.day), hint=f"1 to {plan.days}")
    if opened.kind is EntryKind.NOTE:
        types = [(kind, formats.label(kind)) for kind in NoteType]
        return [
            EditorField("title", "Title", "text", value.title or "", is_wide=True),
            EditorField("type", "Type", "choice", value.type or NoteType.TRAINING, types),
            day,
            EditorField("content", "Text", "lines", value.content or ""),
        ]
    sport = EditorField(
        "sport",
        "Sport",
        "choice",
        value.sport or plan.sport or Sport.CYCLING,
        sport_options(),
    )
    if opened.kind is EntryKind.EVENT:
        return [
            EditorField("name", "Name", "text", value.name or "", is_wide=True),
            sport,
            day,
            EditorField("description", "Text", "lines", value.description or ""),
        ]
    return [
        EditorField("title", "Title", "text", value.title or "", is_wide=True),
        sport,
        day,
        EditorField(
            "training_stimulus", "Stimulus", "choice", value.training_stimulus or "", stimulus_options()
        ),
        EditorField("text", "Steps", "workout", _text_of(value)),
        EditorField("description", "For the athlete", "lines", value.description or ""),
    ]


def _text_of(value: PlanValue) -> str:
    """The typed workout; of one that came with steps only, the steps as text."""
    if value.text is not None or not value.structure or value.sport is None:
        return value.text or ""
    return write_workout(value.structure, value.sport)


def _sport(plan: TrainingPlan, opened: OpenPlanEntry) -> Sport:
    with suppress(ValueError):
        return Sport(str((opened.typed or {}).get("sport")))
    return (opened.entry.value.sport if opened.entry else None) or plan.sport or Sport.CYCLING


def _preview(page: Page, plan: TrainingPlan, opened: OpenPlanEntry) -> WorkoutPreview | None:
    """The profile without an athlete: times and targets in percent, no load."""
    typed = (opened.typed or {}).get("text")
    text = typed if isinstance(typed, str) else _text_of(opened.entry.value) if opened.entry else ""
    if opened.kind is not EntryKind.WORKOUT or not text.strip():
        return None
    sport = _sport(plan, opened)
    workout = parse_workout(text, sport)
    return preview_of(page, workout, summarize_workout(workout.structure, sport, DayValues()), sport)


def _take_typed(report: EditorReport) -> None:
    opened = state.get(f"{_STATE}.opened")
    if isinstance(opened, OpenPlanEntry):
        state.put(f"{_STATE}.opened", replace(opened, typed=report))


def _take_act(page: Page, plan: TrainingPlan, report: EditorReport) -> None:
    if isinstance(number := report.get("number"), int):
        state.put(f"{_STATE}.answered", number)
    opened = state.get(f"{_STATE}.opened")
    if not isinstance(opened, OpenPlanEntry):
        return
    act = report.get("act")
    if act == "open":
        state.set_param(ENTRY, str(report.get("id")) if report.get("id") else None)
    elif act in {"save", "delete"}:
        _write(page, plan, opened, report)
    else:
        _close()


def _close() -> None:
    state.set_param(ENTRY, None)
    state.forget(f"{_STATE}.opened")


def _write(page: Page, plan: TrainingPlan, opened: OpenPlanEntry, report: EditorReport) -> None:
    """Save or delete the entry in the plan as it is now; of two writers of one entry the second is refused."""
    values = report.get("values")
    try:
        entry = None
        if report.get("act") == "save":
            given = values if isinstance(values, dict) else {}
            entry = entry_of(plan, opened, given, is_draft=bool(report.get("asDraft")))
        now = page.client.planning.plan(plan.id)
        before = _unchanged(now, opened)
        others = tuple(each for each in now.entries if before is None or each.id != before.id)
        entries = others if entry is None else (*others, entry)
        page.client.planning.replace_plan(now, input_of(now, entries=entries))
    except (ValueError, ServiceError) as error:
        is_of_text = isinstance(error, BadRequest) and "text: " in error.words
        state.put(
            f"{_STATE}.opened",
            replace(opened, refusal=f"Not saved: {_reason(error)}", can_be_draft=is_of_text),
        )
        return
    state.put(f"{_STATE}.saved", _draft_key(page, plan, opened))
    state.put(f"{_STATE}.written", True)
    _close()


def _unchanged(plan: TrainingPlan, opened: OpenPlanEntry) -> TrainingPlanEntry | None:
    """The entry in the plan as it is now, None for a new one. Raises `ValueError` if it is another one by now."""
    entry = next((each for each in plan.entries if opened.entry and each.id == opened.entry.id), None)
    if entry != opened.entry:
        raise ValueError("the entry was changed or deleted meanwhile. Close it to see the plan as it is now.")
    return entry


def _reason(error: Exception) -> str:
    if isinstance(error, EditConflict | NotFound):
        return "the plan was changed or deleted meanwhile. Save again."
    if isinstance(error, ServiceError):
        words = plain(error.words, longest=300) or notices.sentence(error)
        return words.partition(": ")[2] if words.startswith("Entry ") else words
    return str(error)


def entry_of(
    plan: TrainingPlan, opened: OpenPlanEntry, values: Mapping[str, Any], *, is_draft: bool
) -> TrainingPlanEntry:
    """The entry with the typed values. Raises `ValueError` that says what to enter."""
    typed = {field.name: values.get(field.name, field.value) for field in fields_of(plan, opened)}
    day = str(typed.pop("day")).strip()
    if not (day.isascii() and day.isdigit() and 1 <= int(day) <= plan.days):
        raise ValueError(f"enter a day from 1 to {plan.days}.")
    if opened.kind is EntryKind.WORKOUT and not str(typed["title"]).strip():
        sport = Sport(str(typed["sport"]))
        typed["title"] = title_of(parse_workout(str(typed["text"]), sport), sport)
    name = "name" if opened.kind is EntryKind.EVENT else "title"
    if not str(typed[name]).strip():
        raise ValueError(f"enter a {name}.")
    fields = {key: value if str(value).strip() else None for key, value in typed.items()}
    before = opened.entry.value.model_dump(exclude_unset=True) if opened.entry else {}
    if "text" in fields and opened.entry and fields["text"] == (_text_of(opened.entry.value) or None):
        fields.pop("text")  # steps that came without a text may hold more than the text written for them
    elif fields.get("text"):
        before = {key: held for key, held in before.items() if key not in _OF_STEPS}
    if "text" in fields or is_draft:
        before.pop("is_draft", None)
    kept = before | {key: value for key, value in fields.items() if value is not None or key in before}
    span = (opened.entry.last_day - opened.entry.day) if opened.entry and opened.entry.last_day else None
    try:
        return TrainingPlanEntry(
            id=opened.entry.id if opened.entry else None,
            day=int(day),
            last_day=None if span is None else min(int(day) + span, plan.days),
            kind=opened.kind,
            value=PlanValue(**kept, **({"is_draft": True} if is_draft else {})),
        )
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise ValueError(f"{first['loc'][-1]}: {first['msg']}.") from error


_OF_STEPS: Sequence[str] = ("structure", "zones_type", "duration", "distance")
