"""All sessions of the last year or of all years, filtered by name, sport and stimulus."""

from typing import Any, NamedTuple

import streamlit as st

from coachboard.analytics.planning.adherence import Done
from coachboard.client import Result
from coachboard.client.errors import ServiceError
from coachboard.loaders.athlete.page_data import AthleteData, load_history
from coachboard.views.frame import formats, notices, state
from coachboard.views.frame.addresses import session_url
from coachboard.views.frame.page import Page
from coachboard.views.frame.text import searchable
from coachboard.views.widgets.lazy_section import is_near, mark_reached
from coachboard.views.widgets.session_list import draw_session_list, link_undated

_AT_ONCE = 25
_ALL, _YEAR = "all", "year"
_FILTERS = ("q", "sport", "stimulus", "since")
_SINCE = {_YEAR: "Last 12 months", _ALL: "All years"}


@st.fragment
def draw_sessions(page: Page, data: AthleteData) -> None:
    """The list with its filters, newest first."""
    place = f"athlete.sessions.{data.user_id}"
    if is_narrowed():
        mark_reached(place)
    if not is_near(place, shows="sessions"):
        return
    with st.container(horizontal=True, gap="small"):
        search, since = _search(), _pick("since", _SINCE)
        sessions, undated, reach, read = _sessions(page, data, since)
        sport = _pick("sport", _choices("All sports", sessions, "sport"))
        stimulus = _pick("stimulus", _choices("All stimuli", sessions, "stimulus"))
    if not sessions:
        older = since != _ALL and _sessions(page, data, _ALL).done
        notices.say_empty(
            "No session in the last 12 months." if older else "No session recorded.",
            fills="Choose All years for older ones." if older else "",
            rows="activities",
            of=read,
        )
        return
    found = [
        session
        for session in sessions
        if search in searchable(session.title)
        and sport in {_ALL, str(session.sport)}
        and stimulus in {_ALL, str(session.stimulus)}
    ]
    _draw_table(page, data, found, reach=reach)
    link_undated(data.user_id, undated)


def is_narrowed() -> bool:
    """Whether the URL filters the list; such a link scrolls to it."""
    return any(st.query_params.get(name) for name in _FILTERS)


class _Sessions(NamedTuple):
    done: tuple[Done, ...]
    undated: tuple[str, ...]
    reach: str
    results: tuple[Result[Any], ...]


def _sessions(page: Page, data: AthleteData, since: str) -> _Sessions:
    """Sessions newest first, sessions without a date, the first day, the replies; loads earlier years on request."""
    year = _Sessions(data.known.done[::-1], (), "last 12 months", data.results)
    if since != _ALL:
        return year
    try:
        history = load_history(page.client, data.user_id)
    except ServiceError as error:
        notices.say(error, about="earlier years")
        return year
    notices.say_stale(history.listed)
    notices.say_problems(history.listed)
    return _Sessions(history.done[::-1], history.undated, "all years", (history.listed,))


def _draw_table(page: Page, data: AthleteData, found: list[Done], *, reach: str) -> None:
    shown = int(state.get("athlete.shown", _AT_ONCE))
    draw_session_list(
        page,
        found[:shown],
        name=f"Sessions, {reach}",
        key="athlete.sessions",
        url_of=lambda session: session_url(data.user_id, session.id, session.day),
    )
    st.caption(f"{min(shown, len(found))} of {formats.count(len(found), 'session')}, {reach}.")
    if len(found) > shown:
        st.button("Show more", key="athlete.more", type="tertiary", on_click=state.put,
                  args=("athlete.shown", shown + 100))  # fmt: skip


def _choices(every: str, sessions: tuple[Done, ...], name: str) -> dict[str, str]:
    """The sports or stimuli of these sessions, after the option for all."""
    says = formats.sport if name == "sport" else formats.label
    values = sorted({str(value) for session in sessions if (value := getattr(session, name))})
    return {_ALL: every} | {value: says(value) for value in values}


def _search() -> str:
    asked = st.query_params.get("q", "")[:80]
    state.put_typed("athlete.q", asked)
    words = st.text_input("Search by name", asked, key="athlete.q", placeholder="Search by name", on_change=_take,
                          args=("q", ""), label_visibility="collapsed", width=220)  # fmt: skip
    return searchable(str(words or ""))


def _pick(name: str, options: dict[str, str]) -> str:
    """A filter in the URL; a value that this athlete's sessions do not have counts as none."""
    key, asked, default = f"athlete.{name}", state.get_param(name), next(iter(options))
    state.put(key, asked if asked in options else default)
    chosen = st.selectbox(name.capitalize(), list(options), key=key, format_func=options.__getitem__,
                          on_change=_take, args=(name, default), label_visibility="collapsed", width=170)  # fmt: skip
    return str(chosen)


def _take(name: str, default: str) -> None:
    value = state.get(f"athlete.{name}")
    state.set_param(name, None if value in {default, None} else value)
