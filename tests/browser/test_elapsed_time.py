"""Elapsed time in several time zones: axes begin at 0:00, bands end where laps do, a drag selects its lap."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser import hills
from browser.hills import panels, pixels
from browser.journeys import come_near_part
from coachboard.charts.clock_axis import STEPS_S, clock_text, clock_ticks
from coachboard.ui.widgets import figure
from conftest import PLACES

pytestmark = pytest.mark.browser


def every_place(quick_zone):
    """All places as parameters; all but one are slow."""
    return [
        pytest.param(zone, locale, id=zone, marks=() if zone == quick_zone else pytest.mark.slow)
        for zone, locale in PLACES
    ]


def ticks(chart):
    return chart.locator(".xtick text").all_text_contents()


def drag(page, start_px, end_px):
    box = panels(page).bounding_box()
    page.mouse.move(start_px, box["y"] + 150)
    page.mouse.down()
    page.mouse.move((start_px + end_px) / 2, box["y"] + 160, steps=4)
    page.mouse.move(end_px, box["y"] + 200, steps=4)
    page.mouse.up()


@pytest.mark.parametrize(("zone", "locale"), every_place("Asia/Kolkata"))
def test_bands_and_a_drag_lie_where_the_laps_do_in_every_place(visit_hills, zone, locale):
    """In Berlin a drag over a hard lap selected an hour later at 155 W, and in Los Angeles nothing."""
    page = visit_hills(timezone_id=zone, locale=locale)
    boxes = [bar.bounding_box() for bar in panels(page).locator(".barlayer .point path").all()]
    drag(page, *pixels(page, 910, 1_190))

    assert ticks(panels(page))[:2] == ["0:00", "5:00"]
    assert [box["x"] + box["width"] for box in boxes] == pytest.approx(
        pixels(page, *range(hills.LAP_S, 3_601, hills.LAP_S)), abs=1.5
    )
    expect(page.get_by_text(re.compile(r"^Selection, 15:\d\d to 19:\d\d.* 280 W"))).to_be_visible()


def seconds_of(clock):
    """ "1:05:00" or "5:00" in seconds."""
    return sum(int(part) * 60**power for power, part in enumerate(reversed(clock.split(":"))))


def lap_ends_of(page):
    """Where each lap ends by the text of its row in the table."""
    table = page.locator("[data-testid=stDataFrame]").filter(has=page.locator("th", has_text="Start")).first
    expect(table.locator("tbody tr")).to_have_count(3_600 // hills.LAP_S)
    heads = table.locator("thead th").all_text_contents()
    start, duration = heads.index("Start"), heads.index("Duration")
    rows = [row.locator("td").all_text_contents() for row in table.locator("tbody tr").all()]
    return [seconds_of(row[start]) + seconds_of(row[duration]) for row in rows]


@pytest.mark.parametrize(("zone", "locale"), every_place("America/St_Johns"))
def test_the_bands_and_bars_end_where_the_row_of_the_lap_says(visit_hills, zone, locale):
    page = visit_hills(timezone_id=zone, locale=locale)
    come_near_part(page, "Laps")
    laps = page.locator('.figure[aria-label^="Laps:"]')
    laps.scroll_into_view_if_needed()
    expect(laps.locator(".xtick text").first).to_have_text("0:00")
    said = lap_ends_of(page)

    for chart in (panels(page), laps):
        chart.scroll_into_view_if_needed()
        boxes = [bar.bounding_box() for bar in chart.locator(".barlayer .point path").all()]
        ends = [box["x"] + box["width"] for box in boxes if box["width"] > 1]
        assert ends == pytest.approx(pixels(page, *said, of=chart), abs=1.5)


def test_the_pointer_reads_the_time_as_a_clock_and_keeps_it_while_it_moves(visit_hills):
    """Plotly draws the label again without an event while the pointer stays on the same point."""
    page = visit_hills("&zoom=600-660", timezone_id="Asia/Kolkata")
    (at,) = pixels(page, 630)
    top = panels(page).bounding_box()["y"]
    for step in range(6):
        page.mouse.move(at, top + 100 + step)

    expect(panels(page).locator(".hoverlayer .legendtitletext")).to_have_text("10:30")


@pytest.mark.slow
def test_a_zoom_in_the_browser_gets_ticks_of_its_own(visit_hills):
    page = visit_hills(timezone_id="America/Los_Angeles")
    panels(page).evaluate("box => window.Plotly.relayout(box, {'xaxis.range': [600, 660]})")

    expect(panels(page).locator(".xtick text").first).to_have_text("10:00")
    assert ticks(panels(page))[:3] == ["10:00", "10:05", "10:10"]


@pytest.mark.slow
def test_a_phone_gets_fewer_ticks_of_the_same_rule(visit_hills):
    page = visit_hills(timezone_id="Europe/Berlin", viewport={"width": 400, "height": 860})

    assert ticks(panels(page)) == ["0:00", "15:00", "30:00", "45:00"]


def test_the_figures_script_and_the_server_choose_the_same_ticks(new_page):
    """The rule is written twice: the server draws ticks for the range, the browser for its width and zoom."""
    source = (Path(figure.__file__).parent / "clock.js").read_text(encoding="utf-8")
    ranges = [(0, 45, 12), (0, 3_600, 6), (599.5, 661.2, 9), (-60, 30, 6), (0, 93_600, 5), (0, 900_000, 4)]
    ticks = new_page().evaluate(
        """async ([source, ranges, steps]) => {
            const clock = await import(URL.createObjectURL(new Blob([source], {type: "text/javascript"})));
            return ranges.map((range) => clock.clockTicks(...range, steps).map((at) => [at, clock.clockText(at)]));
        }""",
        [source, ranges, STEPS_S],
    )

    server = [
        [[at, clock_text(at)] for at in clock_ticks(low, high, most=most)] for low, high, most in ranges
    ]
    assert ticks == json.loads(json.dumps(server))
