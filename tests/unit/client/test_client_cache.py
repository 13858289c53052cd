"""The cache as a file: damage, other versions, bounds, threads and processes."""

import secrets
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from functools import partial

import orjson
import pytest
import sqlalchemy as sa
from sqlalchemy import event

from coachboard.client.cache.blobs import BlobKey
from coachboard.client.cache.database import CacheLost, Database, retry_if_lost
from coachboard.client.cache.freshness import Days, Span
from coachboard.client.cache.ranges import FetchedDays, ListKey, place_rows
from coachboard.client.cache.schema import BUDGET, CACHE, SPANS, VERSION, find_mismatch, quarantine
from coachboard.client.cache.store import CacheStore
from coachboard.client.cache.write_behind import Unwritten
from coachboard.client.resources import ACTIVITIES, METRICS, NOTES, ListRow

KEY = ListKey("scope", METRICS, "usr_a", "usr_a")
ALL = Days(1, 1_000_000)


def metric(name, day="2026-03-01"):
    return ListRow({"id": name, "date": day, "value": 1})


def put(store, rows, days=ALL, key=KEY, at=1.0):
    return store.ranges.put(key, place_rows(key.resource, rows, days), Span(days, at, 739_000))


def ids(store, days=ALL, key=KEY):
    return [row.value.get("id") for row in store.ranges.rows(key, days)[1]]


@pytest.fixture
def store(cache_url):
    store = CacheStore(cache_url, max_bytes=10**9)
    store.clear()
    yield store
    store.close()


def day(text):
    return METRICS.day_of({"date": text}).toordinal()


def test_a_refreshed_span_replaces_its_days_and_no_others(store):
    put(store, [metric("old", "2026-02-01"), metric("gone", "2026-03-01"), metric("stays", "2026-03-09")])
    put(store, [metric("new", "2026-03-02")], Days(day("2026-03-01"), day("2026-03-05")), at=2.0)

    assert ids(store) == ["old", "new", "stays"]


def test_a_row_that_moved_into_a_span_is_only_there(store):
    put(store, [metric("a", "2026-02-01")])
    put(store, [metric("a", "2026-03-02")], Days(day("2026-03-01"), day("2026-03-05")), at=2.0)

    assert ids(store, Days(day("2026-02-01"), day("2026-02-28"))) == []
    assert ids(store) == ["a"]


def test_rows_that_say_another_day_than_was_asked_stay_in_the_span_they_came_in(store):
    march = Days(day("2026-03-01"), day("2026-03-31"))
    put(
        store,
        [metric("a", "2026-04-02"), ListRow({"id": "b"}, is_odd=True), ListRow("text", is_odd=True)],
        march,
    )

    assert len(store.ranges.rows(KEY, march)[1]) == 3


def test_lists_of_other_scopes_users_and_resources_are_apart(store):
    others = [
        ListKey("other", METRICS, "usr_a", "usr_a"),
        ListKey("scope", METRICS, "usr_b", "usr_b"),
        ListKey("scope", NOTES, "usr_a", "usr_a"),
    ]
    put(store, [metric("mine")])

    assert all(store.ranges.state(key) is None for key in others)


def test_the_size_of_a_list_is_that_of_its_rows(store):
    put(store, [metric("a"), metric("b")])
    put(store, [metric("c", "2026-03-02")], Days(day("2026-03-01"), day("2026-03-05")), at=2.0)

    (line,) = store.contents()
    assert line.bytes == store.size() == len(orjson.dumps(metric("c", "2026-03-02").value))


def test_the_least_recently_used_entries_are_deleted_first(cache_url):
    store = CacheStore(cache_url, max_bytes=10_000)
    store.clear()
    for number in range(6):
        store.blobs.put(BlobKey("scope", "streams", str(number)), bytes(3_000), now=float(number))
    store.blobs.touch(BlobKey("scope", "streams", "0"), 99.0)
    store.shrink()

    assert store.blobs.keys("scope", "streams") == {"0", "4", "5"}
    assert store.size() <= 9_000
    store.close()


