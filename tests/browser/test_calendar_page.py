"""The planning calendar in a browser: deep links, the grid by mouse and keyboard, a phone, files, a stopped service."""

import re
from io import BytesIO
from zipfile import ZipFile

import icalendar
import pytest
from playwright.sync_api import expect

import squad
import training
from browser.journeys import (
    come_near,
    downloaded,
    focused,
    mismatched_names,
    settled,
    sideways_px,
    tab_to,
    violations,
    violations_in_both_schemes,
    watched,
)

pytestmark = pytest.mark.browser
LINK = f"calendar?athlete={squad.ANA}"


@pytest.fixture
def opened(deep_link):
    """Opens the calendar by deep link, settled, with the grid drawn."""
    return lambda link=LINK, **options: deep_link(link, lambda page: page.get_by_role("grid"), **options)


def entry(page, title):
    return page.get_by_role("button", name=re.compile(re.escape(title)))


def test_a_click_in_the_grid_opens_the_entry_and_the_address_reopens_it_elsewhere(
    opened, fortnight, new_page
):
    page = opened()
    entry(page, "Intervals").click()
    expect(page.get_by_role("dialog", name="Workout · Ana Li")).to_be_visible()
    assert "edit=tpr_Intervals" in page.url
    page.get_by_role("button", name="Details and comments").click()
    expect(page.get_by_text("Not feasible as planned")).to_be_visible()
    assert "open=tpr_Intervals" in page.url

    elsewhere = new_page()
    elsewhere.goto(page.url)
    expect(elsewhere.get_by_text("Not feasible as planned")).to_be_visible(timeout=30_000)
    expect(elsewhere.get_by_role("heading", name="March 2026")).to_be_visible()


def test_the_day_that_opens_under_a_month_scrolls_into_view(opened):
    page = opened(f"{LINK}&open=2026-03-03")
    expect(page.get_by_role("heading", name="Tue 3 Mar")).to_be_in_viewport()


def test_an_entry_that_a_link_opened_can_be_closed(opened):
    page = opened(f"{LINK}&open=tpr_Intervals")
    page.get_by_role("button", name="Close", exact=True).click()

    expect(page.get_by_text("Choose a day or a session to see its details here.")).to_be_visible()
    assert "open=" not in page.url


def test_the_day_after_the_last_of_a_week_brings_its_week(opened):
    page = opened(f"{LINK}&view=week&on=2026-03-08&open=2026-03-08")
    page.get_by_role("button", name="Next day").click()

    expect(page.get_by_role("heading", name="Mon 9 Mar")).to_be_visible()
    expect(page.get_by_role("heading", name="9 to 15 Mar 2026")).to_be_visible()
    page.get_by_role("button", name="Previous day").click()
    expect(page.get_by_role("heading", name="Sun 8 Mar")).to_be_visible()
    expect(page.get_by_role("heading", name="2 to 8 Mar 2026")).to_be_visible()


@pytest.mark.parametrize("view", ["month", "week", "agenda"])
def test_each_view_is_a_link(opened, view):
    page = opened(f"{LINK}&view={view}&on=2026-03-04")

    expect(page.locator(f".grid.{view}")).to_be_visible()
    expect(entry(page, "Kept plan")).to_be_visible()


def test_titles_are_written_out_and_a_month_ends_them_after_four_lines(opened):
    """The column of a day is too narrow for two lines of many titles: a month showed "Over-unders 3 …"."""
    hidden = """(titles, text) => titles.map(title => {
        title.textContent = text;
        return [title.scrollWidth - title.clientWidth, title.scrollHeight - title.clientHeight].map(Math.round);
    })"""
    long = "Over-unders 3 × 12 min, hilly"
    week = opened(f"{LINK}&view=week&on=2026-03-04").locator(".grid.week .item .title")
    assert {tuple(one) for one in week.evaluate_all(hidden, long)} == {(0, 0)}
    month = opened(f"{LINK}&view=month&on=2026-03-04").locator(".grid.month .item .title")
    assert {tuple(one) for one in month.evaluate_all(hidden, long)} == {(0, 0)}
    assert min(below for _, below in month.evaluate_all(hidden, 5 * long)) > 0
    for view in ("month", "agenda"):
        phone = opened(f"{LINK}&view={view}&on=2026-03-04", viewport={"width": 400, "height": 860})
        titles = phone.locator(f".grid.{view} .item .title:visible")
        assert {tuple(one) for one in titles.evaluate_all(hidden, 5 * long)} == {(0, 0)}


