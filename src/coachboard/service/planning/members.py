"""People of a workspace: its members with their roles, its groups of athletes, and the invitations that nobody has used yet.

Coaches and admins of a workspace read them. Coaches remove athletes, admins everybody, and only admins change roles.
"""

from collections.abc import Iterable, Sequence
from functools import partial

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from coachboard.plain_text import name_of
from coachboard.service.api.errors import Conflict, InvalidRequest, NoSuchRow, NotAllowed
from coachboard.service.api.request_checks import PLAN_PATH
from coachboard.service.ids import is_id
from coachboard.service.invitations.endpoint import NO_WORKSPACE, VALID_FOR, Inviting, deliverable
from coachboard.service.own_data.requests import (
    caller_of,
    expected_tag,
    list_reply,
    read_model,
    reply,
    stale_reply,
    tag_of,
)
from coachboard.service.planning.rights import Rights
from coachboard.service.planning.routes import CalendarRoutes, Calendars
from coachboard.service.store import Member, PendingInvitation, StoredInvitation
from coachboard.service.store.people import is_needed
from coachboard.service.store.plans import Plans
from coachboard.service.store.records import InvitationState
from coachboard.service.store.rows import LEADING
from coachboard.wire.comments import LONGEST_GROUP, AthleteGroups, GroupNames
from coachboard.wire.enums import InvitedRole, WorkspaceRole
from coachboard.wire.planning import InvitationPatch, InvitedPerson, MemberPatch, WorkspaceMember
from coachboard.wire.users import WorkspaceInvitation

_PATH = f"{PLAN_PATH}/workspaces/{{workspace_id}}"
_NO_MEMBER, _NO_INVITATION = "No such member.", "No such invitation: it was used, corrected or revoked."
_LAST_ADMIN = "This person is the only admin of the workspace: make another person admin first."
_SHARES_DATA = (
    "Coaches and admins see the data of an athlete, so an invitation as athlete asks the person. "
    "Remove this person from the workspace, then invite them as athlete."
)


class _Stale(Exception):  # noqa: N818 (leaves the transaction)
    """The row is not as the caller read it."""


