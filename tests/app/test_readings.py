"""Every permitted way to serve one athlete reads the same; each permitted difference is listed with its reason.

The service here is `tests/plain_service.py`, which shares no code with ours. A reading is compared with the plain
one on the pages that read what it changes. The short form runs always, the whole with `-m slow`.
"""

import os
import re
from collections import Counter

import pytest
import streamlit as st

import page_views
import plain_rows
import readings
from coachboard.views import connection
from plain_service import plain_app
from serving import served

_SHORT = {
    "numbers with a decimal point", "latest W' in joules", "naps after the nights", "phases of zero",
    "sleep durations in minutes", "sleep averageHrv of zero", "streams without speed", "sleep null",
}  # fmt: skip
_NO_VALUE = re.compile(r"\b(nan|NaN|None|NaT)\b|(?i:went wrong|could not be read)")
_WORDS = (
    "caption",
    "markdown",
    "metric",
    "key_numbers",
    "people_table",
    "table",
    "error",
    "warning",
    "title",
)


@pytest.fixture(scope="module")
def service():
    """The plain service on loopback, its rows exchanged by each reading."""
    app = plain_app(plain_rows.plain())
    with served(app) as address:
        yield app, address


@pytest.fixture(scope="module")
def seen(service, tmp_path_factory):
    """The pages under a reading; each page of each reading is opened once."""
    app, address = service
    known = {}

    def look(reading, page):
        if (reading.id, page) not in known:
            app.state.rows = reading.rows()
            cache = tmp_path_factory.mktemp("reading") / "cache.db"
            with pytest.MonkeyPatch.context() as env:
                for name in [name for name in os.environ if name.startswith("COACHBOARD_")]:
                    env.delenv(name)
                env.setenv("COACHBOARD_BASE_URL", address)
                env.setenv("COACHBOARD_CACHE_URL", f"sqlite:///{cache}")
                env.setenv("COACHBOARD_API_KEY", "key-of-plain-rows")
                env.setenv("COACHBOARD_TODAY", plain_rows.TODAY.isoformat())
                for one in pages_of(reading):
                    known[reading.id, one] = page_views.view(one)
                connection.close_all()
                st.cache_resource.clear()  # the roster keeps rows by key and address, which all readings share
        return known[reading.id, page]

    return look


def pages_of(reading):
    return readings.PAGES_OF[reading.reads]


def differences(plain, other):
    return sorted(((Counter(plain) - Counter(other)) + (Counter(other) - Counter(plain))).elements())


def check(seen, reading):
    base = readings.BY_ID[reading.base]
    differing = {
        page: found
        for page in pages_of(reading)
        if (found := differences(seen(base, page), seen(reading, page)))
    }

    assert set(differing) == set(reading.differs), differing
    for page in pages_of(reading):
        assert [
            line for line in seen(reading, page) if line.startswith(_WORDS) and _NO_VALUE.search(line)
        ] == []


@pytest.mark.parametrize("reading", [one for one in readings.ALL if one.id in _SHORT], ids=lambda one: one.id)
def test_a_permitted_reading_differs_only_where_its_reason_says(seen, reading):
    check(seen, reading)


@pytest.mark.slow
@pytest.mark.parametrize(
    "reading", [one for one in readings.ALL if one.id not in _SHORT], ids=lambda one: one.id
)
def test_every_permitted_reading_differs_only_where_its_reason_says(seen, reading):
    check(seen, reading)


@pytest.mark.slow
@pytest.mark.parametrize("single", readings.SINGLES, ids=lambda one: one.id)
def test_a_field_that_is_null_alone_changes_no_page_beyond_those_of_its_family(seen, single):
    check_single = {
        page for page in pages_of(single)
        if differences(seen(readings.BY_ID["plain"], page), seen(single, page))
    }  # fmt: skip

    assert check_single <= set(single.differs)
    for page in pages_of(single):
        assert [
            line for line in seen(single, page) if line.startswith(_WORDS) and _NO_VALUE.search(line)
        ] == []


def test_each_difference_has_its_reason():
    assert [one.id for one in readings.ALL if one.differs and not one.why] == []
    assert len(readings.BY_ID) == len(readings.ALL) + len(readings.SINGLES) + 1
