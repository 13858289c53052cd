"""A cluster on one machine: etcd, PostgreSQL under Patroni, PgBouncer, HAProxy, services, dashboards and nginx.

`make cluster-test` kills the primary, a service, a dashboard and HAProxy in turn, while people open pages, import and write
to calendars: no acknowledged write is lost or doubled. `scripts/cluster` starts the same and waits.
"""

import argparse
import asyncio
import os
import random
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from typing import Any

import httpx
import orjson
import psutil
import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError
from websockets.exceptions import WebSocketException

from bench import squads
from coachboard.service.store import Store
from coachboard.service.store.tables import notes
from coachboard_demo.generate import generate
from coachboard_demo.people import Size
from nginx import HOST, certificate, running_nginx
from running import ROOT, free_port
from soak.club import COACHES, DASHBOARDS, Load, Machine, add_keys, run, wrong_imports
from soak.visitor import Visitor

DATABASES = ("database-1", "database-2", "database-3")
SERVICES = ("service-1", "service-2")
READER = "reader"
"""The service that reads rows from a replica."""
PACKAGES = ("patroni", "etcd-server", "haproxy", "pgbouncer", "nginx", "postgresql", "openssl")
PROGRAMS = ("patroni", "etcd", "haproxy", "pgbouncer", "nginx", "openssl")
WITHIN_S = 30.0
"""After so long, pages answer again; a busy machine takes the time of a page in addition."""
WRITERS = 10
_NEXT_TAB_S, _START_S, _LONGEST_S = 10.0, 120.0, 180.0
_PROBES = 4  # by the names of their browsers nginx sends some to each dashboard
_PATH = f"{os.environ['PATH']}:/usr/sbin:/sbin"
_NAMED = re.compile(
    r"503 unavailable|429 rate_limited|50[234] of a proxy|Connect\w+|Read\w+|Write\w+|Remote\w+"
)
"""The errors that a write may have: a reply with a code, a proxy without a service, a lost connection."""


