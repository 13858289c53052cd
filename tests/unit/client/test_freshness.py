"""The arithmetic of spans, against a model that keeps one entry a day."""

from datetime import date
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from coachboard.client.cache.freshness import (
    FIRST_DAY,
    LAST_DAY,
    PLANNED,
    RECORDED,
    UNDATED,
    Days,
    Span,
    demand,
    merge,
    plan,
    record,
    subtract,
)

TABLE = ((0, 10.0), (3, 100.0), (float("inf"), 1000.0))
DAYS = st.tuples(st.integers(10, 40), st.integers(0, 12)).map(lambda d: Days(d[0], d[0] + d[1]))
SPANS = st.builds(Span, DAYS, st.integers(0, 300).map(float), st.integers(15, 35))


class DayByDay:
    """The naive model: for each day, when it was fetched and what day that was."""

    def __init__(self):
        self.days = {}

    def record(self, span):
        for day in range(span.days.first, span.days.last + 1):
            self.days[day] = (span.fetched_at, span.fetched_on)

    def missing(self, wanted):
        return {day for day in span_days(wanted) if day not in self.days}

    def old(self, wanted, now):
        return {day for day in span_days(wanted) if day in self.days and self._is_old(day, now)}

    def _is_old(self, day, now):
        fetched_at, fetched_on = self.days[day]
        age = fetched_on - day
        lifetime = next(seconds for days_back, seconds in TABLE if age <= days_back)
        return not fetched_at - 60 <= now <= fetched_at + lifetime


def span_days(*ranges):
    return {day for days in ranges for day in range(days.first, days.last + 1)}


@given(st.lists(SPANS, max_size=8), DAYS, st.integers(0, 1500).map(float))
def test_a_plan_names_the_same_days_as_the_naive_model(fetches, wanted, now):
    naive, spans = DayByDay(), ()
    for fetch in fetches:
        naive.record(fetch)
        spans = record(spans, fetch)

    needs = plan(wanted, spans, TABLE, now)

    assert span_days(*needs.missing) == naive.missing(wanted)
    assert span_days(*needs.old) == naive.old(wanted, now)
    assert (needs.as_of is None) == (naive.missing(wanted) == span_days(wanted))


@given(st.lists(SPANS, max_size=8))
def test_recorded_spans_never_overlap_and_keep_their_time(fetches):
    naive, spans = DayByDay(), ()
    for fetch in fetches:
        naive.record(fetch)
        spans = record(spans, fetch)

    days = [day for span in spans for day in sorted(span_days(span.days))]
    assert days == sorted(naive.days)
    assert all(naive.days[day][0] == span.fetched_at for span in spans for day in span_days(span.days))


@given(st.lists(DAYS, max_size=8))
def test_merged_ranges_hold_the_same_days_and_do_not_touch(ranges):
    merged = merge(ranges)

    assert span_days(*merged) == span_days(*ranges)
    assert all(a.last + 1 < b.first for a, b in pairwise(merged))


@given(DAYS, st.lists(DAYS, max_size=6))
def test_subtracting_leaves_the_days_that_are_not_covered(wanted, known):
    assert span_days(*subtract(wanted, known)) == span_days(wanted) - span_days(*known)


@given(st.lists(SPANS, max_size=5), DAYS, st.integers(0, 300).map(float))
def test_a_demand_for_fresh_days_requests_all_older_ones(fetches, wanted, moment):
    spans = ()
    for fetch in fetches:
        spans = record(spans, fetch)
    naive = {day for span in spans if span.fetched_at >= moment for day in span_days(span.days)}

    needs = demand(plan(wanted, spans, TABLE, 0.0), wanted, spans, moment, 1_000.0)

    assert span_days(*needs.missing) == span_days(wanted) - naive


def test_an_open_range_ends_where_days_end():
    assert Days.of(None, None) == Days(FIRST_DAY, LAST_DAY)
    assert (Days.of(None, date(2026, 1, 2)).start, Days.of(None, date(2026, 1, 2)).end) == (
        None,
        date(2026, 1, 2),
    )
    assert not Days.of(date(2026, 1, 2), date(2026, 1, 1))


def test_rows_without_a_day_are_asked_for_with_the_open_range_alone():
    """Ranges with days do not contain such rows, so the open range is fetched whole."""
    everything = Days.of(None, None, may_be_undated=True)
    known = record((), Span(Days(FIRST_DAY, LAST_DAY), 0.0, 100))

    assert everything.first == UNDATED
    assert everything.start is None
    assert plan(everything, known, RECORDED, 0.0).missing == (everything,)
    assert plan(everything, record((), Span(everything, 0.0, 100)), RECORDED, 0.0).missing == ()


def test_a_result_is_as_old_as_the_days_that_age_fastest():
    spans = (Span(Days(1, 50), 100.0, 100), Span(Days(51, 100), 900.0, 100))

    needs = plan(Days(1, 100), spans, RECORDED, 905.0)

    assert needs.as_of == 900.0
    assert not needs.old


def test_days_that_were_ahead_when_fetched_are_old_once_their_lifetime_is_over():
    """A plan fetched for next week is asked again in minutes, whatever the day is then."""
    span = Span(Days(100, 120), 0.0, 100)

    needs = plan(Days(100, 120), (span,), PLANNED, 301.0)

    assert needs.old == (Days(100, 120),)


def test_a_clock_that_was_set_back_makes_everything_old():
    needs = plan(Days(1, 5), (Span(Days(1, 5), 10_000.0, 100),), RECORDED, 5_000.0)

    assert needs.old == (Days(1, 5),)
