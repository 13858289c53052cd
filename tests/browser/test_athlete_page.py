"""The athlete page in a browser: links, filters in the address, a phone, keyboard, a stopped service."""

import re
from datetime import UTC, datetime, time, timedelta

import pytest
from playwright.sync_api import expect

import rides
import squad
import training
from browser.journeys import (
    PHONE,
    come_near,
    focused,
    settled,
    sideways_px,
    tab_to,
    violations,
    violations_in_both_schemes,
)
from coachboard.service.store import Store
from running import dashboard_process

pytestmark = pytest.mark.browser
LINK = f"athlete?athlete={squad.ANA}"


def heading(page):
    return page.get_by_role("heading", name="Ana Li")


@pytest.fixture
def opened(deep_link):
    """Opens Ana's page by deep link, settled."""
    return lambda link=LINK, **options: deep_link(link, heading, **options)


def table(page, name):
    return page.get_by_role("table", name=name)


def test_the_next_session_opens_in_the_calendar(opened):
    page = opened()
    table(page, "Next sessions").get_by_role("link", name=re.compile("Intervals")).click()

    expect(page.get_by_role("grid")).to_be_visible()
    expect(page.get_by_role("heading", name="Fri 13 Mar")).to_be_visible()


def test_the_last_session_opens_by_its_whole_line(opened):
    page = opened()
    table(page, "Last sessions").get_by_role("row").filter(has_text="Surplus").get_by_role(
        "rowheader"
    ).click()

    expect(page).to_have_url(re.compile("activity=act_Surplus"))
    expect(page.get_by_role("heading", name="Surplus")).to_be_visible()


def test_best_efforts_follow_the_sessions_that_are_read_without_a_click(new_page, chromium, tmp_path):
    """They waited for a button; the share of sessions stayed that of the opening."""
    store = Store.open(f"sqlite:///{tmp_path / 'service.db'}")
    squad.seed(store)
    for ago in range(1, 4):
        start = datetime.combine(training.TODAY - timedelta(days=ago), time(9), UTC)
        ride = rides.activity(f"act_{ago}", start=start, average_power=250, moving_duration=600)
        store.put_activities(squad.ANA, [ride])
        store.put_streams(ride.id, rides.streams(at=start))
    store.close()
    env = {"COACHBOARD_TODAY": training.TODAY.isoformat(), "COACHBOARD_API_KEY": squad.COACH_KEY}
    with dashboard_process(tmp_path, **env) as address:
        page = new_page()
        page.goto(f"{address}/{LINK}")
        come_near(page, page.get_by_role("heading", name="Best efforts by period"))

        expect(page.get_by_text("Sessions included: last 6 weeks 3 of 3")).to_be_visible(timeout=30_000)
        expect(page.get_by_text("Sessions read:")).to_have_count(0)


def test_a_paired_session_is_called_by_its_plan_and_its_page_says_so(opened):
    page = opened()
    table(page, "Last sessions").get_by_role("link", name=re.compile("Kept plan")).click()

    expect(page.get_by_role("heading", name="Kept", exact=True)).to_be_visible()
    expect(page.get_by_text("planned as Kept plan")).to_be_visible()


def test_another_pair_of_means_is_that_of_the_numbers_too(opened):
    page = opened()
    expect(page.get_by_text("Fitness 42 d")).to_be_visible()
    page.get_by_role("radio", name="Long-term, 16 weeks and 1 week").click()

    expect(page.get_by_text("Load 112 d")).to_be_visible()
    expect(page).to_have_url(re.compile("model=service"))


def test_the_season_is_a_figure_with_a_text_and_a_table(opened):
    page = opened()

    expect(page.locator("[aria-label*='as planned']").first).to_be_visible()
    page.get_by_text("Table", exact=True).first.click()
    expect(page.get_by_role("button", name="CSV").first).to_be_visible()


def test_keyboard_alone_walks_the_lines_and_opens_one(opened):
    page = opened()
    tab_to(page, lambda at: at["target"].startswith("activity"), most=90)
    first = focused(page)["target"]
    page.keyboard.press("ArrowDown")
    assert focused(page)["target"] != first
    page.keyboard.press("ArrowUp")
    assert focused(page)["target"] == first
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile(re.escape(first)))


def test_on_a_phone_the_status_comes_before_the_sessions(opened):
    page = opened(**PHONE)

    assert sideways_px(page) <= 1
    assert (
        page.get_by_text("Load, 7 days").bounding_box()["y"]
        < table(page, "Next sessions").bounding_box()["y"]
    )


