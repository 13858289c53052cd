"""Body and season: recovery read against the athlete's own normal, metrics, and what the training was made of.

Reading order: what stands out, load beside the body, nights, metrics, the season's training, relations.
"""

import streamlit as st

from coachboard.views import shell, trends

page = shell.open_page("Trends")
choice = trends.pick(page)
data = trends.load(page, choice)

trends.draw_summary(page, data)

st.header("Load beside the body")
trends.draw_load_and_body(data)

st.header("Nights")
trends.draw_nights(data)

st.header("Metrics")
trends.draw_metrics(page, data)

st.header("How the range was trained")
trends.draw_performance(page, choice, data)

st.header("The night and the day after")
trends.draw_relations(data)
