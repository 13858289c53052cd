"""A dense table of our own: people by numbers, people by days, or a matrix; a list on a phone.

Drawn by a small script of the package with real table cells, links and buttons, so that a keyboard and a screen
reader get what a mouse gets. What goes in are records of this module: a `href` leads to a place of the dashboard, a
`pick` comes out as what was picked.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from coachboard.views.component import component


@dataclass(frozen=True, slots=True)
class Column:
    """A head; `sort` is how it sorts now, `pick` what a click on it says."""

    id: str
    label: str
    note: str = ""
    help: str = ""
    pick: str | None = None
    sort: Literal["", "ascending", "descending"] = ""
    is_number: bool = False
    width: int | None = None  # px
    is_minor: bool = False  # left out where there is little room
    full: str = ""  # the label where a line is a card and a note under the head is not seen
    card: str = ""  # the short label of a number that a closed card shows


@dataclass(frozen=True, slots=True)
class Chip:
    """A session in a cell; planned is outlined, done is filled, inferred is dashed."""

    text: str
    kind: Literal["planned", "done", "inferred", "missed"]
    spoken: str
    tone: str | None = None
    sign: str | None = None
    href: str | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """Up to two lines; `tone` and `sign` go together, a colour never stands alone."""

    main: str = ""
    sub: str = ""
    title: str = ""
    tone: str | None = None
    sign: str | None = None
    href: str | None = None
    pick: str | None = None
    bars: Sequence[float] = ()
    chips: Sequence[Chip] = ()
    shade: float = 0.0  # 0 to 1
    is_stale: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One line; a muted one has nothing known yet. `href` is where a click beside the cells' own leads."""

    id: str
    cells: Sequence[Cell]
    is_muted: bool = False
    href: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """All of it; the first column is the row's head and stays in sight. `title` is seen where tables stand together."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    kind: Literal["numbers", "days", "matrix", "list"] = "numbers"
    none: str = ""  # said in its place where there are no rows


def draw_table(table: Table, *, key: str, on_pick: Callable[[], None] | None = None) -> str | None:
    """Draw the table; returns what was picked in this run."""
    picked = _component()(key=key, data=_wire(table), on_picked_change=on_pick or _nothing).picked
    return picked if isinstance(picked, str) else None


def draw_side_by_side(tables: Sequence[Table], *, key: str) -> None:
    """Tables that lead on, each under its title; below each other where there is little room.

    One component, as Streamlit's columns, headings and mounts of two take a browser longer than the tables.
    """
    _component()(key=key, data={"tables": _wire(tables)}, on_picked_change=_nothing)


def _component() -> Any:
    return component(__package__, "table", html='<div class="people"></div>')


def _wire(part: Any) -> Any:
    """The record without what is empty: a table of 300 athletes is sent at every look while it fills."""
    if isinstance(part, _RECORDS):
        pairs = ((name, getattr(part, name)) for name in part.__slots__)
        return {name: _wire(value) for name, value in pairs if value}
    return [_wire(one) for one in part] if isinstance(part, (list, tuple)) else part


_RECORDS = (Table, Row, Cell, Chip, Column)


def _nothing() -> None:
    """A trigger needs a callback to be part of the result."""
