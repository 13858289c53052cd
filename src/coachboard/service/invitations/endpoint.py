"""The one write: inviting an address to a workspace ("Endpoints", 10)."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import orjson
from email_validator import EmailNotValidError, validate_email
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from coachboard.models.invitations import CreateWorkspaceInvitation
from coachboard.service.api.compression import json_reply
from coachboard.service.api.errors import BadRequest, NotFound, TooLarge
from coachboard.service.api.reply_cache import ReplyCache
from coachboard.service.api.request_checks import checked_request
from coachboard.service.ids import is_id
from coachboard.service.invitations.mail import Mailer, invitation_message
from coachboard.service.store import PendingInvitation, Store

VALID_FOR = timedelta(days=7)  # spec: not shown
MOST_BODY_BYTES = 16_384  # spec: not shown; a real request has a few hundred

NO_WORKSPACE = "No such workspace, or you are not its coach or admin."


class Inviting:
    """The endpoint over one store and one way of sending mail."""

    def __init__(
        self, store: Store, *, reply_cache: ReplyCache, mailer: Mailer, clock: Callable[[], float]
    ) -> None:
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
            raise NotFound(NO_WORKSPACE)
        asked = read_request(await read_body(request))
        email = deliverable(asked.email)
        now = datetime.fromtimestamp(self._clock(), UTC)
        # Off the event loop, since a write may wait for another one, such as an import.
        invitation = await run_in_threadpool(
            self._store.invite,
            PendingInvitation(workspace_id, email, email.casefold(), asked.role, now, now + VALID_FOR),
        )
        if asked.send_invitation_email:
            workspace = await run_in_threadpool(self._store.workspace, workspace_id)
            assert workspace is not None
            self._mailer.send_later(invitation_message(invitation, workspace.name), to=invitation.email)
        return await json_reply(orjson.dumps(invitation.to_wire()), checked.encoding)


async def read_body(request: Request) -> bytes:
    """The body; raises `TooLarge` as soon as the body exceeds `MOST_BODY_BYTES`."""
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > MOST_BODY_BYTES:
                raise TooLarge(f"The body exceeds {MOST_BODY_BYTES} bytes.")
    except ClientDisconnect as error:
        # Nobody is left to read it; it keeps a hung-up client from looking like a fault of ours in the log.
        raise BadRequest("The body is incomplete.") from error
    return bytes(body)


def read_request(body: bytes) -> CreateWorkspaceInvitation:
    """Read the body; raises `BadRequest` naming the first wrong field."""
    try:
        return CreateWorkspaceInvitation.model_validate_json(body, by_alias=True, by_name=False)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"])) or "body"
        raise BadRequest(f"Invalid request body: {where}: {first['msg']}.") from error


def deliverable(email: str) -> str:
    """The address in its normal form; raises `BadRequest` for one that no mail could reach."""
    try:
        # Names under .test go nowhere by definition, and demonstrations need some that do.
        return validate_email(email, check_deliverability=False, test_environment=True).normalized
    except EmailNotValidError as error:
        raise BadRequest(f"Invalid request body: email: {error}") from error
