"""The sections of the workspaces page, in the order of the page."""

import streamlit as st

from coachboard.views.frame import notices
from coachboard.views.frame.shell import Page
from coachboard.views.frame.text import md
from coachboard.views.workspaces.form import LONGEST_NAME, ask, draw_send, pick_workspace
from coachboard.views.workspaces.sent import draw_ledger, draw_sent

__all__ = ["ask", "draw_ledger", "draw_memberships", "draw_send", "draw_sent", "pick_workspace"]


def draw_memberships(page: Page) -> None:
    memberships = page.profile.workspaces or ()
    if not memberships:
        notices.say_empty("You are not in a workspace.", fills="Accept a coach's invitation to join one.")
        return
    with st.container(gap="xxsmall"):
        for member in memberships:
            slug = f" · {md(member.slug, longest=30)}" if member.slug else ""
            st.markdown(f"**{md(member.name, longest=LONGEST_NAME)}** :gray[{md(member.role)}{slug}]")