class Cluster(Machine):
    """The club's machine with a database that survives the loss of its primary."""

    def __init__(self, folder: Path) -> None:
        names = ("etcd", "peer", "pgbouncer", "primary", "replica", "service", "http", "https")
        ports = {name: free_port() for name in (*names, *DATABASES, *SERVICES, READER, *DASHBOARDS)}
        self.rest = {name: free_port() for name in DATABASES}
        self.password = secrets.token_hex(16)
        self.servers = folder / "servers"
        address = f"postgresql+psycopg://coachboard:{self.password}@127.0.0.1:{ports['pgbouncer']}/coachboard"
        super().__init__(folder, address, ports)
        self._configure()

    def direct(self, user: str, database: str, port: str = "primary") -> str:
        """The address of the primary past PgBouncer, or of a replica."""
        return f"postgresql+psycopg://{user}:{self.password}@127.0.0.1:{self.ports[port]}/{database}"

    def _configure(self) -> None:
        # PostgreSQL and PgBouncer refuse to run as root: their files belong to the user postgres there.
        self.folder.chmod(0o711)
        self.servers.mkdir()
        checks = [
            f"    server {name} 127.0.0.1:{self.ports[name]} check port {self.rest[name]}"
            for name in DATABASES
        ]
        services = [f"    server {name} 127.0.0.1:{self.ports[name]} check" for name in SERVICES]
        words: dict[str, object] = {
            **{name.replace("-", "_"): port for name, port in self.ports.items()},
            "host": "127.0.0.1",
            "network": "127.0.0.1/32",
            "etcd": f"127.0.0.1:{self.ports['etcd']}",
            "password": self.password,
            "folder": self.servers,
            "programs": programs_of_postgres(),
            "databases": "\n".join(checks),
            "services": "\n".join(services),
        }
        for name in DATABASES:
            more = {"name": name, "port": self.ports[name], "rest": self.rest[name]}
            self._write(f"{name}.yml", _filled("patroni.yml", {**words, **more}))
        self._write("pgbouncer.ini", _filled("pgbouncer.ini", words))
        self._write("pgbouncer-users.txt", f'"coachboard" "{self.password}"\n')
        self._write("haproxy.cfg", _filled("haproxy.cfg", words))
        if os.geteuid() == 0:
            for path in (self.servers, *self.servers.iterdir()):
                shutil.chown(path, "postgres", "postgres")

    def _write(self, name: str, text: str) -> None:
        (self.servers / name).write_text(text)
        (self.servers / name).chmod(0o600)

    def _command(self, name: str) -> list[str]:
        client, peer = (f"http://127.0.0.1:{self.ports[each]}" for each in ("etcd", "peer"))
        if name == "etcd":
            return [
                *("etcd", "--data-dir", f"{self.servers}/etcd"),
                *("--listen-client-urls", client, "--advertise-client-urls", client),
                *("--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer),
                *("--initial-cluster", f"default={peer}"),
            ]
        if name == "haproxy":
            return ["haproxy", "-db", "-f", f"{self.servers}/haproxy.cfg"]
        if name == "pgbouncer":
            return ["pgbouncer", f"{self.servers}/pgbouncer.ini"]
        return ["patroni", f"{self.servers}/{name}.yml"]

    def start(self, name: str) -> None:
        if name in (*SERVICES, READER, *DASHBOARDS):
            super().start(name)
            return
        user = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                self._command(name),
                cwd=self.servers,
                env={"PATH": _PATH, "LANG": "C.UTF-8"},
                stdout=log,
                stderr=log,
                **user,
            )

    def environment(self, name: str) -> dict[str, str]:
        replica = {"COACHBOARD_REPLICA_URL": f"{self.url}_replica"} if name == READER else {}
        return {**super().environment(name), **replica}

    def start_database(self) -> None:
        """Start all but services, dashboards and nginx; an empty database is there afterwards."""
        for name in ("etcd", *DATABASES, "haproxy", "pgbouncer"):
            self.start(name)
        asyncio.run(self.until_whole())
        with closing_engine(self.direct("postgres", "postgres")) as connection:
            connection.exec_driver_sql("CREATE DATABASE coachboard OWNER coachboard")
            connection.exec_driver_sql("ALTER ROLE coachboard SET statement_timeout = '30s'")

    async def primary(self) -> str | None:
        return next(iter(await self._roles("primary")), None)

    async def _roles(self, role: str) -> list[str]:
        found = []
        async with httpx.AsyncClient(timeout=2) as http:
            for name, port in self.rest.items():
                with suppress(httpx.HTTPError):
                    if (await http.get(f"http://127.0.0.1:{port}/{role}")).status_code == 200:
                        found.append(name)
        return found

    async def until_whole(self) -> None:
        """Return when there are a primary, a synchronous replica and another one."""
        end = time.monotonic() + _START_S
        while not (
            len(await self._roles("primary")) == 1
            and len(await self._roles("replica")) == 2
            and len(await self._roles("sync")) == 1
        ):
            if time.monotonic() > end:
                raise RuntimeError(f"the databases did not start: {self.folder}")
            await asyncio.sleep(0.5)

    def cut_off(self, name: str) -> None:
        """Kill a PostgreSQL and its Patroni at once, as a machine that loses its power; it stays off."""
        self.processes.pop(name).kill()
        postmaster = psutil.Process(int((self.servers / name / "postmaster.pid").read_text().split()[0]))
        for process in (postmaster, *postmaster.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                process.kill()


def _filled(name: str, words: dict[str, object]) -> str:
    return Template((ROOT / "deploy/cluster" / name).read_text("utf-8")).substitute(words)


def programs_of_postgres() -> str:
    """The folder of the newest PostgreSQL; Debian keeps it off the PATH."""
    folders = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    newest = max(folders, key=lambda path: int(path.parent.name), default=None)
    return str(newest or Path(shutil.which("initdb") or sys.exit("PostgreSQL is not installed")).parent)


@contextmanager
def closing_engine(url: str) -> Iterator[sa.Connection]:
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    with engine.connect() as connection:
        yield connection
    engine.dispose()


@dataclass
class Ledger:
    """The writes that the service acknowledged, by title, and the errors of those that it did not."""

    acknowledged: dict[str, float] = field(default_factory=dict)
    errors: list[tuple[float, str]] = field(default_factory=list)
    asked: dict[str, float] = field(default_factory=dict)  # when a title was sent last

    async def until_written(self, began: float) -> float:
        """Seconds from then until the first reply to a write that was sent after it."""
        while time.monotonic() < began + _LONGEST_S:
            ends = [end for title, end in self.acknowledged.items() if self.asked[title] >= began]
            if ends:
                return min(ends) - began
            await asyncio.sleep(0.2)
        return _LONGEST_S

    def compare(self, url: str) -> tuple[int, int]:
        """The acknowledged writes that are not in the database, and the titles that are there more than once."""
        wanted = set(self.acknowledged)
        with closing_engine(url) as connection:
            titles = Counter(
                orjson.loads(body)["title"] for body in connection.scalars(sa.select(notes.c.body))
            )
        own = {title: times for title, times in titles.items() if title and title.startswith("write ")}
        return len(wanted - set(own)), sum(times > 1 for times in own.values())


async def writer(address: str, owner: str, key: str, ledger: Ledger, is_over: asyncio.Event) -> None:
    """Write a note again and again; what is refused or has no answer is repeated with the same Idempotency-Key."""
    headers = {"Host": HOST, "Authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(verify=False, headers=headers, timeout=20) as http:
        while not is_over.is_set():
            title = f"write {secrets.token_hex(8)}"
            value = {"type": "training", "title": title, "date": squads.TODAY.isoformat()}
            body = {"operations": [{"op": "create", "kind": "note", "userId": owner, "value": value}]}
            ledger.asked[title] = time.monotonic()
            while (error := await _refused(http, f"{address}/api/plan/v1/batches", body, title)) is not None:
                ledger.errors.append((time.monotonic(), error))
                await asyncio.sleep(1)
                ledger.asked[title] = time.monotonic()
            ledger.acknowledged[title] = time.monotonic()
            await asyncio.sleep(random.uniform(0.5, 1.5))


async def _refused(http: httpx.AsyncClient, url: str, body: object, key: str) -> str | None:
    """The name of the error; None for a write that the service acknowledges."""
    try:
        reply = await http.post(url, json=body, headers={"Idempotency-Key": key})
    except httpx.HTTPError as error:
        return type(error).__name__
    if reply.is_success:
        return None
    try:
        return f"{reply.status_code} {reply.json()['code']}"
    except (ValueError, KeyError):
        return f"{reply.status_code} of a proxy"


def add_probes(machine: Cluster, athletes: list[str]) -> list[str]:
    """Keys that nothing else uses: a page waits where its key has used up the requests of a minute."""
    keys = [f"probe-{number}" for number in range(_PROBES)]
    with closing(Store.open(machine.url)) as store:
        for number, key in enumerate(keys):
            store.add_key(athletes[-1 - number % len(athletes)], label="probe", key=key)
    return keys


async def until_answered(machine: Cluster, keys: list[str]) -> float:
    """Seconds until a new browser at each dashboard signs in and reads the roster; it gives up after `_LONGEST_S`."""
    started = time.monotonic()
    address = f"https://127.0.0.1:{machine.ports['https']}"
    with suppress(TimeoutError):
        async with asyncio.timeout(_LONGEST_S):
            await asyncio.gather(*(_signed_in(address, key, key) for key in keys))
    return time.monotonic() - started


async def _signed_in(address: str, browser: str, key: str) -> None:
    """Try every ten seconds, as a person who opens another tab; return when one of the tabs has the roster."""
    tabs = set[asyncio.Task[bool]]()
    try:
        while not any(tab.done() and tab.result() for tab in tabs):
            tabs.add(asyncio.create_task(_has_roster(address, browser, key)))
            await asyncio.wait(tabs, timeout=_NEXT_TAB_S, return_when=asyncio.FIRST_COMPLETED)
            failed = {tab for tab in tabs if tab.done() and not tab.result()}
            tabs -= failed
            await asyncio.sleep(1 if failed else 0)
    finally:
        for tab in tabs:
            tab.cancel()


async def _has_roster(address: str, browser: str, key: str) -> bool:
    with suppress(OSError, httpx.HTTPError, WebSocketException, KeyError, TimeoutError):
        async with Visitor(address, host=HOST, browser=browser) as visitor:
            await visitor.sign_in(key)
            return visitor.is_signed_in and not visitor.faults
    return False


async def _primary(machine: Cluster) -> str | None:
    """Cut off the primary; returns its name."""
    name = await machine.primary()
    assert name is not None
    machine.cut_off(name)
    return name


def _process(name: str) -> Callable[[Cluster], Awaitable[None]]:
    async def kill(machine: Cluster) -> None:
        machine.processes[name].kill()

    return kill


KILLS: dict[str, Callable[[Cluster], Awaitable[str | None]]] = {
    "primary": _primary,
    "service": _process(SERVICES[0]),
    "dashboard": _process(DASHBOARDS[0]),
    "HAProxy": _process("haproxy"),
}


@dataclass
class Replica:
    """Reads through a replica with new and revoked keys, and the longest time that it was behind."""

    reads: int = 0
    wrong: list[str] = field(default_factory=list)
    behind_s: float = 0.0

    async def read(self, machine: Cluster, owner: str, other: str, is_over: asyncio.Event) -> None:
        base = f"http://127.0.0.1:{machine.ports[READER]}/api/users"
        with closing(Store.open(machine.url)) as store:
            async with httpx.AsyncClient(timeout=20) as http:
                while not is_over.is_set():
                    with suppress(SQLAlchemyError, httpx.HTTPError):  # while there is no primary
                        await self._read_once(http, store, base, owner, other)
                        self.behind_s = max(self.behind_s, await asyncio.to_thread(_behind_s, machine))
                    await asyncio.sleep(2)

    async def _read_once(
        self, http: httpx.AsyncClient, store: Store, base: str, owner: str, other: str
    ) -> None:
        """A key that is new, another person's rows, and the key once it is revoked."""
        label = f"reader {secrets.token_hex(8)}"
        key = await asyncio.to_thread(store.add_key, owner, label=label)
        headers = {"Authorization": f"Bearer {key}"}
        paths = [(f"{base}/me/activities", 200), (f"{base}/{other}/activities", 404)]
        (made,) = (each.id for each in await asyncio.to_thread(store.keys, owner) if each.label == label)
        for path, status in paths:
            self._note(await http.get(path, headers=headers), status)
        await asyncio.to_thread(store.revoke_key, made)
        for path, _ in paths:
            self._note(await http.get(path, headers=headers), 401)

    def _note(self, reply: httpx.Response, wanted: int) -> None:
        self.reads += 1
        if reply.status_code not in {wanted, 503}:
            self.wrong.append(f"a read through a replica got {reply.status_code}, not {wanted}")


def _behind_s(machine: Cluster) -> float:
    chosen = "SELECT coalesce(max(extract(epoch FROM replay_lag)), 0) FROM pg_stat_replication"
    with closing_engine(machine.direct("postgres", "postgres")) as connection:
        return float(connection.exec_driver_sql(chosen).scalar_one())


@dataclass(frozen=True)
class Outcome:
    """A row of the table."""

    kill: str
    before_s: float  # for a page just before the kill, on this machine with all its load
    page_s: float
    write_s: float
    acknowledged: int
    lost: int
    doubled: int
    errors: Counter[str]

    def line(self) -> str:
        errors = ", ".join(f"{times} x {name}" for name, times in self.errors.most_common()) or "none"
        figures = f"{self.acknowledged:>12} {self.lost:>5} {self.doubled:>8}"
        return f"{self.kill:<10} {self.before_s:>8.1f} {self.page_s:>7.1f} {self.write_s:>8.1f} {figures}  {errors}"


HEAD = f"{'kill':<10} {'before s':>8} {'pages s':>7} {'writes s':>8} {'acknowledged':>12} {'lost':>5} {'doubled':>8}  errors by name"


async def kill_each(
    machine: Cluster, load: Load, ledger: Ledger, keys: list[str], minutes: float
) -> list[Outcome]:
    step_s, outcomes = 60 * minutes / (len(KILLS) + 0.5), []
    await asyncio.gather(asyncio.sleep(step_s / 2), until_answered(machine, keys))
    for name, kill in KILLS.items():
        before_s, before = await until_answered(machine, keys), len(ledger.acknowledged)
        cut_off, began = await kill(machine), time.monotonic()
        load.outages.append((began, began + 600))
        print(f"{name} is killed", flush=True)
        page_s, write_s = await asyncio.gather(until_answered(machine, keys), ledger.until_written(began))
        load.outages[-1] = (began, time.monotonic())
        print(f"pages answer after {page_s:.1f} s, writes after {write_s:.1f} s", flush=True)
        if cut_off:
            machine.start(cut_off)
        await asyncio.sleep(max(0.0, began + step_s - time.monotonic()))
        await machine.until_whole()
        lost, doubled = await asyncio.to_thread(ledger.compare, machine.direct("coachboard", "coachboard"))
        errors = Counter(error for moment, error in ledger.errors if moment >= began)
        errors += Counter(_page_error(said) for moment, said in load.errors if moment >= began)
        errors += Counter("page: connection cut" for moment in load.cut if moment >= began)
        errors += Counter("page: sign-in refused" for moment in load.turned_away if moment >= began)
        outcomes.append(
            Outcome(name, before_s, page_s, write_s, len(ledger.acknowledged) - before, lost, doubled, errors)
        )
    return outcomes


def _page_error(said: str) -> str:
    return f"page: {said.partition(': ')[2].split(' ')[0]}"


def broken(outcomes: list[Outcome], load: Load, machine: Cluster) -> list[str]:
    """The promises that do not hold."""
    failures = [
        *load.tracebacks,
        *machine.traces(),
        *wrong_imports(load, machine.direct("coachboard", "coachboard")),
    ]
    for each in outcomes:
        failures += [f"{each.kill}: {each.lost} acknowledged writes are lost"] if each.lost else []
        failures += [f"{each.kill}: {each.doubled} writes are doubled"] if each.doubled else []
        failures += (
            [f"{each.kill}: pages answer after {each.page_s:.0f} s"]
            if each.page_s > WITHIN_S + each.before_s
            else []
        )
        failures += (
            [f"{each.kill}: writes succeed after {each.write_s:.0f} s"] if each.write_s > WITHIN_S else []
        )
        failures += [f"{each.kill}: nothing was written"] if not each.acknowledged else []
        failures += [
            f"{each.kill}: {name}"
            for name in each.errors
            if not name.startswith("page: ") and not _NAMED.fullmatch(name)
        ]
    return failures


@contextmanager
def running_cluster(folder: Path, athletes: int, years: float) -> Iterator[Cluster]:
    """The databases with a squad, and nginx; the processes of Coachboard are not started yet."""
    missing = [name for name in PROGRAMS if shutil.which(name, path=_PATH) is None]
    if missing:
        sys.exit(f"{', '.join(missing)}: not installed (Debian: apt-get install {' '.join(PACKAGES)})")
    certificate(folder / "tls")
    machine = Cluster(folder)
    with ExitStack() as stack:
        stack.callback(machine.stop)
        machine.start_database()
        os.environ["COACHBOARD_DATA"] = str(folder / "data")
        with closing(Store.open(machine.url)) as store:
            generate(store, Size(squads.TODAY, athletes=athletes, years=years))
        stack.enter_context(running_nginx(folder, machine.ports))
        yield machine


def tested(machine: Cluster, people: int, importers: int, minutes: float) -> list[str]:
    """Run people, imports, writers and kills; print the table and return the promises that do not hold."""
    ledger, outcomes, replica = Ledger(), list[Outcome](), Replica()
    is_over = asyncio.Event()  # writers and readers go on until each kill is over, also on a busy machine
    address = f"https://127.0.0.1:{machine.ports['https']}"

    async def kills(load: Load, own: dict[str, str]) -> None:
        probes = add_probes(machine, list(own)[: max(1, len(own) - WRITERS)])
        outcomes.extend(await kill_each(machine, load, ledger, probes, minutes))
        is_over.set()

    def others(load: Load, own: dict[str, str]) -> Iterator[Coroutine[Any, Any, None]]:
        yield kills(load, own)
        for owner, key in list(own.items())[-WRITERS:]:
            yield writer(address, owner, key, ledger, is_over)
        yield replica.read(machine, *list(own)[:2], is_over)

    load = asyncio.run(run(machine, people, importers, minutes, others, services=(*SERVICES, READER)))
    waits = load.waits_s
    print(
        f"{sum(map(len, waits.values()))} pages, {sum(load.imported.values())} imports, {load.visits} visits"
    )
    print(HEAD, *(each.line() for each in outcomes), sep="\n")
    print(
        f"replica: {replica.reads} reads, {len(replica.wrong)} wrong, at most {replica.behind_s:.1f} s behind",
        flush=True,
    )
    failures = [] if replica.reads else ["nothing was read through a replica"]
    return [*failures, *replica.wrong, *broken(outcomes, load, machine)]


async def until_stopped(machine: Cluster) -> None:
    """Start services and dashboards, and start each process again when it ends, until Ctrl+C."""
    for name in (*SERVICES, *DASHBOARDS):
        machine.start(name)
        await machine.until_ready(name)
    add_keys(machine.url, COACHES)
    print(
        f"https://127.0.0.1:{machine.ports['https']} (Host: {HOST}) with the key load-coach-0; files and logs: {machine.folder}"
    )
    print(
        *(f"{name}: process {process.pid}" for name, process in machine.processes.items()),
        sep="\n",
        flush=True,
    )
    await machine.supervise()


def main() -> int:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: sys.exit(128 + number))  # ends the processes, too
    parser = argparse.ArgumentParser()
    parser.add_argument("--people", type=int, default=60)
    parser.add_argument("--importers", type=int, default=5)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--athletes", type=int, default=24)
    parser.add_argument("--years", type=float, default=0.5)
    parser.add_argument("--wait", action="store_true", help="Start the cluster and wait for Ctrl+C.")
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="coachboard-cluster-"))
    try:
        with running_cluster(folder, asked.athletes, asked.years) as machine:
            if asked.wait:
                asyncio.run(until_stopped(machine))
            failures = tested(machine, asked.people, asked.importers, asked.minutes)
            print("\n".join(failures) or "every promise holds", flush=True)
    except SystemExit:
        shutil.rmtree(folder)
        raise
    if failures:
        print(f"logs: {folder}")
    else:
        shutil.rmtree(folder)
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
