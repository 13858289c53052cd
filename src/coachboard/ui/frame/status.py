"""The foot of the sidebar: user, service, age of the data, sign-out."""

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import streamlit as st

from coachboard import settings
from coachboard.client import Client
from coachboard.client.errors import ServiceError
from coachboard.client.result import Result
from coachboard.client.waiting import Waiting
from coachboard.loaders.local_store import quarantined, trouble_of
from coachboard.ui.frame import connection, formats, notices, state
from coachboard.ui.frame.connection import Access
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md, plain
from coachboard.ui.widgets.toolbar import Press, draw_bar

_ACCOUNT = "shell.account"
_DEMO_NAMES = {
    "coach": "Coach",
    "athlete": "Athlete",
    "admin": "Admin (other workspace)",
}


def draw_sidebar(page: Page, profile: Result[Any]) -> None:
    """The signed-in user's name; a popover holds the rest."""
    where = settings.name_of("cache_url", settings.current())
    with st.sidebar:
        if trouble := page.client.cache_trouble:
            st.caption(
                ":material/warning: No saved copy of the data",
                help=md(
                    f"Data is loaded again on each visit. Cause: {notices.database_cause(trouble)} (setting {where})"
                ),
            )
        elif aside := page.client.cache_set_aside:
            st.caption(
                ":material/warning: Saved copy replaced",
                help=md(
                    "The saved copy of the data was damaged: the data is loaded again. The damaged file is kept as "
                    f"{aside.name}; it can be deleted."
                ),
            )
        if trouble := trouble_of(connection.local_store()):
            st.caption(
                ":material/warning: Dashboard database not available",
                help=md(
                    "Preferences, snoozed flags and the list of sent invitations are neither read nor kept. "
                    f"Cause: {notices.database_cause(trouble)} (setting {where})"
                ),
            )
        if damaged := quarantined(settings.current().cache_url):
            st.caption(
                ":material/warning: Dashboard database replaced",
                help=md(
                    "It was damaged: preferences, snoozed flags and the list of sent invitations start empty. "
                    f"The damaged file is kept as {damaged.name}; delete it to remove this message."
                ),
            )
        _draw_name(page, profile)


@st.fragment
def _draw_name(page: Page, profile: Result[Any]) -> None:
    if connection.current_access() != page.access:
        st.rerun()  # signed out or another demo key: the whole page changes
    # The popover's content is sent when it opens.
    is_open = bool(state.get(_ACCOUNT))
    name = Press(
        "account",
        plain(page.me.name),
        "",
        help="Account and sign out",
        is_quiet=True,
        is_open=is_open,
        icon="cloud_off" if profile.is_stale else "account_circle",
        note="demo" if connection.demo_name(page.access) else "",
    )
    draw_bar([name], key=f"{_ACCOUNT}.bar", on_change=lambda _name, _says: state.put(_ACCOUNT, not is_open))
    if is_open:
        _draw_account(page, profile)


def draw_retry(client: Client) -> None:
    """A button that asks the service again, below the reason why the page stops."""
    st.button("Try again", key="shell.again", icon=":material/refresh:", on_click=client.forget_failures)


def draw_unread(access: Access, error: ServiceError, client: Client) -> None:
    """If the user is unknown: what happened, the service's address, and how to continue."""
    notices.say(error, has_retry=True)
    setting = "" if connection.is_embedded() else " (COACHBOARD\\_BASE\\_URL)"
    st.caption(f"Data service: {md(access.base_url)}{setting} · signed in with: {access.way.value}")
    with st.container(horizontal=True):
        draw_retry(client)
        _draw_next_step()


def _draw_next_step() -> None:
    st.button(
        "Sign out",
        key="shell.sign_out",
        on_click=connection.sign_out,
        type="tertiary",
        icon=":material/logout:",
    )


def _draw_account(page: Page, profile: Result[Any]) -> None:
    """The age of the user's data, the sign-in method, the demo keys, and sign-out."""
    age = formats.ago(profile.as_of, page.now)
    read = f"Last known data, updated {age}" if profile.is_stale else f"Updated {age}"
    st.caption(f"{read}. Signed in with: {page.access.way.value}.")
    if connection.demo_name(page.access):
        _draw_demo_choice(page)
    _draw_next_step()


def show_wait() -> Callable[[Waiting], None]:
    """Show how long the page waits: time left for a rate limit, time so far for a reply.

    The line disappears when the wait ends.
    """
    place, longest_s = st.empty(), 0.0

    def show(waiting: Waiting) -> None:
        nonlocal longest_s
        left_s = waiting.seconds_left
        words = _wait_words(waiting)
        longest_s = max(longest_s, left_s) if left_s else 0.0
        if left_s:
            place.progress(1 - left_s / longest_s, text=f":material/hourglass: {words}")
        elif words:
            place.caption(f":material/hourglass: {words}")
        elif left_s == 0:
            place.empty()

    return show


def _wait_words(waiting: Waiting) -> str:
    if waiting.seconds_left == 0:
        return ""
    if waiting.seconds_left is not None:
        left = formats.number(max(waiting.seconds_left, 1), 0, "s")
        return f"Waiting for {md(waiting.reason)}: {left} left."
    if waiting.seconds_so_far < _WORTH_A_WORD_S:
        return ""
    what = _WHAT.get(waiting.what) or notices.ROWS.get(waiting.what, "")
    about = f" about {what}" if what else ""
    so_far = formats.number(max(waiting.seconds_so_far, 1), 0, "s")
    return f"Waiting for {md(waiting.reason)}{about}, {so_far} so far."


_WORTH_A_WORD_S = 0.4
"""Prevents a line that appears and disappears within a blink."""

_WHAT = MappingProxyType({"profile": "the profile", "users": "your athletes", "streams": "the recording"})
"""Names of single resources, by their name in the cache."""


def _draw_demo_choice(page: Page) -> None:
    """Choose between the three demo keys, to compare their views of the same data."""
    current = connection.demo_name(page.access)
    names = list(_DEMO_NAMES)
    st.selectbox(
        "Demo key",
        names,
        index=names.index(current) if current in names else 0,
        format_func=_DEMO_NAMES.__getitem__,
        key="shell.demo",
        on_change=_switch_demo,
        help="Switch between three demo users: the coach of the squad, one of its athletes, and the admin of a "
        "second workspace. Each sees only their own data and athletes.",
    )


def _switch_demo() -> None:
    # If a rerun overtakes the drawing of this widget, Streamlit calls this without a value.
    chosen = state.get("shell.demo")
    if chosen is not None:
        st.query_params.clear()  # the parameters belong to the former key
        connection.use_demo(chosen)
