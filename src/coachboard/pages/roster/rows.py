"""The roster's table: its columns, and a row per athlete, loaded or not."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from coachboard.flags.nights import NORMAL_RANGE
from coachboard.formulas.season.load import LoadModel
from coachboard.loaders.roster_row import SPARK_WEEKS, RosterRow
from coachboard.pages.roster import cells
from coachboard.pages.roster.choice import asked_sort, follow
from coachboard.pages.roster.visible_rows import SORTS, VisibleRoster
from coachboard.ui.frame import notices, state, theme
from coachboard.ui.frame.addresses import page_url
from coachboard.ui.frame.formats import LOAD, PLANNED_LOAD
from coachboard.ui.frame.page import Athlete
from coachboard.ui.frame.text import plain
from coachboard.ui.widgets.people_table import Cell, PeopleTable, TableColumn, TableRow, draw_table
from coachboard.ui.widgets.plot import draw_hint


class RosterColumn(NamedTuple):
    """A column's header and the function that makes its cells; the columns with `card_label` show on a closed card.

    The words of `TableColumn`, before the load model gives its own names to fitness and form.
    """

    id: str
    label: str
    note: str
    width: int
    cell: Callable[[VisibleRoster, Athlete, RosterRow], Cell]
    help: str = ""
    is_number: bool = False
    phone_label: str = ""
    card_label: str = ""


ROSTER_COLUMNS: tuple[RosterColumn, ...] = (
    RosterColumn("name", "Athlete", "age, main sport", 108, cells.name),
    RosterColumn("priority", "Needs a look", "days, more flags", 103, cells.priority,
         "The most serious flag; below, for how long or when the hard session is due, and how many more flags"),
    RosterColumn("last", "Last", "session", 62, cells.last, "Days since the last session", phone_label="Last session"),
    RosterColumn("week", "Load, 7 d", "of planned", 72, cells.week,
         f"{LOAD} Done of planned, last 7 days; below, open plans of today and the next 6 days. "
         f"{PLANNED_LOAD}",
         is_number=True, phone_label="Load, done of planned, 7 days", card_label="Load, 7 d"),
    RosterColumn("spark", "Weeks", "load", 40, cells.weeks, "Weekly load; the last 7 days are at the right",
         phone_label="Weekly load"),
    # The constants are in the header's help and below the table: there is no room here.
    RosterColumn("fitness", "Fitness", "fatigue", 49, cells.fitness, is_number=True, phone_label="Fitness, fatigue, this morning"),
    RosterColumn("form", "Form", "morning", 43, cells.form, is_number=True, phone_label="Form, this morning", card_label="Form"),
    RosterColumn("done", "Sessions", "planned, 7 d", 65, cells.done,
         "Planned sessions done, last 7 days with today; excused ones do not count. Below: missed ones, else sessions "
         "without a plan",
         is_number=True, phone_label="Planned sessions done, 7 days", card_label="Sessions, 7 d"),
    RosterColumn("sleep", "Sleep", "7 d mean", 65, cells.sleep,
         "Mean of the last 7 nights, without naps. Below, the normal range: mean ± 1 SD of the previous 60 days",
         is_number=True, phone_label="Sleep, 7-day mean"),
    RosterColumn("hrv", "HRV, ms", "7 d mean", 56, cells.hrv,
         "rMSSD in ms, as reported; 7-day mean of ln HRV. Below, the normal range: ± 0.5 SD of the previous 60 days",
         is_number=True, phone_label="HRV, ms, 7-day mean", card_label="HRV ms, 7 d"),
    RosterColumn("next", "Next session", "day", 84, cells.next_session,
         "The next planned session; its title shows on hover. With the last day of a plan that ends within 7 days. Without plans in the last 4 weeks, a missing one is not listed "
         "under To do"),
    RosterColumn("event", "Event", "day", 51, cells.event, "Days until the next event; its name shows on hover"),
    RosterColumn("models", "CP, CS", "ready", 50, cells.models,
         "Estimates that are ready, of three: cycling critical power, running critical power, running critical speed. Below, "
         'the ready ones, and "no CP bike" or "no CP run" for sessions with power but without critical power',
         phone_label="Estimates of CP, CS"),
    RosterColumn("age", "Data", "loaded", 50, cells.data,
         "When the sessions were loaded; below, an unfinished history import. Select for the age of each value"),
)  # fmt: skip
"""The columns in order; `SORTS` has their sort keys."""
_METHOD_WIDTH = 132
"""The load column, which shows the method of a computed load."""


def table(visible: VisibleRoster) -> PeopleTable:
    """All athletes' numbers."""
    return PeopleTable(
        title="Athletes with load, recovery, plans and flags",
        columns=[_table_column(column, visible) for column in ROSTER_COLUMNS],
        rows=[replace(_row(visible, athlete), group=group) for group, athlete in visible.groups],
    )


