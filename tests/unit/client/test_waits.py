"""Requests that a page waits for: the page hears about the wait, and may stop waiting."""

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

from coachboard.client import waiting
from coachboard.client.errors import Unreachable
from coachboard.client.waiting import AT_ONCE, READERS, Memo, Patience, Waiting, Workers, waits_reported_to
from waiting import wait_until


class Left(BaseException):
    """The reader has gone to another page."""


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(waiting, "STEP_S", 0.01)


@pytest.fixture
def workers():
    workers = Workers()
    yield workers
    workers.close()


def waits_for_the_limit(go_on):
    """A request that waits seven seconds for a limit, as fast as the test lets it."""

    def fetch():
        Patience(lambda _: go_on.wait(10) and None).wait(0.005, "the limit")

    return fetch


def test_a_page_learns_the_resource_and_the_end_of_its_wait(workers):
    gate, heard = threading.Event(), []

    def listen(wait):
        heard.append(wait)
        if wait.seconds_so_far > 0.05:
            gate.set()

    with waits_reported_to(listen):
        assert workers.join("a", lambda: gate.wait(10), what="streams")

    assert {(wait.seconds_left, wait.what) for wait in heard[:-1]} == {(None, "streams")}
    assert heard[-1].seconds_left == 0.0


def test_a_request_that_ends_at_once_reports_no_wait(workers, monkeypatch):
    monkeypatch.setattr(waiting, "STEP_S", 5.0)
    heard = []
    with waits_reported_to(heard.append):
        assert workers.join("a", lambda: 1, what="streams") == 1

    assert heard == []


def test_a_wait_with_a_known_end_reaches_the_page_also_from_a_read_in_a_worker(workers):
    go_on, heard = threading.Event(), []

    def listen(wait):
        heard.append(wait)
        go_on.set()

    fetch = waits_for_the_limit(go_on)
    with waits_reported_to(listen):
        workers.submit(workers.join, "a", fetch, what="users").result()

    known = [wait.seconds_left for wait in heard if wait.reason == "the limit"]
    assert (known[0], known[-1]) == (0.005, 0.0)


def test_a_reader_who_leaves_leaves_the_others_their_answer(workers):
    gate, is_waiting, can_leave = threading.Event(), threading.Event(), threading.Event()

    def leave(_wait):
        is_waiting.set()
        if can_leave.is_set():
            raise Left

    def look():
        with waits_reported_to(leave):
            workers.join("a", lambda: gate.wait(10) and "brought", what="users")

    with ThreadPoolExecutor() as readers:
        looking = readers.submit(look)
        assert is_waiting.wait(10)
        other = readers.submit(workers.join, "a", lambda: "fetched again", what="users")
        can_leave.set()
        with pytest.raises(Left):
            looking.result(10)
        gate.set()

        assert other.result(10) in {"brought", "fetched again"}


def test_a_request_after_the_end_is_made_all_the_same(workers):
    workers.close()

    assert workers.join("b", lambda: 2, what="users") == 2
    assert workers.submit(int, "3").result() == 3


def test_each_user_has_an_outcome(workers):
    outcomes = workers.each(str.upper, ["a", "b", "c"])

    assert sorted(outcomes) == [("a", "A"), ("b", "B"), ("c", "C")]
    assert list(workers.each(str, [])) == []


def test_a_user_who_takes_long_holds_nobody_up(workers):
    gate = threading.Event()

    def ask(name):
        assert name != "slow" or gate.wait(10)
        return name

    outcomes = workers.each(ask, ["slow", "b", "c"])
    others = {next(outcomes)[0], next(outcomes)[0]}
    gate.set()

    assert others == {"b", "c"}
    assert next(outcomes) == ("slow", "slow")


def test_no_more_than_eight_users_are_read_at_once(workers):
    running, most, gate = set(), [], threading.Barrier(AT_ONCE)

    def ask(name):
        running.add(name)
        gate.wait(10)
        most.append(len(running))
        gate.wait(10)
        running.discard(name)

    names = [str(number) for number in range(2 * AT_ONCE)]
    assert len(list(workers.each(ask, names))) == len(names)
    assert max(most) == AT_ONCE


def test_a_user_whose_read_fails_has_its_error(workers):
    error = Unreachable("GET", "/x")

    def ask(name):
        if name == "b":
            raise error
        return name

    assert dict(workers.each(ask, ["a", "b"])) == {"a": "a", "b": error}


def test_a_worker_without_work_holds_no_page(workers):
    """The sessions of closed tabs stayed in memory with the last work that they had asked for."""

    class Session:
        pass

    session = Session()
    workers.submit(id, session).result(10)
    left = weakref.ref(session)
    del session

    wait_until(lambda: gc.collect() is not None and left() is None)


def test_workers_that_ask_and_fetch_do_not_wait_for_each_other(workers):
    """All readers ask further readers, and each of those makes a request."""

    def ask(depth, number):
        if depth:
            return workers.submit(ask, depth - 1, number).result()
        return workers.join(number, lambda: number, what="users")

    answers = [workers.submit(ask, 3, number) for number in range(3 * READERS)]

    assert [answer.result(10) for answer in answers] == list(range(3 * READERS))


def test_a_background_job_runs_once_while_it_waits(workers):
    gate, done = threading.Event(), []
    for number in range(waiting.BACKGROUND_WORKERS):
        workers.later(number, lambda: gate.wait(10))
    for _ in range(3):
        workers.later("a", lambda: done.append("a"))

    assert not workers.is_idle()
    gate.set()
    assert workers.is_idle(10)
    assert done == ["a"]


def test_a_background_job_that_fails_does_not_stop_the_next(workers, caplog):
    done = threading.Event()
    workers.later("a", lambda: 1 / 0)
    workers.later("b", done.set)

    assert workers.is_idle(10)
    assert done.is_set()
    assert "a job in the background failed" in caplog.text


def test_a_thread_that_cannot_start_leaves_the_work_to_the_caller(workers, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", _no_threads)
        assert workers.submit(threading.current_thread).result() is threading.current_thread()
        workers.later("job", pytest.fail)

    assert workers.is_idle(10)


def _no_threads(_thread):
    raise RuntimeError("can't start new thread")


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


def test_a_wait_is_reported_with_its_seconds_and_its_end():
    heard = []
    with waits_reported_to(heard.append):
        Patience(lambda _: None).wait(0.015, "the limit")

    assert heard[0] == Waiting(0.015, "the limit")
    assert heard[-1] == Waiting(0.0, "the limit")
