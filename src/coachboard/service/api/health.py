"""Health checks and metrics of the service; they need no key and count against no limit."""

from collections.abc import Iterable

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from coachboard import monitoring
from coachboard.service.api.database_calls import within_deadline
from coachboard.service.api.errors import error_reply, unavailable_reply
from coachboard.service.store import Store

PATHS = ("/health", "/ready")
KEYLESS = (*PATHS, monitoring.PATH)


class HealthChecks:
    """`/health`: the process answers. `/ready`: so does the database, with the schema of this version; else 503."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def routes(self, *, metrics_from: str | None = None) -> list[Route]:
        checks = [
            Route(path, endpoint) for path, endpoint in zip(PATHS, (self._health, self._ready), strict=True)
        ]
        answer = monitoring.endpoint(metrics_from or "", self._gauges, _no_route)
        return [*checks, Route(monitoring.PATH, answer)]

    async def _health(self, _request: Request) -> Response:
        return _says("ok")

    async def _gauges(self) -> Iterable[monitoring.Gauge]:
        is_ready = await self._trouble() is None
        return (("coachboard_store_ready", "1 if the service's database can be used, else 0.", is_ready),)

    async def _trouble(self) -> str | None:
        try:
            return await within_deadline(self._store.trouble)
        except TimeoutError:
            return "it is not reachable"

    async def _ready(self, _request: Request) -> Response:
        trouble = await self._trouble()
        return (
            _says("ready")
            if trouble is None
            else unavailable_reply(f"The database (COACHBOARD_DATABASE_URL) cannot be used: {trouble}.")
        )


def _says(status: str) -> Response:
    return Response(orjson.dumps({"status": status}), 200, {"Cache-Control": "no-store"}, "application/json")


def _no_route() -> Response:
    return error_reply(404, "not_found", text="No such route.")
