"""The planning calendar: what is planned, what was done, and what became of the plan.

Reading order: the days, what is open, adherence, the season and its events, week totals, exports.
"""

import streamlit as st

from coachboard.views import calendar, calendar_adherence, calendar_files, shell

page = shell.open_page("Calendar")
choice = calendar.pick(page)
data = calendar.load(page, choice)

calendar.draw_days(page, choice, data)

st.header("Adherence")
calendar_adherence.draw_adherence(page, choice, data)

st.header("Season")
calendar.draw_season(page, data)

st.header("Week totals")
calendar.draw_totals(page, data)

calendar_files.draw_downloads(page, choice, data)
