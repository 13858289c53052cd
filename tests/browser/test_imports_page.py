"""The import page in a browser: drop files, read the report, open the session, undo."""

import pytest
from playwright.sync_api import expect

import squad
from browser.journeys import settled, violations, watched
from coachboard.service.store import Store
from running import dashboard_process

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
    page.locator("input[type=file]").set_input_files(list(files))


def test_dropped_files_are_imported_and_the_report_leads_to_the_session(page):
    drop(page, *FILES)
    expect(page.get_by_text("2 files: 1 imported, 1 not imported.")).to_be_visible()
    assert not violations(settled(page))

    page.get_by_role("link", name="Open the newest session: Morning ride").click()

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
