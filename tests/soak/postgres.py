"""PostgreSQL behind a pipe that goes wrong: stopped, frozen, slow, locked, and out of connections."""

import logging
import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

import httpx
import sqlalchemy as sa

import databases
import page_views
import plain_rows
import seeded
from coachboard.service.api.app import create_app
from coachboard.service.store import NewUser, Store
from coachboard.settings import Settings
from serving import served
from soak import pages
from soak.table import Row

_RETRY_S = 60
_PERSON = f"soak_{os.getpid()}"
"""A role of this process: other tests change the limit of theirs meanwhile."""


@dataclass
class Pipe:
    """Forwards connections to a PostgreSQL server; one address for the service, whatever happens behind it."""

    host: str
    port: int
    listener: socket.socket
    delay_s: float = 0.0
    open: threading.Event = field(default_factory=threading.Event)  # closed: the bytes stay here
    sockets: list[socket.socket] = field(default_factory=list)
    is_refusing: bool = False

    def accept(self) -> None:
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            if self.is_refusing:
                near.close()
                continue
            far = socket.create_connection((self.host, self.port))
            self.sockets += [near, far]
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=self._forward, args=(source, target), daemon=True).start()

    def stop(self) -> None:
        """Refuse connections and end the present ones, as a server does that stops."""
        self.is_refusing = True
        while self.sockets:
            _end(self.sockets.pop())

    def _forward(self, source: socket.socket, target: socket.socket) -> None:
        try:
            while piece := source.recv(65_536):
                time.sleep(self.delay_s)
                self.open.wait()
                target.sendall(piece)
        except OSError:
            pass
        _end(source)
        _end(target)


