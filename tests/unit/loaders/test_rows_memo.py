"""The memo keeps a computed value as long as the values of the results are the same."""

from dataclasses import replace
from datetime import UTC, datetime

from coachboard.client import Result
from coachboard.loaders.memo import RowsMemo, forget

NOW = datetime(2026, 3, 12, tzinfo=UTC)


def result(rows):
    return Result(rows, NOW)


def again(one):
    """The same rows, read a moment later."""
    return replace(one, as_of=datetime.now(UTC))


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


def test_the_values_of_a_client_end_with_it():
    """After a sign-out the values of an athlete stayed until 100 other athletes had been shown."""
    kept = RowsMemo(4)
    mine, theirs = (Result((1,), NOW, identity=(scope, "sleeps")) for scope in ("mine", "theirs"))
    for rows in (mine, theirs):
        counted(kept, [None, rows])
    forget("mine")

    assert [counted(kept, [None, rows]) for rows in (theirs, mine)] == [0, 1]


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
