"""The routes under `/own/v1`: the features, the change stamp, and one module for each resource."""

import re
import time
from collections.abc import Callable
from datetime import date

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from coachboard.service.api.description_page import description_routes
from coachboard.service.api.errors import InvalidRequest
from coachboard.service.api.request_checks import checked_request
from coachboard.service.invitations.mail import Mailer
from coachboard.service.own_data import openapi
from coachboard.service.own_data.account import Account, Invitations
from coachboard.service.own_data.activities import Activities
from coachboard.service.own_data.imports import MAX_UPLOAD_BYTES, Imports
from coachboard.service.own_data.jobs import Worker
from coachboard.service.own_data.metrics import Metrics
from coachboard.service.own_data.prescriptions import Prescriptions
from coachboard.service.own_data.requests import PATH, reply
from coachboard.service.store import Store
from coachboard.wire.own_data import VERSION, Changes, Features, MailState

FEATURES = (
    "imports",
    "activities",
    "prescriptions",
    "metrics",
    "recomputations",
    "changes",
    "invitations",
    "keys",
    "memberships",
    "mail",
)
_STAMP = re.compile(r"[0-9a-z.-]*")


class OwnDataApi:
    """All routes of the API over one store and one worker."""

    def __init__(
        self,
        store: Store,
        worker: Worker,
        mailer: Mailer,
        *,
        today: Callable[[], date],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._today = today
        self._worker = worker
        self._mailer = mailer
        self._clock = clock

    def routes(self) -> list[Route]:
        return [
            Route(PATH, self.features, methods=["GET"]),
            *description_routes(PATH, openapi.document_json),
            Route(f"{PATH}/changes", self.changes, methods=["GET"]),
            Route(f"{PATH}/mail", self.mail, methods=["GET"]),
            *Imports(self._store, self._worker).routes(),
            *Activities(self._store).routes(),
            *Prescriptions(self._store, self._today).routes(),
            *Metrics(self._store, self._worker).routes(),
            *Invitations(self._store, self._clock).routes(),
            *Account(self._store, self._clock).routes(),
        ]

    async def features(self, _request: Request) -> Response:
        return reply(Features(version=VERSION, features=FEATURES, max_upload_bytes=MAX_UPLOAD_BYTES))

    async def mail(self, _request: Request) -> Response:
        return reply(MailState(fault=self._mailer.fault))

    async def changes(self, request: Request) -> Response:
        """The people whose rows changed after an earlier reply."""
        caller = checked_request(request.scope).caller
        since = request.query_params.get("since", "")
        if _STAMP.fullmatch(since) is None:
            raise InvalidRequest("The query parameter 'since' is not the stamp of an earlier reply.")
        stamp, changed = await run_in_threadpool(self._store.look, since, caller.athletes | {caller.user_id})
        plans = tuple(person for person, is_plan in changed.items() if is_plan)
        return reply(Changes(stamp=stamp, changed=tuple(changed), plans=plans))
