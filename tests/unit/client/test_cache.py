"""The cache: damage, other versions, full disks, bounds, threads and processes."""

import secrets
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing

import psycopg
import pytest
import sqlalchemy as sa

from cache_faults import spoil
from coachboard.client import database as database_module
from coachboard.client.cache import CacheEntry, CacheKey, CacheStore
from coachboard.client.database import ENTRIES, VERSION, CacheError, Database, find_mismatch
from databases import SERVER, empty_database

LIST = CacheKey("scope", "notes", "usr_a")
STREAMS = CacheKey("scope", "streams", "act_a")
JANUARY, FEBRUARY, MARCH = 24_312, 24_313, 24_314


@pytest.fixture
def store(cache_url):
    store = CacheStore(cache_url, max_bytes=10**9)
    store.clear()
    yield store
    store.close()


@pytest.fixture
def in_file(tmp_path):
    store = CacheStore(f"sqlite:///{tmp_path / 'cache.db'}", max_bytes=10**9)
    yield store
    store.close()


def put(store, key=STREAMS, body=b"x", at=1.0):
    store.put(key, {0: CacheEntry.of(body, at)})


def body_of(store, key=STREAMS):
    entry = store.get(key)
    return entry and entry.body


def months_of(store, key=LIST):
    entries = store.read(key)
    return {month: entry.body for month, entry in store.with_bodies(key, entries).items()}


def test_a_read_under_way_when_the_database_closes_leaves_no_connection(cache_url):
    database = Database(cache_url)
    with database.reading() as connection:
        raw = connection.connection.dbapi_connection
        database.close()

    with pytest.raises((sqlite3.ProgrammingError, psycopg.OperationalError), match="closed"):
        raw.execute("SELECT 1")


def test_months_are_replaced_one_by_one_and_those_of_a_run_that_are_empty_go(store):
    store.put(
        LIST,
        {
            JANUARY: CacheEntry.of(b"a", 1.0),
            FEBRUARY: CacheEntry.of(b"b", 1.0),
            MARCH: CacheEntry.of(b"c", 1.0),
        },
    )
    store.put(LIST, {MARCH: CacheEntry.of(b"d", 2.0)}, replaces={FEBRUARY, MARCH})

    assert months_of(store) == {JANUARY: b"a", MARCH: b"d"}
    assert store.read(LIST)[MARCH].fetched_at == 2.0


def test_a_refresh_without_a_change_notes_its_time_alone(store):
    store.put(LIST, {MARCH: CacheEntry.of(b"a", 1.0)})
    before = store.read(LIST)[MARCH]
    store.put(LIST, {MARCH: CacheEntry.of(b"a", 5.0)})
    after = store.read(LIST)[MARCH]

    assert (after.digest, after.fetched_at) == (before.digest, 5.0)


def test_bodies_are_those_of_now_and_none_once_they_have_left_the_cache(store):
    store.put(LIST, {MARCH: CacheEntry.of(b"a", 1.0)})
    seen = store.read(LIST)
    store.put(LIST, {MARCH: CacheEntry.of(b"b", 2.0)})
    now = store.with_bodies(LIST, seen)
    store.drop(LIST)

    assert now == {MARCH: CacheEntry.of(b"b", 2.0)}
    assert store.with_bodies(LIST, seen) is None


def test_keys_of_other_scopes_kinds_and_users_are_apart(store):
    put(store, LIST)

    for other in (LIST._replace(scope="other"), LIST._replace(kind="events"), LIST._replace(key="usr_b")):
        assert store.read(other) == {}


def test_the_lists_and_values_fetched_longest_ago_go_first_and_as_a_whole(cache_url):
    """A month without an entry, between others, is known to be empty."""
    store = CacheStore(cache_url, max_bytes=10_000)
    store.clear()
    store.put(LIST, {month: CacheEntry.of(bytes(1_500), 0.5) for month in (JANUARY, FEBRUARY)})
    for number in range(5):
        store.put(STREAMS._replace(key=str(number)), {0: CacheEntry.of(bytes(3_000), float(number))})
    store.shrink()

    assert store.keys("scope", "streams") == {"2", "3", "4"}
    assert store.read(LIST) == {}
    assert store.size() <= 9_000
    store.close()


