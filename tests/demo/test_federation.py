"""Copies of the demo squad in PostgreSQL, and the plans of the statements that a coach's day sends."""

from contextlib import closing, contextmanager
from datetime import date
from threading import Event, Thread

import orjson
import pytest

from bench.federation import Federation, add_keys, sequential_scans
from coachboard.service.store import RowKind, Store
from coachboard_demo.federation import ATHLETES_A_COACH, athlete_id, coach_id, write_federation
from coachboard_demo.people import Size
from databases import SERVER, connected, empty_database

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.skipif(SERVER is None, reason="needs COACHBOARD_TEST_POSTGRES_URL"),
]
ATHLETES = ATHLETES_A_COACH + 2


@pytest.fixture(scope="module")
def federation(tmp_path_factory):
    with empty_database("postgres", tmp_path_factory.mktemp("federation")) as url:
        write_federation(url, Size(date(2026, 11, 20), ATHLETES, 0.1))
        written = Federation(ATHLETES, url, 0.0)
        add_keys(written)
        yield written


def ids(store, kind, number):
    return {orjson.loads(body)["id"] for body in store.row_bodies(kind, athlete_id(number))}


def test_each_coach_reads_the_athletes_of_one_workspace(federation):
    with closing(Store.open(federation.url)) as store:
        first, second = (
            {orjson.loads(body)["id"] for body in store.athlete_bodies(coach_id(number))} for number in (0, 1)
        )

    assert first == {athlete_id(number) for number in range(ATHLETES_A_COACH)}
    assert second == {athlete_id(number) for number in range(ATHLETES_A_COACH, ATHLETES)}


def test_each_copy_has_sessions_with_ids_and_streams_of_its_own(federation):
    with closing(Store.open(federation.url)) as store:
        sessions = [ids(store, RowKind.ACTIVITIES, number) for number in range(ATHLETES)]
        owners = {store.streams(min(own)).user_id for own in sessions}

    assert all(sessions)
    assert len(set().union(*sessions)) == sum(map(len, sessions))
    assert owners == {athlete_id(number) for number in range(ATHLETES)}


@contextmanager
def elsewhere(folder):
    """A thread that reads another database, as services of other tests in this process do."""
    with empty_database("sqlite", folder) as url:
        is_over = Event()

        def read():
            with connected(url) as connection:
                while not is_over.wait(0.01):
                    connection.exec_driver_sql("SELECT ?", (1,))

        thread = Thread(target=read)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()


def test_no_statement_of_a_coachs_day_reads_a_table_of_people_row_by_row(federation, tmp_path):
    with elsewhere(tmp_path):
        sent, scans = sequential_scans(federation, is_small=True)

    assert sent > 40
    assert scans == []
