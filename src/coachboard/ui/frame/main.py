"""The script that Streamlit runs for every session; outside the page folder, so that no page bypasses it."""

from coachboard.ui.frame import shell

shell.run()
