"""The list of all sessions in a browser: eight years of imported files, by mouse, by keyboard, on a phone."""

import re
from contextlib import closing
from datetime import date, timedelta

import pytest
from playwright.sync_api import expect

import squad
import training
from browser.journeys import PHONE, focused, settled, sideways_px, violations, watched
from coachboard.service.importers.archive import SourceFile
from coachboard.service.importers.importing import Importer
from coachboard.service.store import Store
from coachboard.wire.enums import Sport
from running import dashboard_process
from unit.service.importers.fit_files import at, fit_file, records, session

pytestmark = pytest.mark.browser

COUNT, EVERY_D = 400, 7.3
TODAY = date(2026, 5, 5)
KINDS = (("cycling", "Morning ride"), ("running", "Long run"), ("cycling", "Hügel"), ("rowing", "Erg"))


def day_of(number):
    return TODAY - timedelta(days=1 + round(number * EVERY_D))


def recording(number):
    """A FIT file of 20 s; session n is 10 + n % 90 km long."""
    first_s = -86_400 * round(number * EVERY_D)
    sport, name = KINDS[number % 4]
    whole = session(
        start_time=at(first_s),
        sport=sport,
        sub_sport="generic",
        sport_profile_name=name,
        total_elapsed_time=20.0,
        total_timer_time=20.0,
        total_distance=1000.0 * (10 + number % 90),
    )
    return fit_file(whole, *records(20, first_s=first_s, heart_rate=140))


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory):
    """A dashboard over Ana's 400 imported files and one plan of eight years ago."""
    folder = tmp_path_factory.mktemp("years")
    with closing(Store.open(f"sqlite:///{folder / 'service.db'}")) as store:
        squad.seed(store)
        importer = Importer(store, squad.ANA, today=TODAY)
        for number in range(COUNT):
            data = recording(number)
            report = importer.import_source(SourceFile(f"{number}.fit", lambda data=data: data))
            assert len(report.activity_ids) == 1
        plan = training.prescription("old", day_of(397), title="Fartlek", sport=Sport.RUNNING, duration=20)
        store.put_prescriptions(squad.ANA, [plan])
    settings = {"COACHBOARD_API_KEY": squad.COACH_KEY, "COACHBOARD_TODAY": TODAY.isoformat()}
    with dashboard_process(folder, **settings) as address:
        yield address


@pytest.fixture
def opened(dashboard, new_page):
    pages = []

    def open_list(query="", **options):
        page = watched(new_page(**options))
        pages.append(page)
        page.goto(f"{dashboard}/activity?athlete={squad.ANA}{query}")
        expect(page.get_by_role("table", name="Sessions")).to_be_visible()
        return settled(page)

    yield open_list
    assert not [fault for page in pages for fault in page.faults]


def rows(page):
    return page.get_by_role("table", name="Sessions").get_by_role("row")


def search(page):
    return page.get_by_role("textbox", name="Search by name, description or plan")


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/Los_Angeles"])
def test_a_session_of_eight_years_ago_is_found_by_its_plan_and_the_way_back_keeps_the_list(opened, zone):
    page = opened(timezone_id=zone)
    expect(page.get_by_text("400 sessions from")).to_be_visible()
    search(page).fill("fartlek")
    search(page).press("Enter")
    expect(page.get_by_text("1 of 400 sessions match.")).to_be_visible()
    expect(page).to_have_url(re.compile("q=fartlek"))
    expect(rows(page).nth(1)).to_contain_text(f"{day_of(397).day} {day_of(397):%b %Y}")
    rows(page).nth(1).get_by_role("link", name="Long run").click()
    expect(page.get_by_role("heading", name="Long run")).to_be_visible()
    first = settled(page).url
    page.get_by_role("link", name="Previous").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Hügel")).to_be_visible()
    assert settled(page).url != first  # a reload showed the session before this one
    page.reload()
    expect(page.get_by_role("heading", name="Hügel")).to_be_visible()
    settled(page).get_by_role("link", name="All sessions").click()
    expect(page.get_by_text("1 of 400 sessions match.")).to_be_visible()
    expect(search(page)).to_have_value("fartlek")
    assert "activity=" not in page.url
    search(settled(page)).fill("")
    search(page).press("Enter")
    expect(page.get_by_text("400 sessions from")).to_be_visible()
    page.go_back()
    expect(page.get_by_text("1 of 400 sessions match.")).to_be_visible()


