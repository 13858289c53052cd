"""Import: files of the reader's own training data, from the drop to the report.

Reading order: where to drop files, a session without a file, the import in work or the report that is open, earlier imports, deleted sessions.
"""

import streamlit as st

from coachboard.pages import imports
from coachboard.ui.frame import shell

page = shell.open_page("Import")
earlier = imports.open_imports(page)

imports.draw_upload(page)
imports.draw_by_hand(page)
imports.draw_opened(page)

st.header("Earlier imports", anchor=False)
imports.draw_earlier(page, earlier)
imports.draw_deleted(page)
