"""On PostgreSQL the writes of two people do not wait for each other, and a commit that takes long is not overlooked."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import date

import pytest
import sqlalchemy as sa

from coachboard.service.store import Store
from databases import SERVER, connected
from seeded import ATHLETE, COACH, OTHER_ATHLETE, STRANGER, metric, seed
from waiting import wait_until

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.skipif(SERVER is None, reason="needs a PostgreSQL"),
    pytest.mark.parametrize("store_url", ["postgres"], indirect=True),
]
DAY = date(2026, 3, 11)
_GATE = 4_711


@pytest.fixture
def hasty(store) -> Iterator[Store]:
    """A second process, which fails instead of waiting a second for a lock."""
    seed(store)
    url = sa.make_url(store.url).update_query_dict({"options": "-c lock_timeout=1000"})
    opened = Store.open(url.render_as_string(hide_password=False))
    yield opened
    opened.close()


@contextmanager
def slow_commits(store: Store, table: str, column: str, value: str) -> Iterator[ThreadPoolExecutor]:
    """Within the block each transaction that writes this value stays open, with all its locks, before its commit."""
    with connected(store.url) as connection:
        connection.exec_driver_sql(
            "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN PERFORM pg_advisory_xact_lock_shared({_GATE}); RETURN NULL; END $$"
        )
        connection.exec_driver_sql(
            f"CREATE CONSTRAINT TRIGGER wait AFTER INSERT OR UPDATE ON {table} DEFERRABLE INITIALLY DEFERRED "
            f"FOR EACH ROW WHEN (NEW.{column} = '{value}') EXECUTE FUNCTION wait()"
        )
    with ThreadPoolExecutor(1) as thread, connected(store.url) as gate:
        gate.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_GATE})")
        yield thread


def waits_at_its_commit(store: Store, slow: Future) -> None:
    def is_waiting() -> bool:
        with connected(store.url) as connection:
            waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
            return connection.exec_driver_sql(waiting).scalar_one() > 0

    wait_until(is_waiting)
    assert not slow.done()


def put_weight(store: Store, user_id: str, value: float) -> None:
    store.put_metrics(user_id, [metric(f"mtr_{user_id}_{value:.0f}", DAY, value)])


@pytest.mark.parametrize("other", [OTHER_ATHLETE, STRANGER, COACH])
def test_a_person_does_not_wait_for_the_write_of_another_one(store, hasty, other):
    with slow_commits(store, "metrics", "user_id", ATHLETE) as thread:
        slow = thread.submit(put_weight, store, ATHLETE, 60)
        waits_at_its_commit(store, slow)

        put_weight(hasty, other, 80)
        hasty.add_key(other, label="another")

    slow.result()
    assert 80 in [row.value for row in store.metrics_of(other)]
    assert 60 in [row.value for row in store.metrics_of(ATHLETE)]


def test_a_request_does_not_wait_for_the_count_of_another_key(store, hasty):
    store.count("key_1", 1)
    with slow_commits(store, "counters", "name", "key_1") as thread:
        slow = thread.submit(store.count, "key_1", 1)
        waits_at_its_commit(store, slow)

        assert [hasty.count("key_2", window) for window in (1, 1, 3)] == [1, 2, 1]
        hasty.forget_counts_before(3)

    assert slow.result() == 2


def test_a_change_that_commits_after_a_later_one_is_named(store, hasty):
    """Its number was drawn before that of the change that a client saw already."""
    people = {ATHLETE, OTHER_ATHLETE}
    with slow_commits(store, "stamps", "user_id", ATHLETE) as thread:
        before = hasty.look("", people).stamp
        slow = thread.submit(put_weight, store, ATHLETE, 60)
        waits_at_its_commit(store, slow)
        put_weight(hasty, OTHER_ATHLETE, 80)
        seen = hasty.look(before, people)
        assert seen.is_plan_by_person == {OTHER_ATHLETE: False}

    slow.result()
    assert hasty.look(seen.stamp, people).is_plan_by_person == {ATHLETE: False}