@pytest.mark.parametrize("way", ["clear", "shrink"])
def test_the_file_shrinks_after_deletions(tmp_path, way):
    path = tmp_path / "cache.db"
    store = CacheStore(f"sqlite:///{path}", max_bytes=300_000)
    for number in range(12):
        store.blobs.put(BlobKey("scope", "streams", str(number)), bytes(200_000), now=float(number))
    getattr(store, way)()
    store.close()

    assert path.stat().st_size < 600_000


def test_frames_of_former_versions_are_deleted(cache_url):
    """No code reads them, so they would stay after the key may no longer read their athlete."""
    for kind in ("frame activities", "streams"):
        store = CacheStore(cache_url, max_bytes=10**9)
        store.blobs.put(BlobKey("scope", kind, "usr_a 364"), b"x", now=1.0)
        store.close()

    store = CacheStore(cache_url, max_bytes=10**9)
    assert [line.kind for line in store.contents()] == ["streams"]
    store.close()


def activities_of(user_id, scope="scope"):
    return ListKey(scope, ACTIVITIES, user_id, user_id)


def ride(name):
    return ListRow({"id": name, "startTime": "2026-03-01T08:00:00Z"})


def test_dropped_people_lose_lists_profile_streams_and_results_and_all_others_keep_theirs(store):
    for user_id in "abc":
        put(store, [ride(f"ride_{user_id}")], key=activities_of(user_id))
        put(store, [metric(f"weight_{user_id}")], key=ListKey("scope", METRICS, user_id, user_id))
    put(store, [ride("ride_a")], key=activities_of("a", scope="other"))
    kept, dropped = set(), set()
    for kind in ("streams", "derived curve", "profile", "users"):
        of = "{}" if kind == "profile" else "ride_{}"
        for name in "abc":
            (kept if name == "c" or kind == "users" else dropped).add(BlobKey("scope", kind, of.format(name)))
            kept.add(BlobKey("other", kind, of.format(name)))
    dropped |= {BlobKey("scope", "streams", "in no list"), BlobKey("scope", "profile", "me")}
    for key in kept | dropped:
        store.blobs.put(key, b"x", now=1.0)
    store.drop_people("scope", {"a", "b"}, {"a", "b", "me"})

    assert {key for key in kept | dropped if store.blobs.get(key) is None} == dropped
    assert [ids(store, key=activities_of(name)) for name in "abc"] == [[], [], ["ride_c"]]
    assert store.ranges.state(ListKey("scope", METRICS, "a", "a")) is None
    assert ids(store, key=ListKey("scope", METRICS, "c", "c")) == ["weight_c"]
    assert ids(store, key=activities_of("a", scope="other")) == ["ride_a"]


@pytest.mark.parametrize("kind", ["list", "streams"])
def test_an_unwritten_value_of_a_dropped_person_does_not_come_back(store, kind):
    rides, stream = FetchedDays(activities_of("a"), ALL), BlobKey("scope", "streams", "ride_a")
    is_open = threading.Event()
    store.blobs_behind.put(BlobKey("other", "streams", "first"), Unwritten(None, 1.0, is_open.wait))
    if kind == "list":
        write = partial(put, store, [ride("ride_a")], key=rides.key)
        store.lists_behind.put(rides, Unwritten(None, 1.0, write))
    else:
        store.blobs_behind.put(stream, Unwritten(None, 1.0, lambda: store.blobs.put(stream, b"x", now=1.0)))
    threading.Timer(0.1, is_open.set).start()
    store.drop_people("scope", {"a"}, {"a"})
    store.flush()

    assert (store.ranges.state(rides.key), store.blobs.get(stream)) == (None, None)


def test_people_are_dropped_in_one_transaction_that_waits_for_no_other_key(store):
    """A coach with 200 athletes waited 20 s at the first read, and minutes behind the lists of other coaches."""
    people = [f"usr_{number}" for number in range(30)]
    for user_id in people:
        put(store, [ride(f"ride_{user_id}")], key=activities_of(user_id))
    is_open, written, commits = threading.Event(), [], []
    event.listen(store.database.engines[1], "commit", commits.append)
    unwritten = Unwritten(None, 1.0, lambda: written.append(is_open.wait(5)))
    store.lists_behind.put(FetchedDays(activities_of("usr_0", scope="other"), ALL), unwritten)
    store.blobs_behind.put(BlobKey("other", "streams", "ride"), unwritten)
    store.drop_people("scope", frozenset(people), people)

    assert (written, len(commits)) == ([], 1)
    assert all(store.ranges.state(activities_of(user_id)) is None for user_id in people)
    is_open.set()


