"""A second engine: every page opens in Firefox without an error, and its main gesture works."""

import os

import pytest

import squad
from browser.test_activity_page import LINK, put_ride
from browser.test_lazy_section import LINKS
from conftest import place_of
from firefox import firefox, firefox_path
from running import dashboard_process

pytestmark = pytest.mark.browser
SESSIONS = "deep(document).find((e) => e.matches('thead th .head') && e.textContent.includes('Sessions'))"
HOME, RIGHT, SHIFT = "\ue011", "\ue014", "\ue008"
PANELS = "document.querySelector('.figure .nsewdrag')"


@pytest.fixture(scope="module")
def engine():
    """A Firefox for all tests of this file; without one they skip, or fail where REQUIRE_BROWSER=1."""
    path = firefox_path()
    if path is None:
        (pytest.fail if os.environ.get("REQUIRE_BROWSER") == "1" else pytest.skip)("no Firefox: set FIREFOX")
    with firefox(path) as browser:
        yield browser


@pytest.fixture
def opened(engine, fortnight, request):
    """Opens a page of the fortnight, in the zone and locale of the test's name, until its script is done."""

    def open_page(link, address=fortnight):
        engine.open("about:blank")  # the former page may complain that its socket closes
        engine.messages.clear()
        engine.emulate(**place_of(request.node.name))
        engine.open(f"{address}/{link}")
        engine.wait_for(
            "document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"
            " && document.querySelector('h1') !== null && !document.querySelector('[data-testid=stSkeleton]')"
        )
        return engine

    return open_page


@pytest.fixture(scope="module")
def ride(engine, tmp_path_factory):
    """A dashboard over the ride of the activity tests; its address."""
    folder = tmp_path_factory.mktemp("firefox")
    put_ride(folder)
    with dashboard_process(folder, COACHBOARD_API_KEY=squad.COACH_KEY) as address:
        yield address


@pytest.mark.parametrize("number", range(4))
def test_a_page_is_in_the_zone_and_the_locale_of_the_test(opened, request, number):
    page = opened("settings")
    found = page.evaluate("[Intl.DateTimeFormat().resolvedOptions().timeZone, (0.5).toLocaleString()]")

    place = place_of(request.node.name)
    half = {"de-DE": "0,5", "ar": "٠٫٥"}.get(place["locale"], "0.5")
    assert [found[0].replace("Calcutta", "Kolkata"), found[1]] == [place["timezone_id"], half]


@pytest.mark.parametrize("link", LINKS.values(), ids=LINKS)
def test_a_page_opens_without_an_error(opened, link):
    page = opened(link)

    assert not [message for message in page.messages if message.startswith("error")]
    assert page.evaluate("document.querySelector('[data-testid=stException]')") is None


def test_a_head_sorts_the_roster_and_holds_its_numbers(opened):
    page = opened("")
    page.wait_for(f"{SESSIONS} !== undefined")
    page.wait_for("!document.querySelector('[data-testid=stProgress]')")  # the table moves up when it goes
    page.click(SESSIONS)
    page.wait_for("location.search.includes('sort=')")
    page.wait_for(
        "deep(document).some((e) => e.matches('td[data-label=\"Planned sessions done, 7 days\"] .main'))"
    )

    fits = """(() => {
      const cell = deep(document).find((e) => e.matches('td[data-label="Planned sessions done, 7 days"] .main'));
      cell.replaceChildren('10 of 11');
      return cell.scrollWidth < cell.clientWidth + 1 && cell.clientWidth - 1;
    })()"""
    assert page.evaluate(fits)


def test_a_drag_selects_on_the_session(opened, ride):
    page = opened(LINK, ride)
    page.wait_for(f"{PANELS} !== null")
    box = page.evaluate(f"{PANELS}.getBoundingClientRect()")
    across, down = (box["x"] + box["width"] * part for part in (0.25, 0.5)), box["y"] + 60
    page.drag((next(across), down), (next(across), down + 40))

    page.wait_for("location.search.includes('sel=')")
    page.wait_for_text("Selection, ")


def test_arrow_keys_read_the_values_of_the_session_and_with_shift_select(opened, ride):
    page = opened(LINK, ride)
    page.wait_for("document.querySelector('.framed .cursor[tabindex]') !== null")
    page.evaluate("document.querySelector('.framed .cursor').focus()")
    page.press(HOME, RIGHT, RIGHT)

    page.wait_for("/Power \\d+ W/.test(document.querySelector('.framed .spoken').textContent)")
    page.press(RIGHT, RIGHT, holding=(SHIFT,))
    page.wait_for("location.search.includes('sel=')")


