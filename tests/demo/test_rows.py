"""What is reckoned row by row is what each row alone gives."""

import numpy as np
import pytest

from coachboard_demo.cells import geometric, lag, smooth
from coachboard_demo.rows import Rows

SIZES = (90, 1, 7, 4000, 33)
ROWS = Rows(np.array(SIZES))
VALUES = np.random.default_rng(3).normal(1.0, 0.4, sum(SIZES))
EACH = np.split(VALUES, ROWS.starts[1:])


@pytest.mark.parametrize("constant", [0.6, 2.6, 5.9, 6.4, 56.0])
@pytest.mark.parametrize("before", [None, np.arange(5) / 4])
def test_lags_begin_anew_with_each_row(constant, before):
    past = [None] * len(EACH) if before is None else before.tolist()

    alone = [lag(row, constant, before=was) for row, was in zip(EACH, past, strict=True)]
    assert ROWS.lagged(VALUES, constant, before=before).tolist() == np.concatenate(alone).tolist()


@pytest.mark.parametrize("width", [1, 2, 3, 12, 45])
def test_means_do_not_look_into_other_rows(width):
    alone = [smooth(row, width) for row in EACH]
    assert ROWS.smoothed(VALUES, width) == pytest.approx(np.concatenate(alone))


def test_sums_means_and_ends_are_those_of_each_row():
    assert ROWS.sums(VALUES) == pytest.approx([row.sum() for row in EACH])
    assert ROWS.means(VALUES) == pytest.approx([row.mean() for row in EACH])
    assert ROWS.highest(VALUES).tolist() == [row.max() for row in EACH]
    assert ROWS.lowest(VALUES).tolist() == [row.min() for row in EACH]
    assert ROWS.first(VALUES).tolist() == [row[0] for row in EACH]
    assert ROWS.last(VALUES).tolist() == [row[-1] for row in EACH]
    assert ROWS.summed(VALUES).tolist() == [each for row in EACH for each in row.cumsum().tolist()]
    assert ROWS.gone.tolist() == [at for size in SIZES for at in range(size)]


def test_rolled_means_are_those_of_each_row():
    rows = Rows(np.array([30, 6, 100]))
    values = np.arange(136.0) ** 2

    expected = [np.convolve(row, np.full(6, 1 / 6), "valid").mean() for row in np.split(values, [30, 36])]
    assert rows.means_rolled(rows.rolled(values, 6), 6) == pytest.approx(expected)


@pytest.mark.parametrize("count", [1, 2, 3, 7, 12, 24, 45])
def test_geometric_sums_are_convolutions(count):
    expected = np.convolve(VALUES, 0.7 ** np.arange(count), "valid")
    assert geometric(VALUES, 0.7, count) == pytest.approx(expected)
