"""Without a usable cache the client reads the service within the budget and reports the fault."""

from datetime import date

import pytest

import faulty_proxy as faults
import seeded
from cache_faults import spoil
from coachboard.client import Client, Options, Unreachable
from coachboard.client.commands import sync_command
from contract.client.test_client_reads import inviting
from contract.client.test_client_sync import run

ANA = seeded.ATHLETE
MARCH = (date(2026, 3, 1), date(2026, 3, 31))


@pytest.fixture
def without(proxy, clock, tmp_path):
    """A client whose cache would lie where no folder can be."""
    (tmp_path / "file").write_text("no folder")
    options = Options(today=seeded.TODAY, clock=clock, sleep=clock.sleep)
    url = f"sqlite:///{tmp_path}/file/cache.db"
    with Client(proxy.url, seeded.COACH_KEY, cache_url=url, options=options) as client:
        yield client


def break_cache(client):
    """The disk is full, or the right to write is gone: what SQLite says then, from its own bound."""
    database = client._cache.database
    if database.path is None:
        pytest.skip("the server's going away is tested with the cache alone")
    spoil(database, "query_only=1")


def test_a_client_without_a_place_for_its_cache_reads_and_says_so(without, proxy):
    assert without.cache_trouble
    assert len(without.list_activities(ANA, *MARCH).value) == 4
    assert len(without.list_activities(ANA, *MARCH).value) == 4
    assert without.get_streams(seeded.RIDE).value == seeded.streams()
    assert without.known_streams(seeded.RIDE) is not None
    without.keep_derived("curve", 1, "a", b"x")
    assert without.known_derived_of("curve", 1, ["a"]) == {"a": b"x"}
    assert without.holding().size_bytes > 0
    without.forget()
    assert len([request for request in proxy.requests if "activities?" in request]) == 1


def test_a_cache_that_fails_while_it_is_used_is_seen_by_nobody_but_who_asks(client, proxy):
    assert client.cache_trouble is None
    client.list_activities(ANA, *MARCH)
    break_cache(client)

    lists = (client.list_activities, client.list_notes, client.list_sleeps, client.list_metrics)
    assert all(read(ANA, date(2026, 1, 1), MARCH[1]).error is None for read in lists)
    assert len(client.list_activities(ANA, *MARCH).value) == 4
    assert client.list_users().value
    assert client.get_streams(seeded.RIDE).value == seeded.streams()
    assert client.is_settled(10)
    assert "readonly" in client.cache_trouble


def test_the_budget_is_kept_without_the_cache(client, proxy, clock):
    """Forty reads of one user, the cache failing after twenty: still thirty a minute."""
    for number in range(40):
        if number == 20:
            break_cache(client)
        client.list_notes(ANA, date(2026, 1, 1), date(2026, 3, 1 + number % 28), max_age_s=-1)

    assert client._rate_limit.refusals == 0
    assert 55 < sum(clock.slept) < 130


def test_a_request_that_is_long_on_its_way_causes_no_429(client, proxy, clock):
    """The first of thirty arrives half a minute late: the service counts it then, and so does the client."""
    client.get_user()
    clock.now += 100

    def late(exchange):
        clock.now += 30.0
        exchange.answer(exchange.ask())

    proxy.faults.append(late)
    for number in range(60):
        client.list_notes(ANA, date(2026, 1, 1), date(2026, 3, 1 + number % 28), max_age_s=-1)

    assert client._rate_limit.refusals == 0
    assert len(proxy.requests) == 61


def test_an_invitation_is_sent_once_though_the_cache_fails(client, proxy):
    break_cache(client)
    assert client.create_invitation(seeded.SQUAD, inviting("new@example.org")).code
    assert len(proxy.requests) == 1


def test_service_and_cache_both_gone_is_the_services_error(without, proxy):
    proxy.always = faults.reset

    with pytest.raises(Unreachable):
        without.list_activities(ANA, *MARCH)


def test_a_sync_into_nothing_is_refused(proxy, tmp_path):
    (tmp_path / "file").write_text("no folder")
    environment = {
        "COACHBOARD_BASE_URL": proxy.url,
        "COACHBOARD_API_KEY": seeded.COACH_KEY,
        "COACHBOARD_CACHE_URL": f"sqlite:///{tmp_path}/file/cache.db",
    }

    result = run(sync_command, environment)

    assert result.exit_code == 1
    assert "cannot use the cache: FileExistsError" in result.stderr
