"""The club's load: 200 athletes with 3 years on PostgreSQL, a service, two dashboards behind nginx, people and imports.

`make load-test` prints the figures: the database stops for a minute in the middle, and a dashboard is killed with -9.
The squad is made once (a quarter of an hour on a laptop) and kept in a database of its own.
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
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import psutil
import sqlalchemy as sa
from websockets.exceptions import ConnectionClosed

from bench import squads
from coachboard.service.store import Store
from coachboard_demo.generate import generate
from coachboard_demo.people import Size, user_id
from nginx import HOST, certificate, running_nginx
from running import ROOT, free_port
from soak.visitor import Visitor
from unit.service.importers.fit_files import at, fit_file, records, session

ATHLETES, YEARS, COACHES = 200, 3.0, 10
THINK_S = (5.0, 20.0)
VISIT_PAGES = 8
IMPORT_EVERY_S = 20.0
STOPPED_S = 60.0
AFTER_S = 30.0
"""How long after the end of an outage its effects may last."""
DASHBOARDS = ("first", "second")


@dataclass
class Load:
    """The waits and faults of the simulated people."""

    started: float = field(default_factory=time.monotonic)
    waits_s: dict[str, list[float]] = field(default_factory=lambda: {"outage": [], "normal": []})
    pages_s: dict[str, list[float]] = field(default_factory=dict)  # outside the outages
    errors: list[tuple[float, str]] = field(default_factory=list)
    tracebacks: list[str] = field(default_factory=list)
    cut: list[float] = field(default_factory=list)  # when connections ended before their visit
    turned_away: list[float] = field(default_factory=list)  # when a right key did not sign in
    visits: int = 0
    memory_mb: list[dict[str, float]] = field(default_factory=list)
    outages: list[tuple[float, float]] = field(default_factory=list)
    imported: Counter[str] = field(default_factory=Counter)  # sessions that the service reports, by person
    refused: int = 0  # requests of imports that were refused and repeated

    def is_outage(self, moment: float) -> bool:
        return any(start <= moment <= end + AFTER_S for start, end in self.outages)


class Machine:
    """The processes of the club; each is started again when it ends, as systemd does."""

    def __init__(self, folder: Path, url: str, ports: dict[str, int]) -> None:
        self.folder, self.url, self.ports = folder, url, ports
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("COACHBOARD_")},
            "COACHBOARD_DATA": str(folder / "data"),
            "COACHBOARD_DATABASE_URL": url,
            "COACHBOARD_BASE_URL": f"http://127.0.0.1:{ports['service']}/api",
            "COACHBOARD_ALLOWED_HOSTS": f"{HOST},127.0.0.1",
            "COACHBOARD_TODAY": squads.TODAY.isoformat(),
            "COACHBOARD_METRICS_FROM": "127.0.0.1",
        }

    def start(self, name: str) -> None:
        words = ["dashboard"] if name in DASHBOARDS else ["serve"]
        main = "import sys; from coachboard.cli import main; sys.argv[0] = 'coachboard'; main()"
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                [sys.executable, "-c", main, *words, "--port", str(self.ports[name])],
                cwd=self.folder,
                env=self.environment(name),
                stdout=log,
                stderr=log,
            )

    def environment(self, _name: str) -> dict[str, str]:
        return self._environment

    async def supervise(self) -> None:
        while True:
            await asyncio.sleep(2)
            for name, process in list(self.processes.items()):
                if process.poll() is not None:
                    self.start(name)

    async def until_ready(self, name: str) -> None:
        path = "/_stcore/health" if name in DASHBOARDS else "/api/ready"
        async with httpx.AsyncClient(timeout=5) as http:
            for _ in range(600):
                with suppress(httpx.HTTPError):
                    if (await http.get(f"http://127.0.0.1:{self.ports[name]}{path}")).status_code == 200:
                        return
                await asyncio.sleep(0.5)
        raise RuntimeError(f"{name} did not start")

    def stop(self) -> None:
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            with suppress(subprocess.TimeoutExpired):
                process.wait(60)

    def memory_mb(self) -> dict[str, float]:
        return {
            name: psutil.Process(process.pid).memory_info().rss / 2**20
            for name, process in self.processes.items()
            if process.poll() is None
        }

    def traces(self) -> list[str]:
        """Lines of a traceback in the logs."""
        return [
            f"{log.name}: {line}"
            for log in self.folder.glob("*.log")
            for line in log.read_text(errors="replace").splitlines()
            if line.startswith("Traceback")
        ]


def postgres(word: str) -> str:
    """Run scripts/postgres; `pause` and `resume` stop the server and keep its data."""
    done = subprocess.run(
        [ROOT / "scripts/postgres", word], env=_of_server(), capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def _of_server() -> dict[str, str]:
    folder = os.environ.get("POSTGRES_FOLDER", str(Path(tempfile.gettempdir()) / "coachboard-load"))
    port = os.environ.get("POSTGRES_PORT", "15430")
    return {**os.environ, "POSTGRES_FOLDER": folder, "POSTGRES_PORT": port}


@contextmanager
def database(athletes: int, years: float) -> Iterator[str]:
    """A copy of the squad's database with keys; the squad itself stays as it is."""
    server = sa.make_url(postgres("start"))
    # The server stops meanwhile, which ends pooled connections.
    engine = sa.create_engine(server, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    squad, name = f"squad_{athletes}_{years:g}".replace(".", "_"), f"load_{os.getpid()}"
    with engine.connect() as connection:
        found = connection.execute(sa.text("SELECT 1 FROM pg_database WHERE datname = :n"), {"n": squad})
        if not found.all():
            # A run that was stopped leaves an unfinished squad.
            connection.exec_driver_sql(f"DROP DATABASE IF EXISTS {squad}_made WITH (FORCE)")
            connection.exec_driver_sql(f"CREATE DATABASE {squad}_made")
            made = server.set(database=f"{squad}_made").render_as_string(hide_password=False)
            with closing(Store.open(made)) as store:
                generate(store, Size(squads.TODAY, athletes=athletes, years=years))
            connection.exec_driver_sql(f"ALTER DATABASE {squad}_made RENAME TO {squad}")
        connection.exec_driver_sql(f"CREATE DATABASE {name} TEMPLATE {squad}")
    try:
        yield server.set(database=name).render_as_string(hide_password=False)
    finally:
        with engine.connect() as connection:
            connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
        engine.dispose()
        postgres("pause")


def add_keys(url: str, people: int) -> tuple[list[str], dict[str, str]]:
    """Ten keys of the coach, and one key each of athletes by their id."""
    coach, keys = user_id("coach"), [f"load-coach-{number}" for number in range(COACHES)]
    with closing(Store.open(url)) as store:
        for key in keys:
            store.add_key(coach, label="load", key=key)
        athletes = sorted(_athletes(url))
        chosen = athletes[: max(people - COACHES, 5)]
        own = {athlete: f"load-{athlete}" for athlete in chosen}
        for athlete, key in own.items():
            store.add_key(athlete, label="load", key=key)
    return keys, own


def _athletes(url: str) -> list[str]:
    return [row[0] for row in _asked(url, "SELECT DISTINCT user_id FROM members WHERE role = 'athlete'")]


def _asked(url: str, statement: str) -> list[Any]:
    engine = sa.create_engine(url)
    try:
        with engine.connect() as connection:
            return list(connection.exec_driver_sql(statement))
    finally:
        engine.dispose()


def contents(url: str) -> dict[str, int]:
    """Rows of each table that people's data is in, and sessions by person."""
    tables = (
        "users",
        "members",
        "activities",
        "prescriptions",
        "notes",
        "events",
        "metrics",
        "sleeps",
        "recordings",
    )
    return {table: _asked(url, f"SELECT count(*) FROM {table}")[0][0] for table in tables}


def size_mb(url: str) -> float:
    return float(_asked(url, "SELECT pg_database_size(current_database())")[0][0]) / 2**20


async def person(number: int, address: str, key: str, athletes: list[str], load: Load, end: float) -> None:
    """One person with a browser of their own: visits of some pages; a lost connection is opened again."""
    await asyncio.sleep(random.uniform(0, THINK_S[1]))
    while time.monotonic() < end:
        visitor = Visitor(address, host=HOST, browser=f"browser-{number}/{number}")
        try:
            async with visitor:
                load.visits += 1
                await visit(visitor, key, athletes, load, end)
        except ConnectionClosed:
            load.cut.append(time.monotonic())
            await asyncio.sleep(1)
        except Exception as error:  # noqa: BLE001 (counted and shown)
            load.errors.append((time.monotonic(), f"{visitor.page}: {type(error).__name__} {error}"))
            await asyncio.sleep(1)
        load.tracebacks += visitor.faults


async def visit(visitor: Visitor, key: str, athletes: list[str], load: Load, end: float) -> None:
    await visitor.sign_in(key)
    if not visitor.is_signed_in:
        load.turned_away.append(
            time.monotonic()
        )  # the service could not check the key: no page of this visit counts
        return
    for _ in range(random.randint(1, 2 * VISIT_PAGES)):
        if time.monotonic() > end:
            return
        started = time.monotonic()
        await visitor.open(random.choice(visitor.pages or [""]), athlete=random.choice(athletes))
        kind = "outage" if load.is_outage(started) else "normal"
        load.waits_s[kind].append(waited_s := time.monotonic() - started)
        if kind == "normal":
            load.pages_s.setdefault(visitor.page or "roster", []).append(waited_s)
        await visitor.scroll()
        await visitor.stay(min(random.uniform(*THINK_S), max(0.0, end - time.monotonic())))
    if random.random() < 0.5:
        await visitor.sign_out()


_RIDES = count()


def ride() -> bytes:
    """A ride of an hour that no other ride overlaps."""
    first_s = 7_200 * next(_RIDES)
    return fit_file(
        session(start_time=at(first_s), total_elapsed_time=3_600.0),
        *records(1_200, first_s=first_s, step_s=3, power=lambda n: 200 + n % 50),
    )


async def importer(address: str, owner: str, key: str, load: Load, end: float) -> None:
    """Import a new ride again and again; whatever is refused is repeated until it succeeds."""
    headers = {"Host": HOST, "Authorization": f"Bearer {key}"}
    base = f"{address}/api/own/v1/imports"
    async with httpx.AsyncClient(verify=False, headers=headers, timeout=60) as http:

        async def ask(method: str, url: str, **more: Any) -> Any:
            while True:
                with suppress(httpx.HTTPError):
                    reply = await http.request(method, url, **more)
                    if reply.is_success:
                        return reply.json()
                    if reply.status_code < 500 and reply.status_code != 429:
                        return {"state": f"{reply.status_code} {reply.text}"}
                load.refused += 1
                await asyncio.sleep(2)

        while time.monotonic() < end:
            file = ride()
            job = (await ask("POST", base, json={}))["id"]
            await ask("PUT", f"{base}/{job}/files?name=ride.fit", content=file)
            found = await ask("POST", f"{base}/{job}/start", json={})
            while found["state"] in {"waiting", "queued", "running", "receiving"}:
                await asyncio.sleep(1)
                found = await ask("GET", f"{base}/{job}")
            if found["state"] in {"done", "finished"}:
                load.imported[owner] += 1
            else:
                load.errors.append((time.monotonic(), f"import: {found['state']} {found.get('error')}"))
            await asyncio.sleep(random.uniform(0.5, 1.5) * IMPORT_EVERY_S)


async def faults(machine: Machine, load: Load, minutes: float) -> None:
    """The database is down for a minute in the middle; a dashboard is killed after three quarters."""
    await asyncio.sleep(30 * minutes - STOPPED_S / 2)
    started = time.monotonic()
    load.outages.append((started, started + 10 * STOPPED_S))
    await asyncio.to_thread(postgres, "pause")
    print(f"{_clock(load)} the database is stopped", flush=True)
    await asyncio.sleep(STOPPED_S)
    await asyncio.to_thread(postgres, "start")
    load.outages[-1] = (started, time.monotonic())
    print(f"{_clock(load)} the database is started", flush=True)
    await asyncio.sleep(max(0.0, 45 * minutes - (time.monotonic() - load.started)))
    killed = time.monotonic()
    machine.processes["first"].kill()
    load.outages.append((killed, killed + 10 * STOPPED_S))
    print(f"{_clock(load)} a dashboard is killed", flush=True)
    await asyncio.sleep(5)
    await machine.until_ready("first")
    load.outages[-1] = (killed, time.monotonic())
    print(f"{_clock(load)} the dashboard answers again", flush=True)


def _clock(load: Load) -> str:
    return f"{(time.monotonic() - load.started) / 60:.1f} min"


async def watch(machine: Machine, load: Load) -> None:
    while True:
        load.memory_mb.append(machine.memory_mb())
        shown = ", ".join(f"{name} {mb:.0f} MB" for name, mb in load.memory_mb[-1].items())
        pages = sum(map(len, load.waits_s.values()))
        print(
            f"{_clock(load)} {pages} pages, {sum(load.imported.values())} imports, {len(load.errors)} errors; {shown}; "
            f"load of the machine {os.getloadavg()[0]:.0f}",
            flush=True,
        )
        await asyncio.sleep(60)


Others = Callable[[Load, dict[str, str]], Iterable[Coroutine[Any, Any, None]]]
"""Makes the tasks that run beside the people, from their load and the keys of athletes."""


async def run(
    machine: Machine,
    people: int,
    importers: int,
    minutes: float,
    others: Others,
    *,
    services: Sequence[str] = ("service",),
) -> Load:
    keys, own = add_keys(machine.url, people)
    athletes = _athletes(machine.url)
    for name in (*services, *DASHBOARDS):
        machine.start(name)
    for name in (*services, *DASHBOARDS):
        await machine.until_ready(name)
    load, address = Load(), f"https://127.0.0.1:{machine.ports['https']}"
    end = time.monotonic() + 60 * minutes
    background = [asyncio.create_task(machine.supervise()), asyncio.create_task(watch(machine, load))]
    async with asyncio.TaskGroup() as group:
        for number in range(people):
            is_coach = number < COACHES
            owner = None if is_coach else list(own)[(number - COACHES) % len(own)]
            key = keys[number] if owner is None else own[owner]
            readable = athletes if owner is None else [owner]
            group.create_task(person(number, address, key, readable, load, end))
        for owner in list(own)[:importers]:
            group.create_task(importer(address, owner, own[owner], load, end))
        for other in others(load, own):
            group.create_task(other)
    for task in background:
        task.cancel()
    load.memory_mb.append(machine.memory_mb())
    return load


def report(load: Load, machine: Machine, before: dict[str, int], sizes: tuple[float, float]) -> list[str]:
    """Print the figures; returns what must not happen."""
    for kind, waits in load.waits_s.items():
        if len(waits) > 1:
            cuts = statistics.quantiles(waits, n=100)
            print(
                f"{kind}: {len(waits)} pages, p50 {cuts[49]:.2f} s, p95 {cuts[94]:.2f} s, p99 {cuts[98]:.2f} s"
            )
    print(*_by_page(load.pages_s), sep="\n")
    inside = [said for moment, said in load.errors if load.is_outage(moment)]
    outside = [said for moment, said in load.errors if not load.is_outage(moment)]
    for name, moments in (("connections cut", load.cut), ("sign-ins that failed", load.turned_away)):
        during = sum(map(load.is_outage, moments))
        print(f"{name}: {during} during the outages, {len(moments) - during} else")
    print(f"{load.visits} visits; errors during the outages: {len(inside)}, else: {len(outside)}")
    for said, times in Counter([*inside, *outside]).most_common(12):
        print(f"  {times} x {said[:200]}")
    for name in ("service", *DASHBOARDS):
        seen = [use[name] for use in load.memory_mb if name in use]
        print(
            f"memory of {name}: {seen[0]:.0f} MB at the start, {max(seen):.0f} MB at most, {seen[-1]:.0f} MB at the end"
        )
    print(
        f"database: {sizes[0]:.0f} MB before, {sizes[1]:.0f} MB after; requests of imports repeated: {load.refused}"
    )
    after, imported = contents(machine.url), sum(load.imported.values())
    failures = [*load.tracebacks, *machine.traces()]
    for table, rows in before.items():
        wanted = rows + (imported if table in {"activities", "recordings"} else 0)
        print(f"rows of {table}: {rows} before, {after[table]} after")
        if after[table] != wanted:
            failures.append(f"{table}: {after[table]} rows, expected {wanted}")
    return [*failures, *wrong_imports(load, machine.url)]


def wrong_imports(load: Load, url: str) -> list[str]:
    """The people with more or fewer recordings than imports that the service reported as done."""
    by_person = dict(_asked(url, "SELECT user_id, count(*) FROM recordings GROUP BY user_id"))
    return [
        f"{owner}: {by_person.get(owner, 0)} recordings of {number} imports"
        for owner, number in load.imported.items()
        if by_person.get(owner, 0) != number
    ]


def _by_page(pages_s: dict[str, list[float]]) -> Iterator[str]:
    for page, waits in sorted(pages_s.items()):
        yield f"  {page}: {len(waits)}, p50 {statistics.median(waits):.2f} s, longest {max(waits):.2f} s"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--people", type=int, default=60)
    parser.add_argument("--importers", type=int, default=5)
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--athletes", type=int, default=ATHLETES)
    parser.add_argument("--years", type=float, default=YEARS)
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="coachboard-load-"))
    ports = {name: free_port() for name in ("http", "https", "service", *DASHBOARDS)}
    certificate(folder / "tls")
    with ExitStack() as stack:
        url = stack.enter_context(database(asked.athletes, asked.years))
        before, size = contents(url), size_mb(url)
        machine = Machine(folder, url, ports)
        stack.callback(machine.stop)
        stack.enter_context(running_nginx(folder, ports))
        kills: Others = lambda load, _own: [faults(machine, load, asked.minutes)]  # noqa: E731 (its type)
        load = asyncio.run(run(machine, asked.people, asked.importers, asked.minutes, kills))
        failures = report(load, machine, before, (size, size_mb(url)))
    print("\n".join(failures) or "no failures", flush=True)
    if failures:
        print(f"logs: {folder}")
    else:
        shutil.rmtree(folder)
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
