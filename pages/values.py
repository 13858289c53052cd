"""My values: what load, bands and W' balance refer to, set by the reader or proposed from the recordings.

Reading order: the recomputation in work, the newest values, the form, the suggested values.
"""

import streamlit as st

from coachboard.views import values
from coachboard.views.frame import shell

page = shell.open_page("My values")
values.require(page)

values.draw_recompute(page)
values.draw_current(page)

st.header("Set or change a value", anchor=False)
values.draw_form(page)

st.header("Values suggested by your recordings", anchor=False)
values.draw_proposals(page)
