"""Which athletes belong to which workspace, as the reader says: the service names an athlete's workspaces to nobody else.

`GET /users` lists the athletes of all the reader's workspaces together, and a profile's `workspaces` comes with
the reader's own alone; so the filter rests on what the reader has named once, kept with their preferences.
"""

from dataclasses import replace

import streamlit as st

from coachboard.loaders.preferences import Preferences
from coachboard.models.enums import WorkspaceRole
from coachboard.views import choices, state
from coachboard.views.shell import Page
from coachboard.views.text import md, plain

_LEADS = frozenset({WorkspaceRole.COACH, WorkspaceRole.ADMIN})


def led(page: Page) -> dict[str, str]:
    """The workspaces among which a roster can be divided: none where the reader leads but one."""
    names = {one.id: plain(one.name) for one in page.profile.workspaces or () if one.role in _LEADS}
    return names if len(names) > 1 else {}


def of(page: Page, workspace_id: str) -> frozenset[str]:
    """Who was named as a member."""
    return frozenset(page.preferences.workspace_athletes.get(workspace_id, ()))


def draw(page: Page, workspace_id: str) -> None:
    """Naming the members of the workspace that is looked at."""
    names = {athlete.id: athlete.name for athlete in page.athletes}
    key = f"roster.members.{workspace_id}"
    members = [one for one in names if one in of(page, workspace_id)]
    state.put_default(key, members)
    with st.popover("Members", icon=":material/group:"):
        st.caption(
            f"Choose the athletes of {md(led(page)[workspace_id])} once: the service does not list them. "
            "The choice is saved."
        )
        st.multiselect("Athletes", list(names), members, key=key, format_func=names.__getitem__,
                       on_change=_take, args=(page, workspace_id, key))  # fmt: skip


def _take(page: Page, workspace_id: str, key: str) -> None:
    named = tuple(state.get(key, ()))

    def change(kept: Preferences) -> Preferences:
        return replace(kept, workspace_athletes=dict(kept.workspace_athletes) | {workspace_id: named})

    choices.keep(page, change, key)
