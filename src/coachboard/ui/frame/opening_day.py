"""Where a page opens: at today, or at the athlete's newest data if nothing is recent, and then it says so."""

from collections.abc import Sequence
from datetime import date

import streamlit as st

from coachboard.client.errors import ServiceError
from coachboard.loaders import newest_day
from coachboard.ui.frame import formats
from coachboard.ui.frame.page import Athlete, Page


def opening_day(page: Page, athlete: Athlete, kinds: Sequence[str], *, days: int) -> date:
    """The athlete's today if a row of the kinds is from the last `days` days or later, else the newest row's day."""
    today = page.today_of(athlete.id)
    try:
        return newest_day.opening_day(page.client, athlete.id, kinds, today=today, days=days)
    except ServiceError:
        return today  # the page's own requests report the error


def say_opening_day(page: Page, athlete: Athlete, day: date) -> None:
    """One line if the page does not open at today."""
    if day != page.today_of(athlete.id):
        st.caption(f":material/history: Showing the weeks to {formats.long_day(day)}, the newest data.")
