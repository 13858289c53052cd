"""Settings: the connection and what is kept, the reader's own choices, what the numbers mean.

Reading order: is it connected, how fresh is it, how do I want to read, when does a flag go up, what is a formula.
"""

import streamlit as st

from coachboard.views import settings, shell

page = shell.open_page("Settings")

left, right = st.columns(2, gap="large")
with left:
    st.header("Connection", anchor=False)
    settings.draw_connection(page)
    st.header("Cached data", anchor=False)
    settings.draw_cache(page)
with right:
    st.header("Units, week, time zone and theme", anchor=False)
    settings.draw_units(page)
    settings.draw_week(page)
    settings.draw_time_zone(page)
    settings.draw_theme()

st.header("Flag thresholds", anchor=False)
settings.draw_flags(page)

st.header("Formula sheet", anchor=False)
settings.draw_formulas()
settings.draw_version()
