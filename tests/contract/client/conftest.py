"""The real service over loopback, a faulty proxy before it, and clients with a clock of the test's own."""

import shutil
import threading
from contextlib import ExitStack
from datetime import UTC, datetime, time

import pytest

import seeded
from coachboard.client import Client, Options
from coachboard.service.api.app import create_app, mounted
from coachboard.service.store import Store
from coachboard.settings import Settings
from databases import REPLY_DATABASES, empty_database
from faulty_proxy import faulty
from serving import served


class Clock:
    """Time that passes when the code under test sleeps."""

    def __init__(self):
        self.now = datetime.combine(seeded.TODAY, time(12), UTC).timestamp()
        self.slept = []
        self._lock = threading.Lock()

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        with self._lock:
            self.now += seconds
            self.slept.append(seconds)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(scope="session")
def seeded_file(tmp_path_factory):
    """The seeded store, made once: the migrations cost more than most tests."""
    path = tmp_path_factory.mktemp("seeded") / "service.db"
    store = Store.open(f"sqlite:///{path}")
    seeded.seed(store)
    store.close()
    return path


@pytest.fixture
def store(seeded_file, tmp_path):
    path = shutil.copy(seeded_file, tmp_path / "service.db")
    store = Store.open(f"sqlite:///{path}")
    yield store
    store.close()


@pytest.fixture
def service(store, clock, tmp_path):
    """The address of the service; its minutes follow the test's clock."""
    settings = Settings(today=seeded.TODAY, outbox=tmp_path / "outbox")
    app = create_app(store, settings=settings, stream_makers={"test": seeded.make_streams}, clock=clock)
    with served(mounted(app)) as address:
        yield f"{address}/api"


@pytest.fixture
def proxy(service):
    with faulty(service) as proxy:
        yield proxy


@pytest.fixture(params=REPLY_DATABASES)
def cache_url(request, tmp_path):
    with empty_database(request.param, tmp_path) as url:
        yield url


@pytest.fixture
def connect(proxy, clock, cache_url):
    """Makes clients of the proxied service; one key and one cache unless the test passes others."""
    with ExitStack() as stack:

        def connect(key=seeded.COACH_KEY, **options):
            known = {"timeout_s": 5.0, "today": seeded.TODAY, "clock": clock, "sleep": clock.sleep}
            client = Client(proxy.url, key, cache_url=cache_url, options=Options(**{**known, **options}))
            return stack.enter_context(client)

        yield connect


@pytest.fixture
def client(connect):
    return connect()