def test_a_column_sorts_by_mouse_and_by_keyboard_and_keeps_the_focus(opened):
    page = opened()
    head = page.get_by_role("columnheader", name="Distance")
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "descending")
    expect(rows(page).nth(1)).to_contain_text("99.0 km")

    settled(page)
    head.get_by_role("button").focus()
    page.keyboard.press("Enter")
    expect(head).to_have_attribute("aria-sort", "ascending")
    expect(rows(page).nth(1)).to_contain_text("10.0 km")
    expect(page).to_have_url(re.compile("sort=distance"))
    assert focused(page)["target"] == "sort distance"


def test_sport_distance_and_dates_are_chosen_by_keyboard_and_open_elsewhere(opened):
    page = opened()
    page.get_by_role("combobox", name="Sport").focus()
    page.keyboard.type("run")
    page.keyboard.press("Enter")
    expect(page.get_by_text("100 of 400 sessions match.")).to_be_visible()
    settled(page).get_by_role("button", name="Filter").press("Enter")
    distance = page.get_by_label("Distance from (km)")
    distance.fill("80")
    distance.press("Enter")
    expect(page).to_have_url(re.compile("min_km=80"))
    settled(page)
    page.get_by_label("From", exact=True).get_by_role("spinbutton").first.focus()
    page.keyboard.type("20220101")
    for _ in range(2):  # past the button that opens the days
        page.keyboard.press("Tab")
    expect(page).to_have_url(re.compile("from=2022-01-01"))
    numbers = [n for n in range(COUNT) if n % 4 == 1 and 10 + n % 90 >= 80 and day_of(n) >= date(2022, 1, 1)]
    says = f"{len(numbers)} of 400 sessions match."
    expect(page.get_by_text(says)).to_be_visible()
    assert not violations(settled(page))

    elsewhere = opened(page.url.partition(squad.ANA)[2], timezone_id="Asia/Kolkata", locale="de-DE")
    expect(elsewhere.get_by_text(says)).to_be_visible()
    expect(
        elsewhere.get_by_role("button", name=re.compile("from Sat 1 Jan 2022, at least 80.0 km"))
    ).to_be_visible()


def test_a_phone_shows_a_list_that_sorts_and_grows(opened):
    page = opened(**PHONE)
    expect(rows(page)).to_have_count(51)
    assert sideways_px(page) <= 0
    assert not violations(page)
    page.get_by_role("combobox", name="Sort").click()
    page.get_by_role("option", name="Sort: oldest").click()
    expect(rows(page).nth(1)).to_contain_text(f"{day_of(399).year}")
    expect(rows(page).nth(1)).to_contain_text("49.0 km")
    settled(page).get_by_role("button", name="Show more (350 left)").click()
    expect(rows(page)).to_have_count(151)
    assert sideways_px(page) <= 0

    settled(page).get_by_role("link", name="Erg").first.click()
    expect(page.get_by_role("heading", name="Erg")).to_be_visible()
    expect(page.get_by_role("link", name="Previous")).to_have_count(0)
    expect(page.get_by_role("link", name="Next")).to_be_visible()


def test_a_search_without_a_match_says_so_and_is_cleared(opened, new_page, dashboard):
    page = opened()
    search(page).fill("no such ride")
    search(page).press("Enter")
    expect(page.get_by_text("None of 400 sessions matches the search and filters.")).to_be_visible()
    settled(page).get_by_role("button", name="Clear search and filters").click()

    expect(page.get_by_text("400 sessions from")).to_be_visible()
    expect(search(page)).to_have_value("")
