"""Months of a list: which of them a range needs, and how long they are fresh."""

from datetime import date, timedelta
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coachboard.client.cache import CacheEntry
from coachboard.client.lists import entries_of
from coachboard.client.months import (
    AFTER,
    BEFORE,
    PLANNED,
    RECORDED,
    Days,
    ListPart,
    as_of,
    first_day,
    last_day,
    month_of,
    parts_of,
    runs,
)
from coachboard.client.resources import NOTES, ListRow

TODAY = date(2026, 3, 20)
DAYS = st.none() | st.dates(date(2023, 1, 1), date(2029, 12, 31))
RANGES = st.tuples(DAYS, DAYS).map(lambda ends: Days(*ends)).filter(lambda days: not days.is_empty)


@given(st.dates(date(1970, 1, 1), date(2099, 12, 31)))
def test_a_month_has_its_first_and_last_day(day):
    month = month_of(day)

    assert first_day(month) <= day <= last_day(month)
    assert month_of(last_day(month) + timedelta(days=1)) == month + 1


def fetched(rows, reads):
    """The entries after reads, each fetching its missing runs from a service with these rows, and the requests."""
    stored, requests = {}, []
    for days in reads:
        parts = parts_of(days, stored, RECORDED, TODAY)
        for run in runs(parts, [part for part in parts if part.fetched_at is None]):
            reply = [row for row in rows if run.clamp(row) == row]
            listed = [ListRow({"id": day.isoformat(), "date": day.isoformat()}) for day in reply]
            first, last = run.start and month_of(run.start), run.end and month_of(run.end)
            gone = [month for month in stored if month > 12 and (first or 0) <= month <= (last or inf)]
            stored = {month: entry for month, entry in stored.items() if month not in gone}
            stored |= entries_of(NOTES, listed, run, 1.0, TODAY)
            requests.append(run)
    return stored, requests


@given(
    st.lists(st.dates(date(2023, 1, 1), date(2029, 12, 31)), max_size=8), st.lists(RANGES, max_size=5), RANGES
)
def test_a_range_is_complete_after_its_missing_runs_were_fetched(rows, before, days):
    """Whatever was read before, in whatever order: a second read asks nothing, and finds the days of all rows."""
    stored, _ = fetched(rows, [*before, days])
    parts = parts_of(days, stored, RECORDED, TODAY)

    assert all(part.fetched_at is not None for part in parts)
    assert [part.days.start for part in parts[1:]] == [
        part.days.end + timedelta(days=1) for part in parts[:-1]
    ]
    wanted = {month_of(day) for day in rows if days.clamp(day) == day}
    assert all(len(stored[month].body) > 1 for month in wanted)


@pytest.mark.parametrize(
    ("table", "month", "fresh_s"),
    [
        (RECORDED, date(2026, 3, 1), 120),
        (RECORDED, date(2026, 2, 1), 6 * 3600),
        (RECORDED, date(2025, 11, 1), 7 * 86_400),
        (PLANNED, date(2026, 3, 1), 300),
        (PLANNED, date(2026, 4, 1), 300),
        (PLANNED, date(2026, 5, 1), 1_800),
        (PLANNED, date(2025, 11, 1), 7 * 86_400),
    ],
)
def test_a_month_is_fresh_by_its_nearest_day(table, month, fresh_s):
    (part,) = parts_of(Days(month, month), {month_of(month): CacheEntry.of(b"", 1_000.0)}, table, TODAY)

    assert part.is_fresh(1_000.0 + fresh_s)
    assert not part.is_fresh(1_001.0 + fresh_s)
    assert not part.is_fresh(900.0), "a clock that was set back makes everything old"


def test_a_result_is_as_old_as_the_months_that_age_fastest():
    def part(number, fetched_at, lifetime_s):
        return ListPart(number, Days(None, None), fetched_at, lifetime_s)

    old, new = part(1, 100.0, 1_000.0), part(2, 500.0, 120.0)
    assert as_of([old, new, part(3, None, 60.0)], 550.0) == 500.0
    assert as_of([old, new], 1_500.0) == 500.0
    assert as_of([old, part(2, 1_450.0, 120.0)], 1_500.0) == 100.0
    assert as_of([part(1, None, 60.0)], 0.0) is None


def test_open_ends_have_marks_and_the_months_around_today_their_own_entries():
    stored, requests = fetched([date(2024, 5, 3)], [Days(None, None)])
    around = {month_of(date(2026, month, 1)) for month in range(1, 6)}

    assert requests == [Days(None, None)]
    assert stored.keys() - {BEFORE, AFTER} == around | {month_of(date(2024, 5, 3))}
    assert (stored[BEFORE].version, stored[AFTER].version) == (min(around), max(around) + 1)
