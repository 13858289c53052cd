"""The workspaces of the caller with their role in each."""

from typing import Any

import pandas as pd
import streamlit as st

from coachboard.views import notices
from coachboard.views.shell import Page
from coachboard.views.text import plain
from coachboard.views.workspaces.form import LONGEST_NAME
from coachboard.views.workspaces.sent import FORM_PX


def draw_memberships(page: Page) -> None:
    """The workspaces of the caller with their role in each."""
    memberships = page.profile.workspaces or ()
    if not memberships:
        notices.say_empty(
            "You are in no workspace.", fills="An invitation from a coach would put you in one."
        )
        return
    rows = [
        (plain(member.name, longest=LONGEST_NAME), plain(member.slug, longest=30), str(member.role))
        for member in memberships
    ]
    st.dataframe(
        pd.DataFrame(rows, columns=["Workspace", "Short name", "Your role"]),
        hide_index=True,
        key="workspaces.memberships",
        width=FORM_PX,
        column_config={"Workspace": _wide(330), "Short name": _wide(160), "Your role": _wide(120)},
    )


def _wide(width_px: int) -> Any:
    """A column of that width, so that a long name does not push the others out of the window."""
    return st.column_config.TextColumn(width=width_px)