def _end(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    finally:
        connection.close()


@contextmanager
def piped(host: str, port: int) -> Iterator[Pipe]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        pipe = Pipe(host, port, listener)
        pipe.open.set()
        threading.Thread(target=pipe.accept, daemon=True).start()
        try:
            yield pipe
        finally:
            pipe.open.set()
            listener.shutdown(socket.SHUT_RDWR)
            pipe.stop()


@dataclass
class Database:
    """The database of one service: its address through the pipe, and an engine past it."""

    url: str
    pipe: Pipe
    own: sa.Engine
    log: list[logging.LogRecord] = field(default_factory=list)


@contextmanager
def stopped(database: Database) -> Iterator[None]:
    database.pipe.stop()
    yield
    database.pipe.is_refusing = False


@contextmanager
def restarted(database: Database) -> Iterator[None]:
    """All connections end, new ones work: requests fail once at most."""
    database.pipe.stop()
    database.pipe.is_refusing = False
    yield


@contextmanager
def frozen(database: Database) -> Iterator[None]:
    """The server takes bytes and sends none."""
    database.pipe.open.clear()
    yield
    database.pipe.open.set()


@contextmanager
def slow(database: Database) -> Iterator[None]:
    """Each packet takes a fifth of a second."""
    database.pipe.delay_s = 0.2
    yield
    database.pipe.delay_s = 0.0


@contextmanager
def locked(database: Database) -> Iterator[None]:
    """Another program has locked the tables that each request reads."""
    with database.own.connect() as connection, connection.begin():
        connection.exec_driver_sql("LOCK TABLE users, stamps IN ACCESS EXCLUSIVE MODE")
        yield


@contextmanager
def out_of_connections(database: Database) -> Iterator[None]:
    """The server has no connection left for the service."""
    with database.own.begin() as connection:
        connection.exec_driver_sql(f"ALTER ROLE {_PERSON} CONNECTION LIMIT 0")
    database.pipe.stop()
    database.pipe.is_refusing = False
    yield
    with database.own.begin() as connection:
        connection.exec_driver_sql(f"ALTER ROLE {_PERSON} CONNECTION LIMIT -1")


FAULTS: dict[str, Callable[[Database], object]] = {
    "stopped": stopped,
    "restarted": restarted,
    "out of connections": out_of_connections,
    "slow": slow,
    "locked": locked,
    "frozen": frozen,
}
ANSWERS = {"restarted", "slow", "locked"}
"""Faults under which requests may succeed."""


@contextmanager
def faulty_database(folder: Path) -> Iterator[Database]:
    """An empty database behind a pipe, for a role that has no more rights than it needs."""
    with databases.empty_database("postgres", folder) as url:
        own = sa.create_engine(url)
        try:
            with own.begin() as connection:
                has_role = connection.exec_driver_sql(f"SELECT 1 FROM pg_roles WHERE rolname = '{_PERSON}'")
                if not has_role.all():
                    connection.exec_driver_sql(f"CREATE ROLE {_PERSON} LOGIN")
                connection.exec_driver_sql(f"ALTER ROLE {_PERSON} CONNECTION LIMIT -1")
                connection.exec_driver_sql(f"ALTER SCHEMA public OWNER TO {_PERSON}")
            server = sa.make_url(url)
            with piped(str(server.host), server.port or 5432) as pipe:
                port = pipe.listener.getsockname()[1]
                through = server.set(host="127.0.0.1", port=port, username=_PERSON)
                yield Database(through.render_as_string(hide_password=False), pipe, own)
        finally:
            own.dispose()


@contextmanager
def service_on(database: Database, folder: Path) -> Iterator[str]:
    """The service with the seeded squad over that database; its log lines go to `database.log`."""
    with mock.patch.dict(os.environ, {"COACHBOARD_DATA": str(folder)}):
        store = Store.open(database.url)
        seeded.seed(store)
        _add_person_of_pages(store)
        app = create_app(store, settings=Settings(data=folder, outbox=folder / "outbox"))
        logger, handler = logging.getLogger("coachboard"), _Into(database.log)
        logger.addHandler(handler)
        try:
            with served(app) as address:
                yield address
        finally:
            logger.removeHandler(handler)
            app.state.mailer.close()
            app.state.worker.close()
            app.state.intervals.close()
            store.close()


def _add_person_of_pages(store: Store) -> None:
    """The athlete and the ride whose pages `page_views` reads."""
    store.add_user(NewUser(id=plain_rows.ATHLETE, first_name="Ana", last_name="Berg"))
    ride = seeded.activity(plain_rows.RIDE, plain_rows.RIDE_START)
    store.put_activities(plain_rows.ATHLETE, [ride])
    store.put_streams(plain_rows.RIDE, seeded.streams())


class _Into(logging.Handler):
    def __init__(self, records: list[logging.LogRecord]) -> None:
        super().__init__(logging.WARNING)
        self._records = records

    def emit(self, record: logging.LogRecord) -> None:
        self._records.append(record)


PATHS = ("/users", "/users/me", f"/users/{seeded.ATHLETE}/activities", "/own/v1/imports", "/ready")


def asked(address: str, number: int, *, timeout_s: float = 60) -> list[httpx.Response | str]:
    """Replies to that many requests at once; what went wrong in place of a reply."""

    def ask(place: int) -> httpx.Response | str:
        headers = {"Authorization": f"Bearer {seeded.COACH_KEY}"}
        try:
            if place % 6 == 5:
                body = {"email": f"a{place}@example.org", "role": "athlete", "sendInvitationEmail": True}
                path = f"{address}/workspaces/{seeded.SQUAD}/invitations"
                return httpx.post(path, json=body, headers=headers, timeout=timeout_s)
            return httpx.get(address + PATHS[place % 6], headers=headers, timeout=timeout_s)
        except httpx.TransportError as error:
            return type(error).__name__

    with ThreadPoolExecutor(number) as threads:
        return list(threads.map(ask, range(number)))


def wrong_replies(replies: list[httpx.Response | str], *, may_answer: bool) -> list[str]:
    """The replies that are neither a 503 as it should be nor, where it may be, a success."""
    return [said for reply in replies if (said := _wrong(reply, may_answer=may_answer))]


def _wrong(reply: httpx.Response | str, *, may_answer: bool) -> str:
    if isinstance(reply, str):
        return reply
    if reply.status_code == 200:
        return "" if may_answer else "200"
    is_body = reply.headers.get("content-type") == "application/json" and reply.json().keys() == {
        "code",
        "error",
    }
    is_right = reply.status_code == 503 and reply.headers.get("retry-after", "").isdigit() and is_body
    return "" if is_right else f"{reply.status_code} {reply.text[:60]}"


def recovers(address: str, number: int) -> str:
    """Empty once all requests succeed again; else what the last round got."""
    end = time.monotonic() + _RETRY_S
    while bad := [_short(reply) for reply in asked(address, number) if _short(reply) != "200"]:
        if time.monotonic() > end:
            return f"after the fault: {bad[0]}"
        time.sleep(0.5)
    return ""


def _short(reply: httpx.Response | str) -> str:
    return reply if isinstance(reply, str) else str(reply.status_code)


def rows(requests: int = 48) -> Iterator[Row]:
    """Each fault under parallel requests, then recovery; and each page before, during and after it."""
    if databases.SERVER is None:
        yield Row("PostgreSQL", 0, ("COACHBOARD_TEST_POSTGRES_URL is not set: scripts/postgres start",), "")
        return
    for name in FAULTS:
        yield api_row(name, requests)
    yield _pages_row()


def api_row(name: str, requests: int) -> Row:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        database = stack.enter_context(faulty_database(folder))
        address = stack.enter_context(service_on(database, folder))
        assert not recovers(address, 6)
        database.log.clear()
        started = time.monotonic()
        with FAULTS[name](database):
            replies = asked(address, requests)
            took_s = time.monotonic() - started
        failures = wrong_replies(replies, may_answer=name in ANSWERS)
        failures += [late] if (late := recovers(address, 6)) else []
        failures += [f"traceback: {record.getMessage()[:80]}" for record in database.log if record.exc_info]
        with database.own.connect() as connection:
            twice = connection.exec_driver_sql(
                "SELECT email FROM invitations GROUP BY workspace_id, email HAVING count(*) > 1"
            ).all()
        failures += [f"two invitations: {email}" for (email,) in twice]
    refused = sum(_short(reply) == "503" for reply in replies)
    figures = f"{refused} of {requests} got 503 within {took_s:.1f} s, {len(database.log)} log lines"
    return Row(f"PostgreSQL {name}: API", requests, tuple(failures), figures)


def _pages_row() -> Row:
    """Every page with an empty cache while the database is stopped, and again afterwards."""
    failures, views, started = [], 0, time.monotonic()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        database = stack.enter_context(faulty_database(folder))
        address = stack.enter_context(service_on(database, folder))
        for page in page_views.PAGES:
            failures += page_failures(page, database, address)
            views += 2
    return Row("PostgreSQL stopped: pages", views, tuple(failures), f"{time.monotonic() - started:.0f} s")


def page_failures(page: str, database: Database, address: str) -> list[str]:
    with pages.dashboard(address, key=seeded.COACH_KEY):
        with stopped(database):
            during = page_views.view(page)
        failures = [f"{page}: {line[:90]}" for line in during if "went wrong" in line or "Traceback" in line]
        if not any("database" in line for line in during):
            failures.append(f"{page}: does not say that the database failed")
        time.sleep(1)
        after = page_views.view(page)
        failures += [f"{page}, afterwards: {line[:90]}" for line in after if "database" in line]
    return failures
