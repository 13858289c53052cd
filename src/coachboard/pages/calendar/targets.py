"""The target of a week: load or hours, and the phase; a dialog that the menu of a week opens."""

from collections.abc import Callable
from datetime import date
from functools import partial

import streamlit as st

from coachboard.client.errors import EditConflict, ServiceError
from coachboard.pages.calendar import planning
from coachboard.pages.calendar.data import AthleteCalendar, CalendarData
from coachboard.pages.calendar.weeks import monday_of
from coachboard.ui.frame import formats, groups, state, theme
from coachboard.ui.frame.own_data import say_rejected
from coachboard.ui.frame.page import Page
from coachboard.wire.athlete_settings import NewWeekTarget, WeekPhase, WeekTarget
from coachboard.wire.base import plausible_day
from coachboard.wire.enums import WorkspaceRole

_LOAD, _HOURS, _NEITHER = "Load", "Hours", "Neither"


def may_set(page: Page, data: CalendarData) -> bool:
    """Whether the user may set targets of an athlete of the calendar: a coach, or an athlete whom nobody coaches."""
    return page.client.planning.has("targets") and any(_may_set(page, athlete) for athlete in data.athletes)


def _may_set(page: Page, athlete: AthleteCalendar) -> bool:
    is_own = athlete.user_id in {state.OWN, page.profile.id}
    roles = {membership.role for membership in page.profile.workspaces or ()}
    return not is_own or WorkspaceRole.ATHLETE not in roles


def draw(page: Page, data: CalendarData) -> None:
    """The dialog for the week and athlete in the URL."""
    day, _, user = (state.get_param(planning.TARGET) or "").partition(".")
    athletes = {
        athlete.user_id: athlete
        for athlete in data.athletes
        if user in {"", athlete.user_id} and _may_set(page, athlete)
    }
    try:
        monday = monday_of(plausible_day(day))
    except ValueError:
        return
    if athletes and page.client.planning.has("targets"):
        title = f"Target of the week of {formats.day(monday, today=page.today)}"
        st.dialog(title, on_dismiss=_close)(_draw_form)(page, athletes, monday)


def _draw_form(page: Page, athletes: dict[str, AthleteCalendar], monday: date) -> None:
    names = page.names
    chosen = next(iter(athletes))
    if len(athletes) > 1:
        picked = st.selectbox(
            "Athlete", list(athletes), format_func=lambda id_: groups.listed(page, id_, names[id_])
        )
        chosen = picked or chosen
    before = next((each for each in athletes[chosen].targets if each.monday == monday), None)
    key = f"calendar.target.{chosen}.{monday}"
    kinds = (_LOAD, _HOURS, _NEITHER)
    kind = st.radio("Target", kinds, index=kinds.index(_kind_of(before)), horizontal=True, key=f"{key}.kind")
    with st.form(key, border=False):
        load = hours = None
        if kind == _LOAD:
            now = before.load if before else None
            load = st.number_input(
                "Load", min_value=1, max_value=10_000, value=None if now is None else max(1, round(now))
            )
        elif kind == _HOURS:
            now = before.hours if before else None
            hours = st.number_input(
                "Hours (h)",
                min_value=0.25,
                max_value=168.0,
                step=0.5,
                value=None if now is None else max(0.25, float(now)),
            )
        phase = st.selectbox(
            "Phase",
            list(WeekPhase),
            index=list(WeekPhase).index(before.phase) if before and before.phase else None,
            format_func=lambda phase: str(phase).capitalize(),
            placeholder="None",
        )
        is_saved = st.form_submit_button("Save target", type=theme.main_button())
    if is_saved and load is None and hours is None and phase is None:
        st.error("Not saved. Enter a load, hours or a phase.", icon=":material/error:")
    elif is_saved:
        given = {"load": load, "hours": hours, "phase": phase}
        new = NewWeekTarget(**{name: value for name, value in given.items() if value is not None})
        _send(chosen, partial(page.client.planning.put_target, chosen, monday, new, before))
    if before is not None and st.button("Delete target", type="tertiary", icon=":material/delete:"):
        _send(chosen, partial(page.client.planning.delete_target, chosen, before))


def _kind_of(before: WeekTarget | None) -> str:
    if before is None or before.load is not None:
        return _LOAD
    return _NEITHER if before.hours is None else _HOURS


def _send(user_id: str, send: Callable[[], object]) -> None:
    """Send a change, close the dialog and load the week again; say why if the service rejects it."""
    try:
        send()
    except EditConflict:
        planning.mark_written([user_id])
        st.error(
            "Not saved: the target was changed meanwhile. Close this and open it again to see it.",
            icon=":material/sync_problem:",
        )
        return
    except ServiceError as error:
        say_rejected(error, "Not saved")
        return
    planning.mark_written([user_id])
    _close()
    st.rerun()


def _close() -> None:
    state.set_param(planning.TARGET, None)
