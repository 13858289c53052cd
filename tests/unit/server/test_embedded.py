"""The service inside the dashboard's process."""

import os
from contextlib import closing
from datetime import date

import httpx
import pytest

from coachboard.server.address import HAS_DEMO_KEYS
from coachboard.server.embedded import open_service
from coachboard.service.store import Store
from coachboard.settings import Settings
from coachboard_demo.generate import filling_of
from coachboard_demo.making import begin_demo
from coachboard_demo.people import KEYS, Size
from serving import served


@pytest.fixture(autouse=True)
def _no_demo_keys(monkeypatch):
    monkeypatch.setenv(HAS_DEMO_KEYS, "")  # so that the end of the test removes what the service sets
    monkeypatch.delenv(HAS_DEMO_KEYS)


@pytest.fixture
def url(tmp_path):
    """A demo that has its people but not yet their rows."""
    found = f"sqlite:///{tmp_path / 'begun.db'}"
    with closing(Store.open(found)) as store:
        begin_demo(store, Size(date(2026, 5, 6), athletes=1, years=0.1))
    return found


@pytest.mark.slow
def test_a_demo_whose_making_was_broken_off_is_gone_on_with_and_waited_for(url):
    service, store = open_service(Settings(database_url=url))
    assert HAS_DEMO_KEYS in os.environ
    with closing(store), served(service) as address:
        headers = {"Authorization": f"Bearer {KEYS[1]}"}
        found = httpx.get(f"{address}/users/me/activities", headers=headers, timeout=60)
        filling_of(url).join()

    assert len(found.json()) > 20


def test_the_demo_keys_are_not_offered_over_another_store(tmp_path):
    _service, store = open_service(Settings(database_url=f"sqlite:///{tmp_path / 'own.db'}"))
    store.close()

    assert HAS_DEMO_KEYS not in os.environ


@pytest.mark.parametrize(
    "url", ["", "postgresql+psycopg://me:secret@127.0.0.1:1/x", "nonsense://me:secret@host/x"]
)
def test_a_wrong_or_unreachable_database_is_named_with_its_setting(url):
    with pytest.raises(
        SystemExit, match=r"^Error: cannot open the database: .* \(setting COACHBOARD_DATABASE_URL\)$"
    ) as said:
        open_service(Settings(database_url=url))
    assert "secret" not in str(said.value)


def test_a_damaged_database_ends_the_start_with_one_line(tmp_path):
    path = tmp_path / "service.db"
    path.write_bytes(b"garbage" * 1_000)

    with pytest.raises(
        SystemExit, match=f"cannot open the database: {path} is damaged .*restore it from a backup"
    ):
        open_service(Settings(database_url=f"sqlite:///{path}"))
    assert path.read_bytes() == b"garbage" * 1_000
