"""A coach's day among 10,000 athletes beside the same day among 200, on one PostgreSQL, turn by turn.

`make scale-test` prints the table; it fails if the day costs 1.3 times as much, or if a statement reads a large table row
by row. The athletes have eight weeks and short streams; they are deleted at the end.
"""

import argparse
import asyncio
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import sqlalchemy as sa

from bench import squads
from coachboard.service.api.app import create_app, mounted
from coachboard.service.store import Store
from coachboard.settings import Settings
from coachboard_demo.federation import ATHLETES_A_COACH, athlete_id, coach_id, write_federation
from coachboard_demo.people import Size
from databases import statements_sent
from running import ROOT, free_port
from serving import served
from soak.club import Machine, ride

YEARS = 0.15
MOST_RATIO = 1.3
LARGE = 5_000
"""A table with more rows may not be read row by row."""
_CONNECTIONS, _SECONDS, _KEYS = 8, 3.0, 12
_OF_A_MINUTE = {"counters"}  # rows of the current minute
_LISTS = ("activities", "training-prescriptions", "notes", "events", "metrics", "sleeps")


@dataclass
class Federation:
    """A database with that many athletes, and keys of some coaches."""

    athletes: int
    url: str
    written_s: float
    keys: dict[str, int] = field(default_factory=dict)  # keys of coaches by the number of their workspace

    @property
    def bytes(self) -> int:
        return int(_scalar(self.url, "SELECT pg_database_size(current_database())"))


def _scalar(url: str, statement: str) -> Any:
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    with engine.connect() as connection:
        result = connection.exec_driver_sql(statement)
        value = result.scalar() if result.returns_rows else None
    engine.dispose()
    return value


@contextmanager
def server() -> Iterator[sa.URL]:
    """A PostgreSQL of this run alone; its data are deleted at the end."""
    folder = Path(tempfile.gettempdir()) / f"coachboard-scale-{os.getpid()}"
    named = {**os.environ, "POSTGRES_FOLDER": str(folder), "POSTGRES_PORT": str(free_port())}
    command = [ROOT / "scripts/postgres"]
    address = subprocess.run(
        [*command, "start"], env=named, capture_output=True, text=True, check=True
    ).stdout
    try:
        yield sa.make_url(address.strip())
    finally:
        subprocess.run([*command, "stop"], env=named, check=True)


def written(address: sa.URL, athletes: int) -> Federation:
    name = f"federation_{athletes}"
    _scalar(address.render_as_string(hide_password=False), f"CREATE DATABASE {name}")
    url = address.set(database=name).render_as_string(hide_password=False)
    started = time.monotonic()
    write_federation(url, Size(squads.TODAY, athletes=athletes, years=YEARS))
    federation = Federation(athletes, url, time.monotonic() - started)
    add_keys(federation)
    return federation


