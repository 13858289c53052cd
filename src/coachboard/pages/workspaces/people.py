"""The members of a workspace and its open invitations: list, change the role, remove, correct and revoke."""

from types import MappingProxyType

import pandas as pd
import streamlit as st

from coachboard.client.errors import ServiceError
from coachboard.pages.workspaces.invite import LONGEST_NAME, pick_workspace
from coachboard.pages.workspaces.sent import FORM_PX
from coachboard.ui.frame import connection, formats, notices, state, theme
from coachboard.ui.frame.page import Page, inviting_workspaces
from coachboard.ui.frame.text import md, plain
from coachboard.ui.widgets import copy_button
from coachboard.wire.enums import InvitedRole, WorkspaceRole
from coachboard.wire.planning import InvitationPatch, InvitedPerson, WorkspaceMember
from coachboard.wire.users import WorkspaceMembership

FEATURE = "members"
ACCESS = MappingProxyType(
    {
        WorkspaceRole.ADMIN: "All athletes: sees and plans. Invites and removes people, changes roles.",
        WorkspaceRole.COACH: "All athletes: sees and plans. Invites people, removes athletes.",
        WorkspaceRole.ATHLETE: "Their own data, which coaches and admins see, too.",
    }
)
"""Rights of each role in a workspace."""
_PICK, _ASKED, _FAULT = "workspaces.person", "workspaces.person_change", "workspaces.person_fault"
_PICK_OPEN, _OPEN_FAULT, _CORRECTED = "workspaces.open", "workspaces.open_fault", "workspaces.corrected"
_NEW_ROLE, _NEW_EMAIL, _NEW_MAIL = "workspaces.open_role", "workspaces.open_email", "workspaces.open_mail"
_REMOVE = "remove"
_ORDER = (WorkspaceRole.ADMIN, WorkspaceRole.COACH, WorkspaceRole.ATHLETE)
_MOST_ROWS, _MANY_ROWS_PX = 20, 640


def draw_people(page: Page) -> WorkspaceMembership | None:
    """Pick a workspace that the user leads, and list its members if the service can; the workspace, or None."""
    has_people = page.client.planning.has(FEATURE)
    if has_people and inviting_workspaces(page.profile):
        st.header("People", anchor=False)
    workspace = pick_workspace(page)
    if workspace is not None and has_people:
        _draw_members(page, workspace)
    return workspace


def _draw_members(page: Page, workspace: WorkspaceMembership) -> None:
    try:
        rows = page.client.planning.members(workspace.id)
    except ServiceError as error:
        notices.say(error, about="the people of the workspace")
        return
    members = sorted(rows, key=lambda row: (_ORDER.index(row.role), plain(row.name).casefold()))
    if theme.is_phone():
        _draw_list(page, members)
    else:
        st.dataframe(
            _frame(page, members),
            hide_index=True,
            key="workspaces.people",
            height="content" if len(members) <= _MOST_ROWS else _MANY_ROWS_PX,
            column_config={
                "Name": st.column_config.TextColumn(width=270),
                "Role": st.column_config.TextColumn(width=70),
                "Since": st.column_config.TextColumn(width=110),
                "May see and do": st.column_config.TextColumn(width=440),
            },
        )
    if fault := state.get(_FAULT):
        st.error(fault, icon=":material/error:")
    _draw_change(page, workspace, members)


def _since(page: Page, member: WorkspaceMember) -> str:
    return formats.day(member.joined_at.date(), today=page.today) if member.joined_at else formats.MISSING


def _frame(page: Page, members: list[WorkspaceMember]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Name": [_name(page, member) for member in members],
            "Role": [str(member.role) for member in members],
            "Since": [_since(page, member) for member in members],
            "May see and do": [ACCESS[member.role] for member in members],
        }
    )


def _draw_list(page: Page, members: list[WorkspaceMember]) -> None:
    """On a narrow screen: a line for each person, under the rights of their role."""
    for role in _ORDER:
        chosen = [member for member in members if member.role is role]
        if not chosen:
            continue
        lines = [
            f"**{md(_name(page, member), longest=LONGEST_NAME)}**"
            + (f" :gray[since {_since(page, member)}]" if member.joined_at else "")
            for member in chosen
        ]
        st.caption(f"**{formats.label(role)}** {ACCESS[role]}")
        st.markdown("  \n".join(lines))


