"""Cached data: read without a request, refreshed in the background, counted and deleted."""

import threading
from datetime import date

import numpy as np
import pytest
import sqlalchemy as sa

import faulty_proxy as faults
import seeded
from coachboard.analytics.session.mean_maximal import DURATIONS
from coachboard.client import NotFound, ServiceError, ranged_lists
from coachboard.client.cache import write_behind
from coachboard.client.cache.blobs import BlobKey
from coachboard.client.cache.ranges import Ranges
from coachboard.client.cache.write_behind import Unwritten
from coachboard.client.concurrency import Memo
from coachboard.client.transport.rate_limit import KEY_LIMIT
from coachboard.loaders import power_curves
from running import wait_until

ANA = seeded.ATHLETE
MARCH = (date(2026, 3, 1), date(2026, 3, 31))


def streams_asked(proxy):
    return [request for request in proxy.requests if "streams" in request]


def test_streams_are_known_once_they_were_read_and_no_request_is_made_for_it(client, proxy):
    assert client.known_streams(seeded.RIDE) is None
    client.get_streams(seeded.RIDE)

    assert client.known_streams(seeded.RIDE).value == seeded.streams()
    assert len(streams_asked(proxy)) == 1


def test_streams_that_do_not_exist_are_not_known(client):
    client.fetch_streams_soon(seeded.BARE)
    assert client.is_settled(10)

    assert client.known_streams(seeded.BARE) is None
    assert client.without_streams() == {seeded.BARE}


def test_streams_that_do_not_exist_are_asked_for_once_until_the_session_is_opened(client, proxy, clock):
    for _ in range(2):
        client.fetch_streams_soon(seeded.BARE)
        assert client.is_settled(10)
        clock.now += 3600
    assert len(streams_asked(proxy)) == 1

    with pytest.raises(NotFound):
        client.get_streams(seeded.BARE)
    assert len(streams_asked(proxy)) == 2


def test_streams_that_are_fetched_soon_are_known_when_the_background_is_done(client, proxy):
    for _ in range(3):
        client.fetch_streams_soon(seeded.RIDE)
    assert client.is_settled(10)
    client.fetch_streams_soon(seeded.RIDE)
    assert client.is_settled(10)

    assert client.known_streams(seeded.RIDE).value == seeded.streams()
    assert len(streams_asked(proxy)) == 1


def test_a_fetch_that_failed_is_not_tried_again_at_once(client, proxy, clock):
    proxy.always = faults.says(403)
    for _ in range(3):
        client.fetch_streams_soon(seeded.RIDE)
        assert client.is_settled(10)
    assert len(streams_asked(proxy)) == 1

    proxy.always = None
    clock.now += 60
    client.fetch_streams_soon(seeded.RIDE)
    assert client.is_settled(10)
    assert client.known_streams(seeded.RIDE) is not None


def test_streams_are_the_readers_before_they_are_in_the_cache(connect, proxy):
    """While the writer is busy this process reads what is under way; the next one finds it written."""
    client, gate = connect(), threading.Event()
    busy_with = BlobKey(client.scope, "something", "else")
    client._store.blobs_behind.put(busy_with, Unwritten(None, 0.0, lambda: gate.wait(10)))

    assert client.get_streams(seeded.RIDE).value == seeded.streams()
    assert client.get_streams(seeded.RIDE).value == seeded.streams()
    assert client._store.blobs.keys(client.scope, "streams") == set()
    gate.set()
    client.close()

    assert connect().known_streams(seeded.RIDE).value == seeded.streams()
    assert len(streams_asked(proxy)) == 1


def test_streams_cannot_be_changed_by_who_reads_them(client):
    fresh, kept = (client.get_streams(seeded.RIDE).value for _ in range(2))

    for streams in (fresh, kept):
        with pytest.raises(ValueError, match="read-only"):
            streams.columns["power"][0] = np.nan


def test_the_users_are_asked_for_while_the_profile_is_on_its_way_and_once(client, proxy):
    proxy.always = faults.held
    client.fetch_users_soon()
    threads = [threading.Thread(target=ask) for ask in (client.get_user, client.list_users)]
    for thread in threads:
        thread.start()
    wait_until(lambda: len(proxy.requests) == 2, "only one was asked for")
    proxy.gate.set()
    for thread in threads:
        thread.join(10)
    client.fetch_users_soon()

    assert client.is_settled(10)
    assert sorted(proxy.requests) == ["GET /api/users", "GET /api/users/me"]


