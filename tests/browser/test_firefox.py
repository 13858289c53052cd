"""A second engine: every page opens in Firefox without an error."""

import os

import pytest

from browser.test_lazy_section import LINKS
from firefox import firefox, firefox_path

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def engine():
    """A Firefox for all tests of this file; without one they skip, or fail where REQUIRE_BROWSER=1."""
    path = firefox_path()
    if path is None:
        (pytest.fail if os.environ.get("REQUIRE_BROWSER") == "1" else pytest.skip)("no Firefox: set FIREFOX")
    with firefox(path) as browser:
        yield browser


@pytest.fixture
def opened(engine, fortnight):
    """Opens a page of the fortnight until its script is done."""

    def open_page(link):
        engine.messages.clear()
        engine.emulate(timezone_id="Asia/Kolkata", locale="ar")
        engine.open(f"{fortnight}/{link}")
        engine.wait_for(
            "document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"
            " && document.querySelector('h1') !== null && !document.querySelector('[data-testid=stSkeleton]')"
        )
        return engine

    return open_page


@pytest.mark.parametrize("link", LINKS.values(), ids=LINKS)
def test_a_page_opens_without_an_error(opened, link):
    page = opened(link)

    assert not [message for message in page.messages if message.startswith("error")]
    assert page.evaluate("document.querySelector('[data-testid=stException]')") is None