def test_a_month_is_a_link(opened):
    page = opened(f"{LINK}&month=2026-04")

    expect(page.get_by_role("heading", name="April 2026")).to_be_visible()


def test_several_athletes_have_lanes_of_one_week(opened):
    page = opened(f"{LINK}&view=week&on=2026-03-03&beside={squad.BEN}")

    expect(page.get_by_role("rowheader")).to_have_text(["Ana Li", f"{squad.HOSTILE_NAME} =1+1"])
    assert page.faults == []


def test_the_users_time_is_next_to_the_athletes_if_they_differ(opened):
    """The session began at 07:30 in the athlete's zone, which is UTC; the reader sits in Tokyo."""
    page = opened(f"{LINK}&view=week&on=2026-03-04&open=act_Kept", timezone_id="Asia/Tokyo")

    expect(page.get_by_text("07:30, 16:30 yours").first).to_be_visible()
    entry(page, "Kept plan").click()
    expect(page.get_by_text("Started 07:30, 16:30 your time")).to_be_visible()


def test_a_step_moves_on_by_the_view_and_leaves_the_month_of_the_address(opened):
    page = opened(f"{LINK}&month=2026-01")
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.get_by_role("heading", name="February 2026")).to_be_visible()
    assert "month=" not in page.url

    page = opened(f"{LINK}&view=week&on=2026-03-14")
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.get_by_role("heading", name="16 to 22 Mar 2026")).to_be_visible()


def month_field(page):
    return page.get_by_role("combobox", name="Month")


@pytest.mark.parametrize(
    ("day", "days"), [("2026-09-30", "28 Sep to 4 Oct 2026"), ("2026-11-30", "30 Nov to 6 Dec 2026")]
)
def test_on_a_laptop_the_month_is_written_out_in_the_line_of_the_days(opened, day, days):
    """The field said "November 20…"; a wider one moved the controls below the title of a week in two months."""
    page = opened(f"{LINK}&view=week&on={day}", viewport={"width": 1366, "height": 900})
    title = page.get_by_role("heading", name=days)
    expect(title).to_be_visible()
    is_cut = """(field) => {
        const text = document.createElement("canvas").getContext("2d"), style = getComputedStyle(field);
        text.font = `${style.fontSize} ${style.fontFamily}`;
        const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
        return text.measureText(field.value).width > room;
    }"""

    assert not month_field(page).evaluate(is_cut)
    boxes = [part.bounding_box() for part in (title, month_field(page))]
    assert abs(boxes[0]["y"] - boxes[1]["y"]) < boxes[1]["height"]


def test_a_month_years_ago_is_picked_by_mouse_and_by_keyboard(opened):
    page = opened(timezone_id="Pacific/Auckland")
    month_field(page).click()
    page.get_by_role("option", name="December 2025").click()
    expect(page.get_by_role("heading", name="December 2025")).to_be_visible()
    expect(page).to_have_url(re.compile("month=2025-12"))
    assert "on=" not in page.url

    settled(page)
    month_field(page).focus()
    page.keyboard.type("nov 2018")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="November 2018")).to_be_visible()
    expect(page).to_have_url(re.compile("month=2018-11"))
    expect(month_field(page)).to_be_focused()
    settled(page).reload()
    expect(page.get_by_role("heading", name="November 2018")).to_be_visible()
    expect(month_field(page)).to_have_value("November 2018")
    assert page.faults == []


def test_the_month_picker_fits_a_phone(opened):
    page = opened(viewport={"width": 400, "height": 860})
    month_field(page).click()
    page.get_by_role("option", name="January 2026").click()

    expect(page.get_by_role("heading", name="January 2026")).to_be_visible()
    assert sideways_px(page) <= 0
    assert not violations(settled(page))


