"""A clock that is set while the client runs: cached data expire in time, and every age is true."""

from datetime import UTC, date, datetime

import pytest

import faulty_proxy as faults
import seeded

ANA = seeded.ATHLETE
MARCH = (date(2026, 3, 1), date(2026, 3, 31))
DAY_S = 86_400.0


def now(clock):
    return datetime.fromtimestamp(clock.now, UTC)


@pytest.mark.parametrize("jump_s", [-400 * DAY_S, -3 * 3_600.0, 3 * 3_600.0, 400 * DAY_S])
def test_cached_data_are_stale_after_a_clock_jump_and_fresh_after_a_refresh(client, clock, jump_s):
    reads = (
        client.get_user,  # first: what else is read asks for it too, to learn whether the key is still accepted
        lambda: client.list_activities(ANA, *MARCH),
        lambda: client.list_notes(ANA, *MARCH),
        client.list_users,
    )
    before = [read().value for read in reads]
    clock.now += jump_s

    for read, known in zip(reads, before, strict=True):
        shown = read()
        assert shown.value == known
        assert shown.is_stale
        assert shown.as_of <= now(clock)
    assert client.is_settled(10)
    for read, known in zip(reads, before, strict=True):
        renewed = read()
        assert renewed.value == known
        assert not renewed.is_stale
        assert renewed.as_of == now(clock)


def test_an_age_that_is_asked_for_does_not_count_from_a_moment_ahead(client, clock, store):
    client.list_notes(ANA, *MARCH)
    client.list_users()
    clock.now -= DAY_S
    store.put_notes(ANA, [seeded.NewNote(seeded.note("not_new", seeded.TODAY), ANA)])

    assert "not_new" in {row.id for row in client.list_notes(ANA, *MARCH, max_age_s=300).value}
    assert client.list_users(max_age_s=300).as_of == now(clock)


def test_streams_stay_fresh_after_a_clock_jump(client, proxy, clock):
    client.get_streams(seeded.RIDE)
    made = len([request for request in proxy.requests if "streams" in request])
    clock.now -= 2 * DAY_S

    result = client.get_streams(seeded.RIDE)

    assert client.is_settled(10)
    assert not result.is_stale
    assert result.as_of <= now(clock)
    assert len([request for request in proxy.requests if "streams" in request]) == made


def test_a_429_holds_for_its_seconds_though_the_clock_is_set_back_meanwhile(connect, proxy, clock):
    noon = clock.now

    def sleep(seconds):
        clock.sleep(seconds)
        if clock.now > noon:
            clock.now -= DAY_S

    client = connect(sleep=sleep)
    client.get_user()
    proxy.faults.append(faults.limited("7"))

    assert client.list_users().value
    assert clock.now < noon
    assert sum(clock.slept) < 30


def test_a_failure_of_before_does_not_keep_a_refresh_from_being_tried(client, proxy, clock):
    client.list_notes(ANA, *MARCH)
    clock.now += 3_600
    proxy.always = faults.reset
    client.list_notes(ANA, *MARCH)
    assert client.is_settled(10)
    proxy.always = None
    clock.now -= 3_500

    client.list_notes(ANA, *MARCH)
    assert client.is_settled(10)
    assert client.list_notes(ANA, *MARCH).error is None


def test_a_clock_that_jumps_ahead_ends_the_waiting_and_a_429_is_honoured_as_ever(client, proxy, clock):
    """The log cannot know that less time has passed for the service, which then says so."""
    client.get_user()
    for day in range(1, 29):
        client.list_notes(ANA, date(2026, 1, day), date(2026, 3, 31), max_age_s=-1)
    proxy.faults.append(faults.limited("5"))
    clock.now += 3_600

    assert client.list_sleeps(ANA, *MARCH).value
    assert sum(clock.slept) == pytest.approx(5.0)
