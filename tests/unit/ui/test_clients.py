"""One client per key: kept while a session uses it, closed a while after the last one ended."""

import gc
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from coachboard.client import Client
from coachboard.throttle import LIMIT, WINDOW_S, Throttle
from coachboard.ui.frame.clients import IDLE_S, MOST_IDLE, MOST_SHARED, Clients, Use


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


class Connected:
    def __init__(self):
        self.is_closed = False

    def end(self):
        pass

    def close(self, within_s=0):
        self.is_closed = True


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def clients(clock):
    return Clients(end=lambda client: None, clock=clock)


def test_sessions_of_one_key_share_a_client(clients):
    assert clients.get("a", Use(), Connected) is clients.get("a", Use(), Connected)
    assert clients.get("a", Use(), Connected) is not clients.get("b", Use(), Connected)


def test_a_client_is_closed_once_no_session_used_it_for_a_while(clients, clock):
    use, other = Use(), Use()
    kept, left = clients.get("kept", use, Connected), clients.get("left", other, Connected)
    del other
    clock.now = IDLE_S + 1

    clients.get("third", Use(), Connected)

    assert (kept.is_closed, left.is_closed) == (False, True)
    assert clients.get("left", Use(), Connected) is not left


def test_an_idle_client_is_closed_without_another_sign_in(clients, clock):
    """After the last person had left, all clients stayed."""
    use = Use()
    kept, left = clients.get("kept", use, Connected), clients.get("left", Use(), Connected)
    clock.now = IDLE_S - 1
    clients.close_idle()
    assert not left.is_closed
    clock.now = IDLE_S + 1

    clients.close_idle()
    assert (kept.is_closed, left.is_closed) == (False, True)
    assert use


def test_a_client_is_closed_a_while_after_its_tab(clients, clock):
    """Streamlit keeps the session of a closed tab until another one is closed."""
    tabs = {"first", "second"}
    uses = [Use(lambda tab=tab: tab in tabs) for tab in sorted(tabs)]
    client, same = (clients.get("a", use, Connected) for use in uses)
    assert same is client
    for minute in range(1, 60):
        clock.now = minute * 60.0
        clients.close_idle()
        tabs.discard("first")
    assert not client.is_closed

    tabs.clear()
    clock.now += IDLE_S
    clients.close_idle()
    assert not client.is_closed
    clock.now += 1
    clients.close_idle()
    assert client.is_closed


class Rows:
    def __init__(self, client):
        self.client = client


def test_sessions_share_a_value_of_their_client(clients):
    first, other = clients.get("a", Use(), Connected), clients.get("b", Use(), Connected)
    rows = clients.shared(first, "roster", lambda: Rows(first))

    assert clients.shared(first, "roster", lambda: Rows(first)) is rows
    assert clients.shared(first, "another day", lambda: Rows(first)) is not rows
    assert clients.shared(other, "roster", lambda: Rows(other)).client is other


def test_a_shared_value_is_gone_with_its_client(clients, clock):
    """The roster's rows held the client for an hour."""
    client = clients.get("a", Use(), Connected)
    left = [weakref.ref(client), weakref.ref(clients.shared(client, "roster", partial(Rows, client)))]
    clock.now = IDLE_S + 1
    clients.close_idle()
    late = clients.shared(client, "roster", partial(Rows, client))  # of a page that still runs
    assert late is not left[1]()
    del late, client
    gc.collect()

    assert [one() for one in left] == [None, None]


def test_of_many_shared_values_the_newest_stay(clients):
    client = clients.get("a", use := Use(), Connected)
    values = [clients.shared(client, day, object) for day in range(MOST_SHARED + 1)]

    assert clients.shared(client, 1, object) is values[1]
    assert clients.shared(client, 0, object) is not values[0]
    assert use


def test_many_clients_without_a_session_are_closed_at_once(clients, clock):
    made = []
    for number in range(MOST_IDLE + 2):
        clock.now = number / 1000
        made.append(clients.get(str(number), Use(), Connected))

    assert [client.is_closed for client in made] == [True] + [False] * (MOST_IDLE + 1)


def test_many_clients_at_work_are_closed_within_seconds(clients, tmp_path, monkeypatch):
    """A server under load ignored SIGTERM for 20 s: each of its clients waited for its own work, one after the other."""
    monkeypatch.setattr("coachboard.ui.frame.clients.CLOSE_S", 1.0)
    asked, go_on = threading.Semaphore(0), threading.Event()

    def hang():
        asked.release()
        go_on.wait(60)

    def made(number):
        return Client("http://127.0.0.1:9", f"key-{number}", cache_url=f"sqlite:///{tmp_path / 'cache.db'}")

    uses = [Use() for _ in range(4)]
    found = [clients.get(str(number), use, partial(made, number)) for number, use in enumerate(uses)]
    for client in found * 2:
        client.pool.submit(hang)
    for _ in found * 2:
        assert asked.acquire(timeout=30)

    started = time.monotonic()
    clients.close_all()
    took_s = time.monotonic() - started
    go_on.set()

    assert took_s < 4


def test_a_client_that_is_made_slowly_holds_up_no_other_one(clients):
    begun, go_on = threading.Event(), threading.Event()

    def slow():
        begun.set()
        assert go_on.wait(30)
        return Connected()

    with ThreadPoolExecutor() as pool:
        first = pool.submit(clients.get, "slow", Use(), slow)
        assert begun.wait(30)
        second = pool.submit(clients.get, "slow", Use(), slow)  # the same key waits for the same client
        try:
            quick = pool.submit(clients.get, "quick", Use(), Connected).result(10)
            shared = pool.submit(clients.shared, quick, "roster", object).result(10)
        finally:
            go_on.set()
        assert first.result(30) is second.result(30)
    assert shared is clients.shared(quick, "roster", object)


def test_a_value_that_is_made_slowly_holds_up_no_other_client(clients):
    client, other = clients.get("a", use := Use(), Connected), clients.get("b", Use(), Connected)
    begun, go_on = threading.Event(), threading.Event()

    def slow():
        begun.set()
        assert go_on.wait(30)
        return object()

    with ThreadPoolExecutor() as pool:
        first = pool.submit(clients.shared, client, "roster", slow)
        assert begun.wait(30)
        second = pool.submit(clients.shared, client, "roster", slow)
        try:
            pool.submit(clients.shared, other, "roster", object).result(10)
        finally:
            go_on.set()
        assert first.result(30) is second.result(30)
    assert use


def test_a_client_that_cannot_be_made_is_made_at_the_next_try(clients):
    with pytest.raises(ValueError, match="invalid literal"):
        clients.get("a", Use(), partial(int, "no address"))

    assert isinstance(clients.get("a", Use(), Connected), Connected)


def test_an_address_may_try_again_when_its_failures_are_old(clock):
    throttle = Throttle(clock)
    for _ in range(LIMIT):
        assert throttle.wait_s("a") == 0
        throttle.note_failure("a")

    assert (throttle.wait_s("a"), throttle.wait_s("b")) == (WINDOW_S, 0)
    clock.now = WINDOW_S
    assert throttle.wait_s("a") == 0
