"""The import page in a browser: drop files, read the report, open the session, undo."""

import os
import re
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing, contextmanager
from datetime import date, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import psutil
import pytest
from playwright.sync_api import expect

import squad
from browser.journeys import settled, violations, watched
from coachboard.pages.values.form import WIDTHS_PX
from coachboard.service.store import Store
from coachboard.wire.body import Metric
from coachboard.wire.metrics import METRICS
from running import ROOT, answers, dashboard_process, free_port, wait_until
from unit.service.importers.fit_files import at, fit_file, records, session

FILES_OF_A_YEAR = 300
PHONE_COLUMNS = ("Metric", "Sport", "Latest")
WIDEST_PX = """([...columns]) => {
  const style = getComputedStyle(document.querySelector('.dvn-scroller'));
  const pen = document.createElement('canvas').getContext('2d');
  pen.font = `${style.getPropertyValue('--gdg-base-font-style')} ${style.getPropertyValue('--gdg-font-family')}`;
  const padding = parseFloat(style.getPropertyValue('--gdg-cell-horizontal-padding'));
  return columns.map(words => Math.max(...words.map(word => pen.measureText(word).width)) + 2 * padding);
}"""
"""The width that the words of each column need; the grid paints them and gives no widths."""

POINT = '<trkpt lat="{:.6f}" lon="8"><time>2024-03-12T06:{:02d}:{:02d}Z</time></trkpt>'
RIDE = (
    '<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><name>Morning ride</name><type>cycling</type>'
    "<trkseg>{}</trkseg></trk></gpx>"
).format("".join(POINT.format(46 + 8e-5 * s, s // 60, s % 60) for s in range(600)))
FILES = (
    {"name": "ride.gpx", "mimeType": "text/xml", "buffer": RIDE.encode()},
    {"name": "broken.fit", "mimeType": "application/octet-stream", "buffer": b"not a recording"},
)


@pytest.fixture
def page(new_page, tmp_path):
    """The import page of a person without any data."""
    store = Store.open(f"sqlite:///{tmp_path / 'service.db'}")
    squad.seed(store)
    store.close()
    with dashboard_process(tmp_path, COACHBOARD_API_KEY=squad.ATHLETE_KEY) as address:
        page = watched(new_page())
        page.goto(f"{address}/imports")
        expect(page.get_by_text("Drop files or archives here")).to_be_visible()
        yield settled(page)


def drop(page, *files):
    settled(page).locator("input[type=file]").set_input_files(list(files))


def test_the_page_states_its_limit_and_streamlits_own_words_are_hidden(page):
    expect(page.get_by_text("Up to 500 MB per file")).to_be_visible()
    expect(page.get_by_text("500MB")).to_be_hidden()


def test_dropped_files_are_imported_and_the_report_leads_to_the_session(page):
    drop(page, *FILES)
    expect(page.get_by_text("2 files: 1 imported, 1 not imported.")).to_be_visible()
    assert not violations(settled(page))

    page.get_by_role("link", name="Open the newest session: Morning ride").click()

    expect(page.get_by_role("heading", name="Morning ride")).to_be_visible()
    assert not page.faults


def test_a_file_that_was_imported_before_leads_to_its_session_by_keyboard(page):
    drop(page, FILES[0])
    expect(page.get_by_text("1 file: 1 imported.")).to_be_visible()
    drop(page, FILES[0] | {"name": "copy.gpx"})
    expect(page.get_by_text("1 file: 1 already imported.")).to_be_visible()

    link = (
        settled(page).get_by_role("row", name=re.compile("copy.gpx")).get_by_role("link", name="Morning ride")
    )
    link.focus()
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="Morning ride")).to_be_visible()
    assert not page.faults


def test_the_report_can_be_reopened_and_the_import_undone(page):
    drop(page, *FILES)
    expect(page.get_by_text("2 files: 1 imported")).to_be_visible()
    page.goto(page.url.partition("?")[0])
    page.get_by_role("button", name="2 files: 1 imported").click()
    page.get_by_role("button", name="Undo import").click()
    page.get_by_role("button", name="Remove them").click()
    expect(page.get_by_text("This import is undone")).to_be_visible()

    page.get_by_role("link", name="Activity").click()

    expect(page.get_by_text("No session yet.")).to_be_visible()


def test_on_a_phone_the_report_shows_each_reason_without_scrolling_sideways(page):
    page.set_viewport_size({"width": 400, "height": 800})
    settled(page).reload()
    settled(page)
    drop(page, *FILES)

    broken, ride = (page.get_by_role("row", name=re.compile(name)) for name in ("broken.fit", "ride.gpx"))
    expect(broken).to_contain_text("not imported")
    expect(broken).to_contain_text("neither FIT")
    expect(ride).to_contain_text("imported, 1 session")
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    assert not violations(settled(page))
    ride.get_by_role("link", name="Morning ride").click()
    expect(page.get_by_role("heading", name="Morning ride")).to_be_visible()


def test_on_a_phone_my_values_show_three_columns_without_cut_words(new_page, tmp_path):
    store = Store.open(f"sqlite:///{tmp_path / 'service.db'}")
    squad.seed(store)
    store.put_metrics(squad.ANA, [_value(at, kind) for at, kind in enumerate(METRICS)])
    store.close()
    with dashboard_process(tmp_path, COACHBOARD_API_KEY=squad.ATHLETE_KEY) as address:
        page = new_page(viewport={"width": 400, "height": 860})
        page.goto(f"{address}/values")
        table = page.get_by_test_id("stDataFrame").first
        expect(table).to_be_visible()
        settled(page)

        heads = table.locator("[role=columnheader]")
        expect(heads.first).to_be_attached()
        shown = heads.all_text_contents()
        titles = [record.title for record in METRICS.values()]
        widest = page.evaluate(WIDEST_PX, [titles, ["All sports", "Swimming"]])
        box = table.bounding_box()

    assert tuple(shown) == PHONE_COLUMNS
    assert widest[0] <= WIDTHS_PX["Metric"]
    assert widest[1] <= WIDTHS_PX["Sport"]
    assert box["x"] + box["width"] <= 400


def _value(at, kind):
    sport = "running" if at % 2 else "cycling"
    fields = dict.fromkeys(Metric.model_fields) | {
        "id": f"met_{at}", "type": kind, "sport": sport, "value": 250.0, "source": "user", "date": date(2026, 3, 1),
    }  # fmt: skip
    return Metric(**fields)


def drop_folder(page, folder):
    """A drag of a folder from the file manager, as the browser gets it."""
    box = page.get_by_test_id("stFileUploaderDropzone").bounding_box()
    at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    data = {"items": [], "files": [str(folder)], "dragOperationsMask": 1}
    driver = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        driver.send("Input.dispatchDragEvent", {"type": kind, **at, "data": data})


def test_a_dropped_folder_of_an_export_is_imported_with_its_folders_inside(page, tmp_path):
    inner = tmp_path / "export_1" / "activities"
    inner.mkdir(parents=True)
    (inner / "9001.gpx").write_text(RIDE.replace("<name>Morning ride</name>", ""), encoding="utf-8")
    (inner.parent / "profile.csv").write_text("Athlete ID\n1\n", encoding="utf-8")
    (inner.parent / "activities.csv").write_text(
        "Activity ID,Activity Date,Activity Name,Activity Type,Filename\n"
        '9001,"Mar 12, 2024, 6:00:00 AM",Hills with Ben,Ride,activities/9001.gpx\n',
        encoding="utf-8",
    )
    drop_folder(page, inner.parent)

    expect(page.get_by_text("3 files: 2 imported, 1 skipped.")).to_be_visible()
    expect(page.get_by_role("link", name="Open the newest session: Hills with Ben")).to_be_visible()
    assert not page.faults


def short_ride(number):
    first_s = 100_000 * number
    return fit_file(
        session(start_time=at(first_s), total_elapsed_time=20.0), *records(20, first_s=first_s, power=200)
    )


def state_of(database):
    """The state of the newest import, the files done, and the number of sessions."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30)) as connection:
        (sessions,) = connection.execute("SELECT count(*) FROM activities").fetchone()
        job = connection.execute("SELECT state, done FROM jobs ORDER BY created_at DESC LIMIT 1").fetchone()
    return (*(job or (None, 0)), sessions)


@pytest.mark.slow
def test_300_dropped_files_survive_a_kill_and_become_300_sessions(new_page, tmp_path):
    seed(tmp_path)
    database, files = tmp_path / "service.db", tmp_path / "files"
    files.mkdir()
    for number in range(FILES_OF_A_YEAR):
        (files / f"{number:03}.fit").write_bytes(short_ride(number))
    port = free_port()
    with killable_dashboard(tmp_path, port) as process:
        page = watched(new_page())
        page.goto(f"http://127.0.0.1:{port}/imports")
        expect(page.get_by_text("Drop files or archives here")).to_be_visible()
        page.locator("input[type=file]").set_input_files([str(path) for path in sorted(files.iterdir())])
        wait_until(lambda: 20 <= state_of(database)[1] < FILES_OF_A_YEAR, "the import did not start")
        process.kill()
        process.wait()
    state, done, sessions = state_of(database)
    assert state == "running"
    assert 20 <= done <= sessions < FILES_OF_A_YEAR

    with killable_dashboard(tmp_path, port):
        wait_until(lambda: state_of(database)[0] == "done", "the import did not continue")
        page = watched(new_page())
        page.goto(f"http://127.0.0.1:{port}/imports")
        page.get_by_role("button", name="300 files: ").click()
        expect(page.get_by_role("link", name="Open the newest of these sessions")).to_be_visible()
        assert not page.faults

    with closing(Store.open(f"sqlite:///{database}")) as store:
        starts = [row.started_at for row in store.activities_of(squad.ANA, None, None)]
    assert sorted(starts) == [at(100_000 * number) for number in range(FILES_OF_A_YEAR)]


@pytest.mark.slow
def test_an_archive_of_200_mb_is_imported_with_bounded_memory(new_page, tmp_path):
    """The archive holds one ride and 200 MB that no import reads; the process takes less than the archive twice."""
    seed(tmp_path)
    archive = tmp_path / "export.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as packed:
        packed.writestr("activities/ride.fit", short_ride(0))
        for number in range(20):
            packed.writestr(f"media/{number}.jpg", os.urandom(10_000_000))
    port = free_port()
    with killable_dashboard(tmp_path, port) as process:
        page = watched(new_page())
        page.goto(f"http://127.0.0.1:{port}/imports")
        expect(page.get_by_text("Drop files or archives here")).to_be_visible()
        before = psutil.Process(process.pid).memory_info().rss
        page.locator("input[type=file]").set_input_files(str(archive))
        expect(page.get_by_text("21 files: 1 imported, 20 skipped.")).to_be_visible(timeout=180_000)
        most = int(re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process.pid}/status").read_text())[1]) * 1024

    assert most - before < 2 * archive.stat().st_size
    assert not page.faults


def seed(folder):
    with closing(Store.open(f"sqlite:///{folder / 'service.db'}")) as store:
        squad.seed(store)


@contextmanager
def killable_dashboard(folder, port):
    """The dashboard as a process that the test can kill; the same folder and port continue the same data."""
    settings = {
        "COACHBOARD_DATA": str(folder),
        "COACHBOARD_DATABASE_URL": f"sqlite:///{folder / 'service.db'}",
        "COACHBOARD_API_KEY": squad.ATHLETE_KEY,
    }
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("COACHBOARD_")}
    with (folder / "dashboard.log").open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "uvicorn", "app:app", "--app-dir", str(ROOT), "--port", str(port)],
            cwd=folder, env=inherited | settings, stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            wait_until(lambda: answers(port), "the dashboard did not start")
            yield process
        finally:
            process.terminate()
            process.wait(20)


@pytest.mark.parametrize(
    ("zone", "viewport"),
    [
        ("Asia/Kolkata", {"width": 400, "height": 860}),
        pytest.param("America/St_Johns", {"width": 1366, "height": 900}, marks=pytest.mark.slow),
    ],
)
def test_a_session_is_entered_by_hand_and_its_start_corrected_on_the_readers_clock(
    new_page, tmp_path, zone, viewport
):
    store = Store.open(f"sqlite:///{tmp_path / 'service.db'}")
    squad.seed(store)
    store.close()
    env = {"COACHBOARD_API_KEY": squad.ATHLETE_KEY, "COACHBOARD_TODAY": "2026-05-06"}
    with dashboard_process(tmp_path, **env) as address:
        page = watched(new_page(viewport=viewport, timezone_id=zone))
        page.goto(f"{address}/imports")
        page.get_by_text("Enter a session without a file").click()
        page.get_by_label("Start time").fill("23:30")
        page.get_by_label("Hours").fill("1")
        page.get_by_label("Distance (km)").fill("12.5")
        page.get_by_label("Name", exact=True).fill("Track <b>evening</b>")
        assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth + 1")
        page.get_by_role("button", name="Save session").click()
        expect(page.get_by_role("heading", name="Track <b>evening</b>")).to_be_visible()
        expect(page.get_by_text("23:30").first).to_be_visible()
        start = started_of(tmp_path)
        assert start.astimezone(ZoneInfo(zone)).strftime("%H:%M") == "23:30"

        page.get_by_role("button", name="Edit session").click()
        page.get_by_label("Start time").fill("22:15:30")
        assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth + 1")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_text("22:15").first).to_be_visible()
        settled(page)

        assert start - started_of(tmp_path) == timedelta(hours=1, minutes=14, seconds=30)
        assert not page.faults


def started_of(folder):
    with closing(Store.open(f"sqlite:///{folder / 'service.db'}")) as store:
        (row,) = store.activities_of(squad.ANA, None, None)
        return row.started_at