@pytest.mark.parametrize("way", ["clear", "shrink"])
def test_the_file_shrinks_after_deletions(tmp_path, way):
    path = tmp_path / "cache.db"
    store = CacheStore(f"sqlite:///{path}", max_bytes=300_000)
    for number in range(12):
        put(store, STREAMS._replace(key=str(number)), bytes(200_000), float(number))
    getattr(store, way)()
    store.close()

    assert path.stat().st_size < 600_000


def test_dropped_people_lose_lists_profile_streams_and_results_and_all_others_keep_theirs(store):
    """In one transaction: a coach with 200 athletes waited 20 s at the first read."""

    def rides(user_id, scope="scope"):
        return CacheKey(scope, "activities", user_id), {
            MARCH: CacheEntry.of(b"x", 1.0, ids=f"ride_{user_id}")
        }

    kept, dropped = {rides("c")[0], rides("a", "other")[0]}, {rides("a")[0], rides("b")[0]}
    for key, entries in (rides("a"), rides("b"), rides("c"), rides("a", "other")):
        store.put(key, entries)
    values = set()
    for name in "abc":
        theirs = [
            ("streams", f"ride_{name}"),
            ("derived score", f"ride_{name} 12ab"),
            ("profile", name),
            ("notes", name),
        ]
        for kind, key in theirs:
            (kept if name == "c" else dropped).add(CacheKey("scope", kind, key))
            kept.add(CacheKey("other", kind, key))
    dropped |= {CacheKey("scope", "streams", "in no list"), CacheKey("scope", "profile", "me")}
    kept |= {CacheKey("scope", "users", ""), CacheKey("scope", "change stamp", "")}
    values = (kept | dropped) - {rides(name, scope)[0] for name in "abc" for scope in ("scope", "other")}
    for key in values:
        put(store, key)
    commits = []
    sa.event.listen(store.database._engine, "commit", commits.append)
    store.drop_people("scope", {"a", "b", "me"})

    assert len(commits) == 1
    assert {key for key in kept | dropped if not store.read(key)} == dropped


def test_clearing_one_scope_leaves_the_others(store):
    for scope in ("one", "other"):
        put(store, STREAMS._replace(scope=scope))
    store.clear("one")

    assert [content.scope for content in store.contents()] == ["other"]


def write_nothing_useful(path):
    path.write_bytes(b"not a database at all" * 500)


def write_a_broken_page(path):
    with closing(CacheStore(f"sqlite:///{path}", max_bytes=10**9)) as store:
        for number in range(100):
            put(store, STREAMS._replace(key=str(number)), secrets.token_bytes(2_000))
    content = bytearray(path.read_bytes())
    content[4096 : len(content) : 512] = b"\xff" * len(content[4096 : len(content) : 512])
    path.write_bytes(content)


