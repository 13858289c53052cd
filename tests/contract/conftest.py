"""The service over real HTTP on loopback, seeded, on SQLite and, where there is one, on PostgreSQL."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import httpx
import orjson
import pytest

from coachboard.service.api.app import create_app, mounted
from coachboard.service.own_data import openapi
from coachboard.service.store import Store
from coachboard.settings import Settings
from databases import REPLY_DATABASES, empty_database
from intervals_server import NO_INTERVALS
from seeded import COACH_KEY, TODAY, make_streams, seed
from serving import served

Ask = Callable[..., httpx.Response]


class Clock:
    """The service's clock, moved by hand; it starts on the morning of the seeded day."""

    def __init__(self) -> None:
        self.now = datetime(TODAY.year, TODAY.month, TODAY.day, 6, tzinfo=UTC).timestamp()

    def __call__(self) -> float:
        return self.now

    def next_minute(self) -> None:
        """Move to the start of the next minute, where every limit starts again."""
        self.now = (self.now // 60 + 1) * 60


@dataclass(frozen=True)
class Service:
    """A running service and what a test may touch of it."""

    base_url: str
    store: Store
    clock: Clock
    outbox: Path
    client: httpx.Client


def is_described(reply: httpx.Response) -> None:
    """Each status of the own-data API that any test meets is in the API's description."""
    path = reply.request.url.path.removeprefix("/api")
    for template, operations in DESCRIPTION["paths"].items():
        if re.fullmatch(re.sub(r"{.*?}", "[^/]+", template), path):
            operation = operations.get(reply.request.method.lower())
            described = {"405"} if operation is None else operation["responses"].keys()
            assert str(reply.status_code) in described, (reply.request.method, template, reply.status_code)
            return


DESCRIPTION = orjson.loads(openapi.document_json("/api"))


@contextmanager
def seeded_service(kind: str, folder: Path) -> Iterator[Service]:
    clock, outbox = Clock(), folder / "outbox"
    with empty_database(kind, folder) as url:
        store = Store.open(url)
        seed(store)
        settings = Settings(outbox=outbox, intervals_url=NO_INTERVALS)
        app = mounted(create_app(store, settings=settings, stream_makers={"test": make_streams}, clock=clock))
        with (
            served(app) as address,
            httpx.Client(
                base_url=f"{address}/api", timeout=30, event_hooks={"response": [is_described]}
            ) as client,
        ):
            yield Service(f"{address}/api", store, clock, outbox, client)
        store.close()


@pytest.fixture(scope="session", params=REPLY_DATABASES)
def running(request, tmp_path_factory) -> Iterator[Service]:
    if request.config.getoption("base_url"):
        pytest.skip("needs a store of the tests' own, not a service that runs elsewhere")
    with seeded_service(request.param, tmp_path_factory.mktemp("service")) as service:
        yield service


@pytest.fixture(scope="session")
def anybody(request, tmp_path_factory) -> Iterator[tuple[httpx.Client, Callable[[], None]]]:
    """A client of the service of `--base-url`, of a seeded one without it; and what begins another minute there."""
    address, key = request.config.getoption("base_url"), request.config.getoption("api_key")
    if address and not key:
        pytest.fail("--base-url needs a key: COACHBOARD_API_KEY or --api-key")
    with ExitStack() as stack:
        begin_minute: Callable[[], None] = lambda: None  # noqa: E731 (nobody moves the clock of another's service)
        if not address:
            service = stack.enter_context(seeded_service("sqlite", tmp_path_factory.mktemp("anybody")))
            address, key, begin_minute = service.base_url, COACH_KEY, service.clock.next_minute
        headers = {"Authorization": f"Bearer {key}"}
        yield (
            stack.enter_context(httpx.Client(base_url=address.rstrip("/"), headers=headers, timeout=30)),
            begin_minute,
        )


@pytest.fixture
def ask_anybody(anybody) -> Ask:
    """Send one GET with the key, or without it; waits where a service that runs elsewhere says so."""
    client, begin_minute = anybody
    begin_minute()

    def send(path: str, *, authorization: str | None = client.headers["Authorization"]) -> httpx.Response:
        request = client.build_request("GET", path)
        del request.headers["Authorization"]
        if authorization is not None:
            request.headers["Authorization"] = authorization
        reply = client.send(request)
        if reply.status_code == httpx.codes.TOO_MANY_REQUESTS:
            time.sleep(int(reply.headers["retry-after"]))
            reply = client.send(request)
        return reply

    return send


@pytest.fixture
def service(running) -> Iterator[Service]:
    """The running service in a minute in which nothing was asked yet; days by which a test moves its clock end with the test."""
    running.clock.next_minute()
    start = running.clock.now
    yield running
    running.clock.now -= (running.clock.now - start) // 86_400 * 86_400


@pytest.fixture
def ask(service) -> Ask:
    """Send one request; without more words a GET of the coach."""

    def send(path: str, *, key: str | None = COACH_KEY, method: str = "GET", **more) -> httpx.Response:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        headers.update(more.pop("headers", {}))
        return service.client.request(method, path, headers=headers, **more)

    return send
