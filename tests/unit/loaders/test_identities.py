"""Stored keys of identities are encrypted, each for its own identity."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from pydantic import SecretStr
from sqlalchemy import select

from coachboard.loaders.identities import Identities
from coachboard.loaders.local_store import IDENTITY_KEYS, open_store
from databases import DATABASES, empty_database

ISSUER = "https://id.example"
KEY = SecretStr("anas-own-key")


@pytest.fixture
def engine(tmp_path):
    engine = open_store(f"sqlite:///{tmp_path / 'cache.db'}")
    yield engine
    engine.dispose()


@pytest.fixture
def identities(engine):
    return Identities(engine, SecretStr("a long secret"))


def test_an_identity_gets_its_own_key_back(identities):
    identities.keep(ISSUER, "ana", KEY)

    assert identities.key_of(ISSUER, "ana") == KEY
    assert identities.key_of(ISSUER, "ben") is None
    assert identities.key_of("https://other.example", "ana") is None


@pytest.mark.parametrize("database", DATABASES)
def test_tabs_that_store_a_key_at_the_same_time_leave_the_last(database, tmp_path):
    """PostgreSQL lets two transactions delete nothing and insert the same row."""
    tabs = 8
    with empty_database(database, tmp_path) as url:
        engine = open_store(url)
        identities, at_once = Identities(engine, SecretStr("a long secret")), Barrier(tabs)

        def keep(tab):
            at_once.wait(10)
            identities.keep(ISSUER, "ana", SecretStr(f"key-{tab}"))

        with ThreadPoolExecutor(tabs) as pool:
            assert list(pool.map(keep, range(tabs))) == [None] * tabs
        assert identities.key_of(ISSUER, "ana") in [SecretStr(f"key-{tab}") for tab in range(tabs)]
        engine.dispose()


def test_a_later_key_takes_the_place_of_the_former(identities):
    identities.keep(ISSUER, "ana", KEY)
    identities.keep(ISSUER, "ana", SecretStr("new-key"))

    assert identities.key_of(ISSUER, "ana") == SecretStr("new-key")


def test_at_rest_there_is_neither_key_nor_identity(identities, engine):
    identities.keep(ISSUER, "ana", KEY)

    with engine.connect() as connection:
        row = str(connection.execute(select(IDENTITY_KEYS)).one())
    assert "anas-own-key" not in row
    assert "id.example" not in row


EMAIL = "ana@example.org"


def test_the_first_identity_with_an_offered_address_gets_its_key_once(identities):
    assert identities.offer("Ana@Example.org", "usr_ana", KEY)
    assert identities.bind(ISSUER, "ana", "ben@example.org") is None
    assert identities.bind(ISSUER, "ana", EMAIL) == KEY
    assert identities.key_of(ISSUER, "ana") == KEY

    assert identities.bind(ISSUER, "second", EMAIL) is None
    identities.forget(ISSUER, "ana")
    assert identities.bind(ISSUER, "ana", EMAIL) is None


def test_an_identity_that_has_a_key_is_never_bound_again(identities):
    identities.keep(ISSUER, "ana", KEY)
    identities.offer(EMAIL, "usr_other", SecretStr("key-of-another"))

    assert identities.bind(ISSUER, "ana", EMAIL) is None
    assert identities.key_of(ISSUER, "ana") == KEY
    assert identities.bind(ISSUER, "other", EMAIL) == SecretStr("key-of-another")


@pytest.mark.parametrize("is_bound", [False, True])
def test_an_address_of_two_people_binds_nobody_any_more(identities, is_bound):
    assert identities.offer(EMAIL, "usr_ana", KEY)
    if is_bound:
        identities.bind(ISSUER, "ana", EMAIL)
    assert not identities.offer(EMAIL, "usr_ben", SecretStr("bens-key"))
    assert not identities.offer(EMAIL, "usr_ana", KEY)

    assert identities.bind(ISSUER, "x", EMAIL) is None
    assert identities.withdraw(EMAIL)
    assert not identities.withdraw(EMAIL)
    assert identities.offer(EMAIL, "usr_ben", SecretStr("bens-key"))
    assert identities.bind(ISSUER, "x", EMAIL) == SecretStr("bens-key")


def test_a_second_offer_to_the_same_person_replaces_the_key(identities):
    identities.offer(EMAIL, "usr_ana", KEY)
    assert identities.offer(EMAIL, "usr_ana", SecretStr("new-key"))

    assert identities.bind(ISSUER, "ana", EMAIL) == SecretStr("new-key")


def test_letters_that_look_alike_are_other_addresses(identities):
    identities.offer("kim@example.org", "usr_kim", KEY)

    assert (
        identities.bind(ISSUER, "mallory", "\u212aim@example.org") is None
    )  # the sign of Kelvin, lower case k


def test_of_two_identities_at_once_one_is_bound(identities):
    identities.offer(EMAIL, "usr_ana", KEY)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda number: identities.bind(ISSUER, f"one-{number}", EMAIL), range(16)))

    assert found.count(KEY) == 1
    assert found.count(None) == 15


def test_an_offer_is_unreadable_at_rest(identities, engine):
    identities.offer(EMAIL, "usr_ana", KEY)
    with engine.connect() as connection:
        row = str(connection.execute(select(IDENTITY_KEYS)).one())

    assert not [
        part
        for part in ("ana", "example", "key")
        if part in row.split("sealed", maxsplit=1)[0].split("b'", maxsplit=1)[0]
    ]
    assert "usr_ana" not in row


def test_another_secret_opens_nothing(identities, engine):
    identities.keep(ISSUER, "ana", KEY)

    assert Identities(engine, SecretStr("another secret")).key_of(ISSUER, "ana") is None


def test_forgetting_removes_it(identities):
    identities.keep(ISSUER, "ana", KEY)

    identities.forget(ISSUER, "ana")

    assert identities.key_of(ISSUER, "ana") is None
