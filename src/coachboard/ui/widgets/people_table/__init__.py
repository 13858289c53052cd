"""A dense table: athletes by numbers, athletes by days, or a matrix; a list of cards on a phone.

On a phone each row is a card: closed it shows name, flag and the numbers with a `card_label`, open all numbers.

The package's script draws real table cells, links and buttons, so that keyboards and screen readers work. The caller
passes records of this module: a cell with `href` is a link, one with `pick` a button whose click returns `pick`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from coachboard.ui.widgets.component import component


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column header; `sort` is its current sort order, `pick` the value that a click returns."""

    id: str
    label: str
    note: str = ""
    help: str = ""
    pick: str | None = None
    sort: Literal["", "ascending", "descending"] = ""
    is_number: bool = False
    width: int | None = None  # px
    is_minor: bool = False  # hidden on a narrow screen
    phone_label: str = ""  # in place of `label` on an open card, which shows no note
    card_label: str = (
        ""  # the short label of a number that a closed card shows; empty: the open card alone shows it
    )


@dataclass(frozen=True, slots=True)
class Chip:
    """A session in a cell, in the CSS colour `tone`; outlined if planned or missed, filled if done, dashed if inferred."""

    text: str
    kind: Literal["planned", "done", "inferred", "missed"]
    spoken: str
    tone: str | None = None
    sign: str | None = None
    href: str | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """Up to two lines, `main` above `sub`.

    `tone` is the CSS colour of text and bars. A cell with a `tone` also has a `sign`, because some users cannot see the
    colour.
    """

    main: str = ""
    sub: str = ""
    phone_sub: str = ""  # in place of `sub` on a card, which has room for more words
    title: str = ""
    tone: str | None = None
    sign: str | None = None
    href: str | None = None
    pick: str | None = None
    bars: Sequence[float] = ()
    chips: Sequence[Chip] = ()
    shade: float = 0.0  # 0 to 1
    is_stale: bool = False
    is_today: bool = False  # today in the athlete's time zone: another column for athletes elsewhere


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row; a muted row has no data yet. `href` is the target of a click outside the cells' own links.

    A row whose `group` differs from the row above gets a line with the group's name and size.
    """

    id: str
    cells: Sequence[Cell]
    is_muted: bool = False
    href: str | None = None
    group: str = ""


@dataclass(frozen=True, slots=True)
class PeopleTable:
    """A table; the first column is the sticky row header. `title` is shown if several tables are together."""

    title: str
    columns: Sequence[TableColumn]
    rows: Sequence[TableRow]
    # The style: a line for each athlete, cells of days, shaded cells, or a list without columns of numbers.
    kind: Literal["numbers", "days", "matrix", "list"] = "numbers"
    none: str = ""  # shown if there are no rows


def draw_table(table: PeopleTable, *, key: str, on_pick: Callable[[], None] | None = None) -> str | None:
    """Draw the table; returns the value that the user clicked in this run."""
    picked = _component()(key=key, data=wire(table), on_picked_change=on_pick or _nothing).picked
    return picked if isinstance(picked, str) else None


def draw_side_by_side(tables: Sequence[PeopleTable], *, key: str) -> None:
    """Tables with titles side by side, below each other on a narrow screen; a click on a `pick` has no effect here.

    One component, because Streamlit's columns, headings and two mounts take a browser longer than the tables.
    """
    _component()(key=key, data={"tables": wire(tables)}, on_picked_change=_nothing)


def _component() -> Any:
    return component(__package__, "table", html='<div class="people"></div>')


def wire(part: Any) -> Any:
    """The record without empty values: while 300 athletes load, the browser gets the whole table after each part."""
    if isinstance(part, _RECORDS):
        pairs = ((name, getattr(part, name)) for name in part.__slots__)
        return {name: wire(value) for name, value in pairs if value}
    return [wire(element) for element in part] if isinstance(part, (list, tuple)) else part


_RECORDS = (PeopleTable, TableRow, Cell, Chip, TableColumn)


def _nothing() -> None:
    """A callback without effect: Streamlit returns the value of a trigger only if a callback is registered."""
