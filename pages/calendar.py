"""The planning calendar: what is planned, what was done, and what became of the plan.

Reading order: the days, what is open, the events ahead, adherence, week totals, exports.
"""

import streamlit as st

from coachboard.views import calendar, calendar_files, shell

page = shell.open_page("Calendar")
choice = calendar.pick(page)
data = calendar.load(page, choice)

calendar.draw_days(page, choice, data)

left, right = st.columns([1, 1], gap="large")
with left:
    st.header("Adherence")
    calendar.draw_adherence(page, choice, data)
with right:
    st.header("Events ahead")
    calendar.draw_season(page, data)

st.header("Week totals")
calendar.draw_totals(page, data)

calendar_files.draw_downloads(page, choice, data)
