"""The endpoint that invites an address to a workspace ("Endpoints", 10)."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

import orjson
from email_validator import EmailNotValidError, validate_email
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from coachboard.service.api.compression import json_reply
from coachboard.service.api.database_calls import ask
from coachboard.service.api.errors import InvalidRequest, NoSuchRow
from coachboard.service.api.request_body import read_body, read_json
from coachboard.service.api.request_checks import checked_request
from coachboard.service.ids import is_id
from coachboard.service.invitations.mail import Mailer, invitation_message
from coachboard.service.store import PendingInvitation, Store
from coachboard.wire.users import CreateWorkspaceInvitation, WorkspaceInvitation

VALID_FOR = timedelta(days=7)  # spec: not shown
NO_WORKSPACE = "No such workspace, or you are not its coach or admin."


class Inviting:
    """The endpoint over a store and a mailer."""

    def __init__(
        self,
        store: Store,
        *,
        mailer: Mailer,
        clock: Callable[[], float],
        public_url: str | None = None,
    ) -> None:
        self._public_url = public_url
        self._store = store
        self._mailer = mailer
        self._clock = clock

    def routes(self) -> list[Route]:
        return [Route("/workspaces/{workspace_id}/invitations", self.create, methods=["POST"])]

    async def create(self, request: Request) -> Response:
        checked = checked_request(request.scope)
        workspace_id: str = request.path_params["workspace_id"]
        caller_id = checked.caller.user_id
        if not is_id(workspace_id) or not await ask(self._store, self._store.leads, caller_id, workspace_id):
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


def deliverable(email: str) -> str:
    """The address in its normal form; raises `InvalidRequest` if no mail can reach it."""
    if "=?" in email:  # a mail's header would be read as another address
        raise InvalidRequest("Invalid request body: email: an address has no =?.")
    try:
        # Mail to .test is never delivered, and demonstrations need such addresses.
        return validate_email(email, check_deliverability=False, test_environment=True).normalized
    except EmailNotValidError as error:
        raise InvalidRequest(f"Invalid request body: email: {error}") from error