def test_a_derived_result_is_known_for_its_version_alone(connect):
    connect().derived("curve", 2, "act_ride", lambda: b"curve")
    client = connect()

    assert client.known_derived("curve", 2, "act_ride") == b"curve"
    assert client.known_derived("curve", 1, "act_ride") is None
    assert client.known_derived("zones", 2, "act_ride") is None
    assert connect(seeded.ATHLETE_KEY).known_derived("curve", 2, "act_ride") is None


def test_the_curve_of_a_season_is_one_query(connect):
    """However many sessions there are, and none of another version, kind or key."""
    client = connect()
    curve = np.full(len(DURATIONS), 200.0)
    kind = f"{power_curves.KIND} power"
    for number in range(30):
        best = curve + number
        client.derived(kind, power_curves.VERSION, f"act_{number}", best.tobytes)
    client.derived(kind, power_curves.VERSION - 1, "act_old", (curve + 500).tobytes)
    client.derived(kind, power_curves.VERSION, "act_else", (curve + 500).tobytes)
    connect(seeded.ATHLETE_KEY).derived(kind, power_curves.VERSION, "act_other", (curve + 500).tobytes)
    said = []
    sa.event.listen(
        client._store.database.engines[0], "before_cursor_execute", lambda *event: said.append(event[2])
    )

    ids = [*(f"act_{number}" for number in range(30)), "act_old", "act_other"]
    found = power_curves.best_of_ids(client, ids, "power", most_new=0)

    assert len([one for one in said if "SELECT" in one]) == 2, (
        said
    )  # the curves, the sessions without streams
    assert (found.known, found.total, found.best[0]) == (30, 32, 229)


def test_each_request_costs_one_of_the_budget_until_its_minute_is_over(client, clock):
    client.get_user()
    assert client.requests_left() == KEY_LIMIT - 1
    client.list_users()
    client.list_users()
    assert client.requests_left() == KEY_LIMIT - 2

    clock.now += 61
    assert client.requests_left() == KEY_LIMIT


def test_the_size_and_age_of_the_cache_are_those_of_this_key(connect, clock):
    client = connect()
    began = clock.now
    assert client.holding().size_bytes == 0
    assert client.holding().oldest is client.holding().newest is None

    client.list_activities(ANA, *MARCH)
    clock.now += 100
    client.list_notes(ANA, *MARCH)

    client.flush()
    held = client.holding()
    assert held.size_bytes > 1_000
    assert (held.oldest.timestamp(), held.newest.timestamp()) == (began, began + 100)
    assert connect(seeded.ATHLETE_KEY).holding().size_bytes == 0


def test_the_size_of_the_cache_waits_for_no_write(connect):
    client, gate = connect(), threading.Event()
    client.list_notes(ANA, *MARCH)
    client.flush()
    size_bytes = client.holding().size_bytes
    write_behind._WRITER.submit(gate.wait, 10)
    client.list_metrics(ANA, *MARCH)

    assert client.holding().size_bytes == size_bytes
    gate.set()
    client.flush()
    assert client.holding().size_bytes > size_bytes


def test_a_cleared_cache_is_fetched_again_and_other_keys_keep_theirs(connect, proxy):
    client, other = connect(), connect(seeded.ATHLETE_KEY)
    for reader in (client, other):
        reader.list_activities(ANA, *MARCH)
        reader.flush()
    client.get_streams(seeded.RIDE)
    left = client.requests_left()
    client.forget()
    asked = len(proxy.requests)

    assert client.holding().size_bytes == 0
    assert client.known_streams(seeded.RIDE) is None
    assert client.requests_left() == left
    assert other.holding().size_bytes > 0
    assert len(client.list_activities(ANA, *MARCH).value) == 4
    assert len(proxy.requests) == asked + 2  # who reads, and the list


def clients_in(memo):
    """The clients whose decoded rows the memo has; no entry is removed."""
    found = []
    memo.remove_if(lambda key: found.append(key[0]))
    return set(found)


def test_a_closed_client_frees_its_decoded_rows_and_no_others(connect, monkeypatch):
    memo = Memo(10_000)
    monkeypatch.setattr(ranged_lists, "_DECODED", memo)
    monkeypatch.setattr(ranged_lists, "_IDENTITIES", Memo(10_000))
    first, second = connect(), connect()
    for client in (first, second, first, second):
        assert client.list_metrics(ANA, *MARCH).value
        assert client.is_settled(10)
    assert len(clients_in(memo)) == 2
    kept = clients_in(memo)
    held = first.list_sleeps(ANA, *MARCH)
    first.flush()
    memo.remove_if(lambda key: key[0] is first._lists._client_id)
    later = first.list_sleeps(ANA, *MARCH)
    first.close()

    assert len(later.value) == len(held.value)
    assert len(clients_in(memo)) == len(clients_in(ranged_lists._IDENTITIES)) == 1
    assert clients_in(memo) < kept
    assert second.list_metrics(ANA, *MARCH).value


