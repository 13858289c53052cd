"""Athletes of each workspace as the user assigned them: the service sends no workspaces of other users.

`GET /users` lists the athletes of all the user's workspaces together, and only the user's own profile has
`workspaces`. The filter uses the user's assignment, stored with their settings.
"""

from dataclasses import replace

import streamlit as st

from coachboard.loaders.preferences import Preferences
from coachboard.ui.frame import choices, state
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md, plain
from coachboard.wire.enums import WorkspaceRole

_LEADS = frozenset({WorkspaceRole.COACH, WorkspaceRole.ADMIN})


def led(page: Page) -> dict[str, str]:
    """The workspaces by which the roster can be filtered: empty if the user leads only one."""
    names = {
        workspace.id: plain(workspace.name)
        for workspace in page.profile.workspaces or ()
        if workspace.role in _LEADS
    }
    return names if len(names) > 1 else {}


def of(page: Page, workspace_id: str) -> frozenset[str]:
    """The athletes assigned to the workspace."""
    return frozenset(page.preferences.workspace_athletes.get(workspace_id, ()))


def draw_members(page: Page, workspace_id: str) -> None:
    """Assign athletes to the selected workspace."""
    names = {athlete.id: athlete.name for athlete in page.athletes}
    key = f"roster.members.{workspace_id}"
    members = [user_id for user_id in names if user_id in of(page, workspace_id)]
    state.put_default(key, members)
    with st.popover("Members", icon=":material/group:"):
        st.caption(
            f"Choose the athletes of {md(led(page)[workspace_id])} once: Coachboard cannot look them up. "
            "The choice is saved."
        )
        st.multiselect("Athletes", list(names), members, key=key, format_func=names.__getitem__,
                       on_change=_take, args=(page, workspace_id, key))  # fmt: skip


def _take(page: Page, workspace_id: str, key: str) -> None:
    named = tuple(state.get(key, ()))

    def change(kept: Preferences) -> Preferences:
        return replace(kept, workspace_athletes=dict(kept.workspace_athletes) | {workspace_id: named})

    choices.keep(page, change, key)