def test_the_week_is_that_of_the_day_which_is_open_in_the_month(opened):
    """The month is of its first day, and the week was that of the first day too."""
    page = opened(f"{LINK}&month=2026-02")
    page.get_by_role("button", name=re.compile("Wednesday 18 February")).click()
    expect(page).to_have_url(re.compile("open=2026-02-18"))
    settled(page).get_by_role("radio", name="Week", exact=True).click()
    expect(page.get_by_role("heading", name="16 to 22 Feb 2026")).to_be_visible()
    settled(page).get_by_role("radio", name="Month", exact=True).click()

    expect(page.get_by_role("heading", name="February 2026")).to_be_visible()
    assert "month=" not in page.url


def test_a_small_laptop_shows_the_month_as_a_grid(opened):
    page = opened(viewport={"width": 1024, "height": 768})
    monday, sunday = (entry(page, f"{day} March").first.bounding_box() for day in ("Monday 2", "Sunday 8"))

    expect(page.get_by_role("columnheader", name="Mon", exact=True)).to_be_visible()
    assert monday["y"] == sunday["y"]
    assert sideways_px(page) <= 0


def test_a_second_athlete_is_added_and_removed(opened):
    page = opened()
    page.get_by_role("combobox", name="Compare with").click()
    page.get_by_role("option", name=squad.HOSTILE_NAME).click()
    expect(page).to_have_url(re.compile(f"beside={squad.BEN}"))
    page.get_by_role("button", name=f"{squad.HOSTILE_NAME} =1+1 ×").click()

    expect(page).not_to_have_url(re.compile("beside="))
    expect(page.get_by_role("button", name=f"{squad.HOSTILE_NAME} =1+1 ×")).to_have_count(0)


def test_a_view_that_is_picked_is_in_the_address(opened):
    page = opened()
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.get_by_role("heading", name="April 2026")).to_be_visible()
    page.get_by_role("radio", name="Week", exact=True).click()

    expect(page.locator(".grid.week")).to_be_visible()
    assert "view=week" in page.url
    assert "on=2026-04-01" in page.url


def test_keyboard_alone_walks_the_dates_and_keeps_the_focus_after_opening_one(opened):
    page = opened()
    tab_to(page, lambda at: at["pick"] == "2026-02-23")
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowUp", "ArrowLeft"):
        page.keyboard.press(key)
    assert focused(page)["pick"] == "2026-03-03"
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="Tue 3 Mar")).to_be_visible()
    assert "open=2026-03-03" in page.url
    assert focused(page)["pick"] == "2026-03-03"


