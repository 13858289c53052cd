"""The coach's morning on the demo squad: four clicks from the roster to tomorrow's plan, without a word of explanation."""

import re
from datetime import date, timedelta

import pytest
from playwright.sync_api import expect

from browser.journeys import settled, watched
from coachboard.service.store import Store
from coachboard_demo.people import Size
from demo_database import make_demo
from running import dashboard_process

pytestmark = [pytest.mark.browser, pytest.mark.slow]
TODAY = date(2026, 3, 18)
YEARS = 0.32


@pytest.fixture(scope="module")
def demo(chromium, tmp_path_factory):
    """The demo squad with four months of data, served with its keys; its address."""
    folder = tmp_path_factory.mktemp("demo")
    store = Store.open(f"sqlite:///{folder / 'service.db'}")
    make_demo(store, Size(TODAY, years=YEARS))
    store.close()
    with dashboard_process(
        folder, COACHBOARD_TODAY=TODAY.isoformat(), COACHBOARD_API_KEY="demo-coach-key"
    ) as address:
        yield address


def flagged(page):
    """The lines of athletes who need a look, in their order."""
    return page.get_by_role("row").filter(has_text="◆")


def test_from_the_roster_to_tomorrows_plan_in_four_clicks(demo, new_page):
    page = watched(new_page())
    page.goto(demo)
    expect(page.get_by_text(re.compile(r"^\d+ of 25 athletes needs? a look"))).to_be_visible(timeout=60_000)
    expect(page.get_by_test_id("stProgress")).to_have_count(0, timeout=120_000)
    settled(page)

    flagged(page).filter(has_text="Fielding").get_by_role("rowheader").click()
    expect(page.get_by_role("heading", name="Sam Fielding")).to_be_visible()
    settled(page)

    page.get_by_role("row").filter(has_text="Yesterday").get_by_role("link").click()
    expect(page).to_have_url(re.compile("activity=act_"))
    settled(page)

    page.get_by_role("link", name="Calendar", exact=True).click()
    expect(page.get_by_role("grid")).to_be_visible()
    settled(page)

    tomorrow = page.get_by_role("gridcell").filter(
        has=page.locator(f"[data-pick='{TODAY + timedelta(days=1)}']")
    )
    tomorrow.locator("button.item").first.click()
    expect(page.get_by_role("dialog", name=re.compile("^Workout · "))).to_be_in_viewport()
    expect(page.get_by_text("Duration", exact=True)).to_be_in_viewport()
    assert page.faults == []


def squad_at(page, address):
    """The page with the whole squad loaded."""
    page.goto(address)
    expect(page.get_by_text(re.compile(r"^\d+ of 25 athletes needs? a look"))).to_be_visible(timeout=60_000)
    expect(page.get_by_test_id("stProgress")).to_have_count(0, timeout=120_000)
    return settled(page)


def test_from_a_flag_to_the_session_tomorrows_plan_and_a_remark_in_four_clicks(demo, new_page):
    page = squad_at(watched(new_page()), demo)
    clicks = []

    def click(what):
        clicks.append(what)
        what.click()

    click(flagged(page).filter(has_text="Fielding").get_by_role("button", name="Illness or injury"))
    sessions = page.get_by_role("table", name="Last sessions")
    expect(sessions).to_be_visible()
    for seen in ("Last night", "Plan"):
        expect(page.get_by_role("table", name=seen)).to_be_in_viewport()
    expect(page.get_by_role("listitem").filter(has_text="Cough is back")).to_be_visible()
    settled(page)

    click(sessions.get_by_role("link").first)
    expect(page).to_have_url(re.compile("activity=act_"))
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    settled(page)

    click(page.get_by_role("link", name="Tomorrow's plan"))
    tomorrow = TODAY + timedelta(days=1)
    expect(page.get_by_role("heading", name=f"{tomorrow:%a} {tomorrow.day} Mar")).to_be_visible()
    settled(page)

    click(page.get_by_label("Remark"))
    page.keyboard.type("Rest until Friday, spoke on the phone")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Review saved")).to_be_visible()
    assert len(clicks) == 4

    page.get_by_role("link", name="Review of Sam Fielding").click()
    expect(page.get_by_text("Reviewed Wed 18 Mar: Rest until Friday")).to_be_visible()
    expect(page.get_by_text("1 reviewed today")).to_be_visible()
    assert page.faults == []


