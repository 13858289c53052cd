"""The endpoint that invites an address to a workspace ("Endpoints", 10)."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TypeVar

import orjson
from email_validator import EmailNotValidError, validate_email
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from coachboard.plain_text import is_storable
from coachboard.service.api.compression import json_reply
from coachboard.service.api.errors import BodyTooLarge, BodyTooSlow, InvalidRequest, NoSuchRow
from coachboard.service.api.reply_cache import ReplyCache
from coachboard.service.api.request_checks import checked_request
from coachboard.service.api.wrong_fields import wrong_field
from coachboard.service.ids import is_id
from coachboard.service.invitations.mail import Mailer, invitation_message
from coachboard.service.store import PendingInvitation, Store
from coachboard.wire.base import Wire
from coachboard.wire.invitations import CreateWorkspaceInvitation, WorkspaceInvitation

VALID_FOR = timedelta(days=7)  # spec: not shown
MOST_BODY_BYTES = 65_536  # spec: not shown; a description of 10,000 characters has up to 40,000
BODY_TIMEOUT_S = 20.0
"""Time limit for a whole small body, and for the next part of a file.

Without it, requests that stop half-way held their connections for ever, also without a key.
"""

M = TypeVar("M", bound=Wire)

NO_WORKSPACE = "No such workspace, or you are not its coach or admin."


class Inviting:
    """The endpoint over a store and a mailer."""

    def __init__(
        self,
        store: Store,
        *,
        reply_cache: ReplyCache,
        mailer: Mailer,
        clock: Callable[[], float],
        public_url: str | None = None,
    ) -> None:
        self._public_url = public_url
        self._store = store
        self._reply_cache = reply_cache
        self._mailer = mailer
        self._clock = clock

    def routes(self) -> list[Route]:
        return [Route("/workspaces/{workspace_id}/invitations", self.create, methods=["POST"])]

    async def create(self, request: Request) -> Response:
        checked = checked_request(request.scope)
        workspace_id: str = request.path_params["workspace_id"]
        caller_id = checked.caller.user_id
        if not is_id(workspace_id) or not await self._reply_cache.ask(
            self._store.leads, caller_id, workspace_id
        ):
            raise NoSuchRow(NO_WORKSPACE)
        asked = read_json(await read_body(request), CreateWorkspaceInvitation)
        email = deliverable(asked.email)
        now = datetime.fromtimestamp(self._clock(), UTC)
        workspace = await run_in_threadpool(self._store.workspace, workspace_id)
        assert workspace is not None
        inviter = await run_in_threadpool(self._store.name_of, caller_id)
        wants_mail = asked.send_invitation_email
        write_mail = partial(self.write_mail, workspace.name, inviter) if wants_mail else None
        # Off the event loop, since a write may wait for another one, such as an import.
        invitation = await run_in_threadpool(
            self._store.invite,
            PendingInvitation(
                workspace_id, email, email.casefold(), asked.role, now, now + VALID_FOR, caller_id
            ),
            write_mail,
        )
        if write_mail is not None:
            self.send_queued()
        return await json_reply(orjson.dumps(invitation.to_wire()), checked.encoding)

    def send_queued(self) -> None:
        """Send the mails in the background that were committed with their invitations."""
        self._mailer.send_queued(self._store)

    def write_mail(self, workspace: str, inviter: str | None, invitation: WorkspaceInvitation) -> bytes:
        message = invitation_message(invitation, workspace, inviter=inviter, public_url=self._public_url)
        return self._mailer.written(message)


async def read_body(request: Request, *, most_bytes: int = MOST_BODY_BYTES) -> bytes:
    """The body; raises `BodyTooLarge` as soon as it exceeds that size, and `BodyTooSlow`."""
    body = bytearray()
    async for part in body_parts(request, is_whole_limited=True):
        body += part
        if len(body) > most_bytes:
            raise BodyTooLarge(f"The body exceeds {most_bytes} bytes.")
    return bytes(body)


async def body_parts(request: Request, *, is_whole_limited: bool = False) -> AsyncIterator[bytes]:
    """The parts of a body as they come, with a time limit for the whole body or for each part."""
    now = asyncio.get_running_loop().time
    parts, until = request.stream(), now() + BODY_TIMEOUT_S
    try:
        while True:
            async with asyncio.timeout_at(until if is_whole_limited else now() + BODY_TIMEOUT_S):
                part = await anext(parts, None)
            if part is None:
                return
            yield part
    except TimeoutError as error:
        raise BodyTooSlow("The body took too long.") from error
    except ClientDisconnect as error:
        # The connection is closed; this reply only prevents an error in the log.
        raise InvalidRequest("The body is incomplete.") from error


def read_json(body: bytes, model: type[M]) -> M:
    """Parse the body; raises `InvalidRequest` with the first wrong field, and for a control character in a text."""
    try:
        payload = orjson.loads(body)
        if not is_storable(payload):
            raise InvalidRequest("Invalid request body: a text has a control character.")
        return model.from_wire(payload)
    except ValidationError as error:
        raise InvalidRequest(f"Invalid request body: {wrong_field(error, model)}.") from error
    except orjson.JSONDecodeError as error:
        raise InvalidRequest("Invalid request body: not JSON.") from error


def deliverable(email: str) -> str:
    """The address in its normal form; raises `InvalidRequest` if no mail can reach it."""
    if "=?" in email:  # a mail's header would be read as another address
        raise InvalidRequest("Invalid request body: email: an address has no =?.")
    try:
        # Mail to .test is never delivered, and demonstrations need such addresses.
        return validate_email(email, check_deliverability=False, test_environment=True).normalized
    except EmailNotValidError as error:
        raise InvalidRequest(f"Invalid request body: email: {error}") from error
