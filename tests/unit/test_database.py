"""SQLite's change to its write-ahead log, while another process holds the database."""

import sqlite3
from contextlib import closing
from threading import Timer

import pytest

from coachboard.database import use_write_ahead_log


@pytest.fixture
def held(tmp_path):
    """A database in its first mode, with a lock that another connection holds."""
    path = tmp_path / "held.db"
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("CREATE TABLE sessions (id)")
        other.execute("BEGIN EXCLUSIVE")
        yield path, other


def test_the_change_waits_for_who_holds_the_database(held):
    path, other = held
    release = Timer(0.2, other.execute, ("COMMIT",))
    release.start()
    with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as connection:
        use_write_ahead_log(connection, busy_s=10)
        (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    release.join()

    assert mode == "wal"


def test_the_change_is_given_up_in_time(held):
    path, _ = held
    with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as connection:
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            use_write_ahead_log(connection, busy_s=0.05)
        connection.execute("SELECT 1")