def add_keys(federation: Federation) -> None:
    """Give keys to some coaches, and to one athlete of each."""
    with closing(Store.open(federation.url)) as store:
        for workspace in range(max(1, min(8, federation.athletes // ATHLETES_A_COACH))):
            for number in range(_KEYS):
                key = f"coach-{workspace}-{number}"
                store.add_key(coach_id(workspace), label="scale", key=key)
                federation.keys[key] = workspace
            athlete = athlete_id(workspace * ATHLETES_A_COACH)
            store.add_key(athlete, label="scale", key=f"athlete-{workspace}")


class Day:
    """The requests of a coach and of an athlete, to one service; each turn uses another key, as their limit is exact."""

    def __init__(self, address: str, federation: Federation) -> None:
        self._address, self._federation = address, federation
        self._turns = 0
        self._chance = random.Random(1)

    def _client(self, key: str) -> httpx.Client:
        return httpx.Client(base_url=self._address, headers={"Authorization": f"Bearer {key}"}, timeout=60)

    def _next_key(self) -> tuple[str, int]:
        keys = sorted(self._federation.keys.items(), key=lambda item: item[0].rpartition("-")[2])
        self._turns += 1
        return keys[self._turns % len(keys)]

    def roster(self) -> None:
        """Everything that a roster reads of 25 athletes."""
        key, workspace = self._next_key()
        with self._client(key) as http:
            people = _checked(http.get("/users")).json()
            assert len(people) == ATHLETES_A_COACH, (len(people), workspace)
            for person in people:
                _checked(http.get(f"/users/{person['id']}"))
                for name in _LISTS:
                    _checked(http.get(f"/users/{person['id']}/{name}?from={self._a_day()}"))

    def week(self) -> None:
        """A note for each athlete, in one batch."""
        key, workspace = self._next_key()
        first = workspace * ATHLETES_A_COACH
        value = {"type": "training", "title": "Easy week", "date": squads.TODAY.isoformat()}
        operations = [
            {"op": "create", "kind": "note", "userId": athlete_id(number), "value": value}
            for number in range(first, first + ATHLETES_A_COACH)
        ]
        with self._client(key) as http:
            _checked(http.post("/plan/v1/batches", json={"operations": operations}))
            _checked(http.get(f"/plan/v1/users/{athlete_id(first)}/entries?from=2026-11-01&to=2026-12-31"))

    def streams(self) -> None:
        """The last sessions of an athlete with their streams."""
        key, workspace = self._next_key()
        with self._client(key) as http:
            athlete = athlete_id(workspace * ATHLETES_A_COACH)
            for row in _checked(http.get(f"/users/{athlete}/activities")).json()[:20]:
                http.get(f"/activities/{row['id']}/streams")

    def imported(self) -> None:
        """An athlete's import of a ride."""
        self._turns += 1
        with self._client(f"athlete-{self._turns % len(set(self._federation.keys.values()))}") as http:
            job = _checked(http.post("/own/v1/imports", json={})).json()["id"]
            _checked(http.put(f"/own/v1/imports/{job}/files?name=ride.fit", content=ride()))
            state = _checked(http.post(f"/own/v1/imports/{job}/start", json={})).json()
            while state["state"] in {"waiting", "queued", "running", "receiving"}:
                time.sleep(0.01)
                state = _checked(http.get(f"/own/v1/imports/{job}")).json()
            assert state["state"] == "done", state

    def requests_a_second(self) -> float:
        """Ranges of random athletes, over some connections."""
        ends, counted = time.monotonic() + _SECONDS, list[int]()

        def ask(place: int) -> None:
            chance, keys = (
                random.Random(place + self._turns * _CONNECTIONS),
                list(self._federation.keys.items()),
            )
            with httpx.Client(base_url=self._address, timeout=60) as http:
                while time.monotonic() < ends:
                    key, workspace = chance.choice(keys)
                    athlete = athlete_id(workspace * ATHLETES_A_COACH + chance.randrange(ATHLETES_A_COACH))
                    path = f"/users/{athlete}/{chance.choice(_LISTS)}?from={self._a_day(chance)}"
                    reply = http.get(path, headers={"Authorization": f"Bearer {key}"})
                    counted.append(1) if reply.status_code == 200 else None

        threads = [threading.Thread(target=ask, args=(place,)) for place in range(_CONNECTIONS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self._turns += 1
        return len(counted) / _SECONDS

    def _a_day(self, chance: random.Random | None = None) -> str:
        # Another start each time: no reply comes from the cache of the service.
        return (squads.TODAY - timedelta(days=(chance or self._chance).randrange(20, 3_000))).isoformat()


def _checked(reply: httpx.Response) -> httpx.Response:
    assert reply.is_success, f"{reply.request.url}: {reply.status_code} {reply.text[:200]}"
    return reply


def seconds(turn: Callable[[], None]) -> float:
    started = time.monotonic()
    turn()
    return time.monotonic() - started


def measured(federations: list[Federation], folder: Path, rounds: int) -> dict[str, list[float]]:
    """The medians of each figure, by federation: turn by turn, so that a busy moment of the machine meets both."""
    machines = []
    for federation in federations:
        place = folder / str(federation.athletes)
        place.mkdir()
        machines.append(Machine(place, federation.url, {"service": free_port()}))
    try:
        for machine in machines:
            machine.start("service")
            asyncio.run(machine.until_ready("service"))
        days = [
            Day(f"http://127.0.0.1:{machine.ports['service']}/api", federation)
            for machine, federation in zip(machines, federations, strict=True)
        ]
        figures: dict[str, Callable[[Day], float]] = {
            "requests, ms each": lambda day: 1_000 / day.requests_a_second(),
            "a coach's roster, s": lambda day: seconds(day.roster),
            "a week for 25 athletes, s": lambda day: seconds(day.week),
            "20 streams, s": lambda day: seconds(day.streams),
            "an import, s": lambda day: seconds(day.imported),
        }
        found: dict[str, list[list[float]]] = {name: [[] for _ in days] for name in figures}
        for number in range(rounds + 1):
            for name, figure in figures.items():
                for place, day in enumerate(days):
                    value = figure(day)
                    if number:  # the first round fills caches
                        found[name][place].append(value)
    finally:
        for machine in machines:
            machine.stop()
    return {name: [statistics.median(values) for values in lists] for name, lists in found.items()}


def sequential_scans(federation: Federation, *, is_small: bool = False) -> tuple[int, list[str]]:
    """How many statements a coach's day and an import send, and those that read a large table row by row.

    In a small database PostgreSQL has to avoid it for every table, which shows where an index is missing.
    """
    with tempfile.TemporaryDirectory() as folder, closing(Store.open(federation.url)) as store:
        minutes = count(0, 60)  # each request has a minute of its own: a key has 300 in each
        settings = Settings(data=Path(folder), today=squads.TODAY)
        app = create_app(store, settings=settings, clock=lambda: float(next(minutes)))
        try:
            with served(mounted(app)) as address:
                day = Day(f"{address}/api", federation)
                day.imported()  # waits for the cleaning of the start, which looks at all people
                with statements_sent(federation.url) as sent:
                    for turn in (day.roster, day.week, day.streams, day.imported):
                        turn()
        finally:
            app.state.mailer.close()
            app.state.worker.close()
            app.state.intervals.close()
    planned = ("SELECT", "UPDATE", "INSERT", "DELETE", "WITH")
    statements = {statement: parameters for statement, parameters in sent if statement.startswith(planned)}
    return len(statements), list(_scans(federation.url, statements, is_small=is_small))


def _scans(url: str, statements: dict[str, Any], *, is_small: bool) -> Iterator[str]:
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.connect() as connection:
        sizes = dict(
            tuple(row) for row in connection.exec_driver_sql("SELECT relname, reltuples FROM pg_class")
        )
        if is_small:
            connection.exec_driver_sql("SET enable_seqscan = off")
        for statement, parameters in statements.items():
            plan = connection.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {statement}", parameters).scalar_one()
            for table in _tables_read_whole(plan):
                if table not in _OF_A_MINUTE and (is_small or sizes[table] > LARGE):
                    yield f"{table} is read row by row: {' '.join(statement.split())}"
    engine.dispose()


def _tables_read_whole(plan: Any) -> Iterator[str]:
    if isinstance(plan, dict):
        if plan.get("Node Type") == "Seq Scan":
            yield plan["Relation Name"]
        plan = list(plan.values())
    if isinstance(plan, list):
        for part in plan:
            yield from _tables_read_whole(part)


def backed_up(federation: Federation, address: sa.URL, folder: Path) -> tuple[float, float, float]:
    """Seconds of a backup with its trial, seconds of a restore, and the megabytes of the file."""
    folder = folder / f"backup-{federation.athletes}"
    folder.mkdir()
    environment = {
        **os.environ,
        "COACHBOARD_DATABASE_URL": federation.url,
        "COACHBOARD_DATA": str(folder / "data"),
    }
    file = folder / "federation.backup"
    command = [sys.executable, "-c", "from coachboard.cli import main; main()"]
    backup_s = seconds(lambda: _run([*command, "backup", str(file)], environment))
    _scalar(address.render_as_string(hide_password=False), "CREATE DATABASE restored")
    url = address.set(database="restored").render_as_string(hide_password=False)
    environment |= {"COACHBOARD_DATABASE_URL": url, "COACHBOARD_DATA": str(folder / "restored")}
    restore_s = seconds(lambda: _run([*command, "restore", str(file)], environment))
    _scalar(address.render_as_string(hide_password=False), "DROP DATABASE restored")
    size_mb = file.stat().st_size / 2**20
    shutil.rmtree(folder)
    return backup_s, restore_s, size_mb


def _run(command: list[str], environment: dict[str, str]) -> None:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--athletes", type=int, default=10_000)
    parser.add_argument("--beside", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--no-backup", action="store_true", help="Leave out backup and restore.")
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="coachboard-scale-"))
    os.environ["COACHBOARD_DATA"] = str(folder / "data")
    with server() as address:
        federations = [written(address, athletes) for athletes in (asked.beside, asked.athletes)]
        small, large = federations
        print(f"{'':<28} {small.athletes:>10,} {large.athletes:>10,} {'ratio':>6}", flush=True)
        _print("written, s", [each.written_s for each in federations])
        _print("size on disk, MB", [each.bytes / 2**20 for each in federations])
        costs = measured(federations, folder, asked.rounds)
        for name, values in costs.items():
            _print(name, values)
        plans = [sequential_scans(each) for each in federations]
        _print("statements of such a day", [float(number) for number, _ in plans])
        if not asked.no_backup:
            copies = [backed_up(each, address, folder) for each in federations]
            for name, values in zip(
                ("backup, s", "restore, s", "backup, MB"), zip(*copies, strict=True), strict=True
            ):
                _print(name, list(values))
    shutil.rmtree(folder)
    failures = [
        f"{name}: ratio over {MOST_RATIO}" for name, (low, high) in costs.items() if high > MOST_RATIO * low
    ]
    failures += plans[-1][1]
    print(
        "\n".join(failures)
        or f"a coach's day costs less than {MOST_RATIO} times as much; each plan uses an index"
    )
    return bool(failures)


def _print(name: str, values: list[float]) -> None:
    low, high = values
    print(f"{name:<28} {low:>10,.4g} {high:>10,.4g} {high / low:>6.2f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
