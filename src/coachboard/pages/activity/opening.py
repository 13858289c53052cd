"""Opening a session: the athlete, the list of sessions with the filters, and the chosen one."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import date
from math import inf
from typing import Any, Literal, NoReturn

import streamlit as st

from coachboard.client import Result
from coachboard.client.errors import NotFound
from coachboard.imperial import M_PER_MILE
from coachboard.pages.activity import data as loader
from coachboard.pages.activity.data import ActivityData, ActivityUnknown
from coachboard.pages.activity.session_list import ORDERS, History, HistoryFilter, HistoryRow, load_history
from coachboard.plain_text import searchable
from coachboard.ui.frame import formats, notices, shell, state, theme
from coachboard.ui.frame.addresses import KEPT, LIST, activity_params, page_url, session_params
from coachboard.ui.frame.own_data import say_empty
from coachboard.ui.frame.page import Athlete, Page
from coachboard.ui.frame.text import md, plain
from coachboard.ui.widgets import pickers
from coachboard.ui.widgets.load_cell import load_cell
from coachboard.ui.widgets.people_table import Cell, PeopleTable, TableColumn, TableRow, draw_table
from coachboard.ui.widgets.toolbar import Control, Pick, Press, Search, draw_bar
from coachboard.wire.enums import DataOnboardingStatus, Sport, TrainingStimulus


def pick_athlete(page: Page) -> Athlete:
    """The athlete in the URL; a change of athlete opens their session of the same day."""
    return pickers.pick_athlete(page, on_pick=lambda _, athlete_id: _take_athlete(page, athlete_id))


def open_session(page: Page, athlete: Athlete) -> ActivityData:
    """Load the session in the URL; without one, or if the athlete has none of that id, show a list and stop."""
    asked = st.query_params.get("activity")
    activity_id = state.get_id("activity") if asked else _session_of_day(page, athlete)
    if activity_id is None:
        _list_all(page, athlete, is_missing=bool(asked))
    try:
        data, results = _load(page, athlete, activity_id, state.get_day("day"))
    except ActivityUnknown as unknown:
        _list_all(page, athlete, unknown.listed, is_missing=True)
    shell.say_age(page, *results)
    return data


def _list_all(page: Page, athlete: Athlete, *listed: Result[Any], is_missing: bool) -> NoReturn:
    if is_missing:
        text = f"This session was not found, or your key cannot read it. All sessions of {md(athlete.name)}:"
        st.warning(notices.unreadable("activities", listed) or text, icon=":material/search_off:")
    draw_history(page, athlete)
    st.stop()


def _load(
    page: Page, athlete: Athlete, activity_id: str, day: date | None
) -> tuple[ActivityData, tuple[Result[Any], ...]]:
    asked: Any = {"user_id": athlete.id, "activity_id": activity_id, "day": day, "today": page.today}
    data, results = loader.load_activity(page.client, **asked)
    state.put(state.LOADED, data)  # the loader has the record for the next run as long as a session holds it
    return data, results


def _take_athlete(page: Page, athlete_id: str) -> None:
    """Write athlete and day to the URL; remove session, selection and comparison of the former athlete."""
    day = (state.get_day("day") or page.today) if state.get_id("activity") else None
    state.keep_params((*KEPT, *LIST))
    state.set_params({"athlete": athlete_id, "day": day})


def _session_of_day(page: Page, athlete: Athlete) -> str | None:
    """The id of the athlete's session nearest to the URL's day; writes it to the URL."""
    day = state.get_day("day")
    near = loader.find_near(page.client, user_id=athlete.id, day=day, today=page.today) if day else None
    if near is None:
        return None
    state.set_params(activity_params(state.get_param("athlete") or athlete.id, near))
    return near.id


def say_no_streams(data: ActivityData) -> None:
    """Why there are no panels: no streams, import in progress, or failed request."""
    status = data.profile.data_onboarding_status if data.profile else None
    if status in IMPORTING:
        notices.say_empty(
            "No recording of this session yet:",
            fills="the athlete's history is still being imported. The recording appears after the import.",
        )
    elif isinstance(data.streams_error, NotFound):
        notices.say_empty(
            "This session has no second-by-second recording.",
            fills="It was entered by hand, or the device saved a summary only. The summary is above.",
        )
    elif data.streams is not None:
        notices.say_empty(
            "The recording of this session is empty:",
            fills="the device sent no data. The summary is above.",
            rows="streams",
            of=data.results,
        )


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
    history = load_history(page.client, user_id=athlete.id, today=page.today, sport_name=formats.sport)
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
    rows = [_row(page, athlete, row) for row in matching[:most]]
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


def _row(page: Page, athlete: Athlete, row: HistoryRow) -> TableRow:
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
