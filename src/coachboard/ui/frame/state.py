"""Access to URL parameters and session state. No other module reads or writes them.

Athlete, range, activity and month are URL parameters; each value is validated before use.
"""

import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import date
from typing import Any

import streamlit as st

from coachboard.wire.base import FIRST_DAY, LAST_DAY, parse_day, plausible_day

_ID = re.compile(r"[a-z]{2,4}_[A-Za-z0-9_-]{1,80}", re.ASCII)
_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])", re.ASCII)
_WORD = re.compile(r"[A-Za-z0-9_ .,-]{1,200}", re.ASCII)

OWN = "me"
"""The caller's own data: the same word in the URL and on the wire."""


SHOWN_INSTEAD = "state.instead"
"""Session key: the athlete shown instead of an unknown one in the URL, until the user leaves the page."""
OF_KEY = "state.key"
"""Session key: the fingerprint of the API key; a value that sessions share is shared within a key only."""
LOADED = "state.loaded"
"""Session key: what the page has read, for its next run: the record of a session, the days of a calendar, previews of a plan."""
AGE = "state.age"
"""Session key: whether the page has a line with the age of its data, until the user leaves it."""
_PAGE = "state.page"


def enter(page: str) -> None:
    """Begin a run of a page; notices and data of the former page end."""
    if get(_PAGE) != page:
        forget(SHOWN_INSTEAD, LOADED, AGE)
        put(_PAGE, page)


def get_param(name: str) -> str | None:
    """A short plain word from the URL; None for anything else."""
    value = st.query_params.get(name)
    return value if value and _WORD.fullmatch(value) else None


def get_text(name: str) -> str:
    """Up to 80 letters that a person typed, such as a search; empty without them."""
    return st.query_params.get(name, "")[:80]


def get_id(name: str) -> str | None:
    """An id of the service, or `me`."""
    value = get_param(name)
    return value if value and (value == OWN or _ID.fullmatch(value)) else None


def get_day(name: str) -> date | None:
    """A day as YYYY-MM-DD, moved into the range of valid days: pages add days to it."""
    try:
        day = parse_day(st.query_params.get(name))
    except ValueError:
        return None
    return max(FIRST_DAY, min(day, LAST_DAY))


def get_month() -> date | None:
    """The first day of the URL's month, given as YYYY-MM."""
    value = st.query_params.get("month", "")
    if not _MONTH.fullmatch(value):
        return None
    with suppress(ValueError):
        return plausible_day(f"{value}-01")
    return None


def set_param(name: str, value: str | date | None) -> None:
    """Set a URL parameter, or remove it with None; does nothing if the value is the same."""
    if value is None:
        st.query_params.pop(name, None)
    elif st.query_params.get(name) != str(value):
        st.query_params[name] = str(value)


def set_params(values: Mapping[str, str | date | None]) -> None:
    for name, value in values.items():
        set_param(name, value)


def keep_params(names: Collection[str]) -> None:
    """Remove all other URL parameters."""
    for name in set(st.query_params) - set(names):
        st.query_params.pop(name)


def get(key: str, default: Any = None) -> Any:
    """A value of the session; keys start with the page, as in `workspaces.sent`."""
    return st.session_state.get(key, default)


def put(key: str, value: Any) -> None:
    """Set a session value. A widget whose value is a URL parameter needs it in each run: Back changes only the URL."""
    st.session_state[key] = value


def put_default(key: str, value: Any) -> None:
    """Give a widget its first value; pass the same value as the widget's default.

    Streamlit sends a session value to the browser in one message only. If the next run overtakes that message, the widget
    shows its default, reports it as the user's choice, and overwrites the saved value.
    """
    st.session_state.setdefault(key, value)


def forget(*keys: str) -> None:
    for key in keys:
        st.session_state.pop(key, None)


def forget_all() -> None:
    """Empty the session, so that no data of a former key remain."""
    for key in list(st.session_state):
        # Streamlit lists a widget's key before its value exists; then there is nothing to delete.
        with suppress(KeyError):
            del st.session_state[key]
