"""What a process remembers, and for how long."""

from datetime import date

from starlette.responses import Response

from coachboard.service import memory
from coachboard.service.memory import KnownReply, Remembered

DAY = date(2026, 3, 20)


def key(name):
    return ("usr_1", name, b"", "identity")


def test_large_replies_are_not_kept():
    remembered = Remembered(1, DAY)
    remembered.keep(key("/a"), KnownReply(Response(b"x" * 256_001), None))

    assert remembered.replies == {}


def test_when_replies_take_too_much_room_all_are_dropped(monkeypatch):
    monkeypatch.setattr(memory, "_MOST_BYTES", 1_000)
    remembered = Remembered(1, DAY)
    for name in "abc":
        remembered.keep(key(name), KnownReply(Response(b"x" * 400), None))

    assert list(remembered.replies) == [key("c")]
    assert remembered.size == 400
