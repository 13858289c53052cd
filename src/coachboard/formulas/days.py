"""Daily series: dated values on an unbroken row of days, and weeks."""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

DAYS_A_WEEK = 7


def day_row(start: date, end: date) -> list[date]:
    """Every day from `start` to `end`, both included.

    Parameters
    ----------
    start, end : date
        First and last day.

    Returns
    -------
    list of date
        Ascending; empty where `end` lies before `start`.

    Examples
    --------
    >>> [day.day for day in day_row(date(2026, 2, 27), date(2026, 3, 1))]
    [27, 28, 1]
    """
    return [start + timedelta(days=n) for n in range((end - start).days + 1)]


def _positions(days: Sequence[date], start: date, length: int) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    first = start.toordinal()
    offsets_d = np.array([day.toordinal() - first for day in days], dtype=np.intp)
    return offsets_d, (offsets_d >= 0) & (offsets_d < length)


def daily_sum(
    days: Sequence[date], values: Iterable[float | None], *, start: date, end: date
) -> NDArray[np.float64]:
    """Sum of dated values per day; days without values are 0.

    Parameters
    ----------
    days : sequence of date, length n
        The day of each value, in any order.
    values : iterable of float or None, length n
        The values; None and NaN count as 0, because an unscored session adds no known load.
    start, end : date
        First and last day of the result.

    Returns
    -------
    ndarray
        One sum a day, shape (days,).

    Notes
    -----
    *Missing data*: without any value every day is 0; values outside the span are left out.

    Examples
    --------
    >>> monday = date(2026, 3, 2)
    >>> daily_sum([monday, monday], [40, 30], start=monday, end=date(2026, 3, 3)).tolist()
    [70.0, 0.0]
    """
    total = np.zeros(max((end - start).days + 1, 0))
    offsets_d, inside = _positions(days, start, len(total))
    amounts = np.nan_to_num(np.array(list(values), dtype=np.float64))
    np.add.at(total, offsets_d[inside], amounts[inside])
    return total


def daily_last(
    days: Sequence[date], values: Iterable[float | None], *, start: date, end: date
) -> NDArray[np.float64]:
    """Last value of each day; NaN on days without values.

    Parameters
    ----------
    days : sequence of date, length n
        The day of each value, oldest first where a day repeats.
    values : iterable of float or None, length n
        The values; None and NaN are missing and never replace a value.
    start, end : date
        First and last day of the result.

    Returns
    -------
    ndarray
        One value a day, NaN where there is none, shape (days,).

    Examples
    --------
    >>> monday = date(2026, 3, 2)
    >>> daily_last([monday], [52], start=monday, end=date(2026, 3, 3)).tolist()
    [52.0, nan]
    """
    row = np.full(max((end - start).days + 1, 0), np.nan)
    offsets_d, inside = _positions(days, start, len(row))
    amounts = np.array(list(values), dtype=np.float64)
    has_value = inside & ~np.isnan(amounts)
    row[offsets_d[has_value]] = amounts[has_value]
    return row


def week_start(day: date, *, first_weekday: int = 0) -> date:
    """The first day of the week that `day` falls in.

    Parameters
    ----------
    day : date
        Any day.
    first_weekday : int
        0 is Monday, 6 is Sunday.

    Returns
    -------
    date
        At most six days before `day`.

    Examples
    --------
    >>> week_start(date(2026, 3, 1)).isoformat(), week_start(date(2026, 3, 1), first_weekday=6).isoformat()
    ('2026-02-23', '2026-03-01')
    """
    if first_weekday not in range(DAYS_A_WEEK):
        raise ValueError(f"first_weekday must be 0 to 6, got {first_weekday}")
    return day - timedelta(days=(day.weekday() - first_weekday) % DAYS_A_WEEK)
