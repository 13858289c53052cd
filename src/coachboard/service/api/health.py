"""Health checks for a load balancer or a supervisor; they need no key and count against no limit."""

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from coachboard.service.api.database_calls import within_deadline
from coachboard.service.api.errors import unavailable_reply
from coachboard.service.store import Store

PATHS = ("/health", "/ready")


class HealthChecks:
    """`/health`: the process answers. `/ready`: so does the database, with the schema of this version; else 503."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def routes(self) -> list[Route]:
        return [
            Route(path, endpoint) for path, endpoint in zip(PATHS, (self._health, self._ready), strict=True)
        ]

    async def _health(self, _request: Request) -> Response:
        return _says("ok")

    async def _ready(self, _request: Request) -> Response:
        try:
            trouble = await within_deadline(self._store.trouble)
        except TimeoutError:
            trouble = "it is not reachable"
        return (
            _says("ready")
            if trouble is None
            else unavailable_reply(f"The database cannot be used: {trouble}.")
        )


def _says(status: str) -> Response:
    return Response(orjson.dumps({"status": status}), 200, {"Cache-Control": "no-store"}, "application/json")