def test_clearing_one_scope_leaves_the_others(store):
    for scope in ("one", "other"):
        store.blobs.put(BlobKey(scope, "streams", "a"), b"x", now=1.0)
    store.clear("one")

    assert [line.scope for line in store.contents()] == ["other"]


def opened_with(path):
    store = CacheStore(f"sqlite:///{path}", max_bytes=10**9)
    found = ids(store)
    store.close()
    return found


def write_nothing_useful(path):
    path.write_bytes(b"not a database at all" * 500)


def write_a_broken_page(path):
    store = CacheStore(f"sqlite:///{path}", max_bytes=10**9)
    put(store, [metric(f"m{n}") for n in range(2_000)])
    store.close()
    content = bytearray(path.read_bytes())
    content[4096 : len(content) : 512] = b"\xff" * len(content[4096 : len(content) : 512])
    path.write_bytes(content)


def write_another_version(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE coachboard_cache (x)")
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()


@pytest.mark.parametrize("write", [write_nothing_useful, write_a_broken_page, write_another_version])
def test_a_file_that_cannot_be_used_is_set_aside_and_a_new_one_begun(tmp_path, write):
    path = tmp_path / "cache.db"
    write(path)

    try:
        found = opened_with(path)
    except CacheLost:
        found = opened_with(path)

    assert found == []
    assert list(tmp_path.glob("cache.db.set-aside-*"))


def test_of_former_caches_the_newest_alone_is_kept(tmp_path):
    path = tmp_path / "cache.db"
    for _ in range(3):
        write_a_broken_page(path)
        former = quarantine(path)
        former.rename(former.with_name(f"{former.name}-{secrets.token_hex(2)}"))
    write_another_version(path)
    newest = quarantine(path)

    assert list(tmp_path.glob("cache.db.set-aside-*")) == [newest]


def test_a_file_that_was_never_a_cache_stays_where_it_was_set_aside(tmp_path):
    path = tmp_path / "cache.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE ledger (x)")
    connection.close()
    opened_with(path)
    (ledger,) = tmp_path.glob("cache.db.set-aside-*")
    write_nothing_useful(path)
    text = quarantine(path)
    write_a_broken_page(path)
    quarantine(path)

    assert ledger.exists()
    assert text.exists()


def test_a_look_at_a_file_accepts_any_name_and_changes_nothing(tmp_path):
    path = tmp_path / "100% of #1? ü.db"
    CacheStore(sa.URL.create("sqlite", database=str(path)), max_bytes=10**9).close()
    before = path.read_bytes()

    assert find_mismatch(path, CACHE) is None
    assert find_mismatch(path, BUDGET).startswith("contains other tables: coachboard_cache_")
    assert path.read_bytes() == before


def test_a_damaged_file_is_reported_and_one_of_another_version_is_not(tmp_path, caplog):
    path = tmp_path / "cache.db"
    path.write_bytes(b"garbage" * 1_000)
    damaged = Database(f"sqlite:///{path}")
    damaged.close()
    kept = damaged.set_aside.read_bytes()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 1")
    upgraded = Database(f"sqlite:///{path}")
    upgraded.close()

    assert kept == b"garbage" * 1_000
    assert upgraded.set_aside is None
    (line,) = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert line.endswith(f"is damaged; put aside as {damaged.set_aside}, starting with a new one")


def test_damage_found_while_running_is_set_aside_and_the_read_done_again(tmp_path):
    path = tmp_path / "cache.db"
    store = CacheStore(f"sqlite:///{path}", max_bytes=10**9)
    put(store, [metric("a")])
    with sqlite3.connect(path) as connection:
        connection.execute(f"DROP TABLE coachboard_cache_{VERSION}_spans")
    connection.close()

    assert retry_if_lost(lambda: ids(store)) == []
    assert list(tmp_path.glob("cache.db.set-aside-*"))
    put(store, [metric("b")])
    assert ids(store) == ["b"]
    store.close()