def test_on_a_phone_buttons_of_a_group_are_apart_and_a_label_takes_no_width(opened):
    page = opened(**PHONE)
    options = page.get_by_role("radiogroup", name="Past").first.locator(".option")
    first, second, *_ = (option.bounding_box() for option in options.all())
    assert first["y"] == second["y"]
    assert second["x"] - first["x"] - first["width"] >= 4

    come_near(page, page.get_by_role("radiogroup", name="Group"))
    group, amount = (page.get_by_role("radiogroup", name=name).bounding_box() for name in ("Group", "Amount"))
    assert group["y"] == amount["y"]


def test_the_page_has_no_serious_accessibility_violation(opened):
    assert violations_in_both_schemes(opened()) == []


def test_an_athlete_without_anything_reads_why(deep_link):
    page = deep_link(f"athlete?athlete={squad.BEN}", lambda page: page.get_by_role("heading", name="Ben"))

    expect(page.get_by_text("Nothing planned in the next 8 weeks")).to_be_visible()
    expect(page.get_by_text("No session in the last 6 weeks")).to_be_visible()
    assert page.faults == []


def test_a_service_that_stops_leaves_the_last_known_numbers_with_their_age(without_service):
    page = without_service(LINK, heading)

    expect(table(page, "Last sessions").get_by_text("Surplus")).to_be_visible()


def test_an_athlete_is_found_by_a_part_of_the_name_with_the_keyboard_alone(deep_link):
    page = deep_link(f"athlete?athlete={squad.BEN}", lambda page: page.get_by_role("heading", name="Ben"))
    field = page.get_by_role("combobox", name="Athlete")
    tab_to(page, lambda at: at["label"] == "Athlete")
    page.keyboard.type("nobody")
    expect(page.get_by_text("No match")).to_be_visible()
    page.keyboard.press("Escape")
    expect(field).to_have_value(f"{squad.HOSTILE_NAME} =1+1")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("ÄNA L")  # accents and case do not matter
    expect(page.get_by_role("option")).to_have_text(["Ana Li"])
    assert violations(page) == []
    page.keyboard.press("Enter")

    expect(heading(page)).to_be_visible()
    expect(field).to_have_attribute("aria-expanded", "false")
    expect(field).to_have_value("Ana Li")


def test_back_and_forth_keeps_address_and_pickers_together(deep_link):
    page = deep_link(f"athlete?athlete={squad.BEN}", lambda page: page.get_by_role("heading", name="Ben"))
    page.get_by_role("combobox", name="Athlete").first.click()
    page.get_by_role("option", name="Ana Li").click()
    expect(heading(page)).to_be_visible()
    for _ in range(2):  # the second time the left sections are drawn again
        settled(page)
        table(page, "Last sessions").get_by_role("link").first.click()
        expect(page).to_have_url(re.compile("activity=act_"))
        settled(page)
        expect(page.get_by_role("combobox", name="Athlete")).to_have_value("Ana Li")
        page.go_back()
        expect(page).to_have_url(re.compile(rf"athlete\?athlete={squad.ANA}$"))
        expect(heading(page)).to_be_visible()
    page.go_back()

    expect(page.get_by_role("heading", name="Ben")).to_be_visible()


def test_a_section_that_comes_near_does_not_load_while_another_page_opens(opened):
    """A word of the page that is left, which overtakes the new one, would bring the old one back, empty."""
    page = opened()
    state = "state => document.querySelector('[data-testid=stApp]').dataset.testScriptState = state"
    button = page.get_by_role("button", name="Show weeks")
    page.evaluate(state, "rerunRequested")
    button.scroll_into_view_if_needed()
    page.wait_for_timeout(1500)
    expect(button).to_be_visible()
    page.evaluate(state, "notRunning")

    expect(page.get_by_role("radio", name="By stimulus")).to_be_visible()


def test_a_place_that_reports_while_its_page_is_left_does_not_bring_it_back(deep_link):
    """As when something comes into view, or ticks, in the moment of a step back: that page came back, empty."""
    page = deep_link(
        f"trends?athlete={squad.ANA}",
        trends := lambda page: page.get_by_role("heading", name="Trends", level=1),
    )
    page.get_by_test_id("stSidebarNav").get_by_role("link", name="Athlete").click()
    expect(heading(page)).to_be_visible()
    settled(page).get_by_role("button", name="Show weeks").evaluate(
        "place => { addEventListener('popstate', () => setTimeout(() => place.click(), 0)); history.back(); }"
    )
    expect(trends(page)).to_be_visible()
    page.wait_for_timeout(1_500)

    expect(trends(settled(page))).to_be_visible()
    expect(page).to_have_url(re.compile("trends"))
