"""The bounds of the reply cache."""

from datetime import date

from starlette.responses import Response

from coachboard.service.api import reply_cache
from coachboard.service.api.reply_cache import KnownReply, ReplyState

DAY = date(2026, 3, 20)


def key(name):
    return ("usr_1", name, b"", "identity")


def test_large_replies_are_not_kept():
    replies_now = ReplyState(1, DAY)
    replies_now.keep(key("/a"), KnownReply(Response(b"x" * 256_001), None))

    assert replies_now.replies == {}


def test_when_replies_take_too_much_room_all_are_dropped(monkeypatch):
    monkeypatch.setattr(reply_cache, "_MOST_BYTES", 1_000)
    replies_now = ReplyState(1, DAY)
    for name in "abc":
        replies_now.keep(key(name), KnownReply(Response(b"x" * 400), None))

    assert list(replies_now.replies) == [key("c")]
    assert replies_now.size == 400
