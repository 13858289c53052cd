"""Workspaces: the caller's memberships, invitations, and sent codes.

Order: roles, who may read the user's data, the invitation form with its effect, the result, the ledger.
"""

import streamlit as st

from coachboard.views import workspaces
from coachboard.views.frame import shell

page = shell.open_page("Workspaces")

workspaces.draw_memberships(page)
workspaces.draw_readers(page)

st.header("Invite", anchor=False)
workspace = workspaces.pick_workspace(page)
asked = workspaces.ask(page, workspace)
workspaces.draw_send(page, asked)
workspaces.draw_sent(page)

st.header("Invitations", anchor=False)
workspaces.draw_ledger(page)
