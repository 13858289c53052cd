"""Lists are the reader's before they are in the cache; what a refresh finds unchanged stays as it is."""

import threading
from datetime import UTC, date, datetime, timedelta

import pandas as pd
import pytest

import faulty_proxy as faults
import seeded
from coachboard.client import NotFound
from coachboard.client.frames import MANY_ROWS

ANA = seeded.ATHLETE
MARCH = (date(2026, 3, 1), date(2026, 3, 31))
YEAR = (date(2025, 4, 1), date(2026, 3, 20))


@pytest.fixture
def held_writes(client):
    """A client whose writes of lists wait until they may."""
    gate = threading.Event()
    put = client._store.lists.put

    def waiting(*args, **kwargs):
        assert gate.wait(10)
        return put(*args, **kwargs)

    client.get_user()
    client._own.known()
    client._store.lists.put = waiting
    yield gate
    gate.set()
    client._store.lists.put = put


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


def test_what_is_forgotten_while_it_is_on_its_way_is_fetched_again_at_once(client, held_writes, proxy, clock):
    first = client.list_notes(ANA, *MARCH)
    held_writes.set()
    client.forget()
    proxy.requests.clear()

    assert client.list_notes(ANA, *MARCH).value == first.value
    assert len([request for request in proxy.requests if "notes" in request]) == 1


def test_a_write_that_fails_costs_the_reader_nothing_and_the_next_fetches_again(client, proxy, monkeypatch):
    client.get_user()
    put = client._store.lists.put
    monkeypatch.setattr(client._store.lists, "put", lambda *_args, **_kwargs: 1 / 0)
    first = client.list_notes(ANA, *MARCH)
    client._store.flush()
    monkeypatch.setattr(client._store.lists, "put", put)

    assert client.list_notes(ANA, *MARCH).value == first.value
    assert len([request for request in proxy.requests if "notes" in request]) == 2


def test_a_refresh_that_brings_nothing_new_leaves_what_was_decoded(client, clock):
    before = client.list_activities(ANA, *MARCH)
    clock.now += 3_600
    client.list_activities(ANA, *MARCH)
    assert client.is_settled(10)

    after = client.list_activities(ANA, *MARCH)

    assert after.as_of > before.as_of
    assert not after.is_stale
    assert after._source is before._source


@pytest.fixture
def season(store):
    """A hundred and fifty rides of the last year."""
    newest = datetime(2026, 3, 18, 8, tzinfo=UTC)
    rides = [seeded.activity(f"act_season_{n}", newest - timedelta(days=2 * n)) for n in range(150)]
    store.put_activities(ANA, rides)
    return rides


def show(client):
    """Have a frame made, and kept."""
    assert len(client.list_activities(ANA, *YEAR).frame) > MANY_ROWS
    client._store.flush()
    assert client.is_settled(10)


def test_the_frame_of_a_long_list_is_kept_and_is_the_frame_of_its_rows(connect, clock, season):
    with connect() as client:
        first = client.list_activities(ANA, *YEAR)
        made, models = first.frame, first.value
        client._store.flush()
        assert client.is_settled(10)
    with connect() as client:
        result = client.list_activities(ANA, *YEAR)

        assert len(made) > MANY_ROWS
        assert type(result._source).__name__ == "FramedRows"
        pd.testing.assert_frame_equal(result.frame, made)
        assert result.value == models


def test_a_kept_frame_gives_way_to_a_list_that_has_changed(connect, clock, season, store):
    with connect() as client:
        show(client)
    store.delete_activities([season[0].id])
    clock.now += 3_600
    with connect() as client:
        client.list_activities(ANA, *YEAR, max_age_s=0)
        assert client.is_settled(10)
    with connect() as client:
        frame = client.list_activities(ANA, *YEAR).frame

        assert season[0].id not in set(frame["id"])
        assert len(frame) == len(client.list_activities(ANA, *YEAR).value)


def test_rows_behind_a_frame_are_fetched_again_where_the_cache_has_lost_them(connect, season):
    with connect() as client:
        models = client.list_activities(ANA, *YEAR).value
        show(client)
    with connect() as client:
        result = client.list_activities(ANA, *YEAR)
        client.forget()

        assert result.value == models


def test_who_may_not_be_seen_any_more_leaves_no_frame_behind(connect, clock, season, proxy):
    with connect() as client:
        show(client)
        assert "frame activities" in {line.kind for line in client._store.contents()}
        proxy.always = faults.says(404, b'{"code":"not_found","error":"No."}')
        with pytest.raises(NotFound):
            client.list_activities(ANA, *YEAR, max_age_s=-1)

        assert "frame activities" not in {line.kind for line in client._store.contents()}
