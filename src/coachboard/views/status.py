"""The small print at the foot of the sidebar: who reads, from where, how old the data are, the way out."""

from collections.abc import Callable
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import streamlit as st

from coachboard.client.errors import ServiceError
from coachboard.client.result import Result
from coachboard.client.waiting import ANSWER_REASON, Waiting
from coachboard.views import connection, formats, notices, state
from coachboard.views.bar import Press, draw_bar
from coachboard.views.connection import Access
from coachboard.views.text import md, plain

if TYPE_CHECKING:
    from coachboard.views.shell import Page

_ACCOUNT = "shell.account"
_DEMO_NAMES = {
    "coach": "Coach",
    "athlete": "Athlete",
    "admin": "Admin (other workspace)",
}


def draw_sidebar(page: "Page", profile: Result[Any]) -> None:
    """Who is signed in; behind the name the rest."""
    with st.sidebar:
        if trouble := page.client.cache_trouble:
            st.caption(
                ":material/warning: Cache not available",
                help=md(f"Data is loaded again on each visit. Cause: {trouble}"),
            )
        _draw_name(page, profile)


@st.fragment
def _draw_name(page: "Page", profile: Result[Any]) -> None:
    """What stands behind the name is sent when it is opened: no page begins by drawing what nobody looks at."""
    if connection.current_access() != page.access:
        st.rerun()  # signed out, or another key of the demo: the whole page is somebody else's
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
    draw_bar([name], key=f"{_ACCOUNT}.bar", hears=lambda _name, _says: state.put(_ACCOUNT, not is_open))
    if is_open:
        _draw_account(page, profile)


def draw_unread(access: Access, error: ServiceError) -> None:
    """In place of a page whose reader is not known yet: what happened, which service it is, and the ways on."""
    notices.say(error)
    st.caption(f"Service: {md(access.base_url)} · signed in with: {access.way.value}")
    with st.container(horizontal=True):
        st.button("Try again", key="shell.again", icon=":material/refresh:")
        _draw_way_out()


def _draw_way_out() -> None:
    st.button(
        "Sign out",
        key="shell.sign_out",
        on_click=connection.sign_out,
        type="tertiary",
        icon=":material/logout:",
    )


def _draw_account(page: "Page", profile: Result[Any]) -> None:
    """The age of what is known of the reader, the way in, in the demo the other keys, and the way out."""
    age = formats.ago(profile.as_of, page.now)
    read = f"Last known data, updated {age}" if profile.is_stale else f"Updated {age}"
    st.caption(f"{read}. Signed in with: {page.access.way.value}.")
    if connection.demo_name(page.access):
        _draw_demo_choice(page)
    _draw_way_out()


def show_wait() -> Callable[[Waiting], None]:
    """Says what the page waits for: for the service's limit how long still, for its answer how long so far.

    The line goes when the wait is over.
    """
    place, longest_s = st.empty(), 0.0

    def show(waiting: Waiting) -> None:
        nonlocal longest_s
        left_s = waiting.seconds_left
        says = _wait_words(waiting)
        longest_s = max(longest_s, left_s) if left_s else 0.0
        if left_s:
            place.progress(1 - left_s / longest_s, text=f":material/hourglass: {says}")
        elif says:
            place.caption(f":material/hourglass: {says}")
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
    about = f" about {what}" if what and waiting.reason == ANSWER_REASON else ""
    so_far = formats.number(max(waiting.seconds_so_far, 1), 0, "s")
    return f"Waiting for {md(waiting.reason)}{about}, {so_far} so far."


_WORTH_A_WORD_S = 0.4
"""A line that comes and goes within the blink of an eye is noise."""

_WHAT = MappingProxyType({"profile": "the profile", "users": "your athletes", "streams": "the recording"})
"""What a kind is called that is no list of rows, by its name in the cache."""


def _draw_demo_choice(page: "Page") -> None:
    """In the demo the three keys are a click apart, so that each view of the same data can be seen."""
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
    # A rerun that overtakes the drawing of this choice calls it once more, and then without a value.
    chosen = state.get("shell.demo")
    if chosen is not None:
        st.query_params.clear()  # what the address names belongs to the former key
        connection.use_demo(chosen)
