"""Limits counted in the database, and in the process."""

import asyncio

import pytest

from coachboard.service.api.errors import TooManyRequests
from coachboard.service.api.limits import PER_USER, OwnCounters, RateLimits, SharedCounters


class Clock:
    now = 600.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


async def taken(limits, times):
    for _ in range(times):
        await limits.take_for_user("key_1", "usr_1")


def test_two_processes_on_one_database_share_a_limit(store, clock):
    """Each has its own counters object; the rows are the same."""
    one, other = (RateLimits(SharedCounters(store), clock) for _ in range(2))
    asyncio.run(taken(one, PER_USER - 10))
    asyncio.run(taken(other, 10))

    with pytest.raises(TooManyRequests) as refused:
        asyncio.run(taken(one, 1))
    assert refused.value.headers == {"Retry-After": "60"}


@pytest.mark.parametrize("make", [SharedCounters, lambda _store: OwnCounters()], ids=["shared", "own"])
def test_a_new_minute_counts_from_nothing(store, clock, make):
    limits = RateLimits(make(store), clock)
    asyncio.run(taken(limits, PER_USER))
    clock.now += 60

    asyncio.run(taken(limits, PER_USER))
    with pytest.raises(TooManyRequests):
        asyncio.run(taken(limits, 1))


def test_a_process_whose_clock_lags_still_counts(store, clock):
    """Windows that are just over are kept until the next one."""
    late = Clock()
    late.now = clock.now - 1
    asyncio.run(taken(RateLimits(SharedCounters(store), late), 5))
    asyncio.run(taken(RateLimits(SharedCounters(store), clock), 5))

    assert store.count("key_1 usr_1", 10) == 6
