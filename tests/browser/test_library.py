"""The library on the calendar, in a real browser: a workout is put on a day by mouse, keys and touch, and kept, changed, shared and deleted."""

import re
from contextlib import closing

import pytest
from playwright.sync_api import expect

import squad
from browser.journeys import PHONE, focused, settled, sideways_px, tab_to, violations
from browser.test_planning import day, item, plan, tray
from coachboard.service.store import Store
from coachboard.wire.enums import WorkspaceRole

__all__ = ["plan"]

pytestmark = pytest.mark.browser
LINK = f"calendar?athlete={squad.ANA}&library=all"


def shelf(page):
    return page.get_by_role("region", name="Library")


def in_library(page, title):
    return shelf(page).locator(".item").filter(has_text=title).first


def test_a_workout_of_the_library_is_dragged_onto_a_day_and_one_of_the_calendar_is_kept(plan):
    page = plan()
    page.get_by_role("button", name="Library").click()
    expect(in_library(page, "VO2max 5 × 4 min")).to_be_visible()
    start, end = in_library(page, "VO2max 5 × 4 min").bounding_box(), day(page, "2026-03-17").bounding_box()
    page.mouse.move(start["x"] + 20, start["y"] + 10)
    page.mouse.down()
    page.mouse.move(end["x"] + 30, end["y"] + 60, steps=5)
    page.mouse.up()
    expect(day(page, "2026-03-17").locator(".item")).to_have_count(1)
    expect(tray(page)).to_contain_text("Added VO2max 5 × 4 min to Tue 17 Mar")
    expect(day(page, "2026-03-17").locator(".item")).to_contain_text("1h11")

    day(page, "2026-03-17").locator(".item").click()
    panel = page.get_by_role("dialog", name=re.compile("^Workout"))
    panel.get_by_label("Title").fill("Mine: =1+1 <b>")
    panel.get_by_role("button", name="Save to library").click()
    expect(tray(page)).to_contain_text("Saved Mine: =1+1 <b> to the library")
    panel.get_by_role("button", name="Close").click()
    panel.get_by_role("button", name="Discard changes").click()
    expect(in_library(page, "Mine: =1+1 <b>")).to_contain_text("1h11 · VO2max")

    page.get_by_role("textbox", name="Search the library").fill("mine")
    page.keyboard.press("Enter")
    expect(shelf(page).locator(".item")).to_have_count(1)
    page.reload()
    expect(shelf(page).locator(".item")).to_have_count(1, timeout=60_000)
    in_library(page, "Mine").click()
    panel = page.get_by_role("dialog", name="Workout of the library")
    panel.get_by_label("Folder").fill("Build")
    panel.get_by_label("Stimulus").select_option(label="Threshold")
    panel.get_by_label("Who can use it").select_option(index=1)
    panel.get_by_role("button", name="Save", exact=True).click()
    expect(shelf(page).get_by_role("heading", name="Build")).to_be_visible()
    expect(in_library(page, "Mine")).to_contain_text("Threshold")

    in_library(page, "Mine").click()
    panel.get_by_role("button", name="Delete").click()
    panel.get_by_role("button", name="Delete").first.click()
    expect(tray(page)).to_contain_text("from the library")
    expect(shelf(page)).to_contain_text("No workout matches.")


def test_a_workout_of_coachboard_is_saved_as_a_copy_and_planned_from_its_panel(plan):
    page = plan(LINK)
    in_library(page, "Easy run 45 min").click()
    panel = page.get_by_role("dialog", name="Workout of the library")
    expect(panel.get_by_role("button", name="Delete")).to_have_count(0)
    panel.get_by_role("textbox", name="Steps").fill("- 900m 65% HR")
    panel.get_by_role("button", name="Save a copy").click()
    expect(panel).to_contain_text(re.compile("Not saved: Steps: Line 1"))
    panel.get_by_role("textbox", name="Steps").fill("- 40m 65-75% HR")
    panel.get_by_role("button", name="Save a copy").click()
    expect(shelf(page).get_by_role("heading", name="No folder")).to_be_visible()
    expect(shelf(page).locator(".item").filter(has_text="Easy run 45 min")).to_have_count(2)
    expect(in_library(page, "Easy run 45 min")).to_contain_text("40 min")

    in_library(page, "Easy run 45 min").click()
    panel.get_by_role("button", name="Add to a day…").click()
    panel = page.get_by_role("dialog", name=re.compile("New workout|^Workout"))
    expect(panel.get_by_role("textbox", name="Steps")).to_have_value("- 40m 65-75% HR")
    panel.get_by_label("Date").fill("2026-03-25")
    panel.get_by_role("button", name="Save", exact=True).click()
    expect(day(page, "2026-03-25").locator(".item")).to_contain_text("Easy run 45 min")


