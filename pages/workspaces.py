"""Workspaces: the caller's memberships, people, invitations, and sent codes.

Order: roles, who may read the user's data, members, the invitation form with its effect, the result, open invitations,
the ledger.
"""

import streamlit as st

from coachboard.pages import workspaces
from coachboard.ui.frame import shell

page = shell.open_page("Workspaces")

workspaces.draw_memberships(page)
workspaces.draw_readers(page)

workspace = workspaces.draw_people(page)

st.header("Invite", anchor=False)
asked = workspaces.ask(page, workspace)
workspaces.draw_send(page, asked)
workspaces.draw_sent(page)

st.header("Invitations", anchor=False)
workspaces.draw_open_invitations(page, workspace)
workspaces.draw_ledger(page)
