"""Keys held for identities: sealed at rest, each for its own identity."""

import pytest
from pydantic import SecretStr
from sqlalchemy import select

from coachboard.loaders.identities import Identities
from coachboard.loaders.local_store import IDENTITY_KEYS, open_store

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


def test_another_secret_opens_nothing(identities, engine):
    identities.keep(ISSUER, "ana", KEY)

    assert Identities(engine, SecretStr("another secret")).key_of(ISSUER, "ana") is None


def test_forgetting_removes_it(identities):
    identities.keep(ISSUER, "ana", KEY)

    identities.forget(ISSUER, "ana")

    assert identities.key_of(ISSUER, "ana") is None
