"""The calendar's pickers, its data, and the grid with the open day."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import partial

import streamlit as st

from coachboard.loaders.calendar.page_data import AGENDA_WEEKS, CalendarData, load_calendar, span_of
from coachboard.loaders.newest_day import EVENTS, PLANS, SESSIONS
from coachboard.views.calendar import day as opened_day
from coachboard.views.calendar import weeks
from coachboard.views.frame import formats, notices, shell, state, theme
from coachboard.views.frame.opening_day import opening_day, say_opening_day
from coachboard.views.frame.own_data import say_empty
from coachboard.views.frame.page import Athlete, Page
from coachboard.views.widgets import pickers
from coachboard.views.widgets.calendar_grid import View, draw_grid
from coachboard.views.widgets.toolbar import Control, Pick, Press, RadioRow, draw_bar

VIEWS: Mapping[str, str] = {"month": "Month", "week": "Week", "agenda": "Agenda"}
_MISSED: Mapping[str, str] = {"": "With missed", "out": "Without missed"}
_MOST_BESIDE = 3
_KINDS = (SESSIONS, PLANS, EVENTS)
_RECENT_DAYS = 42
_OPENED_ON = "calendar.opened_on"
_FIRST_YEAR = 1970


@dataclass(frozen=True, slots=True)
class CalendarChoice:
    """Athletes and days in the URL."""

    athletes: tuple[Athlete, ...]
    view: View
    on: date
    start: date
    end: date
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def full_names(self) -> dict[str, str]:
        """For files, where there is room; empty for one athlete."""
        return {one.id: one.name for one in self.athletes} if len(self.athletes) > 1 else {}

    @property
    def month(self) -> int | None:
        return self.on.month if self.view == "month" else None

    @property
    def title(self) -> str:
        if self.view == "month":
            return f"{self.on:%B %Y}"
        same_year = self.start.year == self.end.year
        same_month = same_year and self.start.month == self.end.month
        first = f"{self.start.day}" if same_month else f"{self.start.day} {self.start:%b}"
        first += "" if same_year else f" {self.start.year}"
        return f"{first} to {self.end.day} {self.end:%b %Y}"


def pick(page: Page) -> CalendarChoice:
    """Pick athletes, view and days; all are URL parameters."""
    athlete = pickers.pick_athlete(page)
    view = _asked_view()
    asked = state.get_day("on") or _day_of_month(page, state.get_month()) or state.get_day("open")
    on = pickers.reachable(page, asked or opening_day(page, athlete, _KINDS, days=_RECENT_DAYS))
    if asked is None:
        state.put(_OPENED_ON, on)
    if state.get(_OPENED_ON) == on:  # also in the next run, whose address names the day
        say_opening_day(page, athlete, on)
    if state.get_month() is None or state.get_day("on"):
        # An explicit date, so that a link opens the same days tomorrow.
        state.set_param("on", on)
    start, end = span_of(view, on, page.first_weekday)
    athletes = (athlete, *_beside(page, athlete))
    return CalendarChoice(athletes, view, on, start, end, _names(athletes, view))


def _day_of_month(page: Page, month: date | None) -> date | None:
    """Today in its own month, so that its week follows the month; else the first day."""
    return page.today if month == page.today.replace(day=1) else month


def _asked_view() -> View:
    asked = state.get_param("view")
    return "week" if asked == "week" else "agenda" if asked == "agenda" else "month"


def _beside(page: Page, athlete: Athlete) -> tuple[Athlete, ...]:
    others = {one.id: one for one in page.everyone if one.id != athlete.id}
    asked = [name for name in (state.get_param("beside") or "").split(",") if name in others][:_MOST_BESIDE]
    if not page.athletes:
        return ()
    is_full = len(asked) == _MOST_BESIDE
    added = Pick(
        "add",
        "Compare with",
        {one.id: one.name for one in others.values() if one.id not in asked},
        placeholder=f"Limit: {formats.count(_MOST_BESIDE, 'athlete')}"
        if is_full
        else "Add athlete"
        if asked
        else "Compare with…",
        width=160,
        is_disabled=is_full,
    )
    shown = [Press("drop", f"{others[one].name} ×", one, help=f"Remove {others[one].name}") for one in asked]
    with page.picks:
        draw_bar(
            [*shown, added], key="calendar.beside", on_change=lambda name, one: _take_beside(asked, name, one)
        )
    return tuple(others[name] for name in asked)


def _take_beside(asked: list[str], name: str, athlete_id: str) -> None:
    beside = [*asked, athlete_id] if name == "add" else [one for one in asked if one != athlete_id]
    state.set_param("beside", ",".join(beside) or None)


def _names(athletes: Sequence[Athlete], view: View) -> dict[str, str]:
    """Short names of several athletes: whole names if there is room, else the fewest letters that differ."""
    if len(athletes) == 1:
        return {}
    short = {one.id: _initials(one.name) for one in athletes}
    if view != "month":
        return {one.id: one.name for one in athletes}
    return {
        one.id: short[one.id] if list(short.values()).count(short[one.id]) == 1 else one.name
        for one in athletes
    }


def _initials(name: str) -> str:
    return "".join(word[0] for word in name.split()[:2]).upper()


def load(page: Page, choice: CalendarChoice) -> CalendarData:
    """Load the span of each picked athlete; show failures above the grid."""
    data = load_calendar(
        page.client,
        [athlete.id for athlete in choice.athletes],
        start=choice.start,
        end=choice.end,
        today=page.today,
        today_of=page.today_of,
    )
    shell.say_age(page, *data.results)
    notices.say_problems(*data.results)
    names = {athlete.id: athlete.name for athlete in choice.athletes}
    for missing in data.missing:
        notices.say(missing.error, about=f"{names[missing.user_id]}, {missing.what}")
    return data


def draw_days(page: Page, choice: CalendarChoice, data: CalendarData) -> None:
    """The grid and the open day or entry."""
    # The steps change the days, which a full run must load; an entry opens within the fragment.
    # Above what comes and goes with a month: a control that moves in the page loses the focus.
    _draw_steps(page, choice, data)
    if data.is_empty:
        say_empty(
            page,
            choice.athletes[0].id,
            "No plans or sessions in this season.",
            fills="They appear as soon as they are planned or recorded.",
            kind="plans",
            rows="activities training-prescriptions",
            of=data.results,
        )
    _draw_grid(page, choice, data)


@st.fragment
def _draw_grid(page: Page, choice: CalendarChoice, data: CalendarData) -> None:
    if state.get_day("on") not in {None, choice.on}:
        st.rerun()  # the open day is outside the grid: a full run loads other days
    opened = state.get_param("open")
    day = opened_day.day_of(data, opened)
    shown = weeks.CalendarLook(
        view=choice.view,
        title=choice.title,
        first_weekday=page.first_weekday,
        units=page.units,
        zone=page.zone,
        month=choice.month,
        picked=day,
        opened=opened if opened and day else "",
        names=choice.names,
        counts_missed=counts_missed(),
    )
    picked = draw_grid(weeks.grid(data, shown), key="calendar.grid")
    if picked and picked != opened:
        state.set_param("open", picked.removesuffix(" more"))
        st.rerun(scope="fragment")
    opened_day.draw_opened(page, data, opened, names={one.id: one.name for one in choice.athletes})


def _draw_steps(page: Page, choice: CalendarChoice, data: CalendarData) -> None:
    take = partial(_take_step, choice, data)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.header(choice.title, anchor=False, width="stretch")
        is_phone = theme.is_phone()  # with a frame the buttons take a second row there
        controls: list[Control] = [
            RadioRow("view", "View", VIEWS, choice.view),
            Pick("month", "Month", _months(page, choice.on), f"{choice.on:%Y-%m}", width=132),
            Press("on", "Previous", _step(page, choice, -1).isoformat(), is_quiet=is_phone),
            Press("on", "Today", page.today.isoformat()),
            Press("on", "Next", _step(page, choice, 1).isoformat(), is_quiet=is_phone),
        ]
        missed = RadioRow(
            "missed", "Planned totals", _MISSED, "" if counts_missed() else "out", is_labelled=True
        )
        if not is_phone:
            draw_bar([*controls, missed], key="calendar.bar", on_change=take)
            return
        draw_bar(controls, key="calendar.bar", on_change=take)
    # Its own row: in the row of the days it wrapped.
    draw_bar([missed], key="calendar.missed", on_change=take)


def counts_missed() -> bool:
    """Whether missed plans count towards the totals; `missed=out` in the URL leaves them out."""
    return state.get_param("missed") != "out"


def _take_step(choice: CalendarChoice, data: CalendarData, name: str, says: str) -> None:
    if name == "view":  # the open day stays in view: a month led to its first week
        day = opened_day.day_of(data, state.get_param("open")) or choice.on
        state.set_params({"on": day, "month": None})
    state.set_param(name, says or None)
    if name in {"on", "month"}:
        state.set_param("month" if name == "on" else "on", None)  # the last choice takes precedence


def _step(page: Page, choice: CalendarChoice, direction: int) -> date:
    if choice.view == "month":
        middle = choice.on.replace(day=15) + timedelta(days=30 * direction)
        month = middle.replace(day=1)
        return _day_of_month(page, month) or month
    return choice.on + timedelta(days=7 * direction * (AGENDA_WEEKS if choice.view == "agenda" else 1))


def _months(page: Page, on: date) -> dict[str, str]:
    """All months that a link can open: the days of the history are not known until its lists are loaded."""
    first, last = min(_FIRST_YEAR, on.year), max(page.today.year + 2, on.year)
    days = (date(year, month, 1) for year in range(first, last + 1) for month in range(1, 13))
    return {f"{day:%Y-%m}": f"{day:%B %Y}" for day in days}
