"""Settings: connection, saved copy of the data, preferences, API keys, flag thresholds, formulas.

Order: connection, saved copy, preferences, keys, flag rules, formulas.
"""

import streamlit as st

from coachboard.views import settings
from coachboard.views.frame import shell

page = shell.open_page("Settings")

left, right = st.columns(2, gap="large")
with left:
    st.header("Connection", anchor=False)
    settings.draw_connection(page)
    st.header("Saved copy of the data", anchor=False)
    settings.draw_cache(page)
with right:
    st.header("Units, week, time zone and theme", anchor=False)
    settings.draw_units(page)
    settings.draw_week(page)
    settings.draw_time_zone(page)
    settings.draw_theme()

settings.draw_keys(page)

settings.draw_flags(page)

st.header("Formula sheet", anchor=False)
settings.draw_formulas()
settings.draw_version()
