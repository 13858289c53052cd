"""The sections of the page of an athlete's values, in the order of the page; the hours and the time zone of the athlete."""

from collections.abc import Callable
from datetime import date
from functools import partial

import pandas as pd
import streamlit as st

from coachboard.client.errors import EditConflict, ServiceError
from coachboard.loaders.preferences import time_zones
from coachboard.pages.recompute import draw_recompute
from coachboard.pages.session_fields import USUAL_SPORTS
from coachboard.pages.values.form import as_opened, draw_current, draw_form, pick, require
from coachboard.pages.values.proposals import draw_proposals
from coachboard.ui.frame import formats, notices, state, theme
from coachboard.ui.frame.own_data import say_rejected
from coachboard.ui.frame.page import Athlete, Page
from coachboard.ui.frame.text import plain
from coachboard.ui.widgets.phone_columns import fitted
from coachboard.wire.athlete_settings import Availability, AvailabilityPatch, DayHours, NewAvailability
from coachboard.wire.planning import PlanProfile

__all__ = [
    "draw_current",
    "draw_form",
    "draw_hours",
    "draw_proposals",
    "draw_recompute",
    "draw_zone",
    "pick",
    "require",
]


WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_HOURS, _EXCEPTION = "hours", "exception"
_NEW = {_HOURS: "New hours from a day on", _EXCEPTION: "New exception for some days"}
_PICK, _NEXT, _COUNT, _OPENED = "hours.pick", "hours.next", "hours.count", "hours.opened"


def draw_hours(page: Page, athlete: Athlete) -> None:
    """The hours as a table, and the form that adds, changes and deletes them."""
    rows = page.client.planning.availability(athlete.id)
    if rows:
        _draw_table(page, rows)
    else:
        notices.say_empty(
            "No hours set.",
            fills="Plans warn of days without enough hours, and the calendar shows the hours of a week.",
        )
    by_id = {row.id: row for row in reversed(rows)}
    if state.get(_NEXT) is not None:
        state.put(_PICK, state.get(_NEXT))
        state.forget(_NEXT)
    if state.get(_PICK) not in {*_NEW, *by_id}:
        state.forget(_PICK)
    picked = st.selectbox(
        "Hours to add or change",
        [*_NEW, *by_id],
        format_func=lambda id_: _NEW[id_] if id_ in _NEW else _row_words(page, by_id[id_]),
        key=_PICK,
        width=420,
    )
    row, is_exception = as_opened(by_id.get(picked or ""), _OPENED), picked == _EXCEPTION
    newest = next((each for each in reversed(rows) if each.end_date is None), None)
    like = row if row or is_exception else newest
    _draw_form(page, athlete, row, like, is_exception=is_exception)


def _draw_table(page: Page, rows: tuple[Availability, ...]) -> None:
    frame = pd.DataFrame(
        {
            "From": [formats.day(row.date, today=page.today) for row in rows],
            "Until": [
                "" if row.end_date is None else formats.day(row.end_date, today=page.today) for row in rows
            ],
            "Week": [_hours(sum(day.hours for day in row.weekdays)) for row in rows],
            **{
                name[:3]: [_day_words(row.weekdays[place]) for row in rows]
                for place, name in enumerate(WEEKDAYS)
            },
            "Set by": ["" if row.set_by is None else plain(row.set_by.name, longest=40) for row in rows],
        }
    )
    shown = fitted(frame, ("From", "Until", "Week"), key="hours.table")
    st.dataframe(shown, hide_index=True, key="hours.table", width="content")


def _day_words(day: DayHours) -> str:
    sports = ", ".join(formats.sport(sport) for sport in day.sports)
    return f"{_hours(day.hours)} {sports}".strip() if day.hours else formats.MISSING


def _hours(hours: float) -> str:
    return formats.duration_hm(hours * 3600)


def _row_words(page: Page, row: Availability) -> str:
    start = formats.day(row.date, today=page.today)
    if row.end_date is None:
        return f"Hours from {start}"
    return f"Exception {start} to {formats.day(row.end_date, today=page.today)}"


