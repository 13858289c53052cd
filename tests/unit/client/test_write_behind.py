"""The write-behind queue: values are readable at once, written later, bounded, and block no later write."""

import os
import subprocess
import sys
import threading

import pytest

from coachboard.client.cache.blobs import BlobKey
from coachboard.client.cache.store import CacheStore
from coachboard.client.cache.write_behind import Unwritten, WriteBehind


def at(name):
    return BlobKey("scope", "streams", name)


class Gate:
    """A write that waits until it may."""

    def __init__(self):
        self.begun, self.open = threading.Event(), threading.Event()
        self.written = []

    def unwritten(self, value):
        return Unwritten(value, 1.0, lambda: self._write(value))

    def _write(self, value):
        self.begun.set()
        assert self.open.wait(10)
        self.written.append(value)


@pytest.fixture
def gate():
    gate = Gate()
    yield gate
    gate.open.set()


def test_a_value_is_readable_until_it_is_written(gate):
    behind = WriteBehind()
    behind.put(at("a"), gate.unwritten("value"))
    gate.begun.wait(10)

    assert behind.get(at("a")).value == "value"
    assert behind.keys() == {at("a")}

    gate.open.set()
    behind.flush()
    assert gate.written == ["value"]
    assert behind.get(at("a")) is None


def test_a_write_waits_while_the_queue_is_full(gate):
    behind = WriteBehind(limit=2)
    for name in ("a", "b"):
        behind.put(at(name), gate.unwritten(name))
    waiting = threading.Thread(target=behind.put, args=(at("c"), gate.unwritten("c")))
    waiting.start()
    gate.begun.wait(10)
    assert behind.keys() == {at("a"), at("b")}

    gate.open.set()
    waiting.join(10)
    behind.flush()
    assert gate.written == ["a", "b", "c"]


def test_a_newer_value_takes_the_place_of_one_that_is_being_written(gate):
    behind = WriteBehind()
    behind.put(at("a"), gate.unwritten("old"))
    gate.begun.wait(10)
    behind.put(at("a"), gate.unwritten("new"))
    assert behind.get(at("a")).value == "new"

    gate.open.set()
    behind.flush()
    assert gate.written == ["old", "new"]


def test_a_newer_value_is_readable_until_it_is_written(gate):
    behind, newer = WriteBehind(), Gate()
    behind.put(at("a"), gate.unwritten("old"))
    gate.begun.wait(10)
    behind.put(at("a"), newer.unwritten("new"))
    gate.open.set()
    newer.begun.wait(10)

    assert behind.get(at("a")).value == "new"
    newer.open.set()
    behind.flush()
    assert newer.written == ["new"]


def test_a_dropped_entry_is_not_written_later(gate):
    behind = WriteBehind()
    behind.put(at("a"), gate.unwritten("a"))
    behind.put(at("b"), gate.unwritten("b"))
    gate.begun.wait(10)
    behind.drop(at("b"))
    dropping = threading.Thread(target=behind.drop, args=(at("a"),))
    dropping.start()
    gate.open.set()
    dropping.join(10)

    assert gate.written == ["a"]
    assert behind.get(at("a")) is behind.get(at("b")) is None


def test_a_dropped_value_whose_former_value_is_being_written_is_gone_afterwards(gate):
    behind = WriteBehind()
    behind.put(at("a"), gate.unwritten("old"))
    gate.begun.wait(10)
    behind.put(at("a"), gate.unwritten("new"))
    dropping = threading.Thread(target=behind.drop, args=(at("a"),))
    dropping.start()
    dropping.join(0.1)
    assert dropping.is_alive()

    gate.open.set()
    dropping.join(10)
    assert gate.written == ["old"]


def test_a_flush_waits_for_its_own_entries_only(gate):
    behind = WriteBehind()
    behind.put(at("a"), gate.unwritten("a"))
    gate.begun.wait(10)

    behind.flush(lambda key: key == at("b"))
    assert gate.written == []
    gate.open.set()
    behind.flush(lambda key: key == at("a"))
    assert gate.written == ["a"]


def test_a_write_that_fails_does_not_stop_the_next(gate, caplog):
    behind = WriteBehind()
    behind.put(at("a"), Unwritten("a", 1.0, lambda: 1 / 0))
    behind.put(at("b"), gate.unwritten("b"))
    gate.open.set()
    behind.flush()

    assert gate.written == ["b"]
    assert "not written to the cache: streams" in caplog.text


ENDING = """
import sys
from coachboard.client.cache.write_behind import Unwritten
from coachboard.client.cache.blobs import BlobKey
from coachboard.client.cache.store import CacheStore
store = CacheStore(sys.argv[1], max_bytes=10**9)
for number in range(3):
    at = BlobKey("scope", "streams", str(number))
    store.blobs_behind.put(at, Unwritten(1, 1.0, lambda at=at: store.blobs.put(at, b"x", now=1.0)))
"""


@pytest.mark.slow
def test_a_process_that_ends_without_closing_loses_nothing(tmp_path):
    url = f"sqlite:///{tmp_path / 'cache.db'}"
    subprocess.run([sys.executable, "-c", ENDING, url], check=True, timeout=60, env=os.environ)

    store = CacheStore(url, max_bytes=10**9)
    assert store.blobs.keys("scope", "streams") == {"0", "1", "2"}
    store.close()
