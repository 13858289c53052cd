"""The activity page in a browser: a deep link, a part selected by dragging and by typing, a lap by its row."""

import base64
import re
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import expect
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

import rides
import squad
from browser.journeys import come_near_part, settled
from coachboard.service.store import Store
from running import dashboard_process
from serving import served

pytestmark = pytest.mark.browser
CARD = re.compile(r"^Selection, ")


LINK = f"activity?athlete={squad.ANA}&activity=act_1&day={rides.START.date()}"
TILE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def put_ride(folder):
    """An hour of intervals for Ana, with a name that tries to be more than text."""
    store = Store.open(f"sqlite:///{folder / 'service.db'}")
    squad.seed(store)
    t = np.arange(3_600)
    power = np.where(t // 300 % 2, 280.0, 160.0)
    laps = tuple(rides.lap(at, at + 299, power=float(power[at])) for at in range(0, 3_600, 300))
    activity = rides.activity(
        name="Hills <img src=https://tracker.example/x.png>", total_duration=3_600, distance=36_000, laps=laps
    )
    store.put_activities(squad.ANA, [activity])
    store.put_activities(squad.BEN, [rides.activity("act_2", name="Run of Ben")])
    store.put_streams("act_1", rides.streams(3_600, power=power))
    store.close()


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory):
    folder = tmp_path_factory.mktemp("activity")
    put_ride(folder)
    with dashboard_process(folder, COACHBOARD_API_KEY=squad.COACH_KEY) as address:
        yield address


@pytest.fixture
def opened(new_page, dashboard):
    """The page by deep link on a fresh server, as the demo coach; other hosts asked for are kept."""
    page = new_page()
    page.other_hosts = []
    page.on(
        "request",
        lambda request: None if "127.0.0.1" in request.url or request.url.startswith(("data:", "blob:"))
        else page.other_hosts.append(request.url),
    )  # fmt: skip
    page.goto(f"{dashboard}/{LINK}")
    expect(panels(page).locator(".scatterlayer .trace path").first).to_be_visible(timeout=30_000)
    page.wait_for_timeout(500)
    return page


def panels(page):
    return page.locator(".figure").first


def drag(page, *, start, end):
    box = panels(page).bounding_box()
    left, width = box["x"] + 46, box["width"] - 58
    y = box["y"] + 150
    page.mouse.move(left + start * width, y)
    page.mouse.down()
    page.mouse.move(left + (start + end) / 2 * width, y + 20, steps=4)
    page.mouse.move(left + end * width, y + 120, steps=4)
    page.mouse.up()


def test_a_dragged_box_opens_the_card_and_is_in_the_address(opened):
    drag(opened, start=0.25, end=0.5)

    expect(opened.get_by_text(CARD)).to_be_visible()
    sel = re.search(r"sel=(\d+)-(\d+)", opened.url)
    assert 850 < int(sel[1]) < 950
    assert 1_750 < int(sel[2]) < 1_850


def test_a_dragged_box_stays_in_a_narrower_window(opened):
    drag(opened, start=0.25, end=0.5)
    expect(opened.get_by_text(CARD)).to_be_visible()
    width = opened.evaluate("document.querySelector('.figure').clientWidth")
    opened.set_viewport_size({"width": 1000, "height": 900})
    opened.wait_for_function(
        "width => document.querySelector('.figure .main-svg').clientWidth < width", arg=width
    )

    expect(panels(opened).locator(".selectionlayer path").first).to_be_attached()


def test_a_dragged_box_stays_in_the_dark(opened):
    drag(opened, start=0.25, end=0.5)
    expect(opened.get_by_text(CARD)).to_be_visible()
    settled(opened).emulate_media(color_scheme="dark")
    expect(panels(opened).locator(".ytick text").first).to_have_css("fill", "rgb(163, 171, 180)")

    expect(panels(opened).locator(".selectionlayer path").first).to_be_attached()


