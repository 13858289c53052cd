"""Caches for the client's tests: a file, and PostgreSQL where one is given."""

import pytest

from databases import DATABASES, empty_database


@pytest.fixture(params=DATABASES)
def cache_url(request, tmp_path):
    with empty_database(request.param, tmp_path) as url:
        yield url
