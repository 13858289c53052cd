"""The workspaces of the caller with their role in each."""

from typing import Any

import pandas as pd
import streamlit as st

from coachboard.views import notices
from coachboard.views.shell import Page
from coachboard.views.text import plain
from coachboard.views.workspaces.form import LONGEST_NAME


def draw_memberships(page: Page) -> None:
    """The workspaces of the caller with their role in each."""
    memberships = page.profile.workspaces or ()
    if not memberships:
        notices.say_empty(
            "You are in no workspace.", fills="An invitation from a coach would put you in one."
        )
        return
    rows = [
        (plain(member.name, longest=LONGEST_NAME), str(member.role), plain(member.slug, longest=30))
        for member in memberships
    ]
    st.dataframe(
        pd.DataFrame(rows, columns=["Workspace", "Your role", "Short name"]),
        hide_index=True,
        width="content",
        key="workspaces.memberships",
        column_config={"Workspace": _wide(240), "Your role": _wide(120), "Short name": _wide(160)},
    )


def _wide(width_px: int) -> Any:
    """A column of that width, so that a long name does not push the others out of the window."""
    return st.column_config.TextColumn(width=width_px)
