"""Reading `from` and `to`."""

import re
from datetime import date, timedelta
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coachboard.service.api.errors import InvalidRequest
from coachboard.service.api.routes import DayRange, day_range

TODAY = date(2026, 3, 20)


@given(st.dates(), st.dates())
def test_every_day_is_read_back(start, end):
    assert day_range(f"from={start}&to={end}".encode()) == DayRange(start, end)


@given(st.text().filter(lambda text: not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text, re.ASCII)))
def test_every_other_text_is_refused(text):
    with pytest.raises(InvalidRequest):
        day_range(f"to={quote(text)}".encode())


@given(st.from_regex(r"\A\d{4}-\d{2}-\d{2}\Z"))
def test_a_text_like_a_day_is_a_day_or_refused(text):
    try:
        expected = date.fromisoformat(text) if text.isascii() else None
    except ValueError:
        expected = None
    query = f"from={quote(text)}".encode()

    if expected is None:
        with pytest.raises(InvalidRequest):
            day_range(query)
    else:
        assert day_range(query).start == expected


@given(st.binary())
def test_no_query_breaks_the_reading(query):
    try:
        days = day_range(query)
    except InvalidRequest:
        return

    assert isinstance(days, DayRange)


def test_no_query_is_an_open_range():
    assert day_range(b"") == DayRange(None, None)


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        (DayRange(None, None), True),
        (DayRange(None, TODAY), True),
        (DayRange(TODAY - timedelta(days=90), None), False),
        (DayRange(TODAY - timedelta(days=3_000), None), True),
        (DayRange(TODAY - timedelta(days=3_000), TODAY), True),
        (DayRange(TODAY, date.min), False),
    ],
)
def test_a_range_of_years_is_wide(days, expected):
    assert days.is_wide(TODAY) is expected
