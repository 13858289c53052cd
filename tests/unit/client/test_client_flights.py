"""Fetches of which somebody waits in a thread that is looked at: it is told, and may leave."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from coachboard.client import answer
from coachboard.client.fanout import Pool
from coachboard.client.flights import Flights
from coachboard.client.waiting import Waiting, heard_by, listener_here


class Left(BaseException):
    """The reader has gone to another page."""


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(answer, "STEP_S", 0.01)


@pytest.fixture
def flights():
    flights = Flights()
    yield flights
    flights.close()


def test_who_is_looked_at_is_told_what_is_waited_for_and_that_it_is_over(flights):
    gate, heard = threading.Event(), []

    def listen(waiting):
        heard.append(waiting)
        if waiting.seconds_so_far > 0.05:
            gate.set()

    with heard_by(listen):
        assert flights.join("a", lambda: gate.wait(10), what="streams")

    assert {(waiting.seconds_left, waiting.what) for waiting in heard[:-1]} == {(None, "streams")}
    assert heard[-1].seconds_left == 0.0


def test_what_is_there_at_once_is_waited_for_without_a_word(flights):
    heard = []

    with heard_by(heard.append):
        assert flights.join("a", lambda: 1, what="streams") == 1

    assert heard == []


def test_a_wait_with_an_end_is_told_with_the_seconds_left_alone(flights):
    told, heard = threading.Event(), []

    def fetch():
        listener_here()(Waiting(7.0, "the limit"))
        told.wait(10)

    def listen(waiting):
        heard.append(waiting)
        threading.Timer(0.05, told.set).start()

    with heard_by(listen):
        flights.join("a", fetch, what="users")

    assert [waiting.seconds_left for waiting in heard] == [7.0, 0.0]


def test_a_reader_who_leaves_leaves_the_others_their_answer(flights):
    gate = threading.Event()

    def leave(_waiting):
        raise Left

    with heard_by(leave), pytest.raises(Left):
        flights.join("a", lambda: gate.wait(10) and "brought", what="users")
    with ThreadPoolExecutor() as threads:
        other = threads.submit(flights.join, "a", lambda: "anew", what="users")
        gate.set()

        assert other.result(10) in {"brought", "anew"}


def test_whoever_waits_for_the_fetch_of_a_reader_who_left_gets_what_it_brought(flights):
    gate, is_waiting = threading.Event(), threading.Event()

    def leave(_waiting):
        if is_waiting.is_set():
            raise Left

    def look():
        with heard_by(leave):
            flights.join("a", lambda: gate.wait(10) and "brought", what="users")

    with ThreadPoolExecutor() as threads:
        looking = threads.submit(look)
        while "a" not in flights._under_way:
            pass
        other = threads.submit(flights.join, "a", lambda: "anew", what="users")
        is_waiting.set()
        with pytest.raises(Left):
            looking.result(10)
        gate.set()

        assert other.result(10) == "brought"


def test_waits_of_a_fetch_in_a_thread_of_the_pool_reach_the_page(flights):
    pool, heard, gate = Pool(), [], threading.Event()

    def fetch():
        listener_here()(Waiting(7.0, "the limit"))
        gate.wait(10)

    def listen(waiting):
        heard.append(waiting.seconds_left)
        gate.set()

    with heard_by(listen):
        pool.submit(flights.join, "a", fetch, what="users").result()

    assert heard == [7.0, 0.0]
    pool.shutdown()


def test_a_fetch_after_the_end_is_made_all_the_same(flights):
    gate = threading.Event()
    with heard_by(lambda _: None):
        flights.join("a", lambda: 1, what="users")
        flights.close()
        gate.set()

        assert flights.join("b", lambda: 2, what="users") == 2
