"""The short way into a SQLite file: its transactions, and what becomes of its connections."""

import sqlite3
import threading

import pytest
import sqlalchemy as sa

from coachboard.client.cache.database import Database
from coachboard.client.cache.plain import Lanes, Plain
from coachboard.client.cache.tables import BUDGET, HOLDS

COUNT = Plain(sa.select(sa.func.count()).select_from(HOLDS))
ADD = Plain(
    sa.insert(HOLDS).values(
        scope=sa.bindparam("of_scope"),
        name=sa.bindparam("of_name"),
        until=sa.bindparam("at"),
        seconds=sa.bindparam("at"),
    )
)


def values(name):
    return {"of_scope": "scope", "of_name": name, "at": 1.0}


@pytest.fixture
def database(cache_url):
    database = Database(cache_url, schema=BUDGET)
    yield database
    database.close()


def count(database):
    with database.asking() as statements:
        ((found,),) = statements.rows(COUNT, {})
    return found


def test_what_was_noted_is_there_for_both_ways_of_asking(database):
    with database.noting("scope") as statements:
        statements.run(ADD, values("a"))
    with database.writing() as connection:
        connection.execute(ADD.clause, values("b"))

    assert count(database) == 2
    with database.reading() as connection:
        assert connection.execute(COUNT.clause).scalar_one() == 2


def test_what_fails_half_way_leaves_nothing(database):
    def fail():
        with database.noting("scope") as statements:
            statements.run(ADD, values("a"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()

    assert count(database) == 0
    with database.noting("scope") as statements:
        statements.run(ADD, values("a"))
    assert count(database) == 1


def test_threads_that_note_at_once_all_do(database):
    def note(name):
        with database.noting("scope") as statements:
            statements.run(ADD, values(name))

    threads = [threading.Thread(target=note, args=(str(number),)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert count(database) == 20


def test_connections_are_used_again_and_closed_with_the_rest(tmp_path):
    made = []

    def connect():
        made.append(sqlite3.connect(tmp_path / "x.db", isolation_level=None, check_same_thread=False))
        return made[-1]

    lanes = Lanes(connect)
    for _ in range(3):
        with lanes.reading():
            pass
    with lanes.reading():
        lanes.close()
        made[0].execute("SELECT 1")  # who is at work on one keeps it until then

    assert len(made) == 1
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        made[0].execute("SELECT 1")
