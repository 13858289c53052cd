"""The settings in a browser: a theme that stays, choices that stay, keyboard, a phone, a screen reader."""

import pytest
from playwright.sync_api import expect

from browser.journeys import (
    DARK,
    focused,
    settled,
    sideways_px,
    tab_to,
    take_demo_key,
    texts,
    violations_in_both_schemes,
    watched,
)

pytestmark = pytest.mark.browser
BACKGROUND = "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
LIGHT = "rgb(255, 255, 255)"


@pytest.fixture
def opened(squad_dashboard, new_page):
    def open_page(path="settings", **options):
        page = watched(new_page(**options))
        page.goto(f"{squad_dashboard}/{path}")
        return settled(page)

    return open_page


def choose(page, theme):
    page.get_by_role("radio", name=theme).check(force=True)
    page.wait_for_load_state()
    return settled(page)


def test_a_chosen_theme_applies_to_every_page_by_link_and_navigation(opened, squad_dashboard):
    page = choose(opened(color_scheme="light"), "Dark")
    assert page.evaluate(BACKGROUND) == DARK
    expect(page.get_by_role("radio", name="Dark")).to_be_checked()

    for path in ("workspaces", "trends", "", "settings"):
        page.goto(f"{squad_dashboard}/{path}")
        assert settled(page).evaluate(BACKGROUND) == DARK
    page.get_by_role("link", name="Calendar").click()
    assert settled(page).evaluate(BACKGROUND) == DARK
    assert page.faults == []


def test_the_theme_follows_the_system_again_on_demand(opened):
    page = choose(opened(color_scheme="dark"), "Light")
    assert page.evaluate(BACKGROUND) == LIGHT

    choose(page, "Match system")
    assert page.evaluate(BACKGROUND) == DARK


def test_keyboard_alone_chooses_the_theme(opened):
    page = opened(color_scheme="light")
    tab_to(page, lambda at: "Theme" in at["text"] or at["type"] == "radio")
    page.keyboard.press("ArrowRight")
    page.wait_for_load_state()

    expect(page.get_by_role("radio", name="Light")).to_be_checked()


def test_the_person_of_the_demo_stays_over_a_reload(opened):
    page = opened()
    take_demo_key(page, "Admin (other workspace)")
    expect(page.get_by_text("Ada Admin").first).to_be_visible()
    page.wait_for_timeout(500)
    page.reload()

    expect(settled(page).get_by_text("Ada Admin").first).to_be_visible()
    assert "Cleo" not in texts(page)


def test_a_threshold_is_changed_by_keyboard_and_taken_back(opened):
    page = opened()
    page.get_by_role("button", name="Show thresholds").press("Enter")
    field = page.get_by_label("High resting heart rate (bpm)", exact=True)
    field.focus()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("4")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Mean resting heart rate of 3 nights at least 4 bpm")).to_be_visible()
    assert focused(page)["label"] == "High resting heart rate (bpm)"
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Default: 5.")).to_be_visible()

    page.get_by_role("button", name="Reset to defaults").click()
    expect(page.get_by_text("Mean resting heart rate of 3 nights at least 5 bpm")).to_be_visible()


def test_the_page_has_no_serious_accessibility_violation(opened):
    assert violations_in_both_schemes(opened()) == []


def test_on_a_phone_nothing_scrolls_sideways(opened):
    assert sideways_px(opened(viewport={"width": 400, "height": 860})) <= 1
