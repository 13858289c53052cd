"""Health checks for a load balancer or a supervisor; they need no key and count against no limit."""

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from coachboard.service.api.errors import error_reply
from coachboard.service.store import Store

PATHS = ("/health", "/ready")
_RETRY_AFTER_S = 5


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
        if await run_in_threadpool(self._store.is_ready):
            return _says("ready")
        wait = {"Retry-After": str(_RETRY_AFTER_S)}
        text = "The database is not reachable or has the schema of another version."
        return error_reply(503, "unavailable", text=text, headers=wait)


def _says(status: str) -> Response:
    return Response(orjson.dumps({"status": status}), 200, {"Cache-Control": "no-store"}, "application/json")
