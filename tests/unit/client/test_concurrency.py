"""Fetches that a page waits for: the page hears about the wait, and may stop waiting."""

import gc
import threading
import time
import weakref
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from coachboard.client import concurrency
from coachboard.client.concurrency import Memo, SingleFlight, Threads, Waiting, waits_reported_to
from coachboard.client.errors import Unreachable
from waiting import wait_until


class Left(BaseException):
    """The reader has gone to another page."""


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(concurrency, "STEP_S", 0.01)


@pytest.fixture
def threads():
    threads = Threads()
    yield threads
    threads.close()


@pytest.fixture
def flights(threads):
    return SingleFlight(threads)


def test_a_page_learns_the_resource_and_the_end_of_its_wait(flights):
    gate, heard = threading.Event(), []

    def listen(waiting):
        heard.append(waiting)
        if waiting.seconds_so_far > 0.05:
            gate.set()

    with waits_reported_to(listen):
        assert flights.join("a", lambda: gate.wait(10), what="streams")

    assert {(waiting.seconds_left, waiting.what) for waiting in heard[:-1]} == {(None, "streams")}
    assert heard[-1].seconds_left == 0.0


def test_a_fetch_that_ends_at_once_reports_no_wait(flights):
    heard = []

    with waits_reported_to(heard.append):
        assert flights.join("a", lambda: 1, what="streams") == 1

    assert heard == []


def test_a_wait_with_a_known_end_is_reported_once_with_the_seconds_left(flights):
    is_reported, heard = threading.Event(), []

    def fetch():
        concurrency._LISTENER.get()(Waiting(7.0, "the limit"))
        is_reported.wait(10)

    def listen(waiting):
        heard.append(waiting)
        threading.Timer(0.05, is_reported.set).start()

    with waits_reported_to(listen):
        flights.join("a", fetch, what="users")

    assert [waiting.seconds_left for waiting in heard] == [7.0, 0.0]


def test_a_reader_who_leaves_leaves_the_others_their_answer(flights):
    gate = threading.Event()

    def leave(_waiting):
        raise Left

    with waits_reported_to(leave), pytest.raises(Left):
        flights.join("a", lambda: gate.wait(10) and "brought", what="users")
    with ThreadPoolExecutor() as readers:
        other = readers.submit(flights.join, "a", lambda: "fetched again", what="users")
        gate.set()

        assert other.result(10) in {"brought", "fetched again"}


def test_a_fetch_whose_first_reader_left_still_serves_the_others(flights):
    gate, is_waiting = threading.Event(), threading.Event()

    def leave(_waiting):
        if is_waiting.is_set():
            raise Left

    def look():
        with waits_reported_to(leave):
            flights.join("a", lambda: gate.wait(10) and "brought", what="users")

    with ThreadPoolExecutor() as readers:
        looking = readers.submit(look)
        while "a" not in flights._under_way:
            pass
        other = readers.submit(flights.join, "a", lambda: "fetched again", what="users")
        is_waiting.set()
        with pytest.raises(Left):
            looking.result(10)
        gate.set()

        assert other.result(10) == "brought"


def test_waits_of_a_fetch_in_a_worker_reach_the_page(flights, threads):
    heard, gate = [], threading.Event()

    def fetch():
        concurrency._LISTENER.get()(Waiting(7.0, "the limit"))
        gate.wait(10)

    def listen(waiting):
        heard.append(waiting.seconds_left)
        gate.set()

    with waits_reported_to(listen):
        threads.submit(flights.join, "a", fetch, what="users").result()

    assert heard == [7.0, 0.0]


def test_a_fetch_after_the_end_is_made_all_the_same(flights, threads):
    gate = threading.Event()
    with waits_reported_to(lambda _: None):
        flights.join("a", lambda: 1, what="users")
        threads.close()
        gate.set()

        assert flights.join("b", lambda: 2, what="users") == 2


def test_the_first_is_answered_before_the_others_are_asked(threads):
    asked = []

    outcomes = threads.each(lambda name: asked.append(name) or name.upper(), ["a", "b", "c"])

    assert sorted(outcomes) == [("a", "A"), ("b", "B"), ("c", "C")]
    assert asked[0] == "a"


def test_a_first_that_takes_long_holds_nobody_up(monkeypatch, threads):
    monkeypatch.setattr(concurrency, "HEAD_START_S", 0.01)
    gate = threading.Event()

    def ask(name):
        assert name != "slow" or gate.wait(10)
        return name

    outcomes = threads.each(ask, ["slow", "b", "c"])
    others = {next(outcomes)[0], next(outcomes)[0]}
    gate.set()

    assert others == {"b", "c"}
    assert next(outcomes) == ("slow", "slow")


def test_no_user_needs_no_answer(threads):
    assert list(threads.each(str, [])) == []


def test_no_more_than_eight_users_are_read_at_once(threads):
    running, most, gate = set(), [], threading.Barrier(concurrency.AT_ONCE)

    def ask(name):
        running.add(name)
        gate.wait(10)
        most.append(len(running))
        gate.wait(10)
        running.discard(name)

    names = [str(number) for number in range(2 * concurrency.AT_ONCE)]
    assert len(list(threads.each(ask, names))) == len(names)
    assert max(most) == concurrency.AT_ONCE


