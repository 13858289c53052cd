"""Health checks over real HTTP: without a key, before and after the database is lost."""

import httpx
import pytest
import sqlalchemy as sa

from coachboard.service.api.app import create_app, mounted
from coachboard.service.store import Store
from coachboard.service.store.engine import NEWEST
from coachboard.settings import Settings
from serving import served


@pytest.fixture
def own_store(tmp_path):
    store = Store.open(f"sqlite:///{tmp_path / 'service.db'}")
    yield store
    store.close()


@pytest.fixture
def address(own_store, tmp_path):
    with served(mounted(create_app(own_store, settings=Settings(outbox=tmp_path / "outbox")))) as url:
        yield f"{url}/api"


def test_a_running_service_is_alive_and_ready(service):
    replies = {path: service.client.get(path) for path in ("/health", "/ready")}

    assert {path: (reply.status_code, reply.json()) for path, reply in replies.items()} == {
        "/health": (200, {"status": "ok"}),
        "/ready": (200, {"status": "ready"}),
    }
    assert replies["/ready"].headers["cache-control"] == "no-store"


OLDER = "its schema is 0001, this version needs {}: make a backup, then run `coachboard upgrade`"
NEWER = "its schema is of another, probably newer version of Coachboard"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("UPDATE alembic_version SET version_num = '0001'", OLDER.format(NEWEST)),
        ("UPDATE alembic_version SET version_num = 'future'", NEWER),
        ("DROP TABLE alembic_version", "it has no tables of Coachboard"),
    ],
)
def test_a_database_of_another_schema_is_not_ready(own_store, address, change, reason):
    other = sa.create_engine(own_store.url)
    with other.begin() as connection:
        connection.execute(sa.text(change))
    other.dispose()
    reply = httpx.get(f"{address}/ready")

    assert (reply.status_code, reply.json()["code"], reply.headers["retry-after"]) == (
        503,
        "unavailable",
        "5",
    )
    assert reply.json()["error"] == f"The database (COACHBOARD_DATABASE_URL) cannot be used: {reason}."
    assert httpx.get(f"{address}/health").status_code == 200


def test_health_checks_take_no_other_method(address):
    assert httpx.post(f"{address}/ready").status_code == 405
