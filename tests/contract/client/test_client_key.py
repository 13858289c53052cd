"""A refused key: the client hides its cached data as soon as the service has refused the key."""

from datetime import date

import pytest

import faulty_proxy as faults
import seeded
from coachboard.client import BadRequest, Unauthorized
from coachboard.client.retry import FAILURE_REST_S, KEY_CHECK_S

ANA = seeded.ATHLETE
MARCH = (date(2026, 3, 1), date(2026, 3, 31))
NO = faults.says(401, b'{"code":"unauthorized","error":"No."}')


def test_a_revoked_key_shows_nothing_once_it_was_looked_at(client, clock, store):
    """All that the page reads is fresh, so that no read of its own would ask the service."""
    client.list_users()
    client.list_activities(ANA, *MARCH)
    for key in store.keys():  # noqa: SIM118 (a store, no mapping)
        store.revoke_key(key.id)
    clock.now += KEY_CHECK_S + 1

    assert client.list_activities(ANA, *MARCH).value
    assert client.is_settled(10)

    for read in (client.list_users, client.get_user, lambda: client.list_activities(ANA, *MARCH)):
        with pytest.raises(Unauthorized):
            read()


def test_a_process_with_a_full_cache_checks_the_key_first(connect, proxy, store):
    with connect() as first:
        first.list_users()
        first.get_user()
    proxy.requests.clear()

    client = connect()
    client.list_users()
    assert client.is_settled(10)

    assert proxy.requests == ["GET /api/users/me"]


def test_the_key_is_not_looked_at_while_replies_come_or_the_look_is_recent(client, proxy, clock):
    client.list_users()
    client.get_user()
    made = len(proxy.requests)
    for _ in range(8):
        clock.now += KEY_CHECK_S / 4 + 0.1
        client.get_user()
        client.list_users()
        assert client.is_settled(10)

    assert len(proxy.requests) - made == 2


def test_a_key_that_is_accepted_again_is_found_out_after_a_rest(client, proxy, clock):
    client.list_users()
    client.get_user()
    proxy.always = NO
    clock.now += KEY_CHECK_S + 1
    client.list_users()
    assert client.is_settled(10)
    proxy.always = None
    with pytest.raises(Unauthorized):
        client.list_users()
    clock.now += FAILURE_REST_S

    assert client.list_users().value


def test_a_key_that_is_accepted_again_is_found_out_at_once_by_a_reader_who_tries_again(client, proxy):
    client.get_user()
    proxy.faults.append(NO)
    with pytest.raises(Unauthorized):
        client.list_users()
    with pytest.raises(Unauthorized):
        client.list_users()
    client.forget_failures()

    assert client.list_users().value


def test_a_key_stays_refused_while_the_service_is_unreachable(client, proxy, clock):
    client.list_users()
    client.get_user()
    proxy.always = NO
    clock.now += KEY_CHECK_S + 1
    client.list_users()
    assert client.is_settled(10)
    proxy.always = faults.reset
    clock.now += FAILURE_REST_S

    with pytest.raises(Unauthorized):
        client.list_users()


def test_a_service_that_answers_400_to_everything_takes_nothing_away(client, proxy, clock):
    client.get_user()
    client.list_users()
    client.list_activities(ANA, *MARCH)
    proxy.always = faults.says(400, b'{"code":"bad_request","error":"No."}')
    clock.now += 30 * 86_400
    reads = (client.get_user, client.list_users, lambda: client.list_activities(ANA, *MARCH))
    for read in reads:
        read()
    assert client.is_settled(10)

    for read in reads:
        result = read()
        assert result.value
        assert result.is_stale
        assert isinstance(result.error, BadRequest)
    wider = client.list_activities(ANA, date(2026, 1, 1), MARCH[1])
    assert len(wider.value) == 4
    assert isinstance(wider.error, BadRequest)