def _draw_form(
    page: Page, athlete: Athlete, row: Availability | None, like: Availability | None, *, is_exception: bool
) -> None:
    """The form of hours, or of new ones that begin with those of `like`."""
    key = f"hours.{athlete.id}.{row.id if row else state.get(_COUNT, 0)}.{is_exception}"
    has_end = is_exception or (row is not None and row.end_date is not None)
    with st.form(f"{key}.form", border=False):
        with st.container(horizontal=True):
            start = st.date_input(
                "From",
                value=row.date if row else page.today,
                format="YYYY-MM-DD",
                key=f"{key}.from",
                width=200,
            )
            end = None
            if has_end:
                value = row.end_date if row and row.end_date else page.today
                end = st.date_input("Until", value=value, format="YYYY-MM-DD", key=f"{key}.until", width=200)
        weekdays = tuple(_draw_weekday(key, place, like) for place in range(len(WEEKDAYS)))
        is_saved = st.form_submit_button("Save hours", type=theme.main_button())
    if is_saved and isinstance(start, date):
        _save(page, athlete, row, start, end if isinstance(end, date) else None, weekdays)
    if row is not None and st.button(
        "Delete hours", key="hours.delete", type="tertiary", icon=":material/delete:"
    ):
        _change(partial(page.client.planning.delete_availability, athlete.id, row))


def _draw_weekday(key: str, place: int, row: Availability | None) -> DayHours:
    name, now = WEEKDAYS[place], None if row is None else row.weekdays[place]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        hours = st.number_input(
            f"{name} (h)", min_value=0.0, max_value=24.0, step=0.5, value=float(now.hours) if now else 0.0,
            format="%.2f", key=f"{key}.{place}.hours", width=150,
        )  # fmt: skip
        listed = tuple(dict.fromkeys((*USUAL_SPORTS, *(now.sports if now else ()))))
        sports = st.multiselect(
            f"{name}: sports", listed, default=list(now.sports) if now else [], format_func=formats.sport,
            placeholder="All sports", key=f"{key}.{place}.sports", width=320,
        )  # fmt: skip
    return DayHours(hours=hours, sports=tuple(sports))


def _save(
    page: Page,
    athlete: Athlete,
    row: Availability | None,
    start: date,
    end: date | None,
    weekdays: tuple[DayHours, ...],
) -> None:
    if row is None:
        new = NewAvailability(date=start, end_date=end, weekdays=weekdays)
        _change(partial(page.client.planning.add_availability, athlete.id, new))
        return
    patch = AvailabilityPatch(date=start, end_date=end, weekdays=weekdays)
    _change(partial(page.client.planning.change_availability, athlete.id, row, patch))


def _change(send: Callable[[], object]) -> None:
    """Send a change and draw the page again; say why if the service rejects it."""
    try:
        send()
    except EditConflict:
        state.forget(_OPENED)
        st.error(
            "Not saved: these hours were changed or deleted meanwhile. The table shows them as they are now; "
            "save again to replace them.",
            icon=":material/sync_problem:",
        )
        return
    except ServiceError as error:
        say_rejected(error, "Not saved")
        return
    state.put(_COUNT, state.get(_COUNT, 0) + 1)
    state.put(_NEXT, _HOURS)
    st.toast("Saved.")
    st.rerun()


def draw_zone(page: Page, athlete: Athlete) -> None:
    """The time zone of the athlete, for the times in calendar subscriptions."""
    try:
        profile = page.client.planning.profile(athlete.id)
    except ServiceError as error:
        notices.say(error, about="Time zone")
        return
    key, now = f"values.zone.{athlete.id}", profile.time_zone
    zones = list(dict.fromkeys([*time_zones(), *([now] if now else [])]))
    st.selectbox(
        "Time zone of the athlete",
        zones,
        index=zones.index(now) if now else None,
        placeholder="Not set",
        key=key,
        on_change=_take_zone,
        args=(page, athlete, profile, key),
        width=420,
    )
    st.caption("For the times in calendar subscriptions; without it they have no zone.")


def _take_zone(page: Page, athlete: Athlete, profile: PlanProfile, key: str) -> None:
    try:
        page.client.planning.set_time_zone(athlete.id, profile, state.get(key))
    except ServiceError as error:
        notices.say(error, about="Time zone")
