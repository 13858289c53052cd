"""The calendar component: days with their items, drawn by the package's script.

The caller passes records of this module and gets the id of the clicked day or item.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from pydantic.alias_generators import to_camel

from coachboard.views.widgets.component import component

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
    """Seven days and their totals; `lane` names the athlete if several are below each other."""

    title: str
    days: Sequence[GridDay]
    lines: Sequence[Total]
    lane: str = ""


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
    totals_title: str = "Done of planned"
    more_text: str = "+{n} more"
    earlier_text: str = "Show earlier weeks"


def draw_grid(grid: Grid, *, key: str) -> str | None:
    """Draw the grid; returns the id that the user clicked in this run."""
    result = component(__package__, "grid", html='<div class="calendar"></div>')(
        key=key, data=_camel(asdict(grid)), on_picked_change=_nothing
    )
    picked = result.picked
    return picked if isinstance(picked, str) else None


def _nothing() -> None:
    """A trigger is part of the result only if it has a callback."""


def _camel(value: Any) -> Any:
    if isinstance(value, dict):
        return {to_camel(name): _camel(item) for name, item in value.items()}
    return [_camel(item) for item in value] if isinstance(value, (list, tuple)) else value
