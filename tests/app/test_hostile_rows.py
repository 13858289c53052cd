"""Rows that violate the interface: no page fails, and no page calls unreadable rows missing."""

import os
import re

import pytest

import faulty_proxy
import hostile_rows
import page_views
import plain_rows
from browser.journeys import aged
from coachboard.ui.frame import connection
from plain_service import plain_app
from serving import served

pytestmark = pytest.mark.slow

ABSENT = re.compile(
    r"\b(No|no|Nothing|none) (upcoming |readable session|other )?(session|plan|night|metric|event|sleep|recent session)"
    r"|was not found|is empty"
)
IN_CI = ("unreadable", "unreadable lists", "hostile texts", "surrogates", "NaN")
"""The others run in `make soak`."""


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """The pages over rows of a kind; the second time with a full cache."""
    app = plain_app(plain_rows.plain())
    known = {}
    with served(app) as address:

        def look(kind, page):
            if (kind, page) not in known:
                app.state.rows = rows = plain_rows.plain()
                hostile_rows.KINDS[kind](rows)
                known[kind, page] = _view(address, tmp_path_factory.mktemp("cache"), page)
            return known[kind, page]

        yield look


def _view(address, folder, page):
    with pytest.MonkeyPatch.context() as env:
        for name in [name for name in os.environ if name.startswith("COACHBOARD_")]:
            env.delenv(name)
        env.setenv("COACHBOARD_BASE_URL", address)
        env.setenv("COACHBOARD_CACHE_URL", f"sqlite:///{folder}/cache.db")
        env.setenv("COACHBOARD_API_KEY", "key-of-hostile-rows")
        env.setenv("COACHBOARD_TODAY", plain_rows.TODAY.isoformat())
        lines = page_views.view(page)
        assert page_views.view(page)
        connection.close_all()
        return lines


@pytest.mark.parametrize("page", page_views.PAGES)
@pytest.mark.parametrize("kind", IN_CI)
def test_no_page_fails(seen, kind, page):
    lines = seen(kind, page)

    assert [line for line in lines if "went wrong" in line] == []
    assert [
        line for line in lines if re.search(r"[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", line)
    ] == []


@pytest.mark.parametrize("page", [one for one in page_views.PAGES if one not in {"workspaces", "settings"}])
@pytest.mark.parametrize("kind", ["unreadable", "unreadable lists"])
def test_no_page_takes_unreadable_rows_for_absent_ones(seen, kind, page):
    # A tooltip of the roster lists rules by name, one of which is "No recent session".
    lines = [line for line in seen(kind, page) if "Not enough data to check: " not in line]

    assert [line for line in lines if ABSENT.search(line)] == []
    assert any("could not be read" in line or "unreadable reply" in line for line in lines)


@pytest.mark.parametrize(
    ("page", "missed"), [("roster", "of 3 planned"), ("athlete", "missed"), ("calendar", "missed")]
)
def test_no_plan_is_missed_if_the_sessions_of_its_day_could_not_be_read(seen, page, missed):
    assert any(missed in line for line in seen("no sessions", page))
    lines = seen("unreadable sessions", page)

    assert [line for line in lines if missed in line] == []
    assert any(re.search("sessions (or plans )?could not be read", line) for line in lines)


def test_last_sessions_names_the_lists_whose_rows_could_not_be_read(seen):
    rows = "14 of 15 activities could not be read, 5 of 8 planned workouts could not be read"

    # Next sessions has readable rows, so that the sentence is that of Last sessions.
    assert [line for line in seen("unreadable past", "athlete") if ".none: " in line] == [
        f"people_table athlete.days.tables.none: No readable data here: {rows}. Contact the data service's administrator."
    ]


@pytest.mark.parametrize("page", ["roster", "athlete", "calendar"])
def test_no_plan_is_missed_if_no_list_was_read_since_its_day(page, tmp_path):
    """The cache is twelve days old, and the service fails."""
    rows = plain_rows.plain()
    rows.lists["activities"] = [one for one in rows.lists["activities"] if one["id"] != "act_1"][-3:]
    with served(plain_app(rows)) as address, faulty_proxy.faulty(address) as proxy:
        assert any(map(_says_missed, _view(proxy.url, tmp_path, page)))
        aged(tmp_path, hours=12 * 24)
        proxy.always = faulty_proxy.says(503)
        lines = _view(proxy.url, tmp_path, page)

    assert [line for line in lines if _says_missed(line)] == []
    assert any(re.search("sessions (or plans )?could not be read", line) for line in lines)


def _says_missed(line):
    """Of a plan; the help of a column explains the word."""
    return "columns.help" not in line and ("missed" in line or "of 3 planned" in line)


def test_a_text_of_50_mb_does_not_stop_a_page(tmp_path):
    """The search of illnesses in it took three minutes; a page may take one."""
    rows = plain_rows.plain()
    hostile_rows.KINDS["50 MB in a note"](rows)
    with served(plain_app(rows)) as address:
        assert any("Ana" in line for line in _view(address, tmp_path, "roster"))
