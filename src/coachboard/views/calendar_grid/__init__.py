"""The calendar's own component: days with their items, drawn by a small script of the package.

What goes in are records of this module, what comes out is the id of the day or item that was picked.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from pydantic.alias_generators import to_camel

from coachboard.views.component import component

Kind = Literal["planned", "done", "missed", "inferred", "note", "event"]
View = Literal["month", "week", "agenda"]


@dataclass(frozen=True, slots=True)
class Item:
    """One thing on a day; `spoken` says all of it to a screen reader and on hover."""

    id: str
    kind: Kind
    title: str
    detail: str
    spoken: str
    tone: str | None = None  # a colour of the palette
    sign: str | None = None  # stands beside the colour, never instead of a word in `spoken`
    at: str = ""  # time of day
    sport: str | None = None  # which of the grid's signs stands before the title
    who: str | None = None  # initials, where several athletes share a cell


@dataclass(frozen=True, slots=True)
class GridDay:
    """One day of the grid."""

    date: str
    number: str
    title: str
    spoken: str
    items: Sequence[Item]
    is_today: bool = False
    is_outside: bool = False
    is_picked: bool = False


@dataclass(frozen=True, slots=True)
class Total:
    """One line of a week's totals."""

    label: str
    value: str
    sport: str | None = None  # a sign in the place of the label, which is then only spoken


@dataclass(frozen=True, slots=True)
class GridWeek:
    """Seven days and their totals; `lane` is whose they are, where several stand under each other."""

    title: str
    days: Sequence[GridDay]
    lines: Sequence[Total]
    lane: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """The whole grid; `limit` items a day are shown, the rest opens with the day."""

    view: View
    title: str
    weekdays: Sequence[str]
    weeks: Sequence[GridWeek]
    signs: Mapping[str, str]  # paths of a box of 16 by 16
    opened: str = ""  # what is open under the grid; the window goes there when it changes
    hint: str = ""  # under the grid, as long as nothing is open
    limit: int = 4
    totals_title: str = "Done / planned"
    more_text: str = "+{n} more"
    earlier_text: str = "Show earlier weeks"


def draw_grid(grid: Grid, *, key: str, on_pick: Callable[[], None] | None = None) -> str | None:
    """Draw the grid; returns the id of the day or item that was picked in this run."""
    result = component(__package__, "grid", html='<div class="calendar"></div>')(
        key=key, data=_camel(asdict(grid)), on_picked_change=on_pick or _nothing
    )
    picked = result.picked
    return picked if isinstance(picked, str) else None


def _nothing() -> None:
    """A trigger needs a callback to be part of the result."""


def _camel(value: Any) -> Any:
    if isinstance(value, dict):
        return {to_camel(name): _camel(item) for name, item in value.items()}
    return [_camel(item) for item in value] if isinstance(value, (list, tuple)) else value
