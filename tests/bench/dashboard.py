"""A dashboard over a squad in its own process, which counts the replies of its service."""

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from math import inf
from pathlib import Path

import httpx
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bench import squads
from bench.browser import ROOT, free_port, served
from coachboard.views.frame import syncing
from coachboard_demo.people import KEYS

_REPLIES = "/bench/replies"


@contextmanager
def dashboard(squad: squads.Squad) -> Iterator[str]:
    """Served with an empty cache; yields its address."""
    with dashboards(squad, 1) as addresses:
        yield addresses[0]


@contextmanager
def dashboards(squad: squads.Squad, count: int) -> Iterator[list[str]]:
    """Served by so many processes with one empty cache; yields their addresses."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        yield [stack.enter_context(_process(squad, Path(folder))) for _ in range(count)]


@contextmanager
def _process(squad: squads.Squad, folder: Path) -> Iterator[str]:
    port = free_port()
    env = {
        "COACHBOARD_DATABASE_URL": f"sqlite:///{squads.database(squad)}",
        "COACHBOARD_CACHE_URL": f"sqlite:///{folder / 'cache.db'}",
        "COACHBOARD_TODAY": squads.TODAY.isoformat(),
        "PYTHONPATH": os.pathsep.join((str(ROOT / "tests"), os.environ.get("PYTHONPATH", ""))),
    }
    command = [sys.executable, "-m", "uvicorn", "bench.dashboard:counted", "--factory"]
    options = ["--port", str(port), "--log-level", "warning"]
    with served([*command, *options], port=port, env=env) as address:
        yield address


def athletes(address: str) -> list[str]:
    """Those with the longest lists first would be unfair; the order of the service is by name."""
    reply = httpx.get(f"{address}/api/users", headers={"Authorization": f"Bearer {KEYS[0]}"}, timeout=60)
    return [user["id"] for user in reply.raise_for_status().json()]


def refused(address: str) -> int:
    """How many requests the service has answered with 429 so far."""
    return int(httpx.get(address + _REPLIES, timeout=60).raise_for_status().json().get("429", 0))


def counted() -> ASGIApp:
    """The launcher's application, with a route that counts the statuses of its service.

    Without the background sync: it asks for the year's streams of all athletes for an hour, 40 % of the CPU that was
    counted as reruns.
    """
    syncing.PATIENCE_S = inf
    return _Counting(import_module("app").app)


class _Counting:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._replies: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def counting(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._replies[str(message["status"])] += 1
            await send(message)

        path = scope.get("path", "")
        if path == _REPLIES:
            await JSONResponse(self._replies)(scope, receive, send)
        else:
            await self._app(scope, receive, counting if path.startswith("/api/") else send)