def write_another_database(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE ledger (x)")


@pytest.mark.parametrize("write", [write_nothing_useful, write_a_broken_page, write_another_database])
def test_a_file_that_cannot_be_used_is_set_aside_and_a_new_one_begun(tmp_path, write, caplog):
    path = tmp_path / "cache.db"
    write(path)
    with closing(CacheStore(f"sqlite:///{path}", max_bytes=10**9)) as store:
        for number in range(100):
            store.get(STREAMS._replace(key=str(number)))  # finds the damage, if opening did not
        put(store)

        assert body_of(store) == b"x"
        assert store.database.trouble is None
        assert store.database.set_aside in tmp_path.glob("cache.db.set-aside-*")
    (line,) = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert line.endswith(f"is damaged; put aside as {store.database.set_aside}, starting with a new one")


def test_tables_of_an_earlier_version_go_and_those_of_a_later_one_stay(tmp_path):
    path = tmp_path / "cache.db"
    names = [f"coachboard_cache_{version}_lists" for version in (VERSION - 1, VERSION + 1)]
    with closing(sqlite3.connect(path)) as connection:
        for name in names:
            connection.execute(f"CREATE TABLE {name} (x)")
    with closing(CacheStore(f"sqlite:///{path}", max_bytes=10**9)) as store:
        put(store)

        assert body_of(store) == b"x"
        assert store.database.set_aside is None
    with closing(sqlite3.connect(path)) as connection:
        left = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    assert left & set(names) == set(names[1:])


def test_a_look_at_a_file_accepts_any_name_and_changes_nothing(tmp_path):
    path = tmp_path / "100% of #1? ü.db"
    CacheStore(sa.URL.create("sqlite", database=str(path)), max_bytes=10**9).close()
    before = path.read_bytes()

    assert find_mismatch(path) is None
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "damage",
    [
        f"DROP TABLE {ENTRIES.name}",
        f"UPDATE {ENTRIES.name} SET body = 'a text'",
        f"UPDATE {ENTRIES.name} SET body = x'00'",
        f"UPDATE {ENTRIES.name} SET fetched_at = 'never'",
        f"UPDATE {ENTRIES.name} SET digest = 'never'",
        f"UPDATE {ENTRIES.name} SET ids = CAST(x'ff' AS TEXT)",
    ],
)
def test_damage_found_while_running_is_set_aside_and_shared_with_other_processes(tmp_path, damage):
    path = tmp_path / "cache.db"
    first, second = (CacheStore(f"sqlite:///{path}", max_bytes=10**9) for _ in range(2))
    put(first)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(damage)
        connection.commit()

    assert body_of(first) is None
    put(first, body=b"new")
    assert body_of(second) in {None, b"new"}, "the second process may have to open the new file first"
    assert [body_of(store) for store in (first, second)] == [b"new"] * 2
    renamed = {path.name.removesuffix("-wal").removesuffix("-shm") for path in tmp_path.glob("*.set-aside-*")}
    assert len(renamed) == 1
    first.close()
    second.close()


@pytest.mark.parametrize(
    ("pragma", "says"),
    [("max_page_count=1", "database or disk is full"), ("query_only=1", "readonly database")],
)
def test_a_disk_that_takes_no_more_writes_still_gives_what_it_has(in_file, pragma, says, caplog, monkeypatch):
    put(in_file, LIST, b"old")
    put(in_file, STREAMS, b"old")
    spoil(in_file.database, pragma)
    for number in range(3):
        put(in_file, STREAMS, bytes(100_000 + number))

    assert says in in_file.database.trouble
    assert (body_of(in_file, LIST), len(body_of(in_file))) == (b"old", 100_002)
    assert len([record for record in caplog.records if "cannot use cache" in record.getMessage()]) == 1

    spoil(in_file.database, "query_only=0")
    in_file.database._engine.dispose()
    sa.event.listen(
        in_file.database._engine, "connect", lambda raw, _: raw.execute("PRAGMA max_page_count=1000000")
    )
    monkeypatch.setattr(database_module.time, "monotonic", lambda: 10.0**9)
    put(in_file, STREAMS, b"new")
    assert in_file.database.trouble is None
    assert body_of(in_file) == b"new"


@pytest.mark.parametrize("place", ["/proc/no-such-folder/cache.db", "{}/file/cache.db"])
def test_without_a_folder_memory_is_all(tmp_path, place):
    (tmp_path / "file").write_text("no folder")
    store = CacheStore("sqlite:///" + place.format(tmp_path), max_bytes=10**9)
    put(store)
    store.put(STREAMS._replace(key="absent"), {0: CacheEntry.of(b"", 1.0, version=-1)})

    assert store.database.trouble
    assert body_of(store) == b"x"
    assert (store.keys("scope", "streams"), store.keys("scope", "streams", version=-1)) == (
        {"act_a", "absent"},
        {"absent"},
    )
    assert store.bodies("scope", "streams", 0, ["act_a", "absent"]) == {"act_a": b"x"}
    assert store.usage("scope").size_bytes == 1
    for size in range(5):
        put(store, STREAMS._replace(key=str(size)), bytes(16 * 2**20))
    assert store.usage("scope").size_bytes <= 64 * 2**20
    store.clear()
    assert body_of(store) is None
    store.close()