def _name(page: Page, member: WorkspaceMember) -> str:
    name = plain(member.name, longest=LONGEST_NAME)
    return f"{name} (you)" if member.user_id == page.profile.id else name


def _draw_change(page: Page, workspace: WorkspaceMembership, members: list[WorkspaceMember]) -> None:
    """Pick a person, then what to change; a question comes before the change."""
    offered = {
        member.user_id: member
        for member in members
        if member.roles or (member.may_remove and member.user_id != page.profile.id)
    }
    if not offered:
        return
    picked = st.selectbox(
        "Change a person",
        list(offered),
        key=_PICK,
        index=None,
        placeholder="Choose a person",
        format_func=lambda id_: f"{_name(page, offered[id_])}, {offered[id_].role}" if id_ in offered else "",
        width=440,
    )
    member = offered.get(picked or "")
    if member is None:
        return
    asked = state.get(_ASKED)
    if asked is not None and asked[0] == member.user_id:
        _draw_question(page, workspace, member, asked[1])
        return
    with st.container(horizontal=True):
        for role in member.roles:
            st.button(
                f"Make {role}",
                key=f"workspaces.make.{role}",
                on_click=state.put,
                args=(_ASKED, (member.user_id, str(role))),
            )
        if member.may_remove and member.user_id != page.profile.id:
            st.button(
                "Remove",
                key="workspaces.remove",
                icon=":material/person_remove:",
                on_click=state.put,
                args=(_ASKED, (member.user_id, _REMOVE)),
            )


def _draw_question(page: Page, workspace: WorkspaceMembership, member: WorkspaceMember, change: str) -> None:
    name = f"**{md(_name(page, member), longest=LONGEST_NAME)}**"
    space = md(workspace.name, longest=LONGEST_NAME)
    if change == _REMOVE:
        effect = (
            "Coaches and admins no longer see this person's data."
            if member.role is WorkspaceRole.ATHLETE
            else "This person loses access to all its athletes at once. Invitations that they made end."
        )
        question = f"Remove {name} from {space}? {effect} Only a new invitation brings them back."
    else:
        role = WorkspaceRole(change)
        gone = " Coaches and admins no longer see their data." if member.role is WorkspaceRole.ATHLETE else ""
        question = f"Make {name} {role} of {space}? {ACCESS[role]}{gone}"
    st.markdown(question, width=FORM_PX)
    with st.container(horizontal=True):
        st.button(
            "Remove" if change == _REMOVE else f"Make {change}",
            key="workspaces.person_yes",
            on_click=_change,
            args=(page, workspace, member, change),
        )
        st.button("Keep", key="workspaces.person_no", type="tertiary", on_click=state.forget, args=(_ASKED,))


def _change(page: Page, workspace: WorkspaceMembership, member: WorkspaceMember, change: str) -> None:
    state.forget(_ASKED, _FAULT)
    planning, name = page.client.planning, md(member.name, longest=LONGEST_NAME)
    try:
        if change == _REMOVE:
            planning.remove_member(workspace.id, member)
        else:
            planning.change_role(workspace.id, member, WorkspaceRole(change))
    except ServiceError as error:
        state.put(_FAULT, f"{name} is as before. {_reason(error)}")
        return
    state.forget(_PICK)
    if member.user_id == page.profile.id:
        connection.probe(page.client)  # the profile has the user's workspaces
    page.client.list_users(max_age_s=0)
    st.toast(f"{name} was removed." if change == _REMOVE else f"{name} is {change} now.")


def _reason(error: ServiceError) -> str:
    """The service's words if it gave a reason, else what happened."""
    return (
        md(error.words, longest=200) if error.code in {"conflict", "forbidden"} else notices.with_cause(error)
    )


