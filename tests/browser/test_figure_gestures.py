"""Fingers and keys on a figure: a swipe scrolls, a drag selects, arrow keys read the values and select."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import expect

import squad
import training
from browser.hills import panels, pixels
from browser.journeys import come_near_part, settled, violations
from coachboard.ui.widgets import figure

pytestmark = pytest.mark.browser

TOUCH = {"viewport": {"width": 400, "height": 860}, "has_touch": True, "is_mobile": True}
_SCROLLED = "document.querySelector('[data-testid=stMain]').scrollTop"


def touch(page, *fingers):
    """Fingers that move along their paths of (x, y) and leave together; a place of None: not down yet."""
    device = page.context.new_cdp_session(page)
    down = 0
    for points in zip(*fingers, strict=True):
        places = [{"x": at[0], "y": at[1], "id": number} for number, at in enumerate(points) if at]
        kind = "touchMove" if len(places) == down else "touchStart"
        down = len(places)
        device.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})
        page.wait_for_timeout(16)  # a frame, as a finger takes
    device.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def path(start, end, steps=12):
    """Places from one point to another."""
    (x0, y0), (x1, y1) = start, end
    return [(x0 + (x1 - x0) * at / steps, y0 + (y1 - y0) * at / steps) for at in range(steps + 1)]


def cursor_of(page, chart):
    """The cursor once it takes the focus: before, the figure's script does not listen."""
    return page.locator(".framed").filter(has=chart).locator(".cursor[tabindex]")


def spoken_of(page, chart):
    return page.locator(".framed").filter(has=chart).locator("[aria-live=polite]")


@pytest.fixture
def phone(visit_hills):
    page = visit_hills(**TOUCH)
    panels(page).scroll_into_view_if_needed()
    return page


def test_a_vertical_swipe_over_the_panels_scrolls_the_page(phone):
    before = phone.evaluate(_SCROLLED)
    touch(phone, path((200, 700), (215, 300)))

    phone.wait_for_function(f"before => {_SCROLLED} > before + 200", arg=before)
    assert "sel=" not in phone.url


def test_a_horizontal_drag_over_the_panels_selects_and_the_page_stays(phone):
    before = phone.evaluate(_SCROLLED)
    from_px, to_px = pixels(phone, 920, 1_180)
    y = panels(phone).bounding_box()["y"] + 200
    touch(phone, path((from_px, y), (to_px, y + 6)))

    expect(phone.get_by_text(re.compile(r"^Selection, 1[45]:\d\d to (19|20):\d\d.* 280 W"))).to_be_visible()
    assert phone.evaluate(_SCROLLED) == before


def test_a_tap_on_the_panels_reads_that_moment(phone):
    (at_px,) = pixels(phone, 1_000)
    phone.touchscreen.tap(at_px, panels(phone).bounding_box()["y"] + 200)

    expect(panels(phone).locator(".hoverlayer .legendtitletext")).to_have_text(re.compile(r"^1[67]:"))


def drags(page):
    """The drags that the figure saw so far, as the events that the script of touches made of fingers."""
    return page.evaluate("window.madeOfFingers.join(' ')")


@pytest.fixture
def watched_phone(phone):
    """Its figure's mouse events that no mouse made, from now on; each is sent within the touch that caused it."""
    phone.evaluate("""() => {
      window.madeOfFingers = [];
      for (const kind of ["mousedown", "mouseup"])
        window.addEventListener(kind, (event) => event.isTrusted || window.madeOfFingers.push(kind), true);
    }""")
    return phone


@pytest.mark.parametrize("late", [0, 1], ids=["fingers together", "second finger later"])
def test_a_pinch_over_the_panels_drags_nothing(watched_phone, late):
    y = panels(watched_phone).bounding_box()["y"] + 200
    one, other = path((180, y), (80, y)), path((220, y), (330, y))
    touch(watched_phone, [one[0]] * late + one, [None] * late + other)

    assert drags(watched_phone) == ""


def test_a_finger_alone_drags(watched_phone):
    y = panels(watched_phone).bounding_box()["y"] + 200
    touch(watched_phone, path((180, y), (80, y)))

    assert drags(watched_phone) == "mousedown mouseup"


def test_a_second_finger_ends_a_drag_and_selects_nothing(watched_phone):
    """A first finger that slides before the second comes down selected some minutes, and Plotly went on dragging."""
    y = panels(watched_phone).bounding_box()["y"] + 200
    one, other = path((180, y), (80, y)), path((220, y), (330, y))
    touch(watched_phone, one, [None] * 6 + other[6:])

    assert drags(watched_phone) == "mousedown mouseup"
    expect(panels(watched_phone).locator(".selectionlayer path")).to_have_count(0)
    assert "sel=" not in settled(watched_phone).url