def test_a_deleted_file_is_created_again(in_file, tmp_path):
    put(in_file)
    for file in tmp_path.glob("cache.db*"):
        file.unlink()
    in_file.database._engine.dispose()
    for _ in range(2):
        put(in_file)

    assert body_of(in_file) == b"x"
    assert (tmp_path / "cache.db").exists()


def test_a_lock_that_is_never_given_up_is_not_waited_for_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr(database_module, "BUSY_S", 0.01)
    path = tmp_path / "cache.db"
    database = Database(f"sqlite:///{path}")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(CacheError), database.writing():
            pytest.fail("the other one has the lock")

    assert "locked" in database.trouble
    database.close()


def test_a_mistake_of_the_code_is_not_hidden(in_file):
    row = sa.insert(ENTRIES).values(scope="s", kind="k", key="a", month=0)
    with pytest.raises(sa.exc.IntegrityError), in_file.database.writing() as connection:
        connection.execute(row)

    assert in_file.database.trouble is None


def test_a_cache_in_memory_is_a_file_that_goes_with_it():
    database = Database("sqlite://")
    path = database.path
    assert path.exists()
    database.close()

    assert not path.exists()
    with pytest.raises(CacheError), database.writing():
        pytest.fail("the database is closed")
    assert not path.parent.exists()


def test_threads_and_databases_racing_lose_no_month(cache_url):
    stores = [CacheStore(cache_url, max_bytes=10**9) for _ in range(2)]
    stores[0].clear()

    def write(number):
        stores[number % 2].put(LIST, {JANUARY + number: CacheEntry.of(b"x", 1.0)})

    threads = [threading.Thread(target=write, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(stores[0].read(LIST)) == len(stores[1].read(LIST)) == 12
    for store in stores:
        store.close()


FILL = """
import sys
from coachboard.client.cache import CacheStore, CacheEntry, CacheKey
store = CacheStore(sys.argv[1], max_bytes=10**9)
for part in range(5):
    store.put(CacheKey("scope", "streams", f"{sys.argv[2]}-{part}"), {0: CacheEntry.of(bytes(1_000), 1.0)})
store.close()
"""


def test_processes_that_open_a_new_cache_at_once_share_it(tmp_path):
    url = f"sqlite:///{tmp_path / 'cache.db'}"
    processes = [subprocess.Popen([sys.executable, "-c", FILL, url, str(number)]) for number in range(3)]
    codes = [process.wait(60) for process in processes]

    store = CacheStore(url, max_bytes=10**9)
    assert codes == [0, 0, 0]
    assert len(store.keys("scope", "streams")) == 15
    store.close()


@pytest.mark.postgres
@pytest.mark.skipif(SERVER is None, reason="COACHBOARD_TEST_POSTGRES_URL is not set")
def test_a_postgres_that_goes_away_gives_way_to_memory_and_is_taken_up_again(tmp_path, monkeypatch):
    with empty_database("postgres", tmp_path) as url:
        store = CacheStore(url, max_bytes=10**9)
        put(store)
        name = sa.make_url(url).database
        server = sa.make_url(SERVER).set(drivername="postgresql").render_as_string(hide_password=False)
        with psycopg.connect(server, autocommit=True) as admin:
            admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
            admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
            assert body_of(store) is None
            assert store.database.trouble
            put(store, body=b"y")
            assert body_of(store) == b"y"

            admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        monkeypatch.setattr(database_module.time, "monotonic", lambda: 10.0**9)
        put(store, body=b"z")
        assert body_of(store) == b"z"
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
            store.get(STREAMS)

        assert store.database.trouble is None
        assert body_of(store) == b"x"
        store.close()
