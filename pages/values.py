"""Values: an athlete's thresholds, weight and heart rates, available hours and time zone, set by a coach or the athlete.

Reading order: the recomputation in work, the newest values, their form, the suggested values, the hours, the time zone.
"""

import streamlit as st

from coachboard.pages import values
from coachboard.ui.frame import shell

page = shell.open_page("Values")
values.require(page)
athlete = values.pick(page)
page = page.on_day_of(athlete.id)

values.draw_recompute(page)
rows = page.client.planning.athlete_values(athlete.id)
values.draw_current(page, rows)

st.header("Set or change a value", anchor=False)
values.draw_form(page, athlete, rows)

st.header("Values suggested by recordings", anchor=False)
values.draw_proposals(page, athlete)

st.header("Available hours", anchor=False)
values.draw_hours(page, athlete)

st.header("Time zone", anchor=False)
values.draw_zone(page, athlete)