def test_keys_alone_put_a_workout_of_the_library_on_a_day(plan):
    page = plan(f"{LINK}&sport=swimming")
    expect(shelf(page).locator(".item")).to_have_count(5)
    tab_to(page, lambda at: at["pick"] == "lib_threshold-swim add")
    page.keyboard.press("Enter")
    expect(tray(page)).to_contain_text("Threshold 12 × 100 m: ")
    expect(page.locator(".day.today.aimed")).to_be_visible()
    edge, button = shelf(page).bounding_box(), page.locator(".add:focus").bounding_box()
    assert button["x"] + button["width"] + 3 <= edge["x"] + edge["width"]  # the mark of the focus was cut off
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(tray(page)).to_contain_text("Added Threshold 12 × 100 m to Fri 13 Mar")
    added = day(page, "2026-03-13").locator(".item").filter(has_text="Threshold 12 × 100 m")
    expect(added).to_contain_text("2,000 m")
    assert focused(page)["pick"] == "lib_threshold-swim"
    assert violations(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_adds_a_workout_of_the_library_by_two_taps(plan, scheme):
    page = plan(f"{LINK}&sport=running", **PHONE, has_touch=True, is_mobile=True, color_scheme=scheme)
    page.get_by_role("button", name="Add Tempo 2 × 15 min to a day").tap()
    expect(tray(page)).to_contain_text("Tempo 2 × 15 min: ")
    day(page, "2026-03-22").scroll_into_view_if_needed()
    day(page, "2026-03-22").tap(position={"x": 60, "y": 10})
    expect(tray(page)).to_contain_text("Added Tempo 2 × 15 min to Sun 22 Mar")
    expect(item(settled(page), "Tempo 2 × 15 min")).to_be_visible()
    assert sideways_px(page) == 0
    assert violations(page) == []


def test_the_workspace_is_chosen_for_an_athlete_of_two_and_ones_own_calendar_has_none(plan, tmp_path):
    with closing(Store.open(f"sqlite:///{tmp_path / 'service.db'}")) as store:
        second = store.add_workspace("Second", "second")
        store.add_member(second, squad.COACH, WorkspaceRole.COACH)
        store.add_member(second, squad.ANA, WorkspaceRole.ATHLETE)
    page = plan(f"{LINK}&words=recovery")
    page.get_by_role("button", name="Add Recovery spin to a day").click()
    day(page, "2026-03-18").click(position={"x": 60, "y": 80})
    panel = page.get_by_role("dialog", name=re.compile("^New workout"))
    expect(panel.get_by_role("textbox", name="Steps")).to_have_value("- 45m 40-50% 90-100rpm")
    panel.get_by_label("Workspace").select_option(label="Second")
    panel.get_by_role("button", name="Save", exact=True).click()
    expect(day(page, "2026-03-18").locator(".item")).to_contain_text("Recovery")

    page = plan("calendar?athlete=me&library=all&words=recovery")
    days = page.get_by_role("grid").evaluate_handle("grid => grid.getRootNode().host")
    page.get_by_role("button", name="Add Recovery spin to a day").click()
    day(page, "2026-03-18").click(position={"x": 60, "y": 80})
    expect(tray(page)).to_contain_text("Added Recovery spin to Wed 18 Mar")
    expect(day(page, "2026-03-18").locator(".item:not(.pending)")).to_contain_text("Recovery spin")
    assert days.evaluate("host => host.isConnected")  # the first entry of an empty calendar moves no day


def test_a_workout_of_the_library_is_added_for_all_athletes_of_the_squads_week_and_undone_at_once(plan):
    page = plan(f"calendar?athlete={squad.ANA}&beside=squad&on=2026-03-12&library=all&words=recovery")
    lanes = page.locator(".day[data-date='2026-03-12'][data-user]")
    before = lanes.locator(".item").filter(has_text="Recovery spin")
    expect(before).to_have_count(0)
    page.get_by_role("button", name="Add Recovery spin to a day").click()
    tray(page).get_by_role("button", name="Add for all").click()

    expect(tray(page)).to_contain_text(re.compile(r"Added Recovery spin to Thu 12 Mar for \d+ athletes"))
    expect(settled(page).locator(".item").filter(has_text="Recovery spin")).to_have_count(lanes.count() + 1)
    tray(page).get_by_role("button", name="Undo").click()
    expect(before).to_have_count(0)
