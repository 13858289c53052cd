"""What lies below the season's chart: a heading and a button each, until the reader comes near one of them."""

import streamlit as st

from coachboard.loaders.athlete import AthleteData
from coachboard.views.athlete.headline import draw_profile
from coachboard.views.athlete.season import draw_curves, draw_weeks
from coachboard.views.athlete.sessions import draw_sessions, is_narrowed
from coachboard.views.lazy_section import Place, has_come, is_any_near
from coachboard.views.shell import Page

_PARTS = (
    ("weeks", "Weeks", "weeks", draw_weeks),
    ("curves", "Best efforts by period", "best efforts", draw_curves),
    ("sessions", "Sessions", "sessions", draw_sessions),
    ("profile", "Profile", "profile", draw_profile),
)


def draw_below(page: Page, data: AthleteData) -> None:
    """Weeks, best efforts, sessions and profile; a link that narrows the sessions leads to them."""
    if not has_come(_place(data)) and not is_narrowed():
        _wait(data)
        return
    for _, heading, _, draw in _PARTS:
        st.header(heading, anchor=False)
        draw(page, data)


@st.fragment
def _wait(data: AthleteData) -> None:
    """One element for all four; they come with a run of the whole page, as each of them is a fragment of its own."""
    places = [Place(f"athlete.{name}.{data.user_id}", shows, heading) for name, heading, shows, _ in _PARTS]
    if is_any_near(_place(data), places):
        st.rerun()


def _place(data: AthleteData) -> str:
    return f"athlete.below.{data.user_id}"
