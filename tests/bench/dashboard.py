"""A dashboard over a squad in its own process, which counts the replies of its service."""

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from importlib import import_module
from math import inf
from pathlib import Path
from typing import NamedTuple

import httpx
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bench import squads
from bench.browser import ROOT, free_port, served
from coachboard.ui.frame import syncing
from coachboard_demo.people import KEYS

_REPLIES = "/bench/replies"
_WITHOUT_PLANS = "BENCH_WITHOUT_PLANS"


class Served(NamedTuple):
    """The addresses of the dashboards, and of the service that they read."""

    dashboards: list[str]
    service: str


@contextmanager
def dashboard(squad: squads.Squad, *, has_plans: bool = True) -> Iterator[str]:
    """Served with an empty cache; yields its address. Without plans its service has no planning API."""
    with dashboards(squad, 1, **({} if has_plans else {_WITHOUT_PLANS: "1"})) as found:
        yield found.service


@contextmanager
def dashboards(squad: squads.Squad, count: int, **more: str) -> Iterator[Served]:
    """Served with one empty cache: one process that contains its service, or so many that read another's."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        env = {
            "COACHBOARD_DATABASE_URL": f"sqlite:///{squads.database(squad)}",
            "COACHBOARD_CACHE_URL": f"sqlite:///{Path(folder) / 'cache.db'}",
            "COACHBOARD_TODAY": squads.TODAY.isoformat(),
            **more,
            "PYTHONPATH": os.pathsep.join((str(ROOT / "tests"), os.environ.get("PYTHONPATH", ""))),
        }
        service = stack.enter_context(_process(env))
        readers = env | {"COACHBOARD_BASE_URL": f"{service}/api", "COACHBOARD_API_KEY": KEYS[0]}
        several = [stack.enter_context(_process(readers)) for _ in range(count)] if count > 1 else []
        yield Served(several or [service], service)


def _process(env: dict[str, str]) -> AbstractContextManager[str]:
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "bench.dashboard:counted", "--factory"]
    return served([*command, "--port", str(port), "--log-level", "warning"], port=port, env=env)


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
        if path.startswith("/api/plan/v1") and _WITHOUT_PLANS in os.environ:
            gone = JSONResponse({"code": "not_found", "error": "No such path."}, 404)
            await gone(scope, receive, send)
        elif path == _REPLIES:
            await JSONResponse(self._replies)(scope, receive, send)
        else:
            await self._app(scope, receive, counting if path.startswith("/api/") else send)