def draw_open_invitations(page: Page, workspace: WorkspaceMembership | None) -> None:
    """The invitations to the workspace that nobody has used, with a form that corrects one."""
    if workspace is None or not page.client.planning.has(FEATURE):
        return
    try:
        rows = page.client.planning.invitations(workspace.id)
    except ServiceError as error:
        notices.say(error, about="open invitations")
        return
    if fault := state.get(_OPEN_FAULT):
        st.error(fault, icon=":material/error:")
    _draw_corrected(page)
    if not rows:
        st.caption("No open invitations.")
        return
    lines = [
        f"**{md(row.email)}** :gray[{row.role}, {_expiry(page, row)}{_inviter(row)}]"
        for row in rows[:_LISTED]
    ]
    st.markdown("  \n".join(lines))
    if len(rows) > _LISTED:
        st.caption(f"and {len(rows) - _LISTED} more")
    named = {row.id: row for row in rows}
    picked = st.selectbox(
        "Correct or revoke an invitation",
        list(named),
        key=_PICK_OPEN,
        index=None,
        placeholder="Choose an address",
        format_func=lambda id_: plain(named[id_].email) if id_ in named else "",
        width=440,
    )
    if (row := named.get(picked or "")) is not None:
        _draw_correction(page, workspace, row)


_LISTED = 30


def _expiry(page: Page, row: InvitedPerson) -> str:
    local = row.expires_at.astimezone(page.zone)
    return f"{'expired' if row.is_expired else 'expires'} {formats.moment(local, today=page.today)}"


def _inviter(row: InvitedPerson) -> str:
    return f", by {md(row.inviter, longest=LONGEST_NAME)}" if row.inviter else ""


def _draw_correction(page: Page, workspace: WorkspaceMembership, row: InvitedPerson) -> None:
    email, role, mail = (f"{name}.{row.id}" for name in (_NEW_EMAIL, _NEW_ROLE, _NEW_MAIL))
    state.put_default(email, plain(row.email))
    state.put_default(role, row.role.value)
    with st.container(width=FORM_PX):
        st.text_input(
            "E-mail address", key=email, help="Another address gets another code; the old one ends."
        )
        with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
            st.segmented_control(
                "Role of the invited person",
                [each.value for each in InvitedRole],
                key=role,
                required=True,
                format_func=formats.label,
            )
            st.checkbox("Send by e-mail", key=mail)
        with st.container(horizontal=True):
            st.button(
                "Save", key="workspaces.open_save", on_click=_correct,
                args=(page, workspace, row, (email, role, mail)),
            )  # fmt: skip
            st.button(
                "Revoke", key="workspaces.open_revoke", icon=":material/delete:", on_click=_revoke,
                args=(page, workspace, row), help="Its code is no longer accepted.",
            )  # fmt: skip


def _correct(
    page: Page, workspace: WorkspaceMembership, row: InvitedPerson, fields: tuple[str, str, str]
) -> None:
    state.forget(_OPEN_FAULT, _CORRECTED)
    email, role, mail = (state.get(name) for name in fields)
    patch = InvitationPatch(
        email=(email or "").strip(), role=InvitedRole(role or row.role), send_invitation_email=bool(mail)
    )
    try:
        corrected = page.client.planning.correct_invitation(workspace.id, row, patch)
    except ServiceError as error:
        state.put(_OPEN_FAULT, f"The invitation is as before. {notices.with_cause(error)}")
        return
    state.forget(_PICK_OPEN, *fields)
    state.put(_CORRECTED, corrected)


def _revoke(page: Page, workspace: WorkspaceMembership, row: InvitedPerson) -> None:
    state.forget(_OPEN_FAULT, _CORRECTED)
    try:
        page.client.planning.revoke_invitation(workspace.id, row)
    except ServiceError as error:
        state.put(_OPEN_FAULT, f"The invitation was not revoked. {notices.with_cause(error)}")
        return
    state.forget(_PICK_OPEN)
    st.toast(f"The invitation of {md(row.email)} was revoked.")


def _draw_corrected(page: Page) -> None:
    """The code of the invitation that was corrected last."""
    corrected: InvitedPerson | None = state.get(_CORRECTED)
    if corrected is None:
        return
    with st.container(border=True, gap="xsmall", width=FORM_PX):
        st.markdown(f"**{md(corrected.email)}** · invited as {corrected.role}")
        copy_button.draw(
            plain(corrected.code), name="Code", key=f"workspaces.corrected.{corrected.id}", is_large=True
        )
        st.caption(f"It {_expiry(page, corrected)}.")
