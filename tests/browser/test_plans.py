"""Plans of several weeks, in a real browser: made from a week of the calendar, and read on a phone."""

import re
from contextlib import closing

import pytest
from playwright.sync_api import expect

import squad
from browser.journeys import PHONE, settled, sideways_px, violations
from browser.test_planning import plan
from coachboard.service.store import Store

__all__ = ["plan"]

pytestmark = pytest.mark.browser


def section(page, name):
    page.get_by_role("radio", name=name).click()
    return settled(page)


def test_the_menu_of_a_week_opens_the_form_of_a_plan_with_its_days(plan):
    page = plan()
    page.get_by_role("button", name=re.compile("Week 12: copy")).click()
    page.get_by_role("button", name="Save as plan…").click()

    expect(page.get_by_role("heading", name="New plan")).to_be_visible()
    expect(page.get_by_text(re.compile("^7 days: "))).to_be_visible()
    expect(page).to_have_url(re.compile("from=2026-03-16"))


def test_a_plan_on_a_phone_has_nothing_sideways_and_no_fault_for_screen_readers(plan):
    page = plan(**PHONE)
    page.goto(page.url.partition("calendar")[0] + "plans?new=weeks")
    settled(page)
    page.get_by_label("Title").fill("Two weeks")
    page.get_by_role("button", name="Save as plan").click()
    expect(page.get_by_text("Saved Two weeks.")).to_be_visible()

    for name in ("Weeks", "Apply", "Athletes with it", "Title and sharing"):
        section(page, name)
        assert sideways_px(page) <= 1
        assert violations(page) == []


def test_stay_here_keeps_the_open_workout_of_a_plan(plan):
    page = plan()
    page.goto(page.url.partition("calendar")[0] + "plans?new=weeks&from=2026-03-02&to=2026-03-15")
    settled(page).get_by_label("Title").fill("Two weeks")
    page.get_by_role("button", name="Save as plan").click()
    expect(page.get_by_text("Saved Two weeks.")).to_be_visible()
    items = settled(page).locator(".item")
    items.nth(0).click()
    title = page.get_by_role("textbox", name="Title", exact=True)
    opened = title.input_value()
    title.fill("Changed")
    items.nth(1).click()
    page.get_by_role("button", name="Stay here").click()
    settled(page)

    assert opened
    expect(title).to_have_value("Changed")


def test_a_search_by_group_lists_its_athletes(plan, tmp_path):
    with (
        closing(Store.open(f"sqlite:///{tmp_path / 'service.db'}")) as store,
        store.writing_comments() as plans,
    ):
        plans.set_groups(squad.SQUAD, squad.BEN, ["Jünior Track"])
    page = plan()
    field = page.get_by_role("combobox", name="Athlete")
    field.click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("junior ben")

    expect(page.get_by_role("option")).to_have_text([re.compile("^Ben .* Jünior Track$")])
    assert violations(page) == []
    page.keyboard.press("Enter")
    expect(field).to_have_value(re.compile("^Ben [^J]*$"))