def test_a_typed_span_selects_and_zooms_without_a_mouse(opened):
    opened.get_by_label("From", exact=True).fill("10:00")
    opened.get_by_label("From", exact=True).press("Enter")
    expect(opened.get_by_text("Selection, 10:00 to 1:00:00")).to_be_visible()
    opened.get_by_label("To", exact=True).fill("nonsense")
    opened.get_by_label("To", exact=True).press("Enter")
    opened.get_by_label("To", exact=True).fill("50:00")
    opened.get_by_label("To", exact=True).press("Enter")
    expect(opened.get_by_text("Selection, 10:00 to 50:00")).to_be_visible()

    opened.get_by_test_id("stButton").get_by_role("button", name="Zoom").press("Enter")
    expect(opened.get_by_role("button", name="Show all")).to_be_visible()
    assert "zoom=600-3000" in opened.url


def test_a_row_of_the_laps_selects_its_stretch(opened):
    come_near_part(opened, "Laps")
    table = opened.locator("[data-testid=stDataFrame]").first
    expect(table).to_be_visible(timeout=20_000)
    table.scroll_into_view_if_needed()
    opened.wait_for_timeout(800)
    box = table.bounding_box()
    opened.mouse.click(box["x"] + 15, box["y"] + 35 * 2.5)

    expect(opened.get_by_text("Selection, 5:00 to 10:00")).to_be_visible()


def test_the_address_opens_the_same_view_again(opened, new_page):
    drag(opened, start=0.25, end=0.5)
    expect(opened.get_by_text(CARD)).to_be_visible()
    says = opened.get_by_text(CARD).inner_text()
    opened.reload()

    expect(opened.get_by_text(says)).to_be_visible(timeout=30_000)


def test_nothing_is_asked_of_another_host(opened):
    assert opened.other_hosts == []


def test_on_a_phone_nothing_scrolls_sideways(opened):
    opened.set_viewport_size({"width": 400, "height": 860})
    opened.wait_for_timeout(800)

    assert opened.evaluate("() => document.scrollingElement.scrollWidth <= window.innerWidth + 1")


@pytest.mark.parametrize("status", [200, pytest.param(500, marks=pytest.mark.slow)])
def test_tiles_come_from_the_one_host_that_is_set_with_their_credit(new_page, tmp_path, status):
    """A broken tile server leaves the route without a map."""
    asked = []

    def tile(request):
        asked.append(request.url.path)
        body = TILE if status == 200 else b"out of order"  # browsers draw a picture whatever the status
        return Response(body, status, media_type="image/png", headers={"Access-Control-Allow-Origin": "*"})

    put_ride(tmp_path)
    server = Starlette(routes=[Route("/{z:int}/{x:int}/{y:int}.png", tile)])
    with (
        served(server) as tiles,
        dashboard_process(
            tmp_path,
            COACHBOARD_API_KEY=squad.COACH_KEY,
            COACHBOARD_TILE_URL=f"{tiles}/{{z}}/{{x}}/{{y}}.png",
            COACHBOARD_TILE_ATTRIBUTION="<b>Maps</b> of the test",
        ) as address,
    ):
        page = new_page()
        page.goto(f"{address}/{LINK}")
        expect(panels(page).locator(".scatterlayer .trace path").first).to_be_visible(timeout=30_000)
        come_near_part(page, "Route")
        route = page.get_by_role("figure", name="Route (")
        route.scroll_into_view_if_needed()
        expect(route.get_by_text("<b>Maps</b> of the test", exact=True)).to_be_visible()
        expect(route.locator(".scatterlayer .points path").first).to_be_visible()
        expect(route.locator(".imagelayer image[visibility=hidden]")).to_have_count(
            0 if status == 200 else 17
        )
        expect(route.locator(".imagelayer image")).to_have_count(17)
        page.wait_for_timeout(500)

    assert asked


def test_another_athlete_opens_with_their_session_of_the_same_day(opened, dashboard):
    opened.goto(f"{dashboard}/{LINK}&sel=60-120&axis=distance")
    expect(opened.get_by_text(CARD)).to_be_visible()
    opened.get_by_role("combobox", name="Athlete").click()
    opened.get_by_role("option", name="Ben").click()

    expect(opened.get_by_role("heading", name="Run of Ben")).to_be_visible()
    expect(opened).to_have_url(re.compile("activity=act_2"))
    address = parse_qs(urlsplit(opened.url).query)
    assert address.keys() == {"athlete", "activity", "day", "axis"}
