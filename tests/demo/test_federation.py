"""Copies of the demo squad in PostgreSQL, and the plans of the statements that a coach's day sends."""

from contextlib import closing
from datetime import date

import orjson
import pytest

from bench.federation import Federation, add_keys, sequential_scans
from coachboard.service.store import RowKind, Store
from coachboard_demo.federation import ATHLETES_A_COACH, athlete_id, coach_id, write_federation
from coachboard_demo.people import Size
from databases import SERVER, empty_database

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.skipif(SERVER is None, reason="needs COACHBOARD_TEST_POSTGRES_URL"),
]
ATHLETES = ATHLETES_A_COACH + 2


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    with empty_database("postgres", tmp_path_factory.mktemp("federation")) as address:
        write_federation(address, Size(date(2026, 11, 20), ATHLETES, 0.1))
        yield address


def ids(store, kind, number):
    return {orjson.loads(body)["id"] for body in store.row_bodies(kind, athlete_id(number))}


def test_each_coach_reads_the_athletes_of_one_workspace(url):
    with closing(Store.open(url)) as store:
        first, second = (
            {orjson.loads(body)["id"] for body in store.athlete_bodies(coach_id(number))} for number in (0, 1)
        )

    assert first == {athlete_id(number) for number in range(ATHLETES_A_COACH)}
    assert second == {athlete_id(number) for number in range(ATHLETES_A_COACH, ATHLETES)}


def test_each_copy_has_sessions_with_ids_and_streams_of_its_own(url):
    with closing(Store.open(url)) as store:
        sessions = [ids(store, RowKind.ACTIVITIES, number) for number in range(ATHLETES)]
        owners = {store.streams(min(own)).user_id for own in sessions}

    assert all(sessions)
    assert len(set().union(*sessions)) == sum(map(len, sessions))
    assert owners == {athlete_id(number) for number in range(ATHLETES)}


def test_no_statement_of_a_coachs_day_reads_a_table_of_people_row_by_row(url):
    federation = Federation(ATHLETES, url, 0.0)
    add_keys(federation)
    sent, scans = sequential_scans(federation, is_small=True)

    assert sent > 40
    assert scans == []
