"""The calendar's pickers, its data, and the grid with the open day."""

from collections.abc import Mapping
from datetime import date, timedelta
from functools import partial

import streamlit as st

from coachboard.client import Client, ServiceError, Unauthorized
from coachboard.pages import comments
from coachboard.pages.calendar import day as opened_day
from coachboard.pages.calendar import editor, library, planning, targets, weeks
from coachboard.pages.calendar.choice import VIEWS, CalendarChoice, counts_missed, day_of_month, is_many
from coachboard.pages.calendar.data import AGENDA_WEEKS, LISTS, CalendarData, load_calendar
from coachboard.ui.frame import navigation, notices, shell, state, theme
from coachboard.ui.frame.own_data import say_empty
from coachboard.ui.frame.page import Page
from coachboard.ui.widgets.calendar_grid import draw_grid
from coachboard.ui.widgets.toolbar import Control, Pick, Press, RadioRow, draw_bar

_MISSED: Mapping[str, str] = {"": "With missed", "out": "Without"}
_FIRST_YEAR = 1970


def load(page: Page, choice: CalendarChoice) -> CalendarData:
    """Load the span of each picked athlete; show failures above the grid."""
    written, former = planning.take_written(), state.get(state.LOADED)
    ids = [athlete.id for athlete in choice.athletes]
    days = (choice.start, choice.end, page.today, ids)
    is_known = isinstance(former, CalendarData) and days == (
        former.start, former.end, former.today, [calendar.user_id for calendar in former.athletes]
    )  # fmt: skip
    if written and is_known:  # a squad's other athletes are as they were
        ids = [name for name in ids if (page.profile.id if name == state.OWN else name) in written]
    data = load_calendar(
        page.client,
        ids,
        start=choice.start,
        end=choice.end,
        today=page.today,
        today_of=page.today_of,
        follows_a_write=written is not None,
    )
    if written and is_known:
        data = former.with_athletes(data)
    state.put(state.LOADED, data)
    shell.say_age(page, *data.results)
    notices.say_problems(*data.results)
    for missing in data.missing:
        notices.say(missing.error, about=f"{page.names[missing.user_id]}, {missing.what}")
    return data


_LOOK_S = 10.0
"""Seconds between two looks for changes by others."""


def _watch(client: Client, stamp: str | None) -> None:
    """Load the page again when the data have changed since it was drawn."""
    try:
        is_newer = client.look_for_changes() != stamp
    except Unauthorized:
        is_newer = True  # a full run asks for another key
    except ServiceError:
        is_newer = False
    if is_newer:
        st.rerun()


def draw_days(page: Page, choice: CalendarChoice, data: CalendarData) -> None:
    """The grid and the open day or entry."""
    if data.can_plan:
        st.fragment(_watch, run_every=_LOOK_S)(page.client, page.client.look_for_changes())
    # The steps change the days, which a full run must load; an entry opens within the fragment.
    # Above what comes and goes with a month: a control that moves in the page loses the focus.
    _draw_steps(page, choice, data)
    library.draw_toggle(page, data)
    comments.draw_unread_links(
        page,
        {
            page.profile.id if name == state.OWN else name
            for name in (athlete.id for athlete in choice.athletes)
        },
    )
    _draw_grid(page, choice, data)
    # Below the days: above them, the first entry would draw the days again in another place, without the focus.
    if data.is_empty:
        say_empty(
            page,
            choice.athletes[0].id,
            "No plans or sessions in this season.",
            fills="They appear as soon as they are planned or recorded.",
            kind="plans",
            rows=LISTS,
            of=data.results,
        )


@st.fragment
def _draw_grid(page: Page, choice: CalendarChoice, data: CalendarData) -> None:
    if week := planning.take_saved_week():
        days = {"from": week[1].isoformat(), "to": (week[1] + timedelta(days=6)).isoformat()}
        st.switch_page(
            navigation.page_path("plans"), query_params={"new": "weeks", "athlete": week[0], **days}
        )
    if planning.is_written() or state.get_day("on") not in {None, choice.on}:
        st.rerun()  # the plan has changed, or the open day is outside the grid: a full run loads the data
    opened = state.get_param("open")
    day = opened_day.day_of(data, opened)
    look = weeks.CalendarLook(
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
        plan=planning.for_grid(
            data,
            library.draw_shelf(page, data),
            has_targets=targets.may_set(page, data),
            has_plans=page.client.planning.has("plans"),
        ),
        unread=comments.unread_by_row(page),
    )
    picked = draw_grid(
        weeks.grid(data, look), key="calendar.grid", on_changes=partial(planning.carry_out, page, data)
    )
    if picked and (_is_open(data, picked) or picked.startswith(library.PREFIX)):
        state.set_param(planning.EDITED, picked)
    elif picked and picked != opened:
        state.set_param("open", picked)
        st.rerun(scope="fragment")
    editor.draw(page, data)
    targets.draw(page, data)
    opened_day.draw_opened(page, data, opened)


def _is_open(data: CalendarData, picked: str) -> bool:
    """Whether a click opens the editor: on an entry that is not done; a day or a session opens below the grid."""
    is_done = any(picked in athlete.done_ids for athlete in data.athletes)
    return picked in data.entries and not is_done


def _draw_steps(page: Page, choice: CalendarChoice, data: CalendarData) -> None:
    take = partial(_take_step, choice, data)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.header(choice.title, anchor=False, width="stretch")
        is_phone = theme.is_phone()  # with a frame the buttons take a second row there
        controls: list[Control] = [
            RadioRow("view", "View", VIEWS, choice.view),
            Pick("month", "Month", _months(page, choice.on), f"{choice.on:%Y-%m}", width=150),
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


def _take_step(choice: CalendarChoice, data: CalendarData, name: str, step: str) -> None:
    if name == "view" and step != "week" and is_many(state.get_param("beside")):
        state.set_param("beside", None)
    if name == "view":  # the open day stays in view: a month led to its first week
        day = opened_day.day_of(data, state.get_param("open")) or choice.on
        state.set_params({"on": day, "month": None})
    state.set_param(name, step or None)
    if name in {"on", "month"}:
        state.set_param("month" if name == "on" else "on", None)  # the last choice takes precedence


def _step(page: Page, choice: CalendarChoice, direction: int) -> date:
    if choice.view == "month":
        middle = choice.on.replace(day=15) + timedelta(days=30 * direction)
        month = middle.replace(day=1)
        return day_of_month(page, month) or month
    return choice.on + timedelta(days=7 * direction * (AGENDA_WEEKS if choice.view == "agenda" else 1))


def _months(page: Page, on: date) -> dict[str, str]:
    """All months that a link can open: the days of the history are not known until its lists are loaded."""
    first, last = min(_FIRST_YEAR, on.year), max(page.today.year + 2, on.year)
    days = (date(year, month, 1) for year in range(first, last + 1) for month in range(1, 13))
    return {f"{day:%Y-%m}": f"{day:%B %Y}" for day in days}
