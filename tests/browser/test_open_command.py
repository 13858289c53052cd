"""`coachboard open` as a person runs it: one command, one file, and the session is on the page."""

import os
import re
import subprocess
import sys
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.journeys import come_near_part, settled, watched
from running import free_port, wait_until

POINT = '<trkpt lat="{:.6f}" lon="8"><time>2024-03-12T06:{:02d}:{:02d}Z</time></trkpt>'
RIDE = (
    '<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><name>Morning ride</name><type>cycling</type>'
    "<trkseg>{}</trkseg></trk></gpx>"
).format("".join(POINT.format(46 + 8e-5 * s, s // 60, s % 60) for s in range(600)))


HILLY_POINT = '<trkpt lat="{:.6f}" lon="8"><ele>{:.1f}</ele><time>2024-03-12T06:{:02d}:{:02d}Z</time></trkpt>'
HILLY = RIDE[: RIDE.index("<trkpt")] + "{}</trkseg></trk></gpx>"
HILLY = HILLY.format(
    "".join(HILLY_POINT.format(46 + 5e-5 * s, 300 + 0.2 * s, s // 60, s % 60) for s in range(1800))
)
"""Half an hour at 5.56 m/s, 0.2 m higher each second: 36.2 W of drag and, of 80 kg, 178.7 W of climbing and rolling."""


class Opened:
    """A running `coachboard open`, what it prints, and the sign-in links among it."""

    def __init__(self, log):
        self.log = log

    @property
    def says(self):
        return self.log.read_text(encoding="utf-8")

    def link(self):
        wait_until(lambda: "token=" in self.says, "no sign-in link was printed")
        return re.findall(r"http://\S+token=\S+", self.says)[-1]


def command(*words, folder, port):
    env = {name: value for name, value in os.environ.items() if not name.startswith("COACHBOARD_")}
    return {
        "args": [
            str(Path(sys.executable).with_name("coachboard")),
            "open",
            *words,
            "--port",
            str(port),
            "--no-browser",
        ],
        "cwd": folder,
        "env": env | {"XDG_DATA_HOME": str(folder / "share")},
    }


@contextmanager
def opened(folder, port, *words):
    log = folder / "open.log"
    with log.open("wb") as output:
        process = subprocess.Popen(**command(*words, folder=folder, port=port), stdout=output, stderr=output)
    try:
        yield Opened(log)
    finally:
        process.terminate()
        process.wait(20)


@pytest.fixture
def ride(tmp_path):
    path = tmp_path / "ride.gpx"
    path.write_text(RIDE, encoding="utf-8")
    return path


def test_one_command_leads_from_a_file_to_its_session_without_an_id_or_a_key(tmp_path, ride, new_page):
    page, port = watched(new_page()), free_port()
    with opened(tmp_path, port, str(ride), "--name", "Ada Okafor") as running:
        page.goto(running.link())
        expect(page.get_by_role("heading", name="Morning ride")).to_be_visible()
        settled(page).reload()
        expect(page.get_by_role("heading", name="Morning ride")).to_be_visible()
        second = subprocess.run(**command(folder=tmp_path, port=port), capture_output=True, check=True)

    assert "1 file: 1 imported." in running.says
    (key,) = [path.read_text() for path in (tmp_path / "share/coachboard/keys").iterdir()]
    assert key not in running.says + page.url + second.stderr.decode()
    assert b"token=" in second.stderr  # the running dashboard serves the second start too
    assert not page.faults


def test_a_correction_is_saved_and_the_original_file_comes_back_without_a_fault_in_the_console(
    tmp_path, ride, new_page
):
    page, port = watched(new_page()), free_port()
    with opened(tmp_path, port, str(ride)) as running:
        page.goto(running.link())
        expect(page.get_by_role("heading", name="Morning ride")).to_be_visible()
        page.warnings.clear()
        come_near_part(page, "Analysis")
        with page.expect_download() as started:
            page.get_by_role("button", name="Original", exact=True).click()
        page.get_by_role("button", name="Edit session").click()
        page.get_by_label("Name", exact=True).fill("Evening ride")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_role("heading", name="Evening ride")).to_be_visible()
        settled(page)

        assert started.value.path().read_bytes() == ride.read_bytes()
        assert not page.faults + page.warnings


def test_the_second_start_opens_the_same_data_and_a_used_link_opens_nothing(tmp_path, ride, new_page):
    with opened(tmp_path, free_port(), str(ride)) as running:
        running.link()
        wait_until(lambda: "1 imported" in running.says, "the file was not imported")
    page = new_page()
    with opened(tmp_path, free_port()) as running:
        page.goto(running.link())
        expect(page.get_by_role("heading", name="Morning ride")).to_be_visible()
        page.context.clear_cookies()
        page.goto(running.link())
        expect(page.get_by_text("Run coachboard open in a terminal")).to_be_visible()


def set_value(page, kind, value, *, earlier=None):
    """Set a value on Values, or change an earlier one, and wait until the loads follow."""
    field = page.get_by_role("spinbutton", name=f"{kind} (")
    if earlier is None:
        choose(page, "Metric", kind)
    else:
        choose(page, "Add or change", f"{kind}: {earlier}")
        expect(field).to_have_value(earlier)
    field.fill(str(value))
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("spinbutton", name="(kg)")).to_have_value("")  # the run after the change
    expect(page.get_by_text("All loads are up to date")).to_be_visible(timeout=20_000)


def choose(page, box, option):
    page.get_by_role("combobox", name=box, exact=True).click()
    page.get_by_role("option", name=option).click()


def load_on(page):
    """The load in the head of the session, with its note."""
    return page.locator("dl").first.locator("div", has=page.get_by_text("Load", exact=True))


def test_a_bare_ride_gets_a_load_from_weight_and_critical_power_and_another_one_from_another_weight(
    tmp_path, new_page
):
    ride = tmp_path / "hills.gpx"
    ride.write_text(HILLY, encoding="utf-8")
    page, port = watched(new_page()), free_port()
    with opened(tmp_path, port, str(ride), "--name", "Ada Okafor") as running:
        page.goto(running.link())
        expect(page.get_by_text("No load: set weight and critical power (cycling)")).to_be_visible()
        page.get_by_role("button", name="Open Values").click()
        set_value(page, "Critical power", 250)
        set_value(page, "Weight", 71)
        page.get_by_role("button", name="Back to the session").click()
        # ((36.2 + 178.7) / 0.976 / 250)^2 over half an hour
        expect(load_on(page)).to_contain_text("39")
        expect(load_on(page)).to_contain_text("estimated from speed, grade and weight")
        page.get_by_role("link", name="Values").click()
        set_value(page, "Weight", 91, earlier="71.0")
        page.go_back()
        # Three changes of values use nearly all requests of a minute.
        expect(load_on(page)).to_contain_text("57", timeout=70_000)
        page.set_viewport_size({"width": 400, "height": 860})
        note = load_on(page).locator("small")

        assert note.evaluate("note => note.scrollWidth <= note.clientWidth")

    assert not page.faults


def test_a_year_of_nights_from_a_csv_file_leads_to_the_sleep_charts(tmp_path, ride, new_page):
    """A table as a person keeps one: every column has its proposal."""
    days = [date(2023, 3, 13) + timedelta(days=place) for place in range(365)]
    rows = "".join(f"{day},{day - timedelta(days=1)} 22:30,{day} 06:30,7.5,51,62\n" for day in days)
    nights = tmp_path / "nights.csv"
    nights.write_text(f"Date,Bedtime,Wake up,Time asleep (h),Resting HR,HRV\n{rows}", encoding="utf-8")
    page, port = watched(new_page()), free_port()
    with opened(tmp_path, port, str(ride)) as running:
        page.goto(running.link())
        page.get_by_role("link", name="Import").click()
        page.locator("input[type=file]").first.set_input_files(nights)
        expect(page.get_by_text("365 rows.")).to_be_visible()
        page.get_by_role("button", name="Import 1 file").click()
        page.get_by_role("link", name="Open sleep").click()
        expect(page.get_by_text("7h30").first).to_be_visible()

    assert "look=nights" in page.url
    assert not page.faults
