"""The sections of the workspaces page, in the order of the page; the user's workspaces, and who may read the user's data."""

import streamlit as st

from coachboard.client.errors import ServiceError
from coachboard.pages.workspaces.invite import LONGEST_NAME, ask, draw_send
from coachboard.pages.workspaces.people import draw_open_invitations, draw_people
from coachboard.pages.workspaces.sent import draw_ledger, draw_sent
from coachboard.ui.frame import connection, notices, own_data, state
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md
from coachboard.wire.own_data import OwnMembership
from coachboard.wire.users import WorkspaceMembership

__all__ = [
    "ask",
    "draw_ledger",
    "draw_memberships",
    "draw_open_invitations",
    "draw_people",
    "draw_readers",
    "draw_send",
    "draw_sent",
]


_LEAVING, _FAULT = "workspaces.leaving", "workspaces.not_left"
_MOST_READERS = 30


def draw_memberships(page: Page) -> None:
    memberships = page.profile.workspaces or ()
    if not memberships:
        notices.say_empty("You are not in a workspace.", fills="Accept a coach's invitation to join one.")
        return
    can_leave = own_data.has_feature(page, "memberships")
    with st.container(gap="xxsmall"):
        for member in memberships:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(
                    f"**{md(member.name, longest=LONGEST_NAME)}** :gray[your role: {md(member.role)}]",
                    width="content",
                )
                if can_leave:
                    _draw_leaving(page, member)
    if fault := state.get(_FAULT):
        st.error(fault, icon=":material/error:")


def draw_readers(page: Page) -> None:
    """The people who may read the user's data, with the reason; nothing if the service cannot list them."""
    if not own_data.has_feature(page, "memberships"):
        return
    st.header("Who may see my data", anchor=False)
    try:
        rows = page.client.own_data.list_memberships()
    except ServiceError as error:
        notices.say(error, about="who may see your data")
        return
    readers = _readers(rows)
    if not readers:
        st.caption("Nobody but you. Coaches and admins of a workspace see the data of its athletes.")
        return
    lines = [
        f"**{name}** :gray[{', '.join(reasons)}]" for name, reasons in list(readers.items())[:_MOST_READERS]
    ]
    st.markdown("  \n".join(lines))
    if len(readers) > _MOST_READERS:
        st.caption(f"and {len(readers) - _MOST_READERS} more")
    who = "This person sees" if len(readers) == 1 else "These people see"
    st.caption(
        f"{who} your profile, sessions, plans, notes, events, values and sleep. Leave a workspace to end this."
    )


def _readers(rows: tuple[OwnMembership, ...]) -> dict[str, list[str]]:
    """Names with their roles, each person once per name."""
    by_name: dict[str, list[str]] = {}
    for row in rows:
        for reader in row.readers:
            reason = f"{md(reader.role)} of {md(row.workspace, longest=LONGEST_NAME)}"
            by_name.setdefault(md(reader.name, longest=LONGEST_NAME), []).append(reason)
    return by_name


def _draw_leaving(page: Page, member: WorkspaceMembership) -> None:
    name = md(member.name, longest=30)
    if state.get(_LEAVING) != member.id:
        st.button(
            f"Leave {name}",
            key=f"workspaces.leave.{member.id}",
            type="tertiary",
            icon=":material/logout:",
            on_click=state.put,
            args=(_LEAVING, member.id),
        )
        return
    st.markdown(_question(member), width="content")
    st.button("Leave", key="workspaces.leave_yes", on_click=_leave, args=(page, member))
    st.button("Stay", key="workspaces.leave_no", type="tertiary", on_click=state.forget, args=(_LEAVING,))


def _question(member: WorkspaceMembership) -> str:
    if member.role == "athlete":
        return "Leave? Its coaches and admins no longer see your data. Only a new invitation brings you back."
    return "Leave? You no longer see its athletes. Only a new invitation brings you back."


def _leave(page: Page, member: WorkspaceMembership) -> None:
    state.forget(_LEAVING, _FAULT)
    try:
        page.client.own_data.leave_workspace(member.id)
    except ServiceError as error:
        name = md(member.name, longest=LONGEST_NAME)
        state.put(_FAULT, f"You are still in {name}. {notices.with_cause(error)}")
    else:
        connection.probe(page.client)  # the profile has the user's workspaces
        if member.role != "athlete":
            page.client.list_users(max_age_s=0)
