"""Assign rows to columns with the largest total gain (assignment problem)."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def best_pairs(gain: ArrayLike) -> list[tuple[int, int]]:
    """Each row with at most one column and each column with at most one row, so that the gains add up to the most.

    Parameters
    ----------
    gain : array_like, shape (n, m)
        The worth of each pair; 0, negative or NaN: never a pair.

    Returns
    -------
    list of (int, int)
        Row and column of each pair, by row. Rows and columns without a pair are absent.

    Notes
    -----
    Exact: shortest augmenting paths with potentials, O(n² m). Taking the best pair first is not enough: it can leave
    two others without a partner.

    References
    ----------
    Kuhn (1955), Naval Research Logistics Quarterly 2:83; Jonker and Volgenant (1987), Computing 38:325.

    Examples
    --------
    >>> best_pairs([[0.9, 0.8], [0.8, 0.0]])
    [(0, 1), (1, 0)]
    """
    table = np.atleast_2d(np.asarray(gain, dtype=np.float64))
    cost = -np.maximum(np.nan_to_num(table), 0.0)
    rows, columns = cost.shape
    cost = np.pad(cost, ((0, 0), (0, max(rows - columns, 0))))
    row_of = _row_of_each_column(cost)
    pairs = ((int(row), column) for column, row in enumerate(row_of) if row >= 0)
    return sorted((row, column) for row, column in pairs if cost[row, column] < 0)


def _row_of_each_column(cost: NDArray[np.float64]) -> NDArray[np.intp]:
    rows, columns = cost.shape
    # The last column is virtual: it holds the row that searches a column.
    row_of = np.full(columns + 1, -1, dtype=np.intp)
    of_row, of_column = np.zeros(rows), np.zeros(columns + 1)
    for row in range(rows):
        row_of[-1] = row
        came_from, column = _shortest_path(cost, row_of, of_row, of_column)
        while column != columns:
            row_of[column] = row_of[came_from[column]]
            column = came_from[column]
    return row_of[:-1]


def _shortest_path(
    cost: NDArray[np.float64],
    row_of: NDArray[np.intp],
    of_row: NDArray[np.float64],
    of_column: NDArray[np.float64],
) -> tuple[NDArray[np.intp], int]:
    """The shortest path to a free column, as the column before each; updates the potentials in place."""
    columns = cost.shape[1]
    distance, came_from = np.full(columns, np.inf), np.full(columns, columns, dtype=np.intp)
    is_done, column = np.zeros(columns + 1, dtype=bool), columns
    while row_of[column] >= 0:
        is_done[column] = True
        row = row_of[column]
        reduced = cost[row] - of_row[row] - of_column[:-1]
        is_nearer = (reduced < distance) & ~is_done[:-1]
        distance[is_nearer], came_from[is_nearer] = reduced[is_nearer], column
        column = int(np.argmin(np.where(is_done[:-1], np.inf, distance)))
        step = distance[column]
        of_row[row_of[is_done]] += step
        of_column[is_done] -= step
        distance[~is_done[:-1]] -= step
    return came_from, column
