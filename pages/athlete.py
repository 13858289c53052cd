"""One athlete: how they stand today, what is next and what was last, the season with its planned future.

Reading order: what asks for a look, numbers, next and last sessions, load, weeks, best efforts, sessions, profile.
"""

import streamlit as st

from coachboard.views import athlete, pickers, shell

page = shell.open_page("Athlete", is_titled=False)
person = pickers.pick_athlete(page)
athlete.draw_title(page, person)
data = athlete.load(page, person)

athlete.draw_headline(data)
athlete.draw_today(page, data)

st.header("Load over the season", anchor=False)
athlete.draw_load(data)

athlete.draw_below(page, data)
