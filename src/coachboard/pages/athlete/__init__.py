"""The athlete page: current status, next and last sessions, season, weeks, profile."""

import streamlit as st

from coachboard.pages.athlete.data import AthleteData
from coachboard.pages.athlete.headline import draw_headline, draw_profile, draw_title, draw_today, load
from coachboard.pages.athlete.season import draw_curves, draw_load, draw_weeks
from coachboard.ui.frame.page import Page
from coachboard.ui.widgets.lazy_section import Section, is_any_near, is_reached

__all__ = ["draw_below", "draw_headline", "draw_load", "draw_title", "draw_today", "load"]

_PARTS = (
    ("weeks", "Weeks", "weeks", draw_weeks),
    ("curves", "Best efforts by period", "best efforts", draw_curves),
    ("profile", "Profile", "profile", draw_profile),
)


def draw_below(page: Page, data: AthleteData) -> None:
    """Weeks, best efforts and profile."""
    if not is_reached(_place(data)):
        _wait(data)
        return
    for _, heading, _, draw in _PARTS:
        st.header(heading, anchor=False)
        draw(page, data)


@st.fragment
def _wait(data: AthleteData) -> None:
    """One placeholder for all three. They load in a full run of the page because each is a fragment."""
    places = [Section(f"athlete.{name}.{data.user_id}", shows, heading) for name, heading, shows, _ in _PARTS]
    if is_any_near(_place(data), places):
        st.rerun()


def _place(data: AthleteData) -> str:
    return f"athlete.below.{data.user_id}"
