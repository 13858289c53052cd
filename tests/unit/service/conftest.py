"""An empty store on each database."""

import pytest

import running
from coachboard.service.store import Store
from databases import DATABASES, empty_database


@pytest.fixture(params=DATABASES)
def store_url(request, tmp_path, monkeypatch):
    monkeypatch.setenv(
        "COACHBOARD_DATA", str(tmp_path)
    )  # else a store on PostgreSQL keeps its files in the home folder
    with empty_database(request.param, tmp_path) as url:
        yield url


@pytest.fixture
def store(store_url):
    opened = Store.open(store_url)
    yield opened
    opened.close()


@pytest.fixture
def free_port():
    return running.free_port()
