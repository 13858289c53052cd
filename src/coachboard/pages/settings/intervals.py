"""The user's account at intervals.icu, to which the service pushes planned workouts."""

from contextlib import suppress

import streamlit as st

from coachboard.client.errors import ServiceError
from coachboard.ui.frame import formats, notices, state, theme
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md
from coachboard.wire.planning import IntervalsConnection, IntervalsState

_ID, _KEY, _DAYS = "settings.intervals_id", "settings.intervals_key", "settings.intervals_days"
_FAULT, _LEAVING = "settings.intervals_fault", "settings.intervals_leaving"
_SPANS = (7, 14, 28, 84)
_FORM_PX = 620
_POLL_S = 2.0


def draw_intervals(page: Page) -> None:
    """The account and its last push; nothing for a service without it."""
    if not page.client.planning.has("intervals"):
        return
    st.header("intervals.icu", anchor=False)
    _draw_account(page)


@st.fragment
def _draw_account(page: Page) -> None:
    try:
        account = page.client.planning.intervals()
    except ServiceError as error:
        notices.say(error, about="your account at intervals.icu")
        return
    if fault := state.get(_FAULT):
        st.error(fault, icon=":material/error:")
    if account.athlete_id is None:
        st.caption(
            "Your planned workouts can be copied to your own calendar at intervals.icu, which passes them on to watches and "
            "trainers. Hidden workouts and notes stay here. Nothing is sent before you connect an account.",
            width=_FORM_PX,
        )
    else:
        _draw_state(page, account)
    with st.form("settings.intervals_form", border=False, width=_FORM_PX):
        state.put_default(_ID, account.athlete_id or "")
        state.put_default(_DAYS, account.days if account.days in _SPANS else 14)
        st.text_input("Athlete id", key=_ID, placeholder="i12345", max_chars=20)
        st.text_input(
            "API key",
            key=_KEY,
            type="password",
            autocomplete="off",
            max_chars=200,
            placeholder="stored; enter another one to replace it" if account.athlete_id else "",
            help="Both are in the settings of intervals.icu, under Developer Settings. The key is not shown again.",
        )
        st.selectbox(
            "Days from today",
            _SPANS,
            key=_DAYS,
            format_func=lambda days: formats.count(days, "day"),
            width=200,
        )
        st.form_submit_button(
            "Save account" if account.athlete_id else "Connect",
            key="settings.intervals_save",
            type=theme.main_button(),
            on_click=_connect,
            args=(page,),
        )


def _draw_state(page: Page, account: IntervalsState) -> None:
    if account.error:
        st.warning(f"Workouts were not pushed. {md(account.error)}", icon=":material/sync_problem:")
    if account.is_waiting:
        st.fragment(_draw_progress, run_every=_POLL_S)(page)
    elif account.pushed_at is not None:
        workouts = formats.count(account.count, "workout")
        st.caption(f"{workouts} at intervals.icu, pushed {formats.ago(account.pushed_at, page.now)}.")
    with st.container(horizontal=True):
        st.button(
            "Push now", key="settings.intervals_push", icon=":material/sync:", on_click=_push, args=(page,)
        )
        st.button("Refresh", key="settings.intervals_refresh", type="tertiary", icon=":material/refresh:")
        if not state.get(_LEAVING):
            st.button(
                "Disconnect",
                key="settings.intervals_leave",
                type="tertiary",
                on_click=state.put,
                args=(_LEAVING, True),
            )
    if state.get(_LEAVING):
        st.markdown(
            "Disconnect? The key is deleted here. Workouts at intervals.icu stay there.", width=_FORM_PX
        )
        with st.container(horizontal=True):
            st.button("Disconnect", key="settings.intervals_leave_yes", on_click=_disconnect, args=(page,))
            st.button(
                "Keep",
                key="settings.intervals_leave_no",
                type="tertiary",
                on_click=state.forget,
                args=(_LEAVING,),
            )


def _draw_progress(page: Page) -> None:
    """The page is drawn again when the push ends."""
    st.caption("Pushing your workouts to intervals.icu …")
    with suppress(ServiceError):  # the service may answer the next time
        if not page.client.planning.intervals().is_waiting:
            st.rerun()


def _connect(page: Page) -> None:
    state.forget(_FAULT)
    athlete_id, key = (state.get(_ID) or "").strip(), (state.get(_KEY) or "").strip()
    given = {"api_key": key} if key else {}
    asked = IntervalsConnection(athlete_id=athlete_id, days=state.get(_DAYS) or 14, **given)
    try:
        page.client.planning.connect_intervals(asked)
    except ServiceError as error:
        state.put(_FAULT, f"The account was not saved. {notices.with_cause(error)}")
        return
    state.put(_KEY, "")


def _push(page: Page) -> None:
    state.forget(_FAULT)
    try:
        page.client.planning.push_intervals()
    except ServiceError as error:
        state.put(_FAULT, f"Workouts were not pushed. {notices.with_cause(error)}")


def _disconnect(page: Page) -> None:
    state.forget(_FAULT, _LEAVING)
    try:
        page.client.planning.disconnect_intervals()
    except ServiceError as error:
        state.put(_FAULT, f"The account is still connected. {notices.with_cause(error)}")
        return
    state.forget(_ID, _KEY, _DAYS)
