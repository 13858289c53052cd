"""Workspaces: where the caller belongs, inviting people, and what was sent from here.

Reading order: your roles, the form with what it will do, what came of it, the ledger.
"""

import streamlit as st

from coachboard.views import shell, workspaces

page = shell.open_page("Workspaces")

workspaces.draw_memberships(page)

st.header("Invite", anchor=False)
workspace = workspaces.pick_workspace(page)
asked = workspaces.ask(workspace)
workspaces.draw_send(page, asked)
workspaces.draw_sent(page)

st.header("Sent invitations", anchor=False)
workspaces.draw_ledger(page)
