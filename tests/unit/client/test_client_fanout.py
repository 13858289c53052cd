"""Asking many: results as they come, the first before all others have begun."""

import threading

from coachboard.client import fanout
from coachboard.client.fanout import Pool


def test_the_first_is_answered_before_the_others_are_asked():
    pool, asked = Pool(), []

    outcomes = pool.each(lambda name: asked.append(name) or name.upper(), ["a", "b", "c"])

    assert sorted(outcomes) == [("a", "A"), ("b", "B"), ("c", "C")]
    assert asked[0] == "a"
    pool.shutdown()


def test_a_first_that_takes_long_holds_nobody_up(monkeypatch):
    monkeypatch.setattr(fanout, "HEAD_START_S", 0.01)
    pool, gate = Pool(), threading.Event()

    def ask(name):
        assert name != "slow" or gate.wait(10)
        return name

    outcomes = pool.each(ask, ["slow", "b", "c"])
    others = {next(outcomes)[0], next(outcomes)[0]}
    gate.set()

    assert others == {"b", "c"}
    assert next(outcomes) == ("slow", "slow")
    pool.shutdown()


def test_nobody_is_asked_for_nobody():
    assert list(Pool().each(str, [])) == []