def test_squads_that_are_read_at_the_same_time_share_the_eight():
    running, most, lock = Counter(), Counter(), threading.Lock()
    begun, go = threading.Semaphore(0), threading.Semaphore(0)
    pools = [Threads() for _ in range(4)]

    def ask(name):
        squad = name[0]
        with lock:
            running[squad] += 1
            most[squad] = max(most[squad], running[squad])
        begun.release()
        go.acquire(timeout=10)
        with lock:
            running[squad] -= 1

    def read(squad):
        return list(pools[squad].each(ask, [f"{squad}{number}" for number in range(24)]))

    with ThreadPoolExecutor() as readers:
        outcomes = [readers.submit(read, 0)]
        for _ in range(concurrency.AT_ONCE):
            assert begun.acquire(timeout=10)
        outcomes += [readers.submit(read, squad) for squad in (1, 2, 3)]
        for _ in range(3 * concurrency.AT_ONCE // 4):
            assert begun.acquire(timeout=10)
        time.sleep(0.2)  # more would begin now
        go.release(4 * 24)
        assert [len(outcome.result(10)) for outcome in outcomes] == [24] * 4
    for pool in pools:
        pool.close()
    # Squads that arrive one after the other share with those that are there: a half, a third, a quarter.
    assert most["0"] == concurrency.AT_ONCE
    assert max(most[squad] for squad in "123") <= concurrency.AT_ONCE // 2
    assert not concurrency._SQUADS


def test_an_idle_worker_ends_and_later_work_is_done_all_the_same(monkeypatch, threads):
    monkeypatch.setattr(concurrency, "IDLE_S", 0.05)
    for _ in range(3):
        gate = threading.Barrier(concurrency.MAX_THREADS + 1)
        answers = [threads.submit(gate.wait, 10) for _ in range(concurrency.MAX_THREADS)]
        late = [threads.submit(str, number) for number in range(2 * concurrency.MAX_THREADS)]
        gate.wait(10)

        assert len({answer.result(10) for answer in answers}) == concurrency.MAX_THREADS
        assert [answer.result(10) for answer in late] == [str(number) for number in range(len(late))]
        wait_until(lambda: not threads._threads)
        assert not [one for one in threading.enumerate() if one.name == "coachboard-client"]


def test_a_worker_without_work_holds_no_page(threads):
    """The sessions of closed tabs stayed in memory with the last work that they had asked for."""

    class Session:
        pass

    session = Session()
    threads.submit(id, session).result(10)
    left = weakref.ref(session)
    del session

    wait_until(lambda: gc.collect() is not None and left() is None)


def test_a_worker_that_has_work_now_and_then_stays(monkeypatch, threads):
    monkeypatch.setattr(concurrency, "IDLE_S", 0.3)
    names = set()
    for _ in range(8):
        names.add(threads.submit(threading.get_ident).result(10))
        time.sleep(0.1)

    assert len(names) == 1


def test_a_user_whose_read_fails_has_its_error(threads):
    error = Unreachable("GET", "/x")

    def ask(name):
        if name == "b":
            raise error
        return name

    assert dict(threads.each(ask, ["a", "b"])) == {"a": "a", "b": error}


def test_a_worker_that_asks_does_not_wait_for_another_worker(threads):
    def ask(depth):
        return depth if depth == 0 else threads.submit(ask, depth - 1).result()

    answers = [threads.submit(ask, 3) for _ in range(2 * concurrency.MAX_THREADS)]

    assert [answer.result(10) for answer in answers] == [0] * len(answers)


def test_workers_make_the_fetch_of_a_page_that_waits_for_a_worker(threads, flights):
    """All workers wait for the fetch of the page, and the page waits for a worker."""
    busy, joined = threading.Barrier(concurrency.MAX_THREADS + 1), threading.Event()

    def ask():
        busy.wait(10)
        assert joined.wait(10)
        return flights.join("a", lambda: "worker", what="users")

    answers = [threads.submit(ask) for _ in range(concurrency.MAX_THREADS)]
    busy.wait(10)

    def listen(_waiting):
        joined.set()

    with waits_reported_to(listen):
        assert flights.join("a", lambda: "page", what="users") == "page"
    assert {answer.result(10) for answer in answers} <= {"page", "worker"}


def test_a_background_job_runs_once_while_it_waits(threads):
    gate, done = threading.Event(), []
    for number in range(concurrency.REFRESHES):
        threads.later(number, lambda: gate.wait(10))
    for _ in range(3):
        threads.later("a", lambda: done.append("a"))

    assert not threads.is_idle()
    gate.set()
    assert threads.is_idle(10)
    assert done == ["a"]


def test_a_background_job_that_fails_does_not_stop_the_next(threads, caplog):
    done = threading.Event()
    threads.later("a", lambda: 1 / 0)
    threads.later("b", done.set)

    assert threads.is_idle(10)
    assert done.is_set()
    assert "a job in the background failed" in caplog.text


def test_a_memo_deletes_the_least_recently_used_values():
    memo = Memo(10)
    for name in ("a", "b", "c"):
        memo.put(name, name, 4)
        memo.get("a")
    memo.put("large", "large", 11)

    assert [memo.get(name) for name in ("a", "b", "c", "large")] == ["a", None, "c", None]


def test_a_memo_has_room_again_for_the_values_that_were_removed():
    memo = Memo(10)
    for owner, number in (("a", 1), ("b", 1), ("a", 2)):
        memo.put((owner, number), f"{owner}{number}", 3)
    memo.remove_if(lambda key: key[0] == "a")
    memo.put(("b", 2), "b2", 7)

    assert [memo.get(key) for key in (("a", 1), ("a", 2), ("b", 1), ("b", 2))] == [None, None, "b1", "b2"]


def test_a_thread_that_cannot_start_leaves_the_job_to_the_caller(threads, monkeypatch):
    """The job stayed in the queue, and all later jobs behind it: nothing was written to the cache any more."""
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", _no_threads)
        assert threads.submit(threading.current_thread).result() is threading.current_thread()
        threads.later("job", pytest.fail)

    assert threads.is_idle()
    assert threads.submit(threading.current_thread).result().name == "coachboard-client"


def _no_threads(_thread):
    raise RuntimeError("can't start new thread")