def test_arrow_keys_move_the_cursor_and_its_values_are_read_aloud(visit_hills):
    page = visit_hills(timezone_id="Pacific/Auckland")
    cursor_of(page, panels(page)).focus()
    page.keyboard.press("Home")
    for _ in range(6):
        page.keyboard.press("PageDown")
    page.keyboard.press("ArrowRight")

    expect(spoken_of(page, panels(page))).to_have_text(
        re.compile(r"^30:3\d, Power 160 W, .*14[01] bpm, .*7: ")
    )
    expect(panels(page).locator(".hoverlayer .spikeline").first).to_be_attached()


def test_shift_and_arrow_keys_select_to_the_second(visit_hills):
    page = visit_hills()
    cursor_of(page, panels(page)).focus()
    for key in ("Home", "PageDown", "PageDown", "PageDown", "Shift+PageDown"):
        page.keyboard.press(key)

    expect(spoken_of(page, panels(page))).to_have_text("Selected 15:00 to 20:00")
    expect(page.get_by_text(re.compile(r"^Selection, 15:00 to 20:00.* 280 W"))).to_be_visible()
    assert "sel=900-1200" in page.url


def test_keys_read_the_bars_of_the_laps_and_enter_selects_one(visit_hills):
    page = visit_hills()
    come_near_part(page, "Laps")
    laps = page.locator('.figure[aria-label^="Laps:"]')
    expect(laps.locator(".xtick text").first).to_be_visible()
    cursor_of(page, laps).focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    expect(spoken_of(page, laps)).to_have_text(re.compile("^4: .*280 W"))
    page.keyboard.press("Enter")

    expect(page.get_by_text("Selection, 15:00 to 20:00")).to_be_visible()
    assert not violations(settled(page))


def test_keys_follow_the_route_from_its_start_to_its_end_in_the_same_place(visit_hills):
    page = visit_hills()
    come_near_part(page, "Route")
    route = page.get_by_role("figure", name="Route (")
    expect(route.locator(".scatterlayer .trace").first).to_be_attached()
    cursor_of(page, route).focus()
    page.keyboard.press("Home")
    expect(spoken_of(page, route)).to_have_text("0:00 · 160 W")
    page.keyboard.press("End")

    expect(spoken_of(page, route)).to_have_text(re.compile(r"^59:\d\d · 280 W"))


def test_the_end_key_reads_the_last_day_of_a_year(new_page, fortnight):
    """Every fourth of 366 days is a stop: End stopped a day before the last."""
    page = new_page()
    start = training.TODAY - timedelta(days=365)
    page.goto(f"{fortnight}/trends?athlete={squad.ANA}&from={start}")
    load = settled(page).locator(".figure").first
    cursor_of(page, load).focus()
    page.keyboard.press("End")

    expect(spoken_of(page, load)).to_have_text(re.compile(training.TODAY.strftime("^%a %-d %b")))


def test_a_planned_step_of_two_areas_is_one_stop(new_page):
    """Up to its target and within it: the cursor read each step of a workout twice."""
    source = (Path(figure.__file__).parent / "keys.js").read_text(encoding="utf-8")
    areas = [((0, 600), (0, 180)), ((0, 600), (180, 220)), ((600, 900), (0, 120)), ((600, 900), (120, 140))]
    calcdata = [
        [{"trace": {"visible": True, "hoveron": "fills"}, "x": x[0], "y": y[0]}, {"x": x[1], "y": y[1]}]
        for x, y in areas
    ]
    stops = new_page().evaluate(
        """async ([source, calcdata]) => {
            const keys = await import(URL.createObjectURL(new Blob([source], {type: "text/javascript"})));
            return keys.stopsOf({_fullLayout: {hovermode: "closest"}, calcdata}).map(({x}) => x);
        }""",
        [source, calcdata],
    )

    assert stops == [300, 750]


def test_the_buttons_of_a_figure_leave_the_laps_free(visit_hills):
    page = visit_hills()
    panels(page).hover()
    buttons = panels(page).locator(".modebar").bounding_box()
    laps = panels(page).locator(".barlayer .point path").last.bounding_box()

    assert buttons["y"] + buttons["height"] <= laps["y"]


def test_a_phone_shows_no_buttons_over_its_laps(phone):
    phone.touchscreen.tap(200, panels(phone).bounding_box()["y"] + 200)

    expect(panels(phone).locator(".modebar-container")).to_be_hidden()
