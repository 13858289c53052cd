"""A cache without a usable database stays in memory, reports the fault and returns to the database."""

import sqlite3
import threading
import time
from contextlib import closing

import psycopg
import pytest
import sqlalchemy as sa

from coachboard.client.cache import database as database_module
from coachboard.client.cache.blobs import BlobKey
from coachboard.client.cache.database import CacheLost, Database
from coachboard.client.cache.schema import BLOBS, BUDGET, HOLDS, quarantine
from coachboard.client.cache.store import CacheStore
from coachboard.client.transport.rate_limit import USER_LIMIT, Priority, RateLimit, Want
from databases import SERVER, empty_database

AT = BlobKey("scope", "streams", "a")
WANT = Want("usr_a", Priority.PERSON, "")


def put(store, body=b"x"):
    return store.blobs.put(AT, body, now=1.0)


def fill_the_disk(database):
    """SQLite's own bound on its pages: the error and its effects are those of a full disk."""
    _, writes = database.engines
    sa.event.listen(writes, "connect", lambda raw, _: raw.execute("PRAGMA max_page_count=1"))
    writes.dispose()


def forbid_writing(database):
    """Refuse writes as a read-only folder does; root may write there."""
    _, writes = database.engines
    sa.event.listen(writes, "connect", lambda raw, _: raw.execute("PRAGMA query_only=1"))
    writes.dispose()


@pytest.mark.parametrize(
    ("spoil", "says"), [(fill_the_disk, "database or disk is full"), (forbid_writing, "readonly database")]
)
def test_a_place_that_takes_no_more_writes_gives_way_to_memory(tmp_path, spoil, says):
    store = CacheStore(f"sqlite:///{tmp_path / 'cache.db'}", max_bytes=10**9)
    put(store, b"old")
    spoil(store.database)
    put(store, bytes(100_000))

    assert says in store.database.trouble
    assert store.blobs.get(AT).body == bytes(100_000)
    assert store.size() == 100_000
    store.close()


def test_a_place_that_another_version_has_taken_over_is_left_to_it(tmp_path):
    """Two versions that run at once would else set each other's file aside for as long as they do."""
    path = tmp_path / "cache.db"
    store = CacheStore(f"sqlite:///{path}", max_bytes=10**9)
    put(store)
    quarantine(path)
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE coachboard_cache_99_lists (id)")
        other.execute("PRAGMA user_version = 99")
    for engine in store.database.engines:
        engine.dispose()

    put(store, b"new")

    assert store.blobs.get(AT).body == b"new"
    assert "another version of Coachboard" in store.database.trouble
    assert not store.database.try_again()
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT count(*) FROM coachboard_cache_99_lists").fetchone() == (0,)
    assert len(list(tmp_path.glob("cache.db.set-aside-*[0-9]"))) == 1
    store.close()


@pytest.mark.parametrize("place", ["/proc/no-such-folder/cache.db", "{}/file/cache.db"])
def test_a_folder_that_cannot_be_written_is_no_error(tmp_path, place):
    (tmp_path / "file").write_text("no folder")
    store = CacheStore("sqlite:///" + place.format(tmp_path), max_bytes=10**9)
    put(store)

    assert store.database.trouble
    assert store.blobs.get(AT).body == b"x"
    assert store.contents()
    store.clear()
    store.close()


def test_a_deleted_file_is_created_again(tmp_path):
    path = tmp_path / "cache.db"
    store = CacheStore(f"sqlite:///{path}", max_bytes=10**9)
    put(store)
    for file in tmp_path.glob("cache.db*"):
        file.unlink()
    put(store)
    store.close()

    assert store.database.trouble is None or path.exists()
    again = CacheStore(f"sqlite:///{path}", max_bytes=10**9)
    assert again.database.trouble is None
    again.close()


def test_a_lock_that_is_never_given_up_is_not_waited_for_for_ever(tmp_path):
    path = tmp_path / "cache.db"
    database = Database(f"sqlite:///{path}", schema=BUDGET, busy_s=0.01)
    budget = RateLimit(database, "scope", lambda: 1_000.0)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert budget.take(WANT).taken
    assert "locked" in database.trouble

    other.execute("COMMIT")
    other.close()
    assert database.try_again()
    assert database.trouble is None
    assert budget.left() == 299
    database.close()


def test_the_budget_goes_along_into_memory_and_back(tmp_path):
    """Calls that were made count wherever the log is, and so does a 429."""
    now = [1_000.0]
    database = Database(f"sqlite:///{tmp_path / 'cache.db-budget'}", schema=BUDGET)
    budget = RateLimit(database, "scope", lambda: now[0])
    for _ in range(USER_LIMIT - 1):
        assert budget.take(WANT).taken
    forbid_writing(database)
    with pytest.raises(CacheLost), database.writing() as connection:
        connection.execute(sa.insert(HOLDS).values(scope="s", name="n", until=0.0, seconds=0.0))
    assert database.trouble

    assert budget.take(WANT).taken
    assert not budget.take(WANT).taken
    budget.hold("usr_b", 30.0)
    assert database.try_again()
    assert not budget.take(WANT).taken
    assert budget.take(Want("usr_b", Priority.PERSON, "")).wait_s == 30.0
    assert budget.take(Want("usr_c", Priority.PERSON, "")).taken
    database.close()


