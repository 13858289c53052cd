"""The memo keeps a computed value as long as the values of the results are the same."""

import gc
import weakref
from datetime import UTC, datetime

from coachboard.client import Result
from coachboard.client.result import Known
from coachboard.loaders.memo import RowsMemo

NOW = datetime(2026, 3, 12, tzinfo=UTC)


def result(rows):
    return Result(Known(rows), NOW)


def again(one):
    """The same rows, read a moment later."""
    return Result(one.source, datetime.now(UTC))


def counted(kept, results, besides=None):
    made = []
    kept.of(results, besides, lambda: made.append(1))
    return len(made)


def test_the_same_rows_are_computed_once():
    kept, sessions = RowsMemo(4), result((1, 2))

    assert counted(kept, [sessions, None]) == 1
    assert counted(kept, [again(sessions), None]) == 0


def test_other_rows_another_day_or_another_missing_part_are_computed_again():
    kept, sessions, notes = RowsMemo(4), result((1, 2)), result(())
    counted(kept, [sessions, notes], "Monday")

    assert counted(kept, [result((1, 2)), notes], "Monday") == 1
    assert counted(kept, [sessions, notes], "Tuesday") == 1
    assert counted(kept, [sessions, None], "Monday") == 1


def test_rows_that_the_client_lets_go_of_are_not_held():
    kept, sessions = RowsMemo(4), result((1, 2))
    counted(kept, [sessions])
    held = weakref.ref(sessions.identity)
    del sessions
    gc.collect()

    assert held() is None


def test_a_value_ends_with_its_rows():
    """After a sign-out the values of an athlete stayed until 100 other athletes had been shown."""
    kept, sessions, notes = RowsMemo(4), result((1, 2)), result(())
    held = weakref.ref(kept.of([sessions, None], None, lambda: Known(())))
    kept.of([notes], None, list)
    del sessions
    kept.of([result((3,))], None, list)

    assert held() is None
    assert counted(kept, [notes]) == 0


def test_new_rows_at_the_address_of_deleted_rows_are_computed_again():
    kept = RowsMemo(1_000)
    counts = [
        counted(kept, [result((number,))]) for number in range(200)
    ]  # each may lie where the last one lay

    assert counts == [1] * 200


def test_the_newest_few_are_held():
    kept, all_of_them = RowsMemo(2), [result((number,)) for number in range(3)]
    for one in all_of_them:
        counted(kept, [one])

    assert [counted(kept, [one]) for one in reversed(all_of_them)] == [0, 0, 1]
