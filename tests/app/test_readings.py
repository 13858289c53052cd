"""Every permitted way to serve one athlete reads the same; each permitted difference is listed with its reason.

The service here is `tests/plain_service.py`, which shares no code with `coachboard.service`. A reading is compared with the
plain one on the pages that read what it changes; a few readings run always, all with `-m slow`. Readings that change
many rows are compared on all pages, so that `readings.PAGES_OF` names every page that reads a list.
"""

import os
import re
from collections import Counter

import pytest

import page_views
import plain_rows
import readings
from coachboard.ui.frame import connection
from plain_service import plain_app
from serving import served

_SHORT = {
    "numbers with a decimal point", "latest W' in joules", "naps after the nights", "phases of zero",
    "sleep durations in minutes", "sleep averageHrv of zero", "streams without speed", "sleep null",
}  # fmt: skip
_NO_VALUE = re.compile(r"\b(nan|NaN|None|NaT)\b|(?i:went wrong|could not be read)")
_MACHINE_TEXT = re.compile(r"(?<![\w./:–-])-\d|(?<![\w=])20\d\d-\d\d-\d\d\b")
"""A hyphen for a minus, or a date as programs write it; addresses have such dates."""
_WORDS = (
    "caption",
    "markdown",
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

    def look(reading, pages):
        missing = [page for page in pages if (reading.id, page) not in known]
        if missing:
            app.state.rows = reading.rows()
            cache = tmp_path_factory.mktemp("reading") / "cache.db"
            with pytest.MonkeyPatch.context() as env:
                for name in [name for name in os.environ if name.startswith("COACHBOARD_")]:
                    env.delenv(name)
                env.setenv("COACHBOARD_BASE_URL", address)
                env.setenv("COACHBOARD_CACHE_URL", f"sqlite:///{cache}")
                env.setenv("COACHBOARD_API_KEY", "key-of-plain-rows")
                env.setenv("COACHBOARD_TODAY", plain_rows.TODAY.isoformat())
                for page in missing:
                    known[reading.id, page] = page_views.view(page)
                connection.close_all()
        return {page: known[reading.id, page] for page in pages}

    return look


def differences(plain, other):
    return sorted(((Counter(plain) - Counter(other)) + (Counter(other) - Counter(plain))).elements())


def differing(seen, reading, pages):
    """The lines that differ from the base, by page; no page says that a value is missing in a programmer's words."""
    plain, other = seen(readings.BY_ID[reading.base], pages), seen(reading, pages)
    for lines in other.values():
        assert [line for line in lines if line.startswith(_WORDS) and _NO_VALUE.search(line)] == []
    return {page: found for page in pages if (found := differences(plain[page], other[page]))}


@pytest.mark.parametrize(
    "reading",
    [
        pytest.param(reading, id=reading.id, marks=() if reading.id in _SHORT else pytest.mark.slow)
        for reading in readings.ALL
    ],
)
def test_a_permitted_reading_differs_only_where_its_reason_says(seen, reading):
    found = differing(seen, reading, readings.pages_of(reading))

    assert set(found) == set(reading.differs), found


@pytest.mark.slow
@pytest.mark.parametrize("single", readings.SINGLES, ids=lambda one: one.id)
def test_a_field_that_is_null_alone_changes_no_page_that_its_family_leaves(seen, single):
    found = differing(seen, single, readings.pages_of(single))

    assert set(found) <= set(single.differs), found


def test_no_page_has_a_word_a_date_or_a_minus_of_a_program(seen):
    """Trends had "None" and hyphens for minus in its tables, and dates had three forms."""
    for page, lines in seen(readings.BY_ID["plain"], list(page_views.PAGES)).items():
        texts = [line for line in lines if line.startswith(_WORDS)]
        faults = [line for line in texts if _NO_VALUE.search(line) or _MACHINE_TEXT.search(line)]

        assert texts
        assert faults == [], page


def test_each_difference_has_its_reason():
    assert [one.id for one in readings.ALL if one.differs and not one.why] == []
    assert len(readings.BY_ID) == len(readings.ALL) + len(readings.SINGLES) + 1
