"""The engine of Safari: every page opens in WebKit and shows its heading."""

import os

import pytest

from browser.test_lazy_section import LINKS
from webkit import webkit, webkit_paths

pytestmark = pytest.mark.browser
HEADINGS = {
    "roster": "Roster",
    "athlete": "Ana Li",
    "activity": "Kept",
    "calendar": "Calendar",
    "trends": "Trends",
    "workspaces": "Workspaces",
    "settings": "Settings",
}
DONE = "document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"


@pytest.fixture(scope="module")
def engine():
    """A WebKit for all tests of this file; without one they skip, or fail where REQUIRE_BROWSER=1."""
    paths = webkit_paths()
    if paths is None:
        absent = "no WebKit: install webkit2gtk-driver and xvfb"
        (pytest.fail if os.environ.get("REQUIRE_BROWSER") == "1" else pytest.skip)(absent)
    with webkit(*paths) as window:
        yield window


@pytest.mark.parametrize("name", LINKS)
def test_a_page_opens_in_webkit(engine, fortnight, name):
    engine.open(f"{fortnight}/{LINKS[name]}")
    engine.wait_for(f"{DONE} && document.querySelector('h1') !== null")

    assert engine.evaluate("document.querySelector('h1').innerText") == HEADINGS[name]
    assert engine.evaluate("document.querySelector('[data-testid=stException]')") is None
