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
from coachboard.views.frame import navigation

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
    reports = []  # of each message
    page.on("websocket", lambda socket: socket.on("framesent", lambda sent: reports.append(_near(sent))))
    page.goto(f"{fortnight}/{LINKS['athlete']}")
    expect(page.get_by_label("Search by name")).to_be_visible()

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


def _near(message):
    return message.count('"near"' if isinstance(message, str) else b'"near"')