def test_a_client_frees_the_rows_of_a_list_that_is_written_while_it_closes(connect, monkeypatch):
    memo, gate = Memo(10_000), threading.Event()
    monkeypatch.setattr(ranged_lists, "_DECODED", memo)
    client = connect()
    write_behind._WRITER.submit(gate.wait, 10)
    client.list_metrics(ANA, *MARCH)
    closing = threading.Thread(target=client.close)
    closing.start()
    gate.set()
    closing.join(10)

    assert clients_in(memo) == set()


@pytest.fixture
def no_room(monkeypatch):
    """No decoded rows stay in memory."""
    monkeypatch.setattr(ranged_lists, "_DECODED", Memo(0))


def read_later(client):
    """The activities as a first read decoded them, and as a read without decoding gives them."""
    first = client.list_activities(ANA, *MARCH)
    client.flush()
    later = client.list_activities(ANA, *MARCH)
    assert later.source is not first.source
    return first, later


@pytest.mark.usefixtures("no_room")
def test_rows_that_left_memory_are_known_without_decoding(client, monkeypatch):
    """A renewed roster of 60 athletes decoded all rows, though none had changed."""
    first, later = read_later(client)
    with monkeypatch.context() as context:
        context.setattr(Ranges, "rows", None)
        assert later.identity is first.identity is client.list_activities(ANA, *MARCH).identity
        assert len(later) == len(first)
        assert repr(later) == repr(first)

    assert later.value == first.value
    with monkeypatch.context() as context:
        context.setattr(Ranges, "rows", None)
        assert later.frame.equals(first.frame)
        assert later.rows({seeded.RIDE}) == first.rows({seeded.RIDE})


def test_rows_that_another_result_decoded_are_not_decoded_again(client, monkeypatch):
    with monkeypatch.context() as context:
        context.setattr(ranged_lists, "_DECODED", Memo(0))
        read_later(client)
    one, other = (client.list_activities(ANA, *MARCH) for _ in range(2))
    assert one.value
    monkeypatch.setattr(Ranges, "rows", None)

    assert other.value is one.value


@pytest.mark.usefixtures("no_room")
def test_the_faults_of_rows_that_left_memory_are_known(client, proxy):
    client.get_user()
    proxy.faults.append(faults.changed(lambda body: body.replace(b'"cycling"', b'"hoverboarding"', 1)))
    first, later = read_later(client)

    assert later.problems == first.problems
    assert later.problems


@pytest.mark.usefixtures("no_room")
def test_rows_that_change_before_they_are_decoded_are_the_present_ones(client, store, clock):
    first, later = read_later(client)
    store.delete_activities([seeded.LATE_RIDE])
    clock.now += 1
    client.list_activities(ANA, *MARCH, max_age_s=0)
    client.flush()

    assert len(later.value) == len(later.frame) == len(first.value) - 1
    assert client.list_activities(ANA, *MARCH).identity is not first.identity


@pytest.mark.usefixtures("no_room")
def test_rows_that_leave_the_cache_before_they_are_decoded_are_fetched(client, proxy):
    first, later = read_later(client)
    client.forget()
    fetched = len(proxy.requests)

    assert later.value == first.value
    assert len(proxy.requests) == fetched + 1
    assert "activities" in proxy.requests[-1]


@pytest.mark.usefixtures("no_room")
def test_rows_that_left_the_cache_raise_the_error_of_the_service(client, proxy):
    _, later = read_later(client)
    client.forget()
    proxy.always = faults.says(403)

    with pytest.raises(ServiceError):
        len(later.value)


@pytest.mark.parametrize(("read", "row_kb"), [("list_activities", 16), ("list_metrics", 1)])
def test_rows_with_nested_lists_take_their_share_of_the_room(connect, monkeypatch, read, row_kb):
    client = connect()
    kb = len(getattr(client, read)(ANA, *MARCH).value) * row_kb
    for room, is_kept in ((kb, False), (kb + 1, True)):
        memo = Memo(room)
        monkeypatch.setattr(ranged_lists, "_DECODED", memo)
        assert getattr(client, read)(ANA, *MARCH).value
        assert (clients_in(memo) != set()) is is_kept
