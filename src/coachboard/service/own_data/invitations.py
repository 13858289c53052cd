"""Accept an invitation: without a key for a new person, with a key for the key's owner."""

import logging
import math
from collections.abc import Callable
from datetime import UTC, datetime
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
    TooManyRequests,
)
from coachboard.service.api.request_checks import caller_if_any
from coachboard.service.own_data.requests import PATH, read_model, reply
from coachboard.service.store import InvitationState, NewUser, Store, StoredInvitation
from coachboard.throttle import Throttle
from coachboard.wire.own_data import AcceptedInvitation, AcceptInvitation, InvitationCode, InvitationOffer

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
