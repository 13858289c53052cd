"""Health checks and metrics of the service; they need no key and count against no limit."""

import time
from collections.abc import Iterable
from math import inf

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from coachboard import monitoring
from coachboard.database import FULL_DISK, has_no_room
from coachboard.service.api.database_calls import within_deadline
from coachboard.service.api.errors import error_reply, unavailable_reply
from coachboard.service.store import Store

PATHS = ("/health", "/ready")
_FULL_FOR_S = 60.0
KEYLESS = (*PATHS, monitoring.PATH)


class HealthChecks:
    """`/health`: the process answers. `/ready`: so does the database, with the schema of this version, and there is room.

    The disk of a PostgreSQL server cannot be asked: a write that failed counts for a minute.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._full_at_s = -inf

    def note_full_disk(self) -> None:
        """A write failed because a disk is full."""
        self._full_at_s = time.monotonic()

    def routes(self, *, metrics_from: str | None = None) -> list[Route]:
        checks = [
            Route(path, endpoint) for path, endpoint in zip(PATHS, (self._health, self._ready), strict=True)
        ]
        answer = monitoring.endpoint(metrics_from or "", self._gauges, _no_route)
        return [*checks, Route(monitoring.PATH, answer)]

    async def _health(self, _request: Request) -> Response:
        return _says("ok")

    async def _gauges(self) -> Iterable[monitoring.Gauge]:
        is_ready = await self._trouble() is None and await self._full_disk() is None
        return (("coachboard_store_ready", "1 if the service's database can be used, else 0.", is_ready),)

    async def _trouble(self) -> str | None:
        try:
            trouble = await within_deadline(self._store.trouble)
        except TimeoutError:
            trouble = "it is not reachable"
        return trouble and f"The database (COACHBOARD_DATABASE_URL) cannot be used: {trouble}."

    async def _full_disk(self) -> str | None:
        was_full = time.monotonic() - self._full_at_s < _FULL_FOR_S
        if not was_full and not await run_in_threadpool(has_no_room, self._store.originals.folder):
            return None
        return (
            f"{FULL_DISK[:1].upper()}{FULL_DISK[1:]}: reads work, and nothing can be saved. Free some space."
        )

    async def _ready(self, _request: Request) -> Response:
        trouble = await self._trouble() or await self._full_disk()
        return _says("ready") if trouble is None else unavailable_reply(trouble)


def _says(status: str) -> Response:
    return Response(orjson.dumps({"status": status}), 200, {"Cache-Control": "no-store"}, "application/json")


def _no_route() -> Response:
    return error_reply(404, "not_found", text="No such route.")
