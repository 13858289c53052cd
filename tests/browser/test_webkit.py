"""The engine of Safari: every page opens in WebKit and shows its heading, and its main gesture works.

WebKitWebDriver drives a mouse and a keyboard, and WebKit takes its time zone and its locale from the environment. It
cannot drive a touch screen, a download or printing: those run in Chromium.
"""

import os
import time
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

import squad
from browser.test_activity_page import LINK, put_ride
from browser.test_firefox import HOME, PANELS, RIGHT, SESSIONS, SHIFT
from browser.test_lazy_section import LINKS
from coachboard.ui.frame import navigation
from conftest import place_of
from running import dashboard_process, wait_until
from webkit import webkit, webkit_paths, with_locale

pytestmark = pytest.mark.browser
HEADINGS = {name: place.title for name, place in navigation.PLACES.items()} | {
    "athlete": "Ana Li",
    "activity": "Kept",
    "values": "Values of Ana Li",
}
DONE = "document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"


@pytest.fixture(scope="module")
def paths():
    """The parts of a WebKit; without one the tests skip, or fail where REQUIRE_BROWSER=1."""
    found = webkit_paths()
    if found is None:
        absent = "no WebKit: install webkit2gtk-driver, xvfb and locales"
        (pytest.fail if os.environ.get("REQUIRE_BROWSER") == "1" else pytest.skip)(absent)
    return found


@pytest.fixture
def engine(paths, request, tmp_path):
    """A window of its own for each test, in the time zone and the locale of its name."""
    zone, locale = place_of(request.node.name).values()
    request.node.add_report_section("setup", "browser", f"{zone}, {locale}")
    with webkit(*paths, zone=zone, locale=with_locale(tmp_path, locale)) as window:
        yield window


def test_webkit_is_in_the_zone_of_the_test(engine, request):
    engine.open("data:text/html,<p>Zone</p>")
    offset_min = -engine.evaluate("new Date(2026, 0, 15).getTimezoneOffset()")
    zone = ZoneInfo(place_of(request.node.name)["timezone_id"])

    assert offset_min == datetime(2026, 1, 15, tzinfo=zone).utcoffset().total_seconds() / 60


def test_webkit_is_in_the_locale_of_the_test(engine, request):
    locale = place_of(request.node.name)["locale"]
    engine.open("data:text/html,<p>Locale</p>")

    assert engine.evaluate("navigator.language").split("-")[: len(locale.split("-"))] == locale.split("-")
    assert engine.evaluate("(0.5).toLocaleString()") == {"de-DE": "0,5", "ar": "٠٫٥"}.get(locale, "0.5")


@pytest.mark.parametrize("name", LINKS)
def test_a_page_opens_in_webkit(engine, fortnight, name):
    engine.open(f"{fortnight}/{LINKS[name]}")
    engine.wait_for(f"{DONE} && document.querySelector('h1') !== null")

    assert engine.evaluate("document.querySelector('h1').innerText") == HEADINGS[name]
    assert engine.evaluate("document.querySelector('[data-testid=stException]')") is None


@pytest.fixture(scope="module")
def ride(paths, tmp_path_factory):
    """A dashboard over the ride of the activity tests; its address."""
    folder = tmp_path_factory.mktemp("webkit")
    put_ride(folder)
    with dashboard_process(folder, COACHBOARD_API_KEY=squad.COACH_KEY) as address:
        yield address


@pytest.fixture
def opened(engine, fortnight):
    def open_page(link, address=fortnight):
        engine.open(f"{address}/{link}")
        engine.wait_for(f"{DONE} && document.querySelector('h1') !== null")
        engine.wait_for("!document.querySelector('[data-testid=stSkeleton]')")
        return engine

    return open_page


def test_a_head_sorts_the_roster(opened):
    page = opened("")
    page.wait_for(f"{SESSIONS} !== undefined")
    # Without the mouse, which Firefox's test uses: on a busy machine the page still moves when the press comes.
    page.evaluate(f"({SESSIONS}).click()")

    page.wait_for("location.search.includes('sort=')")


def test_a_drag_selects_on_the_session(opened, ride):
    page = opened(LINK, ride)
    page.wait_for(f"{PANELS} !== null")

    def is_selected_after_a_drag():
        """Below panels that are still being placed a press hits another element; then a user drags again."""
        box = page.evaluate(f"{PANELS}.getBoundingClientRect().toJSON()")
        start, end = (box["x"] + box["width"] * part for part in (0.25, 0.5))
        page.drag((start, box["y"] + 60), (end, box["y"] + 100))
        time.sleep(2)
        return page.evaluate("location.search.includes('sel=')")

    wait_until(is_selected_after_a_drag, "no drag selects in WebKit")
    page.wait_for_text("Selection, ")


def test_arrow_keys_read_the_values_of_the_session_and_with_shift_select(opened, ride):
    page = opened(LINK, ride)
    page.wait_for("document.querySelector('.framed .cursor[tabindex]') !== null")
    page.evaluate("document.querySelector('.framed .cursor').focus()")
    page.press(HOME, RIGHT, RIGHT)

    page.wait_for("/Power \\d+ W/.test(document.querySelector('.framed .spoken').textContent)")
    page.press(RIGHT, RIGHT, holding=(SHIFT,))
    page.wait_for("location.search.includes('sel=')")


def test_an_entry_of_the_calendar_opens(opened):
    page = opened(LINKS["calendar"])
    page.click("deep(document).find((e) => e.matches('button') && e.textContent.includes('Kept plan'))")

    page.wait_for("location.search.includes('open=')")


def test_a_search_finds_a_session(opened):
    page = opened(f"activity?athlete={squad.ANA}&q=moved")

    page.wait_for_text("1 of")
    page.wait_for_text("match.")


@pytest.mark.parametrize(
    ("link", "name", "is_done"),
    [
        ("roster", "Squad week", "deep(document).some((e) => e.matches('table.days'))"),
        ("calendar", "Agenda", "deep(document).some((e) => e.matches('.grid.agenda'))"),
        ("calendar", "Next", "location.search.includes('on=2026-04')"),
    ],
)
def test_a_main_button_works(opened, link, name, is_done):
    page = opened(LINKS[link])
    page.click(
        f"deep(document).find((e) => e.matches('button, label') && seen(e) && e.innerText.split('\\n').some((line) => line.startsWith({name!r})))"
    )

    page.wait_for(is_done)
