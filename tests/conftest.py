"""Fixtures of several folders: recordings, a seeded service, a running dashboard, a browser."""

import gc
import os
import shutil
from itertools import cycle
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import settings
from playwright.sync_api import sync_playwright

import squad
from coachboard.service.api.app import create_app
from coachboard.service.store import Store
from coachboard.settings import Settings
from coachboard.ui.frame import connection
from running import dashboard_process
from serving import served

# A deadline per example measures the machine's load. CI draws the same examples in every run; elsewhere examples are
# fresh, and a failure prints the line that reproduces it.
settings.register_profile("fresh", deadline=None, print_blob=True)
settings.register_profile("ci", deadline=None, print_blob=True, derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") else "fresh")

ROOT = Path(__file__).parents[1]
BROWSER_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
)


def pytest_addoption(parser):
    """The service that `tests/contract` tests; the option is here because pytest reads it before the folder."""
    group = parser.getgroup("coachboard")
    group.addoption(
        "--base-url", default=None, help="a running service for tests/contract/test_any_service.py"
    )
    group.addoption("--api-key", default=os.environ.get("COACHBOARD_API_KEY"), help="a key of that service")


def pytest_collection_finish():
    """Leave modules and collected tests out of garbage collections, and collect seldom: both cost a full run much time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


@pytest.fixture(scope="session")
def recordings() -> Path:
    """The folder of real recordings; tests that need it skip where it is absent."""
    folder = Path(os.environ.get("COACHBOARD_RECORDINGS") or ROOT.parent / "shared" / "recordings")
    if not folder.is_dir():
        pytest.skip("the folder of real recordings is absent (COACHBOARD_RECORDINGS)")
    return folder


@pytest.fixture(scope="session")
def squad_database(tmp_path_factory):
    """A database file with the small squad of `tests/squad.py`, made once: each test copies the file."""
    path = tmp_path_factory.mktemp("squad") / "service.db"
    store = Store.open(f"sqlite:///{path}")
    squad.seed(store)
    store.close()
    return path


@pytest.fixture
def squad_store(tmp_path, squad_database):
    """A store with the small squad of `tests/squad.py`."""
    store = Store.open(f"sqlite:///{shutil.copy(squad_database, tmp_path)}")
    yield store
    store.close()


@pytest.fixture
def squad_service(squad_store, tmp_path):
    """The service over that store, on loopback; its address."""
    app = create_app(squad_store, settings=Settings(outbox=tmp_path / "outbox"))
    with served(app) as address:
        yield address


@pytest.fixture
def dashboard_settings(monkeypatch, tmp_path, squad_service):
    """The environment of a dashboard over the squad's service; no key is set."""
    for name in [name for name in os.environ if name.startswith("COACHBOARD_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("COACHBOARD_BASE_URL", squad_service)
    monkeypatch.setenv("COACHBOARD_CACHE_URL", f"sqlite:///{tmp_path / 'cache.db'}")
    yield monkeypatch
    connection.close_all()


@pytest.fixture(scope="module")
def squad_dashboard(tmp_path_factory, squad_database):
    """A process of its own for a test module that serves dashboard and service over the squad; its address."""
    folder = tmp_path_factory.mktemp("dashboard")
    shutil.copy(squad_database, folder)
    with dashboard_process(folder) as address:
        yield address


def chromium_path() -> str | None:
    return os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


# Of a module, not of the session: while it lives an event loop runs in this process, under which the
# tests that start one of their own would fail.
@pytest.fixture(scope="module")
def chromium():
    """A headless Chromium; without one browser tests skip, or fail where REQUIRE_BROWSER=1."""
    path = chromium_path()
    if path is None:
        says = "no Chromium: set CHROMIUM or install one"
        if os.environ.get("REQUIRE_BROWSER") == "1":
            pytest.fail(says)
        pytest.skip(says)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(BROWSER_FLAGS))
        yield browser
        browser.close()


ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/Los_Angeles",
    "Asia/Kolkata",
    "Pacific/Auckland",
    "America/St_Johns",
)
LOCALES = ("en-GB", "en-US", "de-DE", "ar")
PLACES = tuple(zip(ZONES, cycle(LOCALES), strict=False))
"""Every zone and every locale, for the tests of dates and of elapsed time."""


def place_of(test_name: str) -> dict[str, str]:
    """The time zone and the locale of a browser test, by its name: a failure repeats in the same place."""
    number = crc32(test_name.encode())
    return {
        "timezone_id": ZONES[number % len(ZONES)],
        "locale": LOCALES[number // len(ZONES) % len(LOCALES)],
    }


@pytest.fixture
def new_page(chromium, request):
    """Makes pages, each of a browser context of its own: its own cookies, cache and session."""
    contexts = []
    place = place_of(request.node.name)
    request.node.add_report_section("setup", "browser", f"{place['timezone_id']}, {place['locale']}")

    def make(**options):
        context = chromium.new_context(**{"viewport": {"width": 1366, "height": 900}, **place, **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        return page

    yield make
    for context in contexts:
        context.close()
