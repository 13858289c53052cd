"""The library on the calendar: its search, the workouts that are dragged onto a day, and saving a workout."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import Any

from coachboard.charts import palette
from coachboard.client.errors import ServiceError
from coachboard.pages.calendar.data import CalendarData
from coachboard.pages.calendar.items import family
from coachboard.pages.session_fields import USUAL_SPORTS, sport_options, stimulus_options
from coachboard.plain_text import plain
from coachboard.ui.frame import formats, notices, state, theme
from coachboard.ui.frame.page import Page, inviting_workspaces
from coachboard.ui.widgets.calendar_grid import GridItem
from coachboard.ui.widgets.plan_editor import EditorField
from coachboard.ui.widgets.toolbar import Pick, Press, Search, draw_bar
from coachboard.wire.enums import Sport, TrainingStimulus
from coachboard.wire.library import LibraryValue, LibraryWorkout
from coachboard.wire.planning import PlanEntry

OPENED = "library"
"""URL parameter: the folder of the open library, or `all`."""
NEW = "new.library"
"""Key of a new workout in the editor."""
_ALL = "all"
_WORDS, _SPORT, _STIMULUS, _LENGTH = "words", "sport", "stimulus", "length"
_LENGTHS = MappingProxyType(
    {
        "short": ("Up to 45 min", None, 2_700),
        "hour": ("45 to 75 min", 2_700, 4_500),
        "long": ("75 min to 2 h", 4_500, 7_200),
        "longest": ("2 h and more", 7_200, None),
    }
)
"""Label, shortest and longest duration. [s]"""
PREFIX = "lib_"
"""Of the ids of workouts."""
EMPTIED = frozenset({"folder", "workspace_id"})
"""Fields of a workout that may be empty."""
_MOST = 200
"""Workouts on the page; the search finds the others."""


def has_library(page: Page, data: CalendarData) -> bool:
    return data.can_plan and page.client.planning.has("library", without_answer=True)


def draw_toggle(page: Page, data: CalendarData) -> None:
    """The button that opens and closes the library; nothing for a service without one."""
    if not has_library(page, data):
        return
    is_open = bool(state.get_text(OPENED))
    button = Press(OPENED, "Library", "" if is_open else _ALL, is_open=is_open)
    with page.picks:
        draw_bar([button], key="calendar.library.toggle", on_change=lambda _name, says: _take_toggle(says))


def _take_toggle(says: str) -> None:
    state.set_params({OPENED: says or None, **dict.fromkeys((_WORDS, _SPORT, _STIMULUS, _LENGTH))})


def draw_shelf(page: Page, data: CalendarData) -> Sequence[tuple[str, Sequence[GridItem]]] | None:
    """Draw the search above the days; returns the folders with their workouts, None while the library is closed."""
    if not state.get_text(OPENED) or not has_library(page, data):
        return None
    _, shortest_s, longest_s = _LENGTHS.get(state.get_param(_LENGTH) or "", ("", None, None))
    try:
        workouts = page.client.planning.workouts(
            words=state.get_text(_WORDS),
            sport=_chosen(_SPORT, Sport),
            stimulus=_chosen(_STIMULUS, TrainingStimulus),
            shortest_s=shortest_s,
            longest_s=longest_s,
        )
    except ServiceError as error:
        notices.say(error, about="The library")
        workouts = ()
    _draw_search(workouts)
    folder = _folder_asked(workouts)
    kept = [workout for workout in workouts if folder in {_ALL, _folder_of(workout)}]
    spaces = {workspace.id: workspace.name for workspace in page.profile.workspaces or ()}
    if not kept:
        return [("No workout matches. Choose all folders or clear the search.", [])]
    cut = f"The first {_MOST} of {len(kept):,} workouts. Search for the others."
    return [
        *([(cut, [])] if len(kept) > _MOST else []),
        *(
            (plain(name, longest=60), [_item(workout, spaces) for workout in of_folder])
            for name, of_folder in groupby(kept[:_MOST], key=_folder_of)
        ),
    ]


def _chosen(name: str, values: type[Sport | TrainingStimulus]) -> str:
    """A choice of the URL; empty if it is none."""
    text = state.get_param(name) or ""
    return text if text in set(values) else ""


def _folder_of(workout: LibraryWorkout) -> str:
    return workout.folder or "No folder"


def _folder_asked(workouts: Sequence[LibraryWorkout]) -> str:
    """The folder of the URL; all for one that no workout has, unless the search may hide its workouts."""
    asked = state.get_text(OPENED)
    has_search = any(state.get_param(name) for name in (_WORDS, _SPORT, _STIMULUS, _LENGTH))
    is_known = has_search or asked in {_folder_of(workout) for workout in workouts}
    return asked if is_known else _ALL


def _draw_search(workouts: Sequence[LibraryWorkout]) -> None:
    asked = _folder_asked(workouts)
    folders = sorted({_folder_of(workout) for workout in workouts} | ({asked} - {_ALL}))
    options = {_ALL: "All folders"} | {name: plain(name, longest=60) for name in folders}
    sports = {"": "All sports"} | {sport: formats.sport(sport) for sport in USUAL_SPORTS}
    stimuli = {"": "All stimuli"} | {stimulus: formats.label(stimulus) for stimulus in TrainingStimulus}
    lengths = {"": "Any duration"} | {name: label for name, (label, *_) in _LENGTHS.items()}
    draw_bar(
        [
            Search(_WORDS, "Search the library", state.get_text(_WORDS), width=170),
            Pick(OPENED, "Folder", options, asked, width=150),
            Pick(_SPORT, "Sport", sports, _chosen(_SPORT, Sport), width=130),
            Pick(_STIMULUS, "Stimulus", stimuli, _chosen(_STIMULUS, TrainingStimulus), width=150),
            Pick(_LENGTH, "Duration", lengths, state.get_param(_LENGTH) or "", width=140),
            Press("edit", "New workout", NEW),
        ],
        key="calendar.library",
        on_change=lambda name, chosen: state.set_param(name, chosen or None),
    )


def _item(workout: LibraryWorkout, spaces: Mapping[str, str]) -> GridItem:
    stimulus = workout.training_stimulus
    title = plain(workout.title) or formats.sport(workout.sport)
    amount = formats.duration_hm(workout.duration) if workout.duration else ""
    facts = [
        amount,
        formats.label(stimulus) if stimulus else "",
        "draft" if workout.is_draft else "",
        plain(spaces.get(workout.workspace_id or "", ""), longest=40),
    ]
    detail = " · ".join(fact for fact in facts if fact)
    purpose = plain(workout.description, longest=300)
    spoken = ", ".join(part for part in (title, formats.sport(workout.sport), detail, purpose) if part)
    return GridItem(
        id=workout.id,
        kind="planned",
        title=title,
        detail=detail,
        spoken=spoken,
        tone=theme.colour(palette.STIMULI[stimulus] if stimulus else palette.PLANNED),
        sport=family(workout.sport),
        can="move",
    )


# Planning a workout.


def entry_fields(workout: LibraryWorkout) -> dict[str, Any]:
    """The fields of an entry of the calendar that repeats the workout; the day is missing."""
    names = ["title", "sport", "training_stimulus", "description", "text", "free_duration"]
    names += ["duration", "distance"] if workout.text is None else []
    fields = {name: getattr(workout, name) for name in names}
    draft = {"is_draft": True} if workout.is_draft else {}
    return {name: value for name, value in fields.items() if value is not None} | draft


# Editing.


def workout_fields(page: Page, workout: LibraryWorkout | None, sport: Sport) -> list[EditorField]:
    """The fields of a workout of the library in the editor; the sport is that of a new one."""
    folder = workout.folder if workout and not workout.is_built_in else None
    return [
        EditorField("title", "Title", "text", workout.title if workout else "", is_wide=True),
        EditorField(
            "sport", "Sport", "choice", workout.sport if workout else sport,
            sport_options(),
        ),
        EditorField(
            "training_stimulus", "Stimulus", "choice", (workout.training_stimulus or "") if workout else "",
            stimulus_options(),
        ),
        EditorField("folder", "Folder", "text", folder or ""),
        EditorField("text", "Steps", "workout", (workout.text or "") if workout else ""),
        EditorField("description", "For the athlete", "lines", (workout.description or "") if workout else ""),
        *_sharing(page, workout),
    ]  # fmt: skip


def _sharing(page: Page, workout: LibraryWorkout | None) -> list[EditorField]:
    """Who uses the workout; only the person who made it makes it private."""
    shared = workout.workspace_id or "" if workout else ""
    is_mine = workout is None or workout.created_by is None or workout.created_by.id == page.profile.id
    options = [("", "Only me")] if is_mine or not shared else []
    options += [
        (workspace.id, f"Coaches of {plain(workspace.name, longest=60)}")
        for workspace in inviting_workspaces(page.profile)
    ]
    return (
        [EditorField("workspace_id", "Who can use it", "choice", shared, options)] if len(options) > 1 else []
    )


def remarks_of(page: Page, workout: LibraryWorkout | None) -> str:
    """Who made the workout and when it was changed."""
    if workout is None:
        return ""
    if workout.is_built_in:
        return "Comes with Coachboard: a copy of it is yours to change"
    by = f"Made by {plain(workout.created_by.name, longest=60)}" if workout.created_by else ""
    changed = f"changed {formats.ago(workout.updated_at, page.now)}" if workout.updated_at else ""
    return " · ".join(part for part in (by, changed) if part)


def value_of(fields: Mapping[str, Any], *, is_draft: bool = False) -> LibraryValue:
    """Raises `pydantic.ValidationError`."""
    return LibraryValue(**fields, **({"is_draft": True} if is_draft else {}))


def copy_of(source: PlanEntry | LibraryWorkout | None, typed: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a workout of the library with what is typed over an entry, or over a workout."""
    fields = {name: typed[name] for name in ("title", "sport", "text", "description") if typed.get(name)}
    row = source.prescription if isinstance(source, PlanEntry) else source
    if row is not None:
        names = ["training_stimulus", "free_duration"]
        names += [] if "text" in fields else ["duration", "distance"]
        fields |= {name: getattr(row, name) for name in names if getattr(row, name) is not None}
    return fields
