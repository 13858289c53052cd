"""One athlete: current status, next and last sessions, the season with its planned future.

Order: flags, key numbers, next and last sessions, load, weeks, best efforts, profile.
"""

import streamlit as st

from coachboard.pages import athlete
from coachboard.ui.frame import shell
from coachboard.ui.widgets import pickers

page = shell.open_page("Athlete", is_titled=False)
person = pickers.pick_athlete(page)
athlete.draw_title(page, person)
data = athlete.load(page, person)
page = page.on_day_of(data.user_id)

athlete.draw_headline(data)
athlete.draw_today(page, data)

st.header("Load over the season", anchor=False)
athlete.draw_load(page, data)

athlete.draw_below(page, data)
