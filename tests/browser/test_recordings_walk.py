"""A folder of old and odd recordings: imported on the page Import, and each session found again, with the browser alone."""

import re
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import expect

import squad
from browser.journeys import settled, violations, watched
from coachboard.service.store import Store
from running import dashboard_process

pytestmark = [pytest.mark.browser, pytest.mark.slow]
FOLDER = Path(__file__).parents[3] / "shared" / "reports"
SESSIONS = (
    ("clock-set-after-start.fit", "Cycling", "Sun 24 May 2026, 06:00 (UTC)", "4.79 km", "10:00"),
    ("garmin-multisport-leg.tcx", "Running", "Tue 12 May 2026, 08:00 (UTC)", "1.80 km", "10:00"),
    ("sports-tracker-stale-places.gpx", "Unnamed session", "Tue 12 May 2026, 09:00 (UTC+1:00)", "2.40 km", "19:59"),
    ("tcx-positions-without-distance.tcx", "Cycling", "Fri 8 May 2026, 09:00 (UTC+1:00)", "1.80 km", "10:00"),
    ("opentracks-distance-per-point.gpx", "Run", "Wed 6 May 2026, 10:00 (UTC+2:00)", "1.80 km", "10:00"),
    ("zwift-virtual-place.fit", "Cycling", "Mon 4 May 2026, 18:00 (UTC)", "4.79 km", "10:00"),
    ("date-line.gpx", "Cycling", "Mon 4 May 2026, 20:00 (UTC+12:00)", "5.39 km", "15:00"),
    ("strava-leading-blanks.tcx", "Running", "Mon 4 May 2026, 09:00 (UTC+1:00)", "1.80 km", "10:00"),
    ("altitude-without-value-is-minus-500.fit", "Running", "Mon 4 May 2026, 06:00 (UTC)", "1.80 km", "10:00"),
    ("average-speed-in-kmh.fit", "Cycling", "Mon 4 May 2026, 04:00 (UTC−2:00)", "3.59 km", "10:00"),
    ("same-session-twice-in-one-file.fit", "Cycling", "Mon 4 May 2026, 06:00 (UTC)", "0.47 km", "1:00"),
    ("session-shorter-than-records.fit", "Running", "Mon 4 May 2026, 06:00 (UTC)", "3.60 km", "20:00"),
    ("elapsed-below-timer.fit", "Cycling", "Mon 4 May 2026, 06:00 (UTC)", "4.79 km", "10:00"),
    ("tcx-multisport-of-several-days.tcx", "Cycling", "Sun 3 May 2026, 08:00 (UTC)", "1.80 km", "10:00"),
    ("tcx-multisport-of-several-days.tcx", "Running", "Fri 1 May 2026, 08:00 (UTC)", "1.80 km", "10:00"),
    ("strava-2024/activities.csv", "Row", "Mon 6 May 2024, 08:00 (UTC)", "5.00 km", "30:00"),
    ("strava-2024/activities.csv", "Swim", "Sun 5 May 2024, 08:00 (UTC)", "1,500 m", "31:40"),  # with rests
    ("strava-2024/activities.csv", "Ride, with comma", "Sat 4 May 2024, 08:00 (UTC)", "42.5 km", "2:00:00"),
    ("strava-2019/activities.csv", "Morning Run", "Sun 5 May 2019, 08:00 (UTC)", "10.1 km", "1:00:00"),
    ("strava-2019/activities.csv", "Morning Ride", "Sat 4 May 2019, 08:00 (UTC)", "42.5 km", "2:00:00"),
    ("polar-offset-without-summer-time.tcx", "Running", "Sun 10 Apr 2016, 19:40 (UTC+2:00)", "1.80 km", "10:00"),
)  # fmt: skip
"""File, name, start, distance and moving time of each session, as its page gives them."""
REPEATED = (
    "bosch-three-records-a-second.fit", "coros-local-time-is-utc.fit", "local-time-in-timestamp-correlation.fit",
    "run-cadence-in-steps.fit", "session-without-start.fit", "tcx-run-cadence-in-steps.tcx", "bom.gpx",
    "outrun-repeated-segments.gpx",
)  # fmt: skip
"""Files with the start and duration of another: each links to the session that was kept."""
REPORT = "31 files: 22 imported (4 with remarks), 9 already imported."


