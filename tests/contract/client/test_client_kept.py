"""Values that a page keeps: the same object while a repeat of their reads would return the same."""

from contextlib import closing, suppress
from datetime import date, timedelta

import pytest
import sqlalchemy as sa

import faulty_proxy as faults
import seeded
from coachboard.client import ServiceError, Unauthorized
from coachboard.client.cache.blobs import BlobKey
from coachboard.client.cache.store import CacheStore
from coachboard.client.cache.write_behind import Unwritten
from coachboard.client.kept import Kept
from coachboard.client.single_resources import TOUCH_EVERY_S

ANA = seeded.ATHLETE
MARCH = (date(2026, 3, 1), date(2026, 3, 31))
JANUARY = (date(2026, 1, 1), date(2026, 1, 31))
TODAY = (seeded.TODAY, seeded.TODAY)


@pytest.fixture
def client(connect, cache_url):
    if not cache_url.startswith("sqlite"):
        pytest.skip("PostgreSQL does not count the writes of other processes: nothing is kept")
    return connect()


def read_march(client):
    return client.list_notes(ANA, *MARCH).value


def kept(client, make, at=()):
    """The value of `make`, kept: the first time, the read fetches and its write follows the answer."""
    client.keep(at, make)
    client.flush()
    return client.keep(at, make)


def is_kept(client, value, make, at=()):
    return client.keep(at, make) is value


def test_a_value_is_kept_and_its_reads_are_not_repeated(client, proxy):
    made = []

    def read():
        made.append(client.list_notes(ANA, *MARCH))
        return made[-1]

    value = kept(client, read)
    asked = len(proxy.requests)

    assert all(is_kept(client, value, read) for _ in range(3))
    assert (value.value, len(made), len(proxy.requests)) == (made[1], 2, asked)


def test_a_value_of_other_arguments_is_made_again(client):
    value = kept(client, lambda: read_march(client), at=1)

    assert not is_kept(client, value, lambda: read_march(client), at=2)
    assert is_kept(client, value, lambda: read_march(client), at=1)


def test_a_value_ends_with_its_last_holder(client):
    made = []

    def read():
        made.append(read_march(client))
        return made[-1]

    first, second = kept(client, read), client.keep((), read)
    assert (second is first, len(made)) == (True, 2)

    del first
    assert client.keep((), read) is second
    del second
    client.keep((), read)
    assert len(made) == 3


@pytest.mark.parametrize(
    ("read", "lasts_s"),
    [(lambda client: client.list_activities(ANA, *TODAY), 120), (lambda client: client.get_user(ANA), 600)],
)
def test_a_value_is_made_again_when_its_read_would_refresh(client, clock, read, lasts_s):
    value = kept(client, lambda: read(client))
    clock.now += lasts_s - 1

    assert is_kept(client, value, lambda: read(client))
    clock.now += 2
    again = client.keep((), lambda: read(client))
    assert again.value.is_stale
    assert not is_kept(client, again, lambda: read(client))


def test_a_value_is_made_again_after_the_clock_was_set_back(client, clock):
    value = kept(client, lambda: read_march(client))
    clock.now -= 1

    assert not is_kept(client, value, lambda: read_march(client))


@pytest.mark.parametrize(
    "read", [lambda client: client.get_streams(seeded.RIDE), lambda client: client.list_notes(ANA, *JANUARY)]
)
def test_a_value_is_made_again_when_its_use_has_to_be_noted(client, clock, read):
    value = kept(client, lambda: read(client))
    clock.now += TOUCH_EVERY_S - 1

    assert is_kept(client, value, lambda: read(client))
    clock.now += 2
    assert not is_kept(client, value, lambda: read(client))


def test_reads_in_the_threads_of_the_client_count(client):
    def read():
        return client.pool.submit(client.list_notes, ANA, *MARCH).result().value

    value = kept(client, read)
    client.list_notes(ANA, *MARCH, max_age_s=-1)
    client.flush()

    assert not is_kept(client, value, read)


def test_another_client_of_the_process_changes_only_its_own_reads(client, connect):
    value = kept(client, lambda: read_march(client))
    other = connect()
    other.list_sleeps(ANA, *MARCH)
    other.get_streams(seeded.RIDE)
    other.flush()

    assert is_kept(client, value, lambda: read_march(client))
    other.list_notes(ANA, *MARCH, max_age_s=-1)
    other.flush()
    assert not is_kept(client, value, lambda: read_march(client))


def test_any_write_of_another_process_may_have_changed_a_value(client, cache_url):
    with closing(CacheStore(cache_url, max_bytes=10**9)) as elsewhere:
        value = kept(client, lambda: read_march(client))
        assert is_kept(client, value, lambda: read_march(client))
        elsewhere.blobs.put(BlobKey("other", "users", ""), b"[]", now=1.0)

    assert not is_kept(client, value, lambda: read_march(client))


