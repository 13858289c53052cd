"""The dashboard works without any use of Streamlit's private parts."""

import pytest
from playwright.sync_api import expect

import squad
from browser.journeys import settled
from running import dashboard_process

pytestmark = pytest.mark.browser


@pytest.fixture
def dashboard(tmp_path, squad_service):
    settings = {
        "COACHBOARD_BASE_URL": squad_service,
        "COACHBOARD_API_KEY": squad.COACH_KEY,
        "COACHBOARD_STREAMLIT_HOOKS_OFF": "all",
    }
    with dashboard_process(tmp_path, **settings) as address:
        yield address


def test_every_page_opens_with_all_hooks_off(dashboard, new_page):
    page = new_page()
    page.goto(dashboard)
    expect(page.get_by_role("heading", name="Roster")).to_be_visible(timeout=60_000)
    for name in (
        "Athlete",
        "Activity",
        "Calendar",
        "Trends",
        "Import",
        "Values",
        "Workspaces",
        "Settings",
    ):
        page.get_by_role("link", name=name, exact=True).first.click()
        expect(page).to_have_title(f"{name} · Coachboard", timeout=60_000)
        settled(page)

        expect(page.locator("[data-testid=stException], [data-testid=stAlertContentError]")).to_have_count(0)
