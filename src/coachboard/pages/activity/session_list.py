"""The list of an athlete's sessions with their plans: searched, filtered and sorted."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from math import inf
from types import MappingProxyType
from typing import Any, Literal, TypeVar

import streamlit as st

from coachboard.client import Client, Result
from coachboard.execution.adherence import Done, Planned, match_sessions
from coachboard.execution.sessions import duration_s
from coachboard.formulas.plausible import or_nan
from coachboard.imperial import M_PER_MILE
from coachboard.loaders.done_and_planned import column, decisions_of, plans_of, profile_for_loads, sessions_of
from coachboard.loaders.memo import RowsMemo
from coachboard.loaders.requests import Missing, Replies
from coachboard.pages.activity.data import PAIRING_DAYS
from coachboard.plain_text import searchable
from coachboard.ui.frame import formats, notices, shell, state, theme
from coachboard.ui.frame.addresses import LIST, page_url, session_params
from coachboard.ui.frame.own_data import say_empty
from coachboard.ui.frame.page import Athlete, Page
from coachboard.ui.frame.text import plain
from coachboard.ui.widgets.load_cell import load_cell
from coachboard.ui.widgets.people_table import Cell, PeopleTable, TableColumn, TableRow, draw_table
from coachboard.ui.widgets.toolbar import Control, Pick, Press, Search, draw_bar
from coachboard.wire.activities import Activity
from coachboard.wire.enums import DataOnboardingStatus, Sport, TrainingStimulus
from coachboard.wire.users import UserProfile

_UNDATED = date.min


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """A session with the title of its plan; `words` are its name, sport, description and plan title for the search."""

    done: Done
    plan_title: str
    description: str
    words: str

    @property
    def day(self) -> date | None:
        """The local date; None for a session without a start."""
        return None if self.done.day == _UNDATED else self.done.day


@dataclass(frozen=True, slots=True)
class History:
    """All sessions of an athlete, newest first, without a date last."""

    rows: tuple[HistoryRow, ...]
    results: tuple[Result[object], ...] = field(repr=False)
    missing: tuple[Missing, ...] = ()


@dataclass(frozen=True, slots=True)
class HistoryFilter:
    """The sessions to list and their order; distances in metres, days inclusive."""

    words: str = ""  # as `searchable` gives them
    sport: str | None = None
    stimulus: str | None = None
    least_m: float = 0.0
    most_m: float = inf
    first: date = date.min
    last: date = date.max
    sort: str = "-day"  # a key of `ORDERS`, "-" before it for descending

    def chosen(self, rows: Iterable[HistoryRow]) -> list[HistoryRow]:
        """The matching rows of a history in order; rows without the value that sorts come last in either order."""
        name, is_descending = self.sort.removeprefix("-"), self.sort.startswith("-")
        keyed = [(ORDERS[name](row.done), row) for row in rows if self._takes(row)]
        lacking = [row for key, row in keyed if key is None or key != key]  # noqa: PLR0124 (NaN)
        keyed = [(key, row) for key, row in keyed if key is not None and key == key]  # noqa: PLR0124
        if name == "day":  # the order of a history, also within a day
            return [row for _, row in keyed][:: 1 if is_descending else -1] + lacking
        return [row for _, row in sorted(keyed, key=lambda pair: pair[0], reverse=is_descending)] + lacking

    def _takes(self, row: HistoryRow) -> bool:
        done, has_span = row.done, (self.first, self.last) != (date.min, date.max)
        has_length = (self.least_m, self.most_m) != (0.0, inf)
        return (
            all(word in row.words for word in self.words.split())
            and self.sport in {None, done.sport}
            and self.stimulus in {None, done.stimulus}
            and (not has_length or self.least_m <= done.distance_m <= self.most_m)
            and (not has_span or (row.day is not None and self.first <= row.day <= self.last))
        )


ORDERS: Mapping[str, Callable[[Done], Any]] = MappingProxyType(
    {
        "day": lambda done: None if done.day == _UNDATED else done.day,
        "session": lambda done: done.title.casefold() or done.sport,
        "sport": lambda done: done.sport,
        "duration": lambda done: done.duration_s,
        "distance": lambda done: done.distance_m or None,
        "load": lambda done: done.volume,
    }
)
"""The value that sorts, by column; None or NaN if a session lacks it."""

_ROWS: RowsMemo[tuple[HistoryRow, ...]] = RowsMemo(64)
"""Cached because each click needs all years."""


def load_history(client: Client, *, user_id: str, today: date) -> History:
    """All years of sessions and plans, one request each; raises `ServiceError` if the sessions cannot be loaded."""
    replies = Replies()
    plans = client.pool.submit(client.list_prescriptions, user_id)
    listed = client.list_activities(user_id)
    profile = profile_for_loads(client, user_id, listed)
    planned = replies.result("planned workouts", plans)
    decisions = decisions_of(client, user_id)
    rows = _ROWS.of(
        [listed, planned, profile],
        (today, decisions),
        lambda: _rows(listed, plans_of(planned, decisions) if planned else (), profile, today),
    )
    return History(rows, (listed, *replies.results), tuple(replies.missing))


def _rows(
    listed: Result[tuple[Activity, ...]],
    planned: Sequence[Planned],
    profile: Result[UserProfile] | None,
    today: date,
) -> tuple[HistoryRow, ...]:
    done = sessions_of(listed, profile)
    titles = _plan_titles(planned, done, today)
    frame = listed.frame
    texts = dict(zip(column(frame, "id"), column(frame, "description"), strict=False))
    undated = set(column(frame, "id")) - {session.id for session in done}
    sessions = [*done[::-1], *map(_undated, listed.rows(undated))]
    return tuple(
        _history_row(session, texts.get(session.id), titles.get(session.id, "")) for session in sessions
    )


def _history_row(done: Done, description: Any, plan_title: str) -> HistoryRow:
    text = description if isinstance(description, str) else ""
    sport = formats.sport(done.sport) if done.sport else ""
    return HistoryRow(done, plan_title, text, searchable(f"{done.title}\n{sport}\n{plan_title}\n{text}"))


def _undated(activity: Activity) -> Done:
    """A session without a start, which no list by day has."""
    return Done(
        activity.id,
        _UNDATED,
        activity.sport,
        activity.training_stimulus,
        duration_s=or_nan(duration_s(activity)),
        distance_m=or_nan(activity.distance),
        volume=or_nan(activity.volume),
        title=activity.name or "",
    )


def _plan_titles(plans: Sequence[Planned], done: Sequence[Done], today: date) -> dict[str, str]:
    """The title of each session's plan by the session's id, also of a likely match and of each leg."""
    titles: dict[str | None, str] = {plan.activity_id: plan.title for plan in plans if plan.activity_id}
    sessions = _by_month(done)
    for month, planned in _by_month(plans).items():
        pairs = match_sessions(planned, sessions.get(month, ()), excuses=(), today=today)
        for plan, session in ((pair.planned, pair.done) for pair in pairs):
            if plan and session and (session.day.year, session.day.month) == month:
                titles.setdefault(session.group_id or session.id, plan.title)
    return {session.id: titles.get(session.id) or titles.get(session.group_id, "") for session in done}


_Part = TypeVar("_Part", Planned, Done)


def _by_month(parts: Iterable[_Part]) -> dict[tuple[int, int], list[_Part]]:
    """The parts of each month and of the days around it, as the calendar compares them: all years at once take long."""
    months: dict[tuple[int, int], list[_Part]] = {}
    for part in parts:
        days = (part.day + timedelta(days=shift) for shift in (-PAIRING_DAYS, 0, PAIRING_DAYS))
        for month in {(day.year, day.month) for day in days}:
            months.setdefault(month, []).append(part)
    return months


_COLUMNS = (
    TableColumn("day", "Day", width=90),
    TableColumn("session", "Session"),
    TableColumn("sport", "Sport", "stimulus", width=170, is_minor=True),
    TableColumn("duration", "Time", "moving", is_number=True, width=66),
    TableColumn("distance", "Distance", is_number=True, width=84, is_minor=True),
    TableColumn("load", "Load", is_number=True, width=70),
)
_SORTS: Mapping[str, str] = {
    "-day": "Sort: newest",
    "day": "Sort: oldest",
    "session": "Sort: name",
    "sport": "Sort: sport",
    "-duration": "Sort: longest time",
    "-distance": "Sort: longest distance",
    "-load": "Sort: highest load",
}
"""For a phone, which hides columns; any other order in the URL applies too."""
_NEWEST, _ALL = "-day", "all"
_AT_ONCE, _MORE = 50, 100
_TABLE, _OPEN = "activity.history", "activity.filters"
_FIRST_DAY = date(1970, 1, 1)
IMPORTING = (DataOnboardingStatus.NOT_STARTED, DataOnboardingStatus.ONGOING)


def draw_history(page: Page, athlete: Athlete) -> None:
    """The sessions that match the URL, all of them without filters."""
    page = page.on_day_of(athlete.id)
    history = load_history(page.client, user_id=athlete.id, today=page.today)
    shell.say_age(page, *history.results)
    notices.say_problems(*history.results)
    for missing in history.missing:
        notices.say(missing.error, about=f"Titles of {missing.what}")
    if not history.rows:
        say_empty(
            page,
            athlete.id,
            "No session yet.",
            fills=_filling_action(athlete),
            rows="activities",
            of=history.results,
        )
        return
    wanted = _asked()
    _draw_controls(page, history, wanted)
    matching = wanted.chosen(history.rows)
    st.caption(_count(history, matching))
    if matching:
        _draw_table(page, athlete, matching, wanted)
    else:
        st.button("Clear search and filters", key="activity.clear", on_click=_clear)


def _asked() -> HistoryFilter:
    first, last = sorted((state.get_day("from") or date.min, state.get_day("to") or date.max))
    least_m, most_m = sorted((_asked_m("min_km", 0.0), _asked_m("max_km", inf)))
    sort = state.get_param("sort") or _NEWEST
    return HistoryFilter(
        words=searchable(state.get_text("q")),
        sport=_one_of(state.get_param("sport"), Sport),
        stimulus=_one_of(state.get_param("stimulus"), TrainingStimulus),
        least_m=least_m,
        most_m=most_m,
        first=first,
        last=last,
        sort=sort if sort.removeprefix("-") in ORDERS else _NEWEST,
    )


def _asked_m(name: str, otherwise: float) -> float:
    with suppress(ValueError):
        metres = 1000 * float(state.get_param(name) or "none")
        return metres if 0 <= metres < inf else otherwise
    return otherwise


def _one_of(value: str | None, allowed: Iterable[str]) -> str | None:
    return value if value in set(allowed) else None


def _draw_controls(page: Page, history: History, wanted: HistoryFilter) -> None:
    is_open = bool(state.get(_OPEN))
    sports = _options("All sports", (row.done.sport for row in history.rows), wanted.sport, formats.sport)
    orders = {**_SORTS, wanted.sort: _SORTS.get(wanted.sort, "Sort: custom")}
    label = "Filter" if is_open else _filter_words(page, wanted) or "Filter"
    controls: list[Control] = [
        Search("q", "Search by name, description or plan", state.get_text("q"), width=250),
        Pick("sport", "Sport", sports, wanted.sport or _ALL, width=150),
        Pick("sort", "Sort", orders, wanted.sort, width=156, is_for_narrow=True),
        Press("filter", label, "", help="Filter by date, distance and stimulus", is_open=is_open),
    ]
    if is_open:
        stimuli = (row.done.stimulus for row in history.rows)
        options = _options("All stimuli", stimuli, wanted.stimulus, formats.label)
        controls.append(Pick("stimulus", "Stimulus", options, wanted.stimulus or _ALL, width=150))
    draw_bar(controls, key="activity.find", on_change=_take)
    if is_open:
        with st.container(horizontal=True, gap="small"):
            _draw_day(page, "from", "From", wanted.first)
            _draw_day(page, "to", "To", wanted.last)
            _draw_distance(page, "min_km", "Distance from", wanted.least_m)
            _draw_distance(page, "max_km", "Distance to", wanted.most_m)


def _options(
    every: str, values: Iterable[str | None], chosen: str | None, words_of: Callable[[str], str]
) -> dict[str, str]:
    distinct = {str(value) for value in (*values, chosen) if value}
    named = {value: words_of(value) for value in distinct}
    return {_ALL: every} | dict(sorted(named.items(), key=lambda pair: pair[1]))


def _filter_words(page: Page, wanted: HistoryFilter) -> str:
    """The active filters that the closed row hides."""
    low, high = (formats.distance(metres, units=page.units) for metres in (wanted.least_m, wanted.most_m))
    parts = (
        f"from {formats.day(wanted.first)}" if wanted.first > date.min else "",
        f"to {formats.day(wanted.last)}" if wanted.last < date.max else "",
        f"at least {low}" if wanted.least_m else "",
        f"at most {high}" if wanted.most_m < inf else "",
        formats.label(wanted.stimulus) if wanted.stimulus else "",
    )
    return ", ".join(part for part in parts if part)


def _draw_day(page: Page, name: str, label: str, day: date) -> None:
    key = f"activity.find.{name}"
    state.put(key, None if day in {date.min, date.max} else max(_FIRST_DAY, min(day, page.today)))
    st.date_input(
        label,
        value=None,
        key=key,
        format="YYYY-MM-DD",
        min_value=_FIRST_DAY,
        max_value=page.today,
        width=140,
        on_change=_take_field,
        args=(key, name, 1.0),
    )


def _draw_distance(page: Page, name: str, label: str, metres: float) -> None:
    unit, unit_m = ("mi", M_PER_MILE) if page.units.is_imperial() else ("km", 1000.0)
    key = f"activity.find.{name}"
    state.put(key, round(metres / unit_m, 2) if 0 < metres < inf else None)
    st.number_input(
        f"{label} ({unit})",
        value=None,
        min_value=0.0,
        step=5.0,
        format="%.4g",
        key=key,
        width=140,
        on_change=_take_field,
        args=(key, name, unit_m / 1000),
    )


def _take_field(key: str, name: str, unit_km: float) -> None:
    value = state.get(key)
    _take(name, "" if value is None else f"{value * unit_km:.6g}" if isinstance(value, float) else str(value))


def _take(name: str, choice: str) -> None:
    if name == "filter":
        state.put(_OPEN, not state.get(_OPEN))
        return
    state.set_params({name: None if choice in {"", _ALL, _NEWEST} else choice, "rows": None})


def _take_order() -> None:
    """A first click on a column sorts numbers from the highest, words from A; a second one the other way."""
    column = (state.get(_TABLE).picked or "").removeprefix("sort ")
    words_first = column in {"session", "sport"}
    usual, other = (column, f"-{column}") if words_first else (f"-{column}", column)
    _take("sort", other if _asked().sort == usual else usual)


def _clear() -> None:
    state.set_params(dict.fromkeys(name for name in LIST if name != "sort"))


def _count(history: History, matching: list[HistoryRow]) -> str:
    days = [row.day for row in history.rows if row.day]
    total = formats.count(len(history.rows), "session")
    if len(matching) == len(history.rows):
        span = f" from {formats.day(days[-1])} to {formats.day(days[0])}" if len(days) > 1 else ""
        return f"{total}{span}."
    return (
        f"{len(matching):,} of {total} match."
        if matching
        else f"None of {total} matches the search and filters."
    )


def _draw_table(page: Page, athlete: Athlete, matching: list[HistoryRow], wanted: HistoryFilter) -> None:
    asked = state.get_param("rows") or ""
    most = int(asked) if asked.isdecimal() and len(asked) < len("99999") else _AT_ONCE
    rows = [_table_row(page, athlete, row) for row in matching[:most]]
    draw_table(
        PeopleTable("Sessions", _columns(wanted.sort), rows, kind="list"), key=_TABLE, on_pick=_take_order
    )
    if len(matching) > most:
        st.button(
            f"Show more ({len(matching) - most:,} left)",
            key="activity.more",
            type="tertiary",
            on_click=state.set_param,
            args=("rows", str(most + _MORE)),
        )


def _columns(sort: str) -> list[TableColumn]:
    name = sort.removeprefix("-")
    direction: Literal["descending", "ascending"] = "descending" if sort.startswith("-") else "ascending"
    return [
        replace(column, pick=f"sort {column.id}", sort=direction if column.id == name else "")
        for column in _COLUMNS
    ]


def _table_row(page: Page, athlete: Athlete, row: HistoryRow) -> TableRow:
    done = row.done
    sport, name = formats.sport(done.sport) if done.sport else "", plain(done.title)
    distance = formats.distance(done.distance_m or None, done.sport, units=page.units)
    plan = plain(row.plan_title)
    facts = [
        *([sport, distance] if theme.is_phone() else []),
        f"planned as {plan}" if plan and plan != name else "",
    ]
    url = page_url("activity", **session_params(athlete.id, done.id, row.day))
    cells = [
        Cell(formats.day(row.day, today=page.today) if row.day else "No date"),
        Cell(name or sport or "Unnamed session", ", ".join(fact for fact in facts if fact), href=url),
        Cell(sport, formats.label(done.stimulus) if done.stimulus else ""),
        Cell(formats.duration_hms(done.duration_s)),
        Cell(distance),
        load_cell(done),
    ]
    return TableRow(done.id, cells, href=url)


def _filling_action(athlete: Athlete) -> str:
    if athlete.user.data_onboarding_status in IMPORTING:
        return "The athlete's history is still being imported; sessions appear during the import."
    return "Sessions appear when the data service receives a recording."
