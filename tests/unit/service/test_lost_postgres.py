"""PostgreSQL that stops, has no connection left, or does not answer: 503 with Retry-After, one line each, and recovery."""

from pathlib import Path

import pytest

from coachboard.service.api import database_calls
from coachboard.service.store import engine
from databases import SERVER
from soak import postgres

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.skipif(SERVER is None, reason="needs COACHBOARD_TEST_POSTGRES_URL"),
]


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["stopped", "out of connections", "frozen", "locked"])
def test_requests_get_503_and_succeed_afterwards(fault, monkeypatch):
    monkeypatch.setattr(database_calls, "DEADLINE_S", 1.0)
    row = postgres.api_row(fault, 12)

    assert row.failures == ()
    assert not row.figures.startswith("0 of")


def test_a_restart_of_the_server_is_no_error():
    assert postgres.api_row("restarted", 12).failures == ()


def test_a_statement_of_an_abandoned_request_ends_by_itself(tmp_path):
    with postgres.faulty_database(tmp_path) as database:
        opened = engine.open_engine(database.url)
        with opened.connect() as connection:
            assert connection.exec_driver_sql("SHOW statement_timeout").scalar_one() == "30s"
        opened.dispose()


@pytest.mark.slow
@pytest.mark.parametrize("page", ["roster", "athlete", "workspaces"])
def test_pages_say_that_the_database_failed_and_recover(page, tmp_path: Path):
    with postgres.faulty_database(tmp_path) as database, postgres.service_on(database, tmp_path) as address:
        assert postgres.page_failures(page, database, address) == []
