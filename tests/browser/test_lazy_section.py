"""Sections that are drawn when they come into view: late reports of the browser, tall windows.

`COACHBOARD_OPENINGS=50` opens every page that often.
"""

import os
import re
import time

import pytest
from playwright.sync_api import expect

import squad
from browser.journeys import settled, watched
from coachboard.ui.frame import navigation

pytestmark = pytest.mark.browser
TALL = {"viewport": {"width": 1366, "height": 5000}}
OPENINGS = int(os.environ.get("COACHBOARD_OPENINGS", "1"))
LINKS = {name: name for name in navigation.PLACES} | {
    "roster": "",
    "athlete": f"athlete?athlete={squad.ANA}",
    "activity": f"activity?athlete={squad.ANA}&activity=act_Kept",
    "calendar": f"calendar?athlete={squad.ANA}",
    "trends": f"trends?athlete={squad.ANA}",
}


class SlowReplies:
    """Holds the dashboard's replies from the first report of a lazy section until the browser repeats it."""

    def __init__(self, page):
        self.reports, self.held = 0, []
        page.route_web_socket(re.compile("_stcore/stream"), self._connect)

    def _connect(self, browser):
        dashboard = browser.connect_to_server()
        browser.on_message(lambda message: self._from_browser(message, browser, dashboard))
        dashboard.on_message(lambda message: self._from_dashboard(message, browser))

    def _from_browser(self, message, browser, dashboard):
        self.reports += _near(message)
        dashboard.send(message)
        if self.reports == 2:
            while self.held:
                browser.send(self.held.pop(0))

    def _from_dashboard(self, message, browser):
        if self.reports == 1:
            self.held.append(message)
        else:
            browser.send(message)


def reports_of(page):
    """How many sections each message of the page reports."""
    reports = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda sent: reports.append(_near(sent))))
    return reports


def test_a_repeated_report_of_a_section_that_is_already_drawn_is_harmless(fortnight, new_page):
    page = watched(new_page())
    replies = SlowReplies(page)
    page.goto(f"{fortnight}/settings")
    page.get_by_role("button", name="Show thresholds").press("Enter")

    expect(page.get_by_role("spinbutton").first).to_be_visible()
    settled(page)
    assert replies.reports == 2
    assert page.get_by_text("Something went wrong").count() == 0


@pytest.mark.parametrize("link", LINKS.values(), ids=LINKS)
def test_a_tall_window_draws_every_section_without_a_fault(fortnight, new_page, link):
    for _ in range(OPENINGS):
        page = watched(new_page(**TALL))
        page.goto(f"{fortnight}/{link}")
        settled(page)
        expect(page.locator("button[data-place]")).to_have_count(0)

        assert settled(page).get_by_test_id("stException").count() == 0
        assert not page.faults
        page.context.close()


def test_sections_that_come_into_view_together_report_one_after_the_other(fortnight, new_page):
    page = new_page(**TALL)
    reports = reports_of(page)
    page.goto(f"{fortnight}/{LINKS['athlete']}")
    expect(page.get_by_text("History import")).to_be_visible()

    assert set(reports) == {0, 1}


def test_sections_are_drawn_while_a_key_is_held(fortnight, new_page):
    page = new_page(**TALL)
    page.goto(f"{fortnight}/{LINKS['athlete']}", wait_until="commit")
    expect(page.get_by_test_id("stApp")).to_be_visible()
    until = time.monotonic() + 20
    places = page.locator("button[data-place]")
    seen = 0
    while time.monotonic() < until and not (seen and not places.count()):
        page.keyboard.down("PageDown")  # again without `up`: the browser reports a repeat
        page.wait_for_timeout(60)
        seen = max(seen, places.count())
    page.keyboard.up("PageDown")

    assert seen
    assert time.monotonic() < until


SCROLL = """async ([step_px, frames, most_ms]) => {
  const main = document.querySelector("[data-testid=stMain]");
  const until = Date.now() + most_ms;
  let step = step_px;
  while (Date.now() < until) {
    for (let frame = 0; frame < frames; frame++) await new Promise(requestAnimationFrame);
    main.scrollBy({ top: step, behavior: "instant" });
    if (step < 0 && main.scrollTop === 0) break;
    if (main.scrollTop + step > main.scrollHeight - main.clientHeight) step = -step;
  }
}"""
SHORT = {"viewport": {"width": 1366, "height": 500}}


