"""Every CSV of every page, from a squad whose every text tries to be a formula: none starts a cell as one."""

import csv
import io
import re
from datetime import date

import numpy as np
import pytest
from playwright.sync_api import expect

import rides
import squad
import training
from browser.journeys import downloaded, settled
from coachboard.service.store import NewNote, Store
from coachboard.wire.enums import NoteType
from coachboard.wire.plans import Note
from running import dashboard_process

pytestmark = pytest.mark.browser
DAY = rides.START.date()
TODAY = date(2026, 3, 12)
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
RIDE = f"activity?athlete={squad.ANA}&activity=act_1&day={DAY}"
PLACES = (
    "",
    f"athlete?athlete={squad.ANA}",
    f"calendar?athlete={squad.ANA}",
    *(
        f"trends?athlete={squad.ANA}&look={look}"
        for look in ("load", "nights", "metrics", "training", "relations")
    ),
    *(f"{RIDE}&look={look}" for look in ("plan", "power", "bands", "balance", "quality")),
    f"{RIDE}&part=device",
)


def seed(folder):
    """The fortnight and an hour with laps, each name and label of it something that a spreadsheet would execute."""
    store = Store.open(f"sqlite:///{folder / 'service.db'}")
    squad.seed(store)
    training.seed(store, squad.ANA)
    store.add_workspace("=HYPERLINK(1)", "@squad", id=squad.SQUAD)
    t = np.arange(3_600)
    power = np.where(t // 300 % 2, 280.0, 160.0)
    labels = ("=1+1", "+1", "-1+2", "@SUM(A1)", "\t=1", "\r=1", "a;=1+1", "=1", "+a", "-a", "@a", "=")
    ride = rides.activity(
        name="=cmd|' /C calc'!A0",
        total_duration=3_600,
        distance=36_000,
        laps=tuple(rides.lap(at, at + 299, power=float(power[at])) for at in range(0, 3_600, 300)),
        provider_laps=tuple(
            rides.provider_lap(at, at + 299, intensity=label, lap_trigger=label)
            for at, label in zip(range(0, 3_600, 300), labels, strict=True)
        ),
    )
    store.put_activities(squad.ANA, [ride])
    store.put_streams("act_1", rides.streams(3_600, power=power))
    plan = training.prescription("@SUM(1)", DAY, id="tpr_ride", activity_id="act_1")
    store.put_prescriptions(squad.ANA, [plan])
    note = Note(id="not_9", type=NoteType.MEDICAL, title="+cold", content="=1", date=TODAY, time=None)
    store.put_notes(squad.ANA, [NewNote(note=note, creator_id=squad.ANA, hidden_until=None)])
    store.close()


@pytest.fixture(scope="module")
def dashboard(chromium, tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    seed(folder)
    with dashboard_process(
        folder, COACHBOARD_API_KEY=squad.COACH_KEY, COACHBOARD_TODAY=TODAY.isoformat()
    ) as address:
        yield address


def formulas_in(body):
    """Cells that a spreadsheet would compute, also of one that parts cells at semicolons."""
    cells = [
        cell
        for parted_by in (",", ";", "\t")
        for row in csv.reader(io.StringIO(body.decode("utf-8-sig"), newline=""), delimiter=parted_by)
        for cell in row
    ]
    return [
        cell
        for cell in cells
        if cell.lstrip(' "')[:1] in set("=+-@\t\r") and not NUMBER.fullmatch(cell.strip())
    ]


def every_csv(page):
    """The files of a page by name, after all lazy sections and all tables are drawn."""
    for _ in range(12):
        page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollBy(0, 700)")
        page.wait_for_timeout(120)
    settled(page)
    for n in range(page.get_by_text("Table", exact=True).count()):
        page.get_by_text("Table", exact=True).nth(n).click()
        settled(page)
    buttons = page.get_by_role("button", name="CSV")
    return dict(downloaded(page, buttons.nth(n)) for n in range(buttons.count()))


def test_no_cell_of_any_file_starts_a_formula(dashboard, new_page):
    page = new_page()
    files = {}
    for place in PLACES:
        page.goto(f"{dashboard}/{place}")
        files |= every_csv(settled(page))
    page.goto(f"{dashboard}/workspaces")
    page.get_by_label("E-mail addresses", exact=True).fill("+new@example.org, =x@example.org")
    page.get_by_role("button", name="Create 2 invitations").click()
    expect(page.get_by_text(re.compile(r"^Expires .* left")).first).to_be_visible()
    files |= every_csv(settled(page))

    found = {name: formulas_in(body) for name, body in files.items()}
    assert {name: cells for name, cells in found.items() if cells} == {}
    assert b"'=HYPERLINK" in files["invitations.csv"]
    assert b"'@SUM(A1)" in files["device-act_1.csv"]
    assert len(files) > 15
