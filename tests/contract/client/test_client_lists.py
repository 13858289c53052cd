"""Lists reach the reader before the cache; a refresh without a change returns the same rows."""

import threading
from datetime import UTC, date, datetime, timedelta

import pandas as pd
import pytest

import faulty_proxy as faults
import seeded
from coachboard.client import NotFound
from coachboard.client.result import ReadDays

ANA = seeded.ATHLETE
MARCH = (date(2026, 3, 1), date(2026, 3, 31))
YEAR = (date(2025, 4, 1), date(2026, 3, 20))


@pytest.fixture
def held_writes(client):
    """A client whose writes of lists wait until they may."""
    gate = threading.Event()
    put = client._store.ranges.put

    def waiting(*args, **kwargs):
        assert gate.wait(10)
        return put(*args, **kwargs)

    client.get_user()
    client._known_own_id()
    client._store.ranges.put = waiting
    yield gate
    gate.set()
    client._store.ranges.put = put


def test_rows_are_the_readers_before_they_are_in_the_cache(client, held_writes, connect):
    result = client.list_notes(ANA, *MARCH)

    assert len(result.value) == len(result.frame) > 0
    assert not result.is_stale
    held_writes.set()
    assert client.list_notes(ANA, *MARCH).value == result.value
    assert connect().list_notes(ANA, *MARCH).value == result.value


def test_a_second_read_of_the_list_waits_for_the_write_and_asks_nothing(client, held_writes, proxy):
    client.list_notes(ANA, *MARCH)
    made = len(proxy.requests)
    found = []
    second = threading.Thread(target=lambda: found.append(client.list_notes(ANA, *MARCH)))
    second.start()
    second.join(0.1)

    assert found == []
    held_writes.set()
    second.join(10)
    assert len(found[0].value) > 0
    assert len(proxy.requests) == made


def test_a_list_cleared_before_it_is_written_is_fetched_again_at_once(client, held_writes, proxy, clock):
    first = client.list_notes(ANA, *MARCH)
    held_writes.set()
    client.forget()
    proxy.requests.clear()

    assert client.list_notes(ANA, *MARCH).value == first.value
    assert len([request for request in proxy.requests if "notes" in request]) == 1


def test_a_write_that_fails_costs_the_reader_nothing_and_the_next_fetches_again(client, proxy, monkeypatch):
    client.get_user()
    put = client._store.ranges.put
    monkeypatch.setattr(client._store.ranges, "put", lambda *_args, **_kwargs: 1 / 0)
    first = client.list_notes(ANA, *MARCH)
    client._store.flush()
    monkeypatch.setattr(client._store.ranges, "put", put)

    assert client.list_notes(ANA, *MARCH).value == first.value
    assert len([request for request in proxy.requests if "notes" in request]) == 2


def test_a_refresh_without_changes_keeps_the_decoded_rows(client, clock):
    before = client.list_activities(ANA, *MARCH)
    clock.now += 3_600
    client.list_activities(ANA, *MARCH)
    assert client.is_settled(10)

    after = client.list_activities(ANA, *MARCH)

    assert after.as_of > before.as_of
    assert not after.is_stale
    assert after.source is before.source


@pytest.fixture
def season(store):
    """A hundred and fifty rides of the last year."""
    newest = datetime(2026, 3, 18, 8, tzinfo=UTC)
    rides = [seeded.activity(f"act_season_{n}", newest - timedelta(days=2 * n)) for n in range(150)]
    store.put_activities(ANA, rides)
    return rides


def test_a_season_from_the_cache_is_the_season_as_fetched(connect, season):
    with connect() as client:
        fetched = client.list_activities(ANA, *YEAR)
        frame, models = fetched.frame, fetched.value
    with connect() as client:
        cached = client.list_activities(ANA, *YEAR)

        assert len(frame) > len(season)
        pd.testing.assert_frame_equal(cached.frame, frame)
        assert cached.value == models


def test_a_user_who_is_not_found_any_more_leaves_nothing_in_the_cache(connect, season, proxy):
    with connect() as client:
        client.list_activities(ANA, *YEAR)
        client.list_notes(ANA, *YEAR)
        proxy.always = faults.says(404, b'{"code":"not_found","error":"No."}')
        with pytest.raises(NotFound):
            client.list_activities(ANA, *YEAR, max_age_s=-1)

        assert {line.kind for line in client._store.contents()} <= {"own id", "profile"}


def test_a_list_says_which_days_were_read_and_how_long_ago(client, clock, proxy):
    first, last = MARCH[0], MARCH[0] + timedelta(days=6)
    assert client.list_notes(ANA, first, last).read_days == (ReadDays(first, last, 0),)
    clock.now += 3 * 86_400
    proxy.always = faults.says(503)

    assert client.list_notes(ANA, *MARCH).read_days == (ReadDays(first, last, 3 * 86_400),)
