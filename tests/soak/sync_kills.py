"""`kill -9` of a sync: the cache opens, holds whole lists and values only, and the next sync completes it."""

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

import seeded
from coachboard.client import Client, Options
from coachboard.client.database import ENTRIES
from coachboard.service.api.app import create_app
from coachboard.service.store import Store
from coachboard.settings import Settings
from serving import served
from soak.table import Row

_ACTIVITIES, _METRICS = 40, 1_000  # each activity is a request for its streams, within one minute's limit
_COMMAND = "from coachboard.cli import main; main(['sync', '--streams'])"
_MAKERS = {"test": seeded.make_streams}
_MOST_S = 120

Content = dict[tuple[Any, ...], tuple[Any, ...]]


def rows(kills: int) -> Iterator[Row]:
    yield syncs_row(kills)


def syncs_row(kills: int) -> Row:
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with closing(Store.open(f"sqlite:///{folder / 'service.db'}")) as store:
            _seed(store, kills + 2)
            app = create_app(store, settings=Settings(outbox=folder / "outbox"), stream_makers=_MAKERS)
            counted = _Counted(app)
            with served(counted) as address:
                whole = _whole(address, folder)
                requests = counted.requests
                results = [_killed(counted, address, folder / str(n), whole) for n in range(kills)]
            app.state.mailer.close()
            app.state.worker.close()
            app.state.intervals.close()
    failures = [f"kill {number}: {said}" for number, (found, _, _) in enumerate(results) for said in found]
    shares = [share for _, share, _ in results]
    again = max((took_s for _, _, took_s in results), default=0.0)
    figures = f"{min(shares):.0%} to {max(shares):.0%} of {requests} requests cached, next sync at most {again:.1f} s"
    return Row(
        "kill -9: coachboard sync", kills, tuple(failures), f"{figures}, {time.monotonic() - started:.0f} s"
    )


class _Counted:
    """The service; a sync is killed after a number of its requests."""

    def __init__(self, app: ASGIApp) -> None:
        self._app, self.requests = app, 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.requests += scope["type"] == "http"
        await self._app(scope, receive, send)


def _seed(store: Store, keys: int) -> None:
    seeded.seed(store)
    first = datetime(2026, 3, 1, 8, tzinfo=UTC)
    rides = [seeded.activity(f"act_{n}", first - timedelta(days=n)) for n in range(_ACTIVITIES)]
    store.put_activities(seeded.ATHLETE, rides)
    days = [first.date() - timedelta(days=n) for n in range(_METRICS)]
    store.put_metrics(seeded.ATHLETE, [seeded.metric(f"mtr_{day}", day, 250) for day in days])
    for ride in rides:
        store.put_streams(ride.id, seeded.streams())
    for number in range(keys):  # each sync has its own limit
        store.add_key(seeded.COACH, label="soak", key=_key(number))


def _key(number: int) -> str:
    return f"key-of-sync-{number}"


def _environment(address: str, cache: Path, number: int) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COACHBOARD_")}
    return kept | {
        "COACHBOARD_BASE_URL": address,
        "COACHBOARD_API_KEY": _key(number),
        "COACHBOARD_CACHE_URL": f"sqlite:///{cache}",
        "COACHBOARD_DATA": str(cache.parent),
    }


def _begun(address: str, cache: Path, number: int) -> subprocess.Popen[bytes]:
    cache.parent.mkdir()
    env = _environment(address, cache, number)
    with (cache.parent / "log").open("wb") as log:
        return subprocess.Popen([sys.executable, "-c", _COMMAND], env=env, stderr=log)


def _whole(address: str, folder: Path) -> Content:
    """The cache after a sync without a kill."""
    cache = folder / "whole" / "cache.db"
    assert _begun(address, cache, 0).wait(_MOST_S) == 0, (cache.parent / "log").read_text()[-2000:]
    return content(cache)


def _killed(counted: _Counted, address: str, folder: Path, whole: Content) -> tuple[list[str], float, float]:
    """Kill a sync and run the next one: the faults, the share that was cached, the seconds of the next sync."""
    cache, number = folder / "cache.db", int(folder.name) + 1
    process = _begun(address, cache, number)
    enough = counted.requests + random.randint(1, len(whole))
    end = time.monotonic() + _MOST_S
    while counted.requests < enough and process.poll() is None:
        assert time.monotonic() < end, "the sync does not proceed"
        time.sleep(0.001)
    time.sleep(random.random() * 0.02)
    process.kill()
    process.wait()
    failures = checked(cache)
    found = content(cache)
    failures += [f"half of {key}" for key, value in found.items() if whole.get(key) != value]
    started = time.monotonic()
    with Client(address, _key(number), cache_url=f"sqlite:///{cache}", options=Options()) as client:
        outcome = client.sync(with_streams=True).run()
        failures += [f"cache: {client.cache_trouble}"] if client.cache_trouble else []
    took_s = time.monotonic() - started
    failures += [f"the next sync: {error}" for error in outcome.failures]
    failures += checked(cache)
    failures += [] if content(cache) == whole else ["the next sync differs from one without a kill"]
    failures += ["the cache was put aside"] if list(folder.glob("*.set-aside-*")) else []
    shutil.rmtree(folder)
    return failures, len(found) / len(whole), took_s


def checked(cache: Path) -> list[str]:
    """The faults that SQLite's integrity check finds."""
    with closing(sqlite3.connect(cache)) as connection:
        said = connection.execute("PRAGMA integrity_check").fetchall()
    return [] if said == [("ok",)] else [f"integrity: {said[0][0]}"]


def content(cache: Path) -> Content:
    """Each month of a list and each value, without ages and names of keys."""
    with closing(sqlite3.connect(cache)) as connection:
        rows = connection.execute(f"SELECT kind, key, month, body FROM {ENTRIES.name}")
        return {(kind, key, month): (body,) for kind, key, month, body in rows}