class WorkspacePeople(CalendarRoutes):
    """The routes of members and invitations."""

    def __init__(self, calendars: Calendars, inviting: Inviting) -> None:
        super().__init__(calendars)
        self._inviting = inviting

    def routes(self) -> list[Route]:
        member, invitation = f"{_PATH}/members/{{user_id}}", f"{_PATH}/invitations/{{invitation_id}}"
        return [
            Route(f"{_PATH}/members", self.list_members, methods=["GET"]),
            Route(member, self.change_role, methods=["PATCH"]),
            Route(member, self.remove, methods=["DELETE"]),
            Route(f"{_PATH}/invitations", self.list_invitations, methods=["GET"]),
            Route(invitation, self.correct, methods=["PATCH"]),
            Route(invitation, self.revoke, methods=["DELETE"]),
        ]

    async def list_members(self, request: Request) -> Response:
        members = await self._members(request)
        return list_reply([_member(row, members, caller_of(request)) for row in members])

    async def change_role(self, request: Request) -> Response:
        tag, role = expected_tag(request), (await read_model(request, MemberPatch)).role
        return await self._change(request, tag, role)

    async def remove(self, request: Request) -> Response:
        """End a membership; the next request of the person has no access any more."""
        return await self._change(request, expected_tag(request), None)

    async def list_invitations(self, request: Request) -> Response:
        await self._members(request)
        return list_reply([_invited(row) for row in await self._open(request)])

    async def correct(self, request: Request) -> Response:
        """Change the role; another address gets a new code and revokes the old one."""
        tag, asked = expected_tag(request), await read_model(request, InvitationPatch)
        await self._members(request)
        row = await self._invitation(request)
        if _invited(row).etag != tag:
            return stale_reply(_invited(row))
        now, email = self._now(), deliverable(row.email if asked.email is None else asked.email)
        role = InvitedRole(row.role) if asked.role is None else asked.role
        new = PendingInvitation(
            row.workspace.id, email, email.casefold(), role, now, now + VALID_FOR, caller_of(request)
        )
        inviter = await run_in_threadpool(self._store.name_of, caller_of(request))
        write = partial(self._inviting.write_mail, row.workspace.name, inviter)
        invitation = await run_in_threadpool(
            self._store.correct_invitation, row, new, write if asked.send_invitation_email else None
        )
        if invitation is None:
            raise NoSuchRow(_NO_INVITATION)
        if asked.send_invitation_email:
            self._inviting.send_queued()
        corrected = next(each for each in await self._open(request) if each.id == invitation.id)
        return reply(_invited(corrected, invitation))

    async def revoke(self, request: Request) -> Response:
        tag = expected_tag(request)
        await self._members(request)
        row = await self._invitation(request)
        if _invited(row).etag != tag:
            return stale_reply(_invited(row))
        if not await run_in_threadpool(self._store.revoke_invitation, row.id):
            raise NoSuchRow(_NO_INVITATION)
        return reply(_invited(row))

    async def _change(self, request: Request, tag: str, role: WorkspaceRole | None) -> Response:
        """Give a member another role, or with None end the membership."""
        caller_id, user_id = caller_of(request), request.path_params["user_id"]
        row = _row(await self._members(request), user_id)

        def check(members: Sequence[Member]) -> None:
            _require_leader(members, caller_id)
            member = _row(members, user_id)
            reply_ = _member(member, members, caller_id)
            if reply_.etag != tag:
                raise _Stale
            if role == member.role or (role is None and reply_.may_remove) or role in reply_.roles:
                return
            raise _refusal(member, members, caller_id, role)

        workspace_id = request.path_params["workspace_id"]
        try:
            await run_in_threadpool(self._store.change_member, workspace_id, user_id, role, check)
        except _Stale:
            members = await self._members(request)
            return stale_reply(_member(_row(members, user_id), members, caller_id))
        if role is None:
            return reply(_member(row, [row], caller_id))
        members = await run_in_threadpool(self._store.members, workspace_id)
        changed = _member(_row(members, user_id), members, caller_id)
        return reply(changed, etag=changed.etag)

    async def _members(self, request: Request) -> list[Member]:
        """The members; raises `NoSuchRow` unless the caller leads the workspace."""
        workspace_id = request.path_params["workspace_id"]
        if not is_id(workspace_id):
            raise NoSuchRow(NO_WORKSPACE)
        members = await run_in_threadpool(self._store.members, workspace_id)
        _require_leader(members, caller_of(request))
        return members

    async def _open(self, request: Request) -> list[StoredInvitation]:
        workspace_id = request.path_params["workspace_id"]
        rows = await run_in_threadpool(self._store.invitations, workspace_id, self._now())
        return [row for row in rows if row.state is not InvitationState.USED]

    async def _invitation(self, request: Request) -> StoredInvitation:
        invitation_id = request.path_params["invitation_id"]
        row = next((row for row in await self._open(request) if row.id == invitation_id), None)
        if row is None:
            raise NoSuchRow(_NO_INVITATION)
        return row


def _require_leader(members: Sequence[Member], caller_id: str) -> None:
    if not any(member.user_id == caller_id and member.role in LEADING for member in members):
        raise NoSuchRow(NO_WORKSPACE)


def _row(members: Sequence[Member], user_id: str) -> Member:
    row = next((member for member in members if member.user_id == user_id), None)
    if row is None:
        raise NoSuchRow(_NO_MEMBER)
    return row


def _is_admin(members: Sequence[Member], user_id: str) -> bool:
    return any(member.user_id == user_id and member.role is WorkspaceRole.ADMIN for member in members)


def _is_last_admin(members: Sequence[Member], member: Member) -> bool:
    admins = [each for each in members if each.role is WorkspaceRole.ADMIN]
    return admins == [member]


def _member(member: Member, members: Sequence[Member], caller_id: str) -> WorkspaceMember:
    return WorkspaceMember(
        user_id=member.user_id,
        name=member.name or member.user_id,
        role=member.role,
        joined_at=member.joined_at,
        roles=_roles(member, members, caller_id),
        may_remove=_may_remove(member, members, caller_id),
        etag=tag_of(member.workspace_id, member.user_id, member.role, member.joined_at),
    )


