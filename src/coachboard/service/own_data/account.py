"""The caller's keys and memberships: list, create, rename and revoke keys; who may read the caller's data; accept and leave."""

import logging
import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from http import HTTPStatus

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from coachboard.plain_text import name_of
from coachboard.service.api.errors import (
    Conflict,
    InvalidRequest,
    InvitationExpired,
    InvitationUnknown,
    InvitationUsed,
    KeyRefused,
    NoSuchRow,
    TooManyRequests,
)
from coachboard.service.api.request_checks import caller_if_any, checked_request
from coachboard.service.own_data.requests import PATH, caller_of, existing, list_reply, read_model, reply
from coachboard.service.store import ApiKey, InvitationState, Membership, NewUser, Store, StoredInvitation
from coachboard.service.store.keys import digest_of
from coachboard.throttle import Throttle
from coachboard.wire.own_data import (
    AcceptedInvitation,
    AcceptInvitation,
    CreatedKey,
    InvitationCode,
    InvitationOffer,
    KeyLabel,
    NewKey,
    OwnKey,
    OwnMembership,
    Reader,
)

MOST_KEYS = 100
"""Valid keys of one person: a program that creates one in each run would fill the list."""


class Account:
    """The routes over one store."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock

    def routes(self) -> list[Route]:
        key = f"{PATH}/keys/{{key_id}}"
        return [
            Route(f"{PATH}/keys", self.list_keys, methods=["GET"]),
            Route(f"{PATH}/keys", self.create_key, methods=["POST"]),
            Route(key, self.rename_key, methods=["PATCH"]),
            Route(key, self.revoke_key, methods=["DELETE"]),
            Route(f"{PATH}/memberships", self.list_memberships, methods=["GET"]),
            Route(f"{PATH}/memberships/{{workspace_id}}", self.leave, methods=["DELETE"]),
        ]

    async def list_keys(self, request: Request) -> Response:
        return list_reply(await self._keys(request))

    async def create_key(self, request: Request) -> Response:
        """Create a key. It ends with the caller's key: a borrowed key must not create one without an end."""
        asked = await read_model(request, NewKey)
        label = _label(asked.label)
        if len(await self._keys(request)) >= MOST_KEYS:
            raise Conflict(f"You have {MOST_KEYS} valid keys; revoke one first.")
        ends = [checked_request(request.scope).caller.expires_at]
        if asked.expires_in_days is not None:
            ends.append(self._now() + timedelta(days=asked.expires_in_days))
        expires_at = min((end for end in ends if end is not None), default=None)
        maker = checked_request(request.scope).caller
        text = await run_in_threadpool(self._store.add_key_of, maker, label=label, expires_at=expires_at)
        if text is None:
            raise KeyRefused("This API key is not valid.")
        new = await run_in_threadpool(self._store.caller, digest_of(text))
        assert new is not None
        row = next(row for row in await self._keys(request) if row.id == new.key_id)
        return reply(CreatedKey(key=text, row=row), status=HTTPStatus.CREATED)

    async def rename_key(self, request: Request) -> Response:
        label = _label((await read_model(request, KeyLabel)).label)
        row = await self._key(request)
        await run_in_threadpool(self._store.rename_key, row.id, label)
        return reply(await self._key(request))

    async def revoke_key(self, request: Request) -> Response:
        """Revoke a key and those that it made: the holder of a stolen key would go on with another one."""
        row = await self._key(request)
        await run_in_threadpool(self._store.revoke_key, row.id)
        return reply(row)

    async def list_memberships(self, request: Request) -> Response:
        rows = await run_in_threadpool(self._store.memberships_of, caller_of(request))
        return list_reply([_membership(row) for row in rows])

    async def leave(self, request: Request) -> Response:
        user_id, workspace_id = caller_of(request), request.path_params["workspace_id"]
        rows = await run_in_threadpool(self._store.memberships_of, user_id)
        row = existing(next((row for row in rows if row.workspace.id == workspace_id), None), "membership")
        has_left = await run_in_threadpool(self._store.leave, workspace_id, user_id)
        if has_left is None:
            raise Conflict(
                "You are the only coach or admin of this workspace, or its only admin, and it has other members: "
                "make another person admin first."
            )
        if not has_left:
            raise NoSuchRow("No such membership.")
        return reply(_membership(row))

    async def _keys(self, request: Request) -> list[OwnKey]:
        """The keys that the service accepts, oldest first."""
        caller, now = checked_request(request.scope).caller, self._now()
        rows = await run_in_threadpool(self._store.keys, caller.user_id)
        return [
            _key(row, is_current=row.id == caller.key_id)
            for row in rows
            if row.revoked_at is None and (row.expires_at is None or row.expires_at > now)
        ]

    async def _key(self, request: Request) -> OwnKey:
        key_id: str = request.path_params["key_id"]
        return existing(next((row for row in await self._keys(request) if row.id == key_id), None), "key")

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock(), UTC)


