"""One client per key: kept while a session uses it, closed a while after the last one ended."""

import pytest

from coachboard.throttle import LIMIT, WINDOW_S, Throttle
from coachboard.views.frame.clients import IDLE_S, MOST_IDLE, Clients, Use


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


class Connected:
    def __init__(self):
        self.is_closed = False

    def close(self):
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


def test_many_clients_without_a_session_are_closed_at_once(clients, clock):
    made = []
    for number in range(MOST_IDLE + 2):
        clock.now = number / 1000
        made.append(clients.get(str(number), Use(), Connected))

    assert [client.is_closed for client in made] == [True] + [False] * (MOST_IDLE + 1)


def test_an_address_may_try_again_when_its_failures_are_old(clock):
    throttle = Throttle(clock)
    for _ in range(LIMIT):
        assert throttle.wait_s("a") == 0
        throttle.note_failure("a")

    assert (throttle.wait_s("a"), throttle.wait_s("b")) == (WINDOW_S, 0)
    clock.now = WINDOW_S
    assert throttle.wait_s("a") == 0