def _roles(member: Member, members: Sequence[Member], caller_id: str) -> tuple[WorkspaceRole, ...]:
    """The roles that the caller may give. A person becomes an athlete, whose data others read, by their own will only."""
    if not _is_admin(members, caller_id) or _is_last_admin(members, member):
        return ()
    roles = (WorkspaceRole.ATHLETE, *LEADING) if member.user_id == caller_id else LEADING
    return tuple(role for role in roles if role != member.role)


def _may_remove(member: Member, members: Sequence[Member], caller_id: str) -> bool:
    if member.user_id == caller_id:
        return not is_needed(members, caller_id)
    may = _is_admin(members, caller_id) or member.role is WorkspaceRole.ATHLETE
    return may and not _is_last_admin(members, member)


def _refusal(
    member: Member, members: Sequence[Member], caller_id: str, role: WorkspaceRole | None
) -> Conflict | NotAllowed:
    if _is_last_admin(members, member) and _is_admin(members, caller_id):
        return Conflict(_LAST_ADMIN)
    if member.user_id == caller_id and role is None:
        return Conflict("You are the only coach or admin of this workspace, and it has other members.")
    if role is WorkspaceRole.ATHLETE and _is_admin(members, caller_id):
        return NotAllowed(_SHARES_DATA)
    what = "change roles" if role is not None else "remove coaches and admins"
    return NotAllowed(f"Only an admin of the workspace may {what}.")


def _invited(row: StoredInvitation, invitation: WorkspaceInvitation | None = None) -> InvitedPerson:
    return InvitedPerson(
        id=row.id,
        email=row.email,
        role=InvitedRole(row.role),
        inviter=row.inviter,
        expires_at=row.expires_at,
        is_expired=row.state is InvitationState.EXPIRED,
        etag=tag_of(row.id, row.email, row.role, row.expires_at),
        code=None if invitation is None else invitation.code,
    )


class Groups(CalendarRoutes):
    """The routes of groups of athletes."""

    def routes(self) -> list[Route]:
        path = f"{PLAN_PATH}/workspaces/{{workspace_id}}/athletes/{{user_id}}/groups"
        return [
            Route(f"{PLAN_PATH}/groups", self.list_groups, methods=["GET"]),
            Route(path, self.set_groups, methods=["PUT"]),
        ]

    async def list_groups(self, request: Request) -> Response:
        return list_reply(await self._read(_groups, request))

    async def set_groups(self, request: Request) -> Response:
        names = _clean((await read_model(request, GroupNames)).names)
        workspace_id, user_id = request.path_params["workspace_id"], request.path_params["user_id"]
        groups = AthleteGroups(workspace_id=workspace_id, user_id=user_id, names=names)
        await self._write(_set_groups, request, groups)
        return reply(groups)


def _groups(plans: Plans, rights: Rights, _request: Request) -> list[AthleteGroups]:
    names = plans.groups(frozenset().union(*rights.led.values()))
    return [
        AthleteGroups(
            workspace_id=workspace_id, user_id=user_id, names=tuple(names.get((workspace_id, user_id), ()))
        )
        for user_id, shared in sorted(rights.led.items())
        for workspace_id in sorted(shared)
    ]


def _set_groups(plans: Plans, rights: Rights, _request: Request, groups: AthleteGroups) -> None:
    if groups.workspace_id not in rights.led.get(groups.user_id, frozenset()):
        raise NoSuchRow("No such athlete of the workspace, or you are not its coach or admin.")
    plans.set_groups(groups.workspace_id, groups.user_id, groups.names)


def _clean(names: Iterable[str]) -> tuple[str, ...]:
    cleaned = [name_of(name, longest=LONGEST_GROUP) for name in names]
    if None in cleaned:
        raise InvalidRequest("names: a name has no visible character.")
    return tuple(sorted(dict.fromkeys(name for name in cleaned if name is not None)))