def test_the_new_file_of_another_process_that_found_the_damage_is_shared_with_it(tmp_path):
    """The second process to find the damage renamed the new file of the first: the two shared no request log."""
    path = tmp_path / "cache.db"
    first, second = (CacheStore(f"sqlite:///{path}", max_bytes=10**9) for _ in range(2))
    put(first, [metric("a")])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"DROP TABLE coachboard_cache_{VERSION}_spans")
    put(first, [metric("b")])

    assert ids(second) == ["b"]
    renamed = {path.name.removesuffix("-wal").removesuffix("-shm") for path in tmp_path.glob("*.set-aside-*")}
    assert len(renamed) == 1
    first.close()
    second.close()


def test_a_late_write_does_not_create_a_closed_temporary_cache_again():
    database = Database("sqlite://")
    database.close()

    with pytest.raises(sa.exc.OperationalError), database.writing():
        pytest.fail("the database is closed")
    assert not database.path.parent.exists()


def test_a_list_without_fetched_days_has_a_state_without_any(store):
    put(store, [metric("a")])
    with store.database.writing() as connection:
        connection.execute(sa.delete(SPANS))

    assert store.ranges.state(KEY).spans == ()


@pytest.mark.parametrize(
    "change",
    [
        "items SET body = 'no JSON'",
        "blobs SET body = 'a text'",
        "blobs SET fetched_at = 'never'",
        "lists SET used_at = 'never'",
        "spans SET fetched_at = 'never'",
        "lists SET used_at = CAST(x'ff' AS TEXT)",
    ],
)
def test_rows_of_other_types_are_damage(tmp_path, change):
    store = CacheStore(f"sqlite:///{tmp_path / 'cache.db'}", max_bytes=10**9)
    put(store, [metric("a")])
    blob = BlobKey("scope", "profile", "usr_a")
    store.blobs.put(blob, b"{}", now=1.0)
    with closing(sqlite3.connect(tmp_path / "cache.db")) as connection:
        connection.execute(f"UPDATE coachboard_cache_{VERSION}_{change}")
        connection.commit()
    for _ in range(2):  # a damaged value may be read after a sound one
        found = store.blobs.get(blob), retry_if_lost(lambda: ids(store))
    store.close()

    assert found == (None, [])
    assert store.database.set_aside is not None


def test_a_cache_in_memory_is_a_file_that_goes_with_it():
    database = Database("sqlite://")
    path = database.path
    assert path.exists()
    database.close()

    assert not path.exists()


def test_threads_and_databases_racing_lose_no_span(cache_url):
    """Each writes its own month of one list; in the end all are there."""
    stores = [CacheStore(cache_url, max_bytes=10**9) for _ in range(2)]
    stores[0].clear()

    def write(number):
        days = Days(739_000 + 31 * number, 739_030 + 31 * number)
        put(stores[number % 2], [metric(f"m{number}", "x")], days)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(stores[0].ranges.state(KEY).spans) == 12
    assert len(ids(stores[1])) == 12
    for store in stores:
        store.close()


FILL = """
import sys
from coachboard.client.cache.schema import quarantine
from coachboard.client.cache.blobs import BlobKey
from coachboard.client.cache.store import CacheStore
store = CacheStore(sys.argv[1], max_bytes=10**9)
for part in range(5):
    store.blobs.put(BlobKey("scope", "streams", f"{sys.argv[2]}-{part}"), bytes(1_000), now=1.0)
store.close()
"""


def test_processes_that_open_a_new_cache_at_once_share_it(tmp_path):
    url = f"sqlite:///{tmp_path / 'cache.db'}"
    processes = [subprocess.Popen([sys.executable, "-c", FILL, url, str(number)]) for number in range(3)]
    codes = [process.wait(60) for process in processes]

    store = CacheStore(url, max_bytes=10**9)
    assert codes == [0, 0, 0]
    assert len(store.blobs.keys("scope", "streams")) == 15
    store.close()


def test_a_moment_of_another_cache_tells_nothing(tmp_path):
    one, other = (CacheStore(f"sqlite:///{tmp_path / name}", max_bytes=10**9) for name in ("a.db", "b.db"))
    moment = one.database.moment()

    assert one.is_unchanged(["part"], moment)
    assert moment[1:] == other.database.moment()[1:]
    assert not other.is_unchanged(["part"], moment)
    one.close()
    other.close()