def legend(table: PeopleTable) -> str:
    """The signs of this table in words: a reader who does not know them cannot ask a symbol."""
    signs = {cell.sign for row in table.rows for cell in row.cells}
    return " · ".join(f"{sign} {words}" for sign, words in cells.SIGNS.items() if sign in signs)


def _table_column(column: RosterColumn, visible: VisibleRoster) -> TableColumn:
    sort, model = visible.choice.sort, visible.choice.model
    label, note, phone_label, help_text = _worded(column, model)
    return TableColumn(
        id=column.id,
        label=label,
        note=note,
        phone_label=phone_label,
        card_label=column.card_label,
        help=help_text,
        pick=f"sort {column.id}" if column.id in SORTS else None,
        sort="" if sort.lstrip("-") != column.id else "descending" if sort.startswith("-") else "ascending",
        is_number=column.is_number,
        width=_METHOD_WIDTH if column.id == "week" and _has_computed_load(visible) else column.width,
    )


def _has_computed_load(visible: VisibleRoster) -> bool:
    return any(row.load_methods for row in visible.roster.rows.values())


def _worded(column: RosterColumn, model: LoadModel) -> tuple[str, str, str, str]:
    """Label, note, label on a phone, and help: the chosen load model names fitness and fatigue in its own words."""
    if column.id == "fitness":
        phone_label = f"{model.fitness}, {model.fatigue.lower()}, this morning"
        return model.fitness, model.fatigue.lower(), phone_label, model.says
    return column.label, column.note, column.phone_label, model.says if column.id == "form" else column.help


def _cells(visible: VisibleRoster, athlete: Athlete, row: RosterRow) -> Sequence[Cell]:
    """The cells, made once per row and then kept with it: a rerun of 300 athletes makes none again.

    The key has everything that cells show besides the row: without it a snoozed flag would stay on screen.
    """
    key = (
        visible.choice.model.id,
        visible.is_dark,
        tuple(flag.rule.id for flag in visible.active_flags(row)),
        tuple(visible.news(row).items()),
        visible.unread.get(athlete.id, 0),
        cells.short_age(row.sessions_as_of, visible.page.now),
    )
    if key not in row.computed:
        row.computed[key] = [column.cell(visible, athlete, row) for column in ROSTER_COLUMNS]
    return row.computed[key]  # type: ignore[no-any-return] # the cells


def _row(visible: VisibleRoster, athlete: Athlete) -> TableRow:
    row, url = visible.row(athlete), page_url("athlete", athlete=athlete.id)
    if row is not None:
        return TableRow(athlete.id, _cells(visible, athlete, row), href=url)
    error = visible.roster.failed.get(athlete.id)
    state = notices.sentence(error) if error else "loading"
    cell_by_column = {
        "name": Cell(plain(athlete.name), cells.age(athlete, visible.page.today), href=url),
        "priority": Cell(
            "Could not be loaded" if error else "…", state, title=state, sign="!" if error else None
        ),
        "age": Cell("–", cells.import_state(athlete.user.data_onboarding_status)),
    }
    return TableRow(
        athlete.id,
        [cell_by_column.get(column.id, Cell()) for column in ROSTER_COLUMNS],
        is_muted=error is None,
        href=url,
    )


_COLUMNS = (
    f"Weeks: weekly load, {SPARK_WEEKS} weeks; pale = the last 7 days. Small numbers under sleep and HRV: normal range, "
    f"{NORMAL_RANGE}. CP, CS: how many of three estimates are ready (critical power bike, critical power run, "
    'critical speed run); "no" = sessions with power but no critical power. Data: when the row was loaded, or '
    "the state of the history import."
)
"""Explains the short headers."""


def draw(visible: VisibleRoster) -> None:
    drawn = table(visible)
    follow(draw_table(drawn, key="roster.table", on_pick=take_order))
    how = "Select a card for all numbers." if theme.is_phone() else "Select a header to sort, a row to open."
    notes = f"{_COLUMNS} {visible.choice.model.says} Today and yesterday follow each athlete's time zone."
    st.caption("  \n".join(part for part in (legend(drawn), notes) if part))
    draw_hint(how, key="roster")


def take_order() -> None:
    """Handle a click on a header before drawing, so that the table is sent once, in the new order."""
    word, _, which = (state.get("roster.table").picked or "").partition(" ")
    if word == "sort":
        now = asked_sort()
        state.set_param("sort", which if now != which else f"-{which}")
