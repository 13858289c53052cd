"""All sessions of the last year, found by name, sport and stimulus; each leads to its page."""

import streamlit as st

from coachboard.analytics.adherence import Done
from coachboard.loaders.athlete import AthleteData
from coachboard.views import formats, notices, shell, state
from coachboard.views.formats import MISSING, number
from coachboard.views.nearing import come, is_near
from coachboard.views.people_table import Cell, Column, Row, Table, draw_table
from coachboard.views.shell import Page
from coachboard.views.text import plain

_AT_ONCE = 25
_ALL = "all"
_FILTERS = ("q", "sport", "stimulus")


@st.fragment
def draw_sessions(page: Page, data: AthleteData) -> None:
    """The list with its filters, newest first."""
    sessions = data.known.done[::-1]
    if not sessions:
        notices.say_empty("No session in the last year.", fills="Sessions appear when they are recorded.")
        return
    place = f"athlete.sessions.{data.user_id}"
    if any(st.query_params.get(name) for name in _FILTERS):
        come(place)  # a link that narrows the list leads to it
    if not is_near(place, shows="the sessions"):
        return
    found = _filtered(sessions)
    shown = int(state.get("athlete.shown", _AT_ONCE))
    columns = [
        Column("day", "Day", width=96),
        Column("what", "Session"),
        Column("sport", "Sport", "stimulus", width=170, is_minor=True),
        Column("duration", "Duration", is_number=True, width=84),
        Column("distance", "Distance", is_number=True, width=84, is_minor=True),
        Column("volume", "Volume", is_number=True, width=70),
    ]
    rows = [_row(session, page) for session in found[:shown]]
    picked = draw_table(
        Table("Sessions of the last year", columns, rows, kind="list"), key="athlete.sessions"
    )
    st.caption(f"{min(shown, len(found))} of {formats.count(len(found), 'session')}, of the last 364 days.")
    if len(found) > shown:
        st.button("Show more", key="athlete.more", type="tertiary", on_click=state.put,
                  args=("athlete.shown", shown + 100))  # fmt: skip
    if picked:
        st.switch_page(
            shell.page_path("activity"), query_params={"athlete": data.user_id, "activity": picked}
        )


def _filtered(sessions: tuple[Done, ...]) -> list[Done]:
    sports = sorted({str(session.sport) for session in sessions if session.sport})
    stimuli = sorted({str(session.stimulus) for session in sessions if session.stimulus})
    with st.container(horizontal=True, gap="small"):
        search = _search()
        sport = _pick("sport", {_ALL: "All sports"} | {s: formats.sport(s) for s in sports})
        stimulus = _pick("stimulus", {_ALL: "Every stimulus"} | {s: formats.label(s) for s in stimuli})
    return [
        session
        for session in sessions
        if search in session.title.casefold()
        and sport in {_ALL, str(session.sport)}
        and stimulus in {_ALL, str(session.stimulus)}
    ]


def _search() -> str:
    state.put_default("athlete.q", st.query_params.get("q", "")[:80])
    words = st.text_input("Search by name", key="athlete.q", placeholder="Search by name", on_change=_take,
                          args=("q", ""), label_visibility="collapsed", width=220)  # fmt: skip
    return str(words or "").casefold().strip()


def _pick(name: str, options: dict[str, str]) -> str:
    """A filter that the address carries; one that this athlete's sessions do not offer counts as none."""
    key, asked = f"athlete.{name}", state.get_param(name)
    if state.get(key) not in options:
        state.put(key, asked if asked in options else _ALL)
    chosen = st.selectbox(name.capitalize(), list(options), key=key, format_func=options.__getitem__,
                          on_change=_take, args=(name, _ALL), label_visibility="collapsed", width=170)  # fmt: skip
    return str(chosen)


def _take(name: str, default: str) -> None:
    value = state.get(f"athlete.{name}")
    state.set_param(name, None if value in {default, None} else value)


def _row(session: Done, page: Page) -> Row:
    stimulus = formats.label(session.stimulus) if session.stimulus else ""
    sport = session.sport
    cells = [
        Cell(formats.day(session.day, today=page.today)),
        Cell(plain(session.title) or formats.sport(sport), pick=session.id),
        Cell(formats.sport(sport), stimulus),
        Cell(formats.duration_hms(session.duration_s)),
        Cell(
            formats.distance(session.distance_m, sport, units=page.units) if session.distance_m else MISSING
        ),
        Cell(number(session.volume)),
    ]
    return Row(session.id, cells, pick=session.id)
