"""A dashboard over the fortnight of `tests/training.py`, one process for all tests of a file, and its pages."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

import squad
import training
from browser import hills
from browser.journeys import aged, seed_fortnight, settled, stopped_service, watched
from running import dashboard_process

FOLDER = Path(__file__).parent


QUICK = {"test_coachs_walk.py", "test_elapsed_time.py", "test_planning.py"}
"""The coach's walk, the time axis and the core of planning in a browser; the other files are slow and run by `make test-all`."""


@pytest.hookimpl(tryfirst=True)  # before pytest deselects by mark
def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.parent == FOLDER and item.path.name not in QUICK:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="module")
def fortnight(chromium, tmp_path_factory):
    """A fresh process that takes the fortnight's last day as today; its address. `chromium` first: it may skip."""
    folder = tmp_path_factory.mktemp("fortnight")
    seed_fortnight(folder)
    with dashboard_process(folder, COACHBOARD_TODAY=training.TODAY.isoformat()) as address:
        yield address


@pytest.fixture(scope="module")
def hills_dashboard(chromium, tmp_path_factory):
    """A process over the session of `hills.py`; its address. `chromium` first: it may skip."""
    folder = tmp_path_factory.mktemp("hills")
    hills.seed(folder)
    with dashboard_process(folder, COACHBOARD_API_KEY=squad.COACH_KEY) as address:
        yield address


@pytest.fixture
def visit_hills(new_page, hills_dashboard):
    """Opens the session, with more in its address, and waits until its panels are drawn."""
    pages = []

    def open_session(more="", **context):
        page = watched(new_page(**context))
        pages.append(page)
        page.goto(f"{hills_dashboard}/{hills.LINK}{more}")
        expect(hills.panels(page).locator(".xtick text").first).to_be_visible(timeout=60_000)
        return settled(page)

    yield open_session
    assert not [warning for page in pages for warning in page.warnings]


@pytest.fixture
def deep_link(fortnight, new_page):
    """Opens a page of the fortnight by its link, settled once `shows` of it is seen."""
    pages = []

    def open_link(link, shows, **options):
        page = watched(new_page(**options))
        pages.append(page)
        page.goto(f"{fortnight}/{link}")
        expect(shows(page).first).to_be_visible(timeout=30_000)
        return settled(page)

    yield open_link
    assert not [warning for page in pages for warning in page.warnings]


@pytest.fixture
def without_service(tmp_path, chromium, new_page):
    """A page seen once and opened again two hours later, when nothing answers any more."""
    with stopped_service(tmp_path) as (address, stop):

        def open_again(link, shows, *, again=None):
            page = new_page()
            page.goto(f"{address}/{link}")
            expect(shows(page).first).to_be_visible(timeout=30_000)
            settled(page)
            stop()
            aged(tmp_path, hours=2)
            page.goto(f"{address}/{again or link}")
            expect(page.get_by_text("Last known data, updated 2 hours ago")).to_be_visible(timeout=30_000)
            expect(page.get_by_text("Last known data")).to_have_count(1)
            expect(shows(page).first).to_be_visible()
            assert page.locator("[data-testid=stException]").count() == 0
            return page

        yield open_again