def _label(text: str) -> str:
    label = name_of(text)
    if label is None:
        raise InvalidRequest("Invalid request body: label: has no visible character.")
    return label


def _key(row: ApiKey, *, is_current: bool) -> OwnKey:
    return OwnKey(
        id=row.id,
        label=row.label,
        created_at=row.created_at,
        last_used_at=row.last_used_at,
        expires_at=row.expires_at,
        made_by=row.made_by,
        is_current=is_current,
    )


def _membership(row: Membership) -> OwnMembership:
    return OwnMembership(
        workspace_id=row.workspace.id,
        workspace=row.workspace.name,
        role=row.role,
        readers=tuple(Reader(name=name, role=role) for name, role in row.readers),
    )


_LOG = logging.getLogger(__name__)
WRONG_CODES = 60
"""Wrong codes of one address in a minute. A dashboard has one address for all its users and limits each of them to 10."""
_LABEL = "invitation"


class Invitations:
    """The routes over one store."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock
        self._wrong = Throttle(limit=WRONG_CODES)

    def routes(self) -> list[Route]:
        return [
            Route(f"{PATH}/invitations/look-up", self.look_up, methods=["POST"]),
            Route(f"{PATH}/invitations/accept", self.accept, methods=["POST"]),
        ]

    async def look_up(self, request: Request) -> Response:
        """Name workspace, role and inviter of a pending invitation."""
        invitation = await self._pending(request, await read_model(request, InvitationCode))
        return reply(
            InvitationOffer(
                workspace_id=invitation.workspace.id,
                workspace=invitation.workspace.name,
                role=invitation.role,
                inviter=invitation.inviter,
                expires_at=invitation.expires_at,
            )
        )

    async def accept(self, request: Request) -> Response:
        asked = await read_model(request, AcceptInvitation)
        invitation = await self._pending(request, asked)
        caller = caller_if_any(request.scope)
        if caller is not None:
            return await self._join(asked.code.strip(), invitation, caller.user_id)
        new = _new_user(asked)
        entered = await run_in_threadpool(
            self._store.enter_by_invitation, asked.code.strip(), new, label=_LABEL, now=self._now()
        )
        if entered is None:
            raise InvitationUsed(_USED)
        _, user_id, key = entered
        return _accepted(invitation, user_id, key)

    async def _join(self, code: str, invitation: StoredInvitation, user_id: str) -> Response:
        role = await run_in_threadpool(self._store.role_in, invitation.workspace.id, user_id)
        if role is not None:
            raise Conflict(f"You are already {role} of this workspace.")
        if await run_in_threadpool(self._store.join_by_invitation, code, user_id, self._now()) is None:
            raise InvitationUsed(_USED)
        return _accepted(invitation, user_id, None)

    async def _pending(self, request: Request, asked: InvitationCode) -> StoredInvitation:
        """The invitation of a code; raises for every other state. Wrong codes are counted and logged without the code."""
        address = request.client.host if request.client else "unknown address"
        if (wait_s := math.ceil(self._wrong.wait_s(address))) > 0:
            text = f"Too many wrong invitation codes from your network address; try again in {wait_s} s."
            raise TooManyRequests(text, retry_after_s=wait_s)
        invitation = await run_in_threadpool(self._store.invitation, asked.code.strip(), self._now())
        if invitation is None:
            self._wrong.note_failure(address)
            _LOG.warning("A wrong invitation code came from %s", address)
            raise InvitationUnknown(
                "This invitation code is not valid: it was mistyped, revoked or replaced."
            )
        if invitation.state is InvitationState.USED:
            raise InvitationUsed(_USED)
        if invitation.state is InvitationState.EXPIRED:
            raise InvitationExpired(f"This invitation expired on {invitation.expires_at:%Y-%m-%d %H:%M} UTC.")
        return invitation

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock(), UTC)


_USED = "This invitation has been used."


def _new_user(asked: AcceptInvitation) -> NewUser:
    first, last = name_of(asked.first_name), name_of(asked.last_name)
    if first is None:
        raise InvalidRequest("Invalid request body: firstName: required for a new account.")
    return NewUser(first_name=first, last_name=last, date_of_birth=asked.date_of_birth)


def _accepted(invitation: StoredInvitation, user_id: str, key: str | None) -> Response:
    accepted = AcceptedInvitation(
        user_id=user_id,
        workspace_id=invitation.workspace.id,
        workspace=invitation.workspace.name,
        role=invitation.role,
        key=key,
    )
    return reply(accepted, status=HTTPStatus.CREATED)
