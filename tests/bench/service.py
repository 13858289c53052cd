"""The service beside an empty Starlette route: requests a second of users, a range of activities, and streams."""

import itertools
import re
import shutil
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import numpy as np
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

import rides
import seeded
from bench.table import Row
from coachboard.service.api.app import create_app, mounted
from coachboard.service.store import Store
from coachboard.wire.streams import ActivityStreams
from serving import served

SECONDS = 1
TURNS = 5
CONNECTIONS = 8
_ACTIVITIES = 60
_FLOOR = "empty route"
_HEADERS = {"Authorization": f"Bearer {seeded.COACH_KEY}", "Accept-Encoding": "zstd"}


def run() -> list[Row]:
    """Every request goes through key, limit, dates and store; the limit's minute ends with each request."""
    with tempfile.TemporaryDirectory() as folder:
        store = _store(Path(folder))
        minutes = itertools.count(0, 60)
        app = mounted(create_app(store, clock=lambda: float(next(minutes))))
        with served(app) as service, served(Starlette(routes=[Route("/", _empty)])) as empty:
            rows = [_row(what, f"{service}/api{path}", f"{empty}/") for what, path in _PATHS.items()]
        store.close()
    return rows


def _row(what: str, url: str, empty: str) -> Row:
    """Turn by turn, so that a busy moment of the machine meets both."""
    turns = [(_requests_a_second(url, _HEADERS), _requests_a_second(empty, {})) for _ in range(TURNS)]
    value, floor = (statistics.median(found) for found in zip(*turns, strict=True))
    return Row(f"service, {what}", value, "1/s", floor, _FLOOR)


_PATHS = {
    "users of a coach": "/users",
    "4 weeks of activities": f"/users/{seeded.ATHLETE}/activities?from=2026-01-01&to=2026-01-28",
    "streams of 1 h, 7 columns": f"/activities/{seeded.RIDE}/streams",
}


async def _empty(_: Request) -> PlainTextResponse:
    return PlainTextResponse("ok")


def _store(folder: Path) -> Store:
    store = Store.open(f"sqlite:///{folder / 'service.db'}")
    seeded.seed(store)
    start = datetime(2026, 1, 1, 8, tzinfo=UTC)
    rows = [seeded.activity(f"act_bench{n}", start + timedelta(days=n)) for n in range(_ACTIVITIES)]
    store.put_activities(seeded.ATHLETE, rows)
    store.put_streams(seeded.RIDE, _streams())
    return store


def _streams() -> ActivityStreams:
    return rides.streams(3_600, power=np.random.default_rng(1).normal(220, 30, 3_600).round())


def _requests_a_second(url: str, headers: Mapping[str, str]) -> float:
    """By wrk where it is installed; else by threads of httpx, whose own speed is then the lower bound of both."""
    httpx.get(url, headers=dict(headers)).raise_for_status()
    return _by_wrk(url, headers) if shutil.which("wrk") else _by_threads(url, headers)


def _by_wrk(url: str, headers: Mapping[str, str]) -> float:
    given = [part for name, value in headers.items() for part in ("-H", f"{name}: {value}")]
    command = ["wrk", "-t", "1", "-c", str(CONNECTIONS), "-d", f"{SECONDS}s", *given, url]
    reply = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "Non-2xx" not in reply, reply
    return float(re.search(r"Requests/sec:\s+([\d.]+)", reply)[1])


def _by_threads(url: str, headers: Mapping[str, str]) -> float:
    until, counted = time.monotonic() + SECONDS, []

    def ask() -> None:
        with httpx.Client(headers=dict(headers)) as client:
            while time.monotonic() < until:
                client.get(url).raise_for_status()
                counted.append(1)

    threads = [threading.Thread(target=ask) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(counted) / SECONDS