@pytest.fixture
def page(new_page, tmp_path):
    """The import page of a person without any data, in a browser in Newfoundland."""
    if not FOLDER.is_dir():
        pytest.skip("no folder ../shared/reports")
    with closing(Store.open(f"sqlite:///{tmp_path / 'service.db'}")) as store:
        squad.seed(store)
    settings = {"COACHBOARD_API_KEY": squad.ATHLETE_KEY, "COACHBOARD_TODAY": "2026-06-30"}
    with dashboard_process(tmp_path, **settings) as address:
        page = watched(new_page(timezone_id="America/St_Johns"))
        page.goto(f"{address}/imports")
        expect(page.get_by_text("Drop files or archives here")).to_be_visible()
        yield settled(page)


def import_folder(page, folder):
    archive = folder / "old.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for path in set(FOLDER.rglob("*.*")) - {FOLDER / "README.md"}:
            packed.write(path, path.relative_to(FOLDER))
    page.locator("input[type=file]").set_input_files(archive)
    expect(page.get_by_text(REPORT)).to_be_visible(timeout=120_000)
    return settled(page)


def link_of(page, file, name=""):
    """The link to a session of that file in the report."""
    rows = page.get_by_role("row", name=f"old.zip/{file}")
    return rows.get_by_role("link", name=re.compile(rf"^{name}"))


def expect_in_the_list(page, addresses):
    """A search for the name of each session finds its row."""
    page.get_by_role("link", name="All sessions").click()
    search = settled(page).get_by_role("textbox", name="Search by name, description or plan")
    rows = page.get_by_role("table", name="Sessions").get_by_role("row")
    for (_, name, _, distance, time), address in zip(SESSIONS, addresses, strict=True):
        search.fill(name.removesuffix("Unnamed session"))
        search.press("Enter")
        expect(page.get_by_text(re.compile(r"^(21 sessions from|\d+ of 21 sessions match)"))).to_be_visible()
        identity = re.search(r"activity=(\w+)", address)[1]
        row = settled(page).locator("tr").filter(has=page.locator(f'a[href*="{identity}"]'))
        expect(row).to_contain_text(name)
        expect(row).to_contain_text(distance)
        expect(row).to_contain_text(time)
    search.fill("")
    search.press("Enter")
    expect(rows).to_have_count(22)


def expect_session(page, name, start, distance, time):
    expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()
    expect(page.get_by_text(start)).to_be_visible()
    number, unit = distance.split()
    figures = page.locator("dl", has_text=re.compile("Moving time|Duration")).first
    expect(figures).to_contain_text(re.compile(rf"(Moving time|Duration)\s*{time}(?!:)"))
    expect(figures).to_contain_text(re.compile(rf"Distance\s*{number}\s*{unit}"))


def test_a_folder_of_old_and_odd_recordings(page, tmp_path):
    report = import_folder(page, tmp_path).url
    assert not violations(page)
    for file in REPEATED:
        expect(link_of(page, file)).to_have_count(1)
    addresses = []
    for file, name, *figures in SESSIONS:
        link_of(page, file, name).click()
        expect_session(page, name, *figures)
        addresses.append(settled(page).url)
        if file != SESSIONS[-1][0]:
            page.goto(report)
            expect(page.get_by_text(REPORT)).to_be_visible()

    # The last is the oldest: from it forward, back, to the list, and to its month.
    expect(page.get_by_role("link", name="Previous")).to_have_count(0)
    for (_, _, start, *_), step in (
        (SESSIONS[-2], "Next"),
        (SESSIONS[-3], "Next"),
        (SESSIONS[-2], "Previous"),
    ):
        settled(page).get_by_role("link", name=step).click()
        expect(page.get_by_text(start)).to_be_visible()
    expect_in_the_list(page, addresses)
    page.get_by_role("link", name="Calendar", exact=True).click()
    month = settled(page).get_by_role("combobox", name="Month")
    month.focus()
    page.keyboard.type("apr 2016")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="April 2016")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^10 : Sunday 10 April, 1 entry"))).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("Running, done, unplanned, 10 min"))).to_be_visible()
    assert not page.faults
