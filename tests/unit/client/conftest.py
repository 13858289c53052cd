"""Caches for the client's tests: a file, and PostgreSQL where one is given."""

import os

import pytest
import sqlalchemy as sa

from coachboard.client.cache.tables import METADATA


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def cache_url(request, tmp_path):
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'cache.db'}"
    url = os.environ.get("COACHBOARD_TEST_POSTGRES_URL")
    if not url:
        pytest.skip("COACHBOARD_TEST_POSTGRES_URL is not set")
    engine = sa.create_engine(url)
    METADATA.drop_all(engine)
    engine.dispose()
    return url
