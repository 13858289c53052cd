"""Settings: connection, saved copy of the data, preferences, API keys, intervals.icu, flag thresholds, formulas.

Order: connection, saved copy, preferences, mails about comments, keys, intervals.icu, flag rules, formulas.
"""

import streamlit as st

from coachboard.pages import settings
from coachboard.ui.frame import shell

page = shell.open_page("Settings")

left, right = st.columns(2, gap="large")
with left:
    st.header("Connection", anchor=False)
    settings.draw_connection(page)
    st.header("Saved copy of the data", anchor=False)
    settings.draw_cache(page)
with right:
    st.header("Units, zones, week, time zone and theme", anchor=False)
    settings.draw_units(page)
    settings.draw_pace_zones(page)
    settings.draw_week(page)
    settings.draw_time_zone(page)
    settings.draw_theme()
    settings.draw_comment_mail(page)

settings.draw_keys(page)

settings.draw_intervals(page)

settings.draw_flags(page)

st.header("Formula sheet", anchor=False)
settings.draw_formulas()
settings.draw_version()