INTERVALS = "deep(document).find((e) => e.matches('.item') && e.textContent.includes('Intervals'))"


def test_a_workout_is_dragged_to_another_day_and_taken_back(opened):
    page = opened(f"calendar?athlete={squad.ANA}")
    page.wait_for(f"{INTERVALS} !== undefined")
    boxes = [
        page.evaluate(f"{found}.getBoundingClientRect()")
        for found in (INTERVALS, "deep(document).find((e) => e.matches('[data-date=\"2026-03-19\"]'))")
    ]
    page.drag(*((box["x"] + 30, box["y"] + 12) for box in boxes))

    page.wait_for_text("Moved Intervals to Thu 19 Mar")
    page.click("deep(document).find((e) => e.matches('.tray .act'))")
    page.wait_for_text("Undone: moved Intervals")
    assert not [message for message in page.messages if message.startswith("error")]


CUT_OFF = """deep(document).filter((e) => {
  if (!seen(e) || getComputedStyle(e).textOverflow !== 'ellipsis' || !e.closest('button, label, [role=button]')) return false;
  const text = document.createRange();
  text.selectNodeContents(e);
  return text.getBoundingClientRect().width > e.getBoundingClientRect().width + 0.001;
}).map((e) => e.textContent)"""


def test_no_button_of_a_session_is_cut_off(opened, ride):
    """Firefox rounds the width of a label down by 0.02 px and wrote "Pan…" and "Compa…"."""
    page = opened(LINK, ride)
    page.wait_for(f"{PANELS} !== null")
    page.wait_for_text("Compare")

    assert page.evaluate(CUT_OFF) == []


IS_UNFOLDED = "deep(document).some((e) => e.matches('[aria-expanded=true]') && e.textContent.includes('{}'))"
BUTTONS = [
    ("roster", "Squad week", "deep(document).some((e) => e.matches('table.days'))"),
    ("roster", "Filter", IS_UNFOLDED.format("Filter")),
    ("calendar", "Agenda", "deep(document).some((e) => e.matches('.grid.agenda'))"),
    ("calendar", "Next", "location.search.includes('on=2026-04')"),
    ("activity", "Panels", "document.querySelector('[data-testid=stPopoverBody]') !== null"),
    ("activity", "Compare", "document.querySelector('[data-testid=stPopoverBody]') !== null"),
    ("activity", "Distance", "location.search.includes('axis=distance')"),
    ("activity", "Table", "document.querySelector('[data-testid=stDataFrame]') !== null"),
]
"""Page, button, and what is so after a click."""


@pytest.mark.parametrize(("link", "name", "is_done"), BUTTONS, ids=[name for _, name, _ in BUTTONS])
def test_a_main_button_works(opened, ride, link, name, is_done):
    page = opened(LINK, ride) if link == "activity" else opened(LINKS[link])
    button = f"deep(document).find((e) => e.matches('button, label') && seen(e) && e.innerText.split('\\n').some((line) => line.startsWith({name!r})))"
    page.wait_for(f"{button} !== undefined")
    assert not page.evaluate(is_done)
    page.click(button)

    page.wait_for(is_done)
    assert page.evaluate("document.querySelector('[data-testid=stException]')") is None


def test_a_narrow_window_keeps_the_steps_of_the_calendar_in_one_row(opened, engine):
    """A window of 400 px without touch has 366 px for them: "Next" took a line of its own."""
    engine.resize(400, 860)
    try:
        page = opened(LINKS["calendar"])
        page.wait_for(
            "deep(document).some((e) => e.matches('.bar button') && seen(e) && e.textContent.trim() === 'Next')"
        )
        tops = page.evaluate(
            "deep(document).filter((e) => e.matches('.bar button, .bar label') && seen(e))"
            ".map((e) => [e.textContent.trim(), e.getBoundingClientRect().top])"
        )
    finally:
        engine.resize(1366, 900)

    assert abs(dict(tops)["Month"] - dict(tops)["Agenda"]) < 4
    assert abs(dict(tops)["Previous"] - dict(tops)["Next"]) < 4


def test_an_entry_of_the_calendar_opens(opened):
    page = opened(LINKS["calendar"])
    page.click("deep(document).find((e) => e.matches('button') && e.textContent.includes('Kept plan'))")

    page.wait_for("location.search.includes('open=')")


def test_a_search_finds_a_session(opened):
    page = opened(f"activity?athlete={squad.ANA}&q=moved")

    page.wait_for_text("1 of")
    page.wait_for_text("match.")