def test_a_value_is_made_again_while_a_fetched_value_waits_to_be_written(client):
    value = kept(client, lambda: read_march(client))

    def look():
        seen.append(is_kept(client, value, lambda: read_march(client)))

    seen = []
    client._store.blobs_behind.put(BlobKey("other", "streams", ""), Unwritten(None, 0.0, look))
    client.flush()

    assert seen == [False]
    value = kept(client, lambda: read_march(client))
    assert is_kept(client, value, lambda: read_march(client))


def test_deleted_data_are_read_again(client):
    value = kept(client, lambda: read_march(client))
    client.forget()

    assert not is_kept(client, value, lambda: read_march(client))


def test_a_value_of_a_failed_read_is_not_kept(client, proxy):
    proxy.always = faults.says(503)

    def read():
        with suppress(ServiceError):
            read_march(client)

    value = kept(client, read)

    assert not is_kept(client, value, read)


def test_a_value_with_days_that_could_not_be_fetched_is_not_kept(client, proxy):
    first, last = MARCH[0], MARCH[0] + timedelta(days=9)
    kept(client, lambda: client.list_notes(ANA, first, last))
    proxy.always = faults.says(503)
    value = kept(client, lambda: read_march(client))

    assert not is_kept(client, value, lambda: read_march(client))


def test_a_write_between_the_reads_of_a_value_makes_it_again(client, connect):
    def read():
        found = read_march(client)
        other.list_notes(ANA, *MARCH, max_age_s=-1)
        other.flush()
        return found

    other = connect()
    value = kept(client, read)

    assert not is_kept(client, value, read)


def test_a_page_does_not_wait_for_a_write_to_learn_that_a_value_is_kept(client):
    value = kept(client, lambda: read_march(client))
    with client._store.database.writing("other"):
        assert not is_kept(client, value, lambda: read_march(client))

    value = kept(client, lambda: read_march(client))
    assert is_kept(client, value, lambda: read_march(client))


def test_a_value_with_an_old_read_is_not_kept_though_the_service_is_down(client, proxy, clock):
    value = kept(client, lambda: client.list_activities(ANA, *TODAY))
    proxy.always = faults.says(503)
    clock.now += 3_000
    value = client.keep((), lambda: client.list_activities(ANA, *TODAY))
    assert client.is_settled(10)

    again = client.keep((), lambda: client.list_activities(ANA, *TODAY))
    assert (value.value.is_stale, again.value.is_stale) == (True, True)
    assert again.value.error is not None


def test_a_revoked_key_gets_no_kept_value_once_it_was_looked_at(client, clock, proxy):
    """The look itself begins with a page that reads nothing."""
    value = kept(client, lambda: client.get_streams(seeded.RIDE))
    proxy.always = faults.says(401, b'{"code":"unauthorized","error":"No."}')
    clock.now += 46
    assert is_kept(client, value, lambda: client.get_streams(seeded.RIDE))
    assert client.is_settled(10)

    with pytest.raises(Unauthorized):
        client.keep((), lambda: client.get_streams(seeded.RIDE))


def test_a_value_of_a_cache_in_memory_is_kept_until_the_cache_moves(client):
    value = kept(client, lambda: read_march(client))
    _, writes = client._store.database.engines
    sa.event.listen(writes, "connect", lambda raw, _: raw.execute("PRAGMA query_only=1"))
    writes.dispose()
    client.list_sleeps(ANA, *MARCH)
    client.flush()
    assert client.cache_trouble
    assert not is_kept(client, value, lambda: read_march(client))

    again = kept(client, lambda: read_march(client))
    assert is_kept(client, again, lambda: read_march(client))


def test_a_change_at_the_service_makes_a_value_again(connect, store, clock, cache_url):
    if not cache_url.startswith("sqlite"):
        pytest.skip("PostgreSQL does not count the writes of other processes: nothing is kept")
    client = connect(key=seeded.ATHLETE_KEY, follows_changes=True)

    def read():
        return {row.id for row in client.list_activities("me").value}

    value = kept(client, read)
    assert is_kept(client, value, read)
    store.delete_activities([seeded.RIDE])
    clock.now += 1

    assert value.value - client.keep((), read).value == {seeded.RIDE}


def test_a_value_within_a_value_is_a_fault():
    with pytest.raises(AssertionError):
        Kept.of(lambda: Kept.of(dict, None, 0.0), None, 0.0)


def test_days_of_several_fetches_are_fresh_until_the_first_one_is_old(client, clock):
    yesterday = seeded.TODAY - timedelta(days=1)
    client.list_activities(ANA, yesterday, yesterday)
    clock.now += 100

    def read():
        return client.list_activities(ANA, yesterday, seeded.TODAY)

    value = kept(client, read)
    clock.now += 19
    assert is_kept(client, value, read)
    clock.now += 2
    assert not is_kept(client, value, read)