def test_one_key_moves_the_queue_and_typing_does_not(demo, new_page):
    page = squad_at(watched(new_page()), f"{demo}/?view=review&sort=name")
    place = page.get_by_text(re.compile(r"^\d+ of 25; "))
    expect(place).to_contain_text("1 of 25;")
    first = page.url

    page.keyboard.press("n")
    expect(place).to_contain_text("2 of 25;")
    assert page.url != first
    page.keyboard.press("p")
    expect(place).to_contain_text("1 of 25;")
    assert page.url == first
    page.get_by_role("button", name=re.compile("^Next")).click()
    expect(place).to_contain_text("2 of 25;")

    for field in (page.get_by_label("Remark"), page.get_by_label("Search by name")):
        field.click()
        page.keyboard.type("np")
        expect(field).to_have_value("np")
    expect(place).to_contain_text("2 of 25;")
    page.get_by_label("Search by name").fill("")
    page.get_by_label("Remark").fill("Seen")
    page.keyboard.press("Enter")
    expect(place).to_contain_text("3 of 25;")
    settled(page)  # until the run ends, the key belongs to the button of the run before
    page.keyboard.press("n")
    expect(place).to_contain_text("4 of 25;")

    page.get_by_role("button", name="All athletes").click()
    expect(page.get_by_role("radio", name="Everyone")).to_be_checked()
    expect(flagged(page).first).to_be_visible()
    assert page.faults == []


def test_the_roster_is_grouped_and_filtered_by_the_groups_of_the_workspace_in_the_url(demo, new_page):
    page = squad_at(watched(new_page()), f"{demo}/?view=review&sort=name&q=moretti")
    page.get_by_role("button", name="Favourite").click()
    expect(page.get_by_role("button", name="★ Favourite")).to_be_visible()
    page.get_by_role("button", name="Groups").click()
    names = page.get_by_role("combobox", name="Groups")
    names.fill("Camp <b>one</b>")
    names.press("Enter")
    expect(page.get_by_text("1 of 1;")).to_be_visible()
    page.keyboard.press("Escape")
    settled(page)

    squad_at(page, f"{demo}/?group=tag")
    groups = page.locator("tr.group")
    expect(groups).to_have_text(["★ Favourites1", "Camp <b>one</b>1", "No group24"])
    squad_at(page, f"{demo}/?members=Camp <b>one</b>")
    expect(page.get_by_text("24 hidden by search or filter")).to_be_visible()
    expect(page.locator(".people tbody tr")).to_have_count(1)
    squad_at(page, f"{demo}/?group=sport&view=week")
    expect(groups.filter(has_text="Cycling")).to_be_visible()
    assert page.faults == []


@pytest.mark.parametrize("width", [320, 400, 683, 1366])
def test_no_number_of_the_roster_is_cut_off(demo, new_page, width):
    """320 px are a small phone, 683 px a laptop at 200 %."""
    page = watched(new_page(viewport={"width": width, "height": 900}))
    page.goto(demo)
    expect(page.get_by_text(re.compile(r"^\d+ of 25 athletes needs? a look"))).to_be_visible(timeout=60_000)
    expect(page.get_by_test_id("stProgress")).to_have_count(0, timeout=120_000)
    settled(page)

    cut = page.locator("td.number .main, td.number .sub").evaluate_all(
        "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent)"
    )
    assert cut == []


def test_a_flag_that_is_snoozed_leaves_no_box_open_on_the_next_athlete(demo, new_page):
    """A snoozed athlete leaves the list; no other athlete's button may be under the same pointer."""
    page = watched(new_page())
    page.goto(f"{demo}/?view=look")
    expect(page.get_by_text(re.compile(r"^\d+ of 25 athletes needs? a look"))).to_be_visible(timeout=60_000)
    expect(page.get_by_test_id("stProgress")).to_have_count(0, timeout=120_000)
    settled(page)
    box = page.get_by_test_id("stPopoverBody")
    submit = box.get_by_role("button", name="Snooze")

    page.get_by_role("button", name="Snooze").first.click()
    box.get_by_label("Reason").fill("Spoke")
    submit.click()
    expect(page.get_by_role("button", name="Unsnooze").first).to_be_attached()

    expect(box).to_have_count(0)
    page.get_by_role("button", name="Unsnooze").first.click()
    assert page.faults == []
