"""The service over real HTTP on loopback, seeded, on SQLite and, where there is one, on PostgreSQL."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from coachboard.service.app import create_app, mounted
from coachboard.service.store import Store
from coachboard.settings import Settings
from databases import DATABASES, empty_database
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
        """Move to the start of the next minute, where every limit begins anew."""
        self.now = (self.now // 60 + 1) * 60


@dataclass(frozen=True)
class Service:
    """A running service and what a test may touch of it."""

    base_url: str
    store: Store
    clock: Clock
    outbox: Path
    client: httpx.Client


@pytest.fixture(scope="session", params=DATABASES)
def running(request, tmp_path_factory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("service")
    clock, outbox = Clock(), folder / "outbox"
    with empty_database(request.param, folder) as url:
        store = Store.open(url)
        seed(store)
        settings = Settings(outbox=outbox)
        app = mounted(create_app(store, settings=settings, stream_makers={"test": make_streams}, clock=clock))
        with served(app) as address, httpx.Client(base_url=f"{address}/api", timeout=30) as client:
            yield Service(f"{address}/api", store, clock, outbox, client)
        store.close()


@pytest.fixture
def service(running) -> Service:
    """The running service in a minute in which nothing was asked yet."""
    running.clock.next_minute()
    return running


@pytest.fixture
def ask(service) -> Ask:
    """Send one request; without more words a GET of the coach."""

    def send(path: str, *, key: str | None = COACH_KEY, method: str = "GET", **more) -> httpx.Response:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        headers.update(more.pop("headers", {}))
        return service.client.request(method, path, headers=headers, **more)

    return send
