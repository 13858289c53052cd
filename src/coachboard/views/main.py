"""The script that Streamlit runs for every session; it stands under `src/` so that no page can be reached round it."""

from coachboard.views import shell

shell.run()