@pytest.mark.parametrize("frames", [1, 2], ids="a jump every {} frames".format)
def test_sections_that_are_only_scrolled_past_stay_closed(fortnight, new_page, frames):
    """A held key jumps about every second frame."""
    page = new_page(**SHORT)
    reports = reports_of(page)
    page.goto(f"{fortnight}/{LINKS['athlete']}")
    settled(page)
    before = sum(reports)
    page.evaluate("performance.now = () => 1e6")  # else a slow machine shows a section for 100 ms
    page.evaluate(SCROLL, [900, frames, 5_000])  # a section is in view for one jump

    assert page.locator("button[data-place]").count()
    assert sum(reports) == before


def test_a_section_that_the_page_pushes_out_of_view_stays_closed(fortnight, new_page):
    """While widgets load, the section is 80 px higher than in the end."""
    page = new_page(viewport={"width": 768, "height": 400})
    page.goto(f"{fortnight}/settings")
    place = settled(page).locator("button[data-place]").bounding_box()
    page.context.close()
    for _ in range(3):
        page = new_page(viewport={"width": 768, "height": round(place["y"] + 70)})
        reports = reports_of(page)
        page.goto(f"{fortnight}/settings")
        settled(page)
        page.wait_for_timeout(500)
        assert not sum(reports)
        page.context.close()


def test_a_section_that_is_scrolled_slowly_is_drawn(fortnight, new_page):
    page = new_page(**SHORT)
    page.goto(f"{fortnight}/{LINKS['settings']}")
    settled(page)
    page.evaluate(f"args => {{ ({SCROLL})(args); }}", [2, 1, 20_000])  # goes on behind the next lines

    expect(page.locator("button[data-place]")).to_have_count(0)
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") > 0


@pytest.mark.parametrize("key", ["End", "PageDown"])
def test_keys_that_scroll_are_not_taken_for_the_start_of_a_run(fortnight, new_page, key):
    """After PageDown a section waited 400 ms for a run that never started.

    At the end of a page in a low window, the button of the last section is above the view.
    """
    page = new_page(**SHORT)
    reports = reports_of(page)
    page.goto(f"{fortnight}/{LINKS['settings']}")
    settled(page).get_by_role("heading").first.click()
    page.wait_for_timeout(500)
    before = page.evaluate("window.coachboardRuns.askedAt")
    page.keyboard.press(key)
    asked = page.evaluate("window.coachboardRuns.askedAt")
    assert asked == before or sum(reports)
    for _ in range(8):
        page.keyboard.press(key)
        page.wait_for_timeout(250)
    expect(page.locator("button[data-place]")).to_have_count(0)

    page.keyboard.press("Shift")
    assert page.evaluate("window.coachboardRuns.askedAt") > asked


def test_a_section_is_drawn_below_a_widget_that_never_loads(fortnight, new_page):
    page = new_page(**SHORT)
    page.route(re.compile(r"/ButtonGroup\.[^/]*js"), lambda _: None)
    page.goto(f"{fortnight}/{LINKS['settings']}")
    expect(page.get_by_test_id("stSkeleton").first).to_be_visible()
    page.locator("button[data-place]").evaluate("button => button.scrollIntoView()")

    expect(page.locator("button[data-place]")).to_have_count(0, timeout=20_000)


def test_a_print_that_asks_again_reports_each_section_once(fortnight, new_page):
    """print.js asks each 150 ms until all sections are drawn."""
    page = new_page(**SHORT)
    replies = SlowReplies(page)
    page.goto(f"{fortnight}/{LINKS['settings']}")
    settled(page)
    page.evaluate("""async () => {
      for (let count = 0; count < 12; count++) {
        dispatchEvent(new Event("beforeprint"));
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }""")

    assert replies.reports == 1


def _near(message):
    return message.count('"near"' if isinstance(message, str) else b'"near"')
