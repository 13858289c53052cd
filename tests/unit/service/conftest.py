"""An empty store on each database."""

from contextlib import ExitStack, closing
from functools import cache

import pytest

import running
from coachboard.service.store import Store
from databases import DATABASES, empty_database


@pytest.fixture(scope="session")
def migrated(tmp_path_factory):
    """The address of a database with today's schema, by kind: tests copy it, as the migrations take longer than most."""
    with ExitStack() as stack:

        @cache
        def of(kind):
            url = stack.enter_context(empty_database(kind, tmp_path_factory.mktemp("migrated")))
            Store.open(url).close()
            return url

        yield of


@pytest.fixture(params=DATABASES)
def store_url(request, tmp_path, monkeypatch, migrated):
    """The address of a database: of one with today's schema where the test has a store, else of an empty one."""
    monkeypatch.setenv(
        "COACHBOARD_DATA", str(tmp_path)
    )  # else a store on PostgreSQL keeps its files in the home folder
    template = migrated(request.param) if "store" in request.fixturenames else None
    with empty_database(request.param, tmp_path, template) as url:
        yield url


@pytest.fixture
def store(store_url):
    with closing(Store.open(store_url)) as opened:
        yield opened


@pytest.fixture
def free_port():
    return running.free_port()
