"""Cached data: read without a request, refreshed in the background, counted and deleted."""

from datetime import date

import numpy as np
import pytest

import faulty_proxy as faults
import seeded
from coachboard.client import NotFound, Options, ServiceError
from coachboard.client.cache import release_store, share_store
from coachboard.client.database import ENTRIES
from coachboard.client.pacing import KEY_LIMIT
from coachboard.formulas.session.mean_maximal import DURATIONS
from coachboard.loaders import power_curves
from databases import statements_sent

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
    with pytest.raises(NotFound):
        client.pass_streams(seeded.BARE)

    assert client.known_streams(seeded.BARE) is None
    assert client.without_streams() == {seeded.BARE}


def test_a_fetch_that_failed_is_not_tried_again_at_once(client, proxy, clock):
    proxy.always = faults.says(403)
    for _ in range(3):
        with pytest.raises(ServiceError):
            client.pass_streams(seeded.RIDE)
    assert len(streams_asked(proxy)) == 1

    proxy.always = None
    clock.now += 60
    assert client.pass_streams(seeded.RIDE) == seeded.streams()


def test_a_failure_that_counts_for_a_while_does_not_grow_with_each_read(client, proxy):
    proxy.always = faults.says(403)
    depths = []
    for _ in range(4):
        with pytest.raises(ServiceError) as failure:
            client.pass_streams(seeded.RIDE)
        depths.append(len(failure.traceback))

    assert depths[1] == depths[-1]


def test_streams_cannot_be_changed_by_who_reads_them(client):
    fresh, kept = (client.get_streams(seeded.RIDE).value for _ in range(2))

    for streams in (fresh, kept):
        with pytest.raises(ValueError, match="read-only"):
            streams.columns["power"][0] = np.nan


def test_a_derived_result_is_known_for_its_version_kind_and_key_alone(connect):
    connect().keep_derived("curve", 2, "act_ride", b"curve")
    client = connect()

    assert client.known_derived_of("curve", 2, ["act_ride"]) == {"act_ride": b"curve"}
    assert not client.known_derived_of("curve", 1, ["act_ride"])
    assert not client.known_derived_of("zones", 2, ["act_ride"])
    assert not connect(seeded.ATHLETE_KEY).known_derived_of("curve", 2, ["act_ride"])


def test_the_curve_of_a_season_is_one_query(connect, cache_url):
    """However many sessions there are, and none of another version, kind or key."""
    client = connect()
    curve = np.full(len(DURATIONS), 200.0)
    kind = f"{power_curves.KIND} power"
    for number in range(30):
        best = curve + number
        client.keep_derived(kind, power_curves.VERSION, f"act_{number}", best.tobytes())
    client.keep_derived(kind, power_curves.VERSION - 1, "act_old", (curve + 500).tobytes())
    client.keep_derived(kind, power_curves.VERSION, "act_else", (curve + 500).tobytes())
    connect(seeded.ATHLETE_KEY).keep_derived(kind, power_curves.VERSION, "act_other", (curve + 500).tobytes())
    ids = [f"act_{number}" for number in range(30)]
    with statements_sent(cache_url) as sent:
        power_curves.best_of_ids(client, ids, "power", power_curves.kept_curves)
    queries = [statement for statement, _ in sent if "SELECT" in statement and ENTRIES.name in statement]
    best = power_curves.best_of_ids(client, [*ids, "act_old", "act_other"], "power", power_curves.kept_curves)

    assert len(queries) == 2, queries  # the curves, the sessions without streams
    assert (best.used, best.total, best.best[0]) == (30, 32, 229)


def test_a_profile_and_streams_of_the_cache_are_one_query_each(client, cache_url):
    client.list_notes(ANA, *MARCH)  # learns the owner's id
    client.get_user(ANA)
    client.get_streams(seeded.RIDE)
    with statements_sent(cache_url) as sent:
        client.get_user(ANA)
        client.get_streams(seeded.RIDE)

    queries = [statement for statement, _ in sent if "SELECT" in statement and ENTRIES.name in statement]
    assert len(queries) == 2, queries


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

    held = client.holding()
    assert held.size_bytes > 1_000
    assert (held.oldest.timestamp(), held.newest.timestamp()) == (began, began + 100)
    assert connect(seeded.ATHLETE_KEY).holding().size_bytes == 0


def test_a_cleared_cache_is_fetched_again_and_other_keys_keep_theirs(connect, proxy):
    client, other = connect(), connect(seeded.ATHLETE_KEY)
    for reader in (client, other):
        reader.list_activities(ANA, *MARCH)
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


def test_the_rows_of_a_closed_client_leave_memory(connect, cache_url):
    client, other = connect(), connect(seeded.ATHLETE_KEY)
    store = share_store(cache_url, max_bytes=Options().cache_max_mb * 2**20)
    for reader in (client, other):
        assert reader.list_metrics(ANA, *MARCH).value
    before = {key[0] for key in store.decoded.matching(lambda _: True)}
    client.close()
    after = {key[0] for key in store.decoded.matching(lambda _: True)}
    release_store(store)

    assert (before, after) == ({client.scope, other.scope}, {other.scope})
