"""The assignment of rows to columns is the best of all permutations."""

from itertools import permutations

import numpy as np
import pytest

from coachboard.execution.assignment import best_pairs


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (3, 3), (2, 4), (4, 2), (4, 4)])
def test_no_other_assignment_is_worth_more(rows, columns):
    rng = np.random.default_rng(rows * 10 + columns)
    for _ in range(30):
        gain = np.where(rng.random((rows, columns)) < 0.3, np.nan, rng.normal(0.5, 1, (rows, columns)))
        found = best_pairs(gain)
        worth = np.maximum(np.nan_to_num(np.pad(gain, ((0, 0), (0, rows)), constant_values=0)), 0)
        best = max(
            sum(worth[row, way[row]] for row in range(rows))
            for way in permutations(range(columns + rows), rows)
        )

        assert sum(gain[pair] for pair in found) == pytest.approx(best)
        assert len({row for row, _ in found}) == len({column for _, column in found}) == len(found)


def test_a_pair_without_gain_is_not_made():
    assert best_pairs([[0.0, np.nan], [-1.0, 0.5]]) == [(1, 1)]
