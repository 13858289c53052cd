"""The only door to the address bar and the session: what a link should carry, and the little that it should not.

Athlete, range, activity and month live in the address; every value from there is checked before it is used.
"""

import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import date
from typing import Any

import streamlit as st

from coachboard.models.base import parse_day

_ID = re.compile(r"[a-z]{2,4}_[A-Za-z0-9_-]{1,80}", re.ASCII)
_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])", re.ASCII)
_WORD = re.compile(r"[A-Za-z0-9_ .,-]{1,200}", re.ASCII)

OWN = "me"
"""The caller's own data, in the address as on the wire."""


SHOWN_INSTEAD = "state.instead"
"""Who is shown although the address named somebody unknown, as long as that page stays open."""
_PAGE = "state.page"


def enter(page: str) -> None:
    """Begin a run of a page; on the way from another one, what was said there is over."""
    if get(_PAGE) != page:
        forget(SHOWN_INSTEAD)
        put(_PAGE, page)


def get_param(name: str) -> str | None:
    """A short plain word from the address; anything else counts as absent."""
    value = st.query_params.get(name)
    return value if value and _WORD.fullmatch(value) else None


def get_id(name: str) -> str | None:
    """An id of the service, or `me`."""
    value = get_param(name)
    return value if value and (value == OWN or _ID.fullmatch(value)) else None


def get_day(name: str) -> date | None:
    """A day as YYYY-MM-DD."""
    try:
        return parse_day(st.query_params.get(name))
    except ValueError:
        return None


def get_month(name: str = "month") -> date | None:
    """The first day of a month given as YYYY-MM."""
    value = st.query_params.get(name, "")
    return date.fromisoformat(f"{value}-01") if _MONTH.fullmatch(value) else None


def set_param(name: str, value: str | date | None) -> None:
    """Put a value in the address, or take it out with None; a value that is there already changes nothing."""
    if value is None:
        st.query_params.pop(name, None)
    elif st.query_params.get(name) != str(value):
        st.query_params[name] = str(value)


def set_params(values: Mapping[str, str | date | None]) -> None:
    for name, value in values.items():
        set_param(name, value)


def keep_params(names: Collection[str]) -> None:
    """Take every other value out of the address."""
    for name in set(st.query_params) - set(names):
        st.query_params.pop(name)


def get(key: str, default: Any = None) -> Any:
    """A value of this session; keys are prefixed by their page, as `workspaces.sent`."""
    return st.session_state.get(key, default)


def put(key: str, value: Any) -> None:
    """Keep a value; for a widget whose choice lives in the address, at every run: Back changes the address alone."""
    st.session_state[key] = value


def put_typed(key: str, value: str) -> None:
    """Give a text field what the address says, where it says something new: what is half typed stays."""
    if st.session_state.get(key) != value:
        st.session_state[key] = value


def put_default(key: str, value: Any) -> None:
    """Give a widget its first value; it needs it as its own default too.

    A value of the session goes to the browser in one run's message alone. Where the next run's overtakes it, the widget
    stands at its default, sends that back as if the reader had chosen it, and what was kept is overwritten.
    """
    st.session_state.setdefault(key, value)


def forget(*keys: str) -> None:
    for key in keys:
        st.session_state.pop(key, None)


def forget_all() -> None:
    """Empty the session, so that nothing of a former key is left in it."""
    for key in list(st.session_state):
        # A widget's key is listed before its value has arrived, and then there is nothing to delete.
        with suppress(KeyError):
            del st.session_state[key]
