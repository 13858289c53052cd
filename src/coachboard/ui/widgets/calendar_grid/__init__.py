"""The calendar component: days with their items as markup of the package's template, and a script for its gestures.

The caller passes records of this module and gets the id of the clicked day or item; with `PlanControls` also the changes
that the user makes to the plan. Text of people is untrusted: the template escapes each value.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from jinja2 import Environment, StrictUndefined, Template

from coachboard.ui.widgets.component import component, reported

Kind = Literal["planned", "done", "missed", "inferred", "note", "event"]
View = Literal["month", "week", "agenda"]


@dataclass(frozen=True, slots=True)
class GridItem:
    """An item of a day; `spoken` is its full text for screen readers and tooltips."""

    id: str
    kind: Kind
    title: str
    detail: str
    spoken: str
    tone: str | None = None  # a colour of the palette
    sign: str | None = None  # shown next to the colour; `spoken` has it as a word
    at: str = ""  # time of day
    sport: str | None = None  # whose icon from `Grid.signs` comes before the title
    who: str | None = None  # initials, if several athletes share a cell
    user: str = ""  # whose entry it is
    can: str = ""  # gestures of the user: "move" and "delete", separated by spaces


@dataclass(frozen=True, slots=True)
class GridDay:
    """One day of the grid."""

    date: str
    number: str
    title: str
    spoken: str
    items: Sequence[GridItem]
    is_today: bool = False
    is_outside: bool = False
    is_picked: bool = False


@dataclass(frozen=True, slots=True)
class Total:
    """One line of a week's totals."""

    label: str
    value: str
    sport: str | None = None  # an icon in place of the label, which then is for screen readers only


@dataclass(frozen=True, slots=True)
class GridWeek:
    """Seven days and their totals; `lane` names the athlete if several are below each other, `user` has the id."""

    title: str
    days: Sequence[GridDay]
    lines: Sequence[Total]
    lane: str = ""
    user: str = ""


@dataclass(frozen=True, slots=True)
class News:
    """The outcome of the user's last change; with `undo`, a batch, it can be taken back."""

    number: int
    text: str
    undo: str = ""
    is_refused: bool = False


@dataclass(frozen=True, slots=True)
class PlanControls:
    """Controls that write: kinds of new entries with their labels, and actions on whole weeks.

    `answered` is the number of the last change that was carried out or refused: until it arrives the grid keeps the entry
    where the user put it.
    """

    kinds: Sequence[tuple[str, str]]
    answered: int = 0
    news: News | None = None
    undo: str = ""  # the batch that Ctrl+Z undoes
    clipboard: str = ""  # names the copied week
    library: Sequence[tuple[str, Sequence[GridItem]]] | None = None  # folders of the open library
    has_plans: bool = False  # a week can become a plan
    has_targets: bool = False  # weeks have targets that the user may set


@dataclass(frozen=True, slots=True)
class Grid:
    """The whole grid; a day shows `limit` items, a click shows the rest."""

    view: View
    title: str
    weekdays: Sequence[str]
    weeks: Sequence[GridWeek]
    signs: Mapping[str, str]  # SVG paths in a 16 × 16 box
    opened: str = ""  # id of the open day or item; the window scrolls to its details when it changes
    legend: str = ""  # the signs and outlines of the shown items in words
    colours: Sequence[tuple[str, str]] = ()  # name and colour of the types of planned sessions
    hint: str = ""  # shown under the grid while nothing is open
    limit: int = 4
    plan: PlanControls | None = None  # without it nothing can be changed
    totals_title: str = "Done of planned"


Change = Mapping[str, Any]
"""A change as the script reports it: `act`, its `number`, and what the act needs."""


def draw_grid(
    grid: Grid, *, key: str, on_changes: Callable[[Sequence[Change]], None] = lambda _changes: None
) -> str | None:
    """Draw the grid; returns the id that the user clicked in this run. `on_changes` runs before the run.

    Unanswered changes are reported again with the next one: skip those whose number was answered.
    """
    frame = '<div class="calendar"></div><div class="tray"></div><p class="voice" role="status"></p>'
    result = component(__package__, "grid", html=frame, parts=("answer",))(
        key=key,
        data={"markup": markup(grid), "opened": grid.opened, "plan": grid.plan and _answers(grid.plan)},
        on_picked_change=_nothing,
        on_acts_change=lambda: on_changes(_reported(key)),
    )
    picked = result.picked
    return picked.removesuffix(" more") if isinstance(picked, str) else None


def markup(grid: Grid) -> str:
    """The grid as HTML."""
    has_today = [any(day.is_today for day in week.days) for week in grid.weeks]
    past_weeks = has_today.index(True) if True in has_today else 0  # a phone shows them on request
    return _template().render(grid=grid, past_weeks=past_weeks)


@cache
def _template() -> Template:
    source = files(__package__).joinpath("grid.html").read_text(encoding="utf-8")
    lines_joined = re.sub(r"\n\s*(?=[<{])", "", source)
    return Environment(autoescape=True, undefined=StrictUndefined).from_string(lines_joined)


def _answers(plan: PlanControls) -> Mapping[str, Any]:
    """The fields of the controls that the script needs."""
    news = plan.news
    return {
        "answered": plan.answered,
        "undo": plan.undo,
        "news": news
        and {"number": news.number, "text": news.text, "undo": news.undo, "isRefused": news.is_refused},
    }


def _reported(key: str) -> list[Change]:
    acts = reported(key, "acts")
    return [act for act in acts if isinstance(act, dict)] if isinstance(acts, list) else []


def _nothing() -> None:
    """A trigger is part of the result only if it has a callback."""