def test_a_read_returns_from_memory_while_a_worker_opens_the_database_again(tmp_path, monkeypatch):
    monkeypatch.setattr(database_module, "RETRY_S", 0.0)
    (tmp_path / "folder").touch()
    store = CacheStore(f"sqlite:///{tmp_path / 'folder' / 'cache.db'}", max_bytes=10**9)
    assert store.database.trouble
    opened_by = []
    monkeypatch.setattr(
        store.database,
        "_opened",
        lambda **how: opened_by.append(threading.current_thread().name) or opened(**how),
    )
    opened = Database._opened.__get__(store.database)
    (tmp_path / "folder").unlink()
    until = time.monotonic() + 10
    while store.database.trouble and time.monotonic() < until:
        store.blobs.get(AT)

    assert store.database.trouble is None
    assert set(opened_by) == {"coachboard-cache"}
    store.close()


def test_memory_is_bounded_lower_than_the_disk(tmp_path):
    (tmp_path / "file").write_text("no folder")
    store = CacheStore(f"sqlite:///{tmp_path}/file/cache.db", max_bytes=10**9)
    for number in range(5):
        at = BlobKey("scope", "streams", str(number))
        store.grew(store.blobs.put(at, bytes(16 * 2**20), now=float(number)))

    assert store.size() < 64 * 2**20
    assert "4" in store.blobs.keys("scope", "streams")
    store.close()


def test_a_mistake_of_the_code_is_not_hidden(tmp_path):
    database = Database(f"sqlite:///{tmp_path / 'cache.db'}")

    row = {"scope": "s", "kind": "k", "key": "a", "version": 1, "body": b"", "bytes": 0, "fetched_at": 0.0, "used_at": 0.0}  # fmt: skip
    twice = sa.insert(BLOBS), [row] * 2
    with database.writing() as connection, pytest.raises(sa.exc.IntegrityError):
        connection.execute(*twice)
    with pytest.raises(sa.exc.IntegrityError), database.writing() as connection:
        connection.execute(*twice)
    assert database.trouble is None
    database.close()


@pytest.mark.postgres
@pytest.mark.skipif(SERVER is None, reason="COACHBOARD_TEST_POSTGRES_URL is not set")
def test_a_postgres_that_goes_away_gives_way_to_memory_and_is_taken_up_again(tmp_path):
    with empty_database("postgres", tmp_path) as url:
        store = CacheStore(url, max_bytes=10**9)
        put(store)
        name = sa.make_url(url).database
        server = sa.make_url(SERVER).set(drivername="postgresql").render_as_string(hide_password=False)
        with psycopg.connect(server, autocommit=True) as admin:
            admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
            admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
            assert store.blobs.get(AT) is None
            assert store.database.trouble
            assert put(store) == 1
            assert not store.database.try_again()

            admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        assert store.database.try_again()
        assert store.blobs.get(AT).body == b"x"
        assert store.database.trouble is None
        store.close()


@pytest.mark.postgres
@pytest.mark.skipif(SERVER is None, reason="COACHBOARD_TEST_POSTGRES_URL is not set")
def test_an_interrupt_of_the_check_of_a_free_connection_is_no_lost_postgres(tmp_path, monkeypatch):
    def interrupted(cursor, *_):
        monkeypatch.undo()
        cursor.connection.pgconn.send_query(b"SELECT 1")  # as its reply is not read, the next call fails
        raise KeyboardInterrupt

    with empty_database("postgres", tmp_path) as url:
        store = CacheStore(url, max_bytes=10**9)
        put(store)
        monkeypatch.setattr(psycopg.Cursor, "execute", interrupted)
        with pytest.raises(KeyboardInterrupt):
            store.blobs.get(AT)

        assert store.database.trouble is None
        assert store.blobs.get(AT).body == b"x"
        store.close()


def test_a_damaged_file_is_replaced_while_an_earlier_interrupt_is_handled(tmp_path):
    path = tmp_path / "cache.db"
    store = CacheStore(f"sqlite:///{path}", max_bytes=10**9)
    put(store)
    store.close()
    store = CacheStore(f"sqlite:///{path}", max_bytes=10**9)
    path.write_bytes(b"no database" * 1_000)
    found = []
    with pytest.raises(KeyboardInterrupt) as raised:
        _interrupted(lambda: found.append(store.blobs.get(AT)))

    assert found == [None]
    assert raised.value.args == ("first",)
    store.close()


def _interrupted(clean_up):
    try:
        raise KeyboardInterrupt("first")
    finally:
        clean_up()


def test_a_cache_in_memory_is_closed_after_the_transaction_of_another_thread(tmp_path):
    """A connection that one thread closed while another one used it ended the process (segmentation fault)."""
    (tmp_path / "file").touch()
    database = Database(f"sqlite:///{tmp_path / 'file' / 'cache.db'}")
    assert database.trouble
    closing_it = threading.Thread(target=database.close)
    with database.writing() as connection:
        closing_it.start()
        closing_it.join(0.3)
        assert connection.execute(sa.select(sa.literal(1))).scalar_one() == 1
        assert closing_it.is_alive()
    closing_it.join(10)

    assert not closing_it.is_alive()