def test_keyboard_alone_reaches_an_entry_and_opens_it(opened):
    page = opened()
    tab_to(page, lambda at: at["pick"] == "tpr_Intervals")
    page.keyboard.press("Enter")

    expect(page.get_by_role("dialog", name="Workout · Ana Li")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert focused(page)["pick"] == "tpr_Intervals"


def test_on_a_phone_the_list_begins_with_this_week_and_earlier_weeks_open(opened):
    page = opened(viewport={"width": 400, "height": 860})

    assert sideways_px(page) <= 1
    assert violations(page) == []
    expect(entry(page, "Surplus")).to_be_visible()
    expect(entry(page, "Kept plan")).to_be_hidden()
    page.get_by_role("button", name="Show earlier weeks").click()
    expect(entry(page, "Kept plan")).to_be_visible()
    assert sideways_px(page) <= 1


def test_on_a_phone_the_earlier_weeks_of_a_month_close_with_it(opened):
    """They were open in each later month."""
    page = opened(viewport={"width": 400, "height": 860})
    page.get_by_role("button", name="Show earlier weeks").click()
    entry(page, "Kept plan").click()
    expect(entry(page, "Kept plan")).to_be_visible()

    page.get_by_role("button", name="Next", exact=True).click()
    expect(entry(page, "Kept plan")).to_have_count(0)
    page.get_by_role("button", name="Today", exact=True).click()
    expect(entry(page, "Surplus")).to_be_visible()
    expect(entry(page, "Kept plan")).to_be_hidden()
    expect(page.get_by_role("button", name="Show earlier weeks")).to_be_visible()


@pytest.mark.parametrize("link", [f"{LINK}&open=tpr_Intervals", f"{LINK}&view=agenda&look=totals"])
def test_the_page_has_no_serious_accessibility_violation(opened, link):
    assert violations_in_both_schemes(opened(link)) == []


def test_titles_of_strangers_are_text_and_ask_nothing_of_another_host(opened):
    page = opened(f"{LINK}&open=2026-03-03")

    expect(page.get_by_text("<script>alert(1)</script> **bold**").first).to_be_visible()
    entry(page, "Note, medical: Cold").click()
    expect(page.get_by_label("Text", exact=True)).to_have_value(training.HOSTILE)
    assert page.faults == []


def test_the_icalendar_file_holds_the_days_shown(opened):
    page = opened()
    button = page.get_by_role("button", name="iCalendar")
    come_near(page, button)
    name, content = downloaded(page, button)

    entries = icalendar.Calendar.from_ical(content).walk("VEVENT")
    assert name == "calendar-2026-02-23-to-2026-04-05.ics"
    assert {str(one["summary"]) for one in entries} >= {"Kept plan", "Intervals", training.HOSTILE, "Cold"}


def test_the_page_to_print_is_text_alone(opened, chromium):
    page = opened()
    button = page.get_by_role("button", name="Printable page")
    come_near(page, button)
    name, content = downloaded(page, button)
    printed = chromium.new_page()
    watched(printed).set_content(content.decode())

    expect(printed.get_by_text(training.HOSTILE).first).to_be_visible()
    assert name.endswith(".html")
    assert printed.faults == []
    assert printed.locator("script, img, link, iframe").count() == 0
    # The text under a title does not repeat the title.
    titles = printed.locator("p").filter(has_text="Intervals")
    expect(titles).not_to_have_count(0)
    expect(printed.locator(".minor").filter(has_text="Intervals")).to_have_count(0)
    expect(titles.filter(has_text="3 × (3:00 400 W, rest free 100 W)")).to_have_count(1)
    printed.close()


def test_a_workout_is_a_file_for_a_device_whose_losses_are_named_before(opened):
    page = opened(f"{LINK}&open=tpr_Intervals")
    page.get_by_text("File for a device").click()
    expect(page.get_by_text("The file holds the whole workout.")).to_be_visible()
    page.get_by_role("radio", name="ERG").click()
    expect(page.get_by_text("steps until the lap button: their planned time (3 steps)")).to_be_visible()
    name, content = downloaded(page, page.get_by_role("button", name="Download ERG"))

    assert name == "2026-03-13 Intervals.erg"
    assert (
        content.decode()
        .split("[COURSE DATA]\r\n")[1]
        .startswith("0.000\t400\r\n3.000\t400\r\n3.000\t100\r\n")
    )
    assert page.faults == []


def test_the_workouts_of_a_week_are_one_archive(opened):
    page = opened()
    head = page.get_by_text("Files for devices")
    come_near(page, head)
    head.click()
    expect(page.get_by_text("The file holds the whole workout.")).to_be_visible()
    name, content = downloaded(page, page.get_by_role("button", name="Download archive"))

    assert name == "2026-03-09 FIT.zip"
    assert "2026-03-13 Intervals.fit" in ZipFile(BytesIO(content)).namelist()
    assert page.faults == []


def test_week_totals_come_as_a_file_that_no_spreadsheet_executes(opened):
    page = opened(f"{LINK}&look=totals")
    _, content = downloaded(page, page.get_by_role("button", name="CSV"))

    head, *rows = content.decode("utf-8-sig").splitlines()
    assert head == "Week of,Sport,Planned,Done,Planned distance,Distance,Planned load,Load,Sessions"
    assert len(rows) == 3
    assert not [cell for row in rows for cell in row.split(",") if cell.startswith(("=", "+", "-", "@"))]


def test_a_service_that_stops_leaves_the_last_known_days_with_their_age(without_service):
    page = without_service(LINK, lambda page: entry(page, "Kept plan"), again=f"{LINK}&open=tpr_Intervals")

    expect(page.get_by_text("Estimated duration")).to_be_visible()


@pytest.mark.parametrize("width", [1366, 400])
def test_visible_labels_are_part_of_the_accessible_names(opened, width):
    assert mismatched_names(opened(viewport={"width": width, "height": 860})) == []
