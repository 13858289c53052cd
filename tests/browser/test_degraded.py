"""A service that stops, returns, hangs, or violates the interface while a page is open."""

import json
import re
import threading
from datetime import date

import pytest
from playwright.sync_api import expect

import squad
import training
from browser.journeys import aged, come_near, settled
from faulty_proxy import changed, faulty, held, reset, reset_after_arrival, silent
from running import dashboard_process

pytestmark = pytest.mark.browser
LINK = f"trends?athlete={squad.ANA}"


@pytest.fixture
def line(squad_store, squad_service):
    """The connection between dashboard and service, with Ana's fortnight behind it."""
    training.seed(squad_store, squad.ANA)
    with faulty(squad_service) as proxy:
        yield proxy


@pytest.fixture
def patience_s():
    """How long the dashboard waits for an answer."""
    return 1


@pytest.fixture
def dashboard(tmp_path, line, patience_s):
    settings = {
        "COACHBOARD_BASE_URL": line.url,
        "COACHBOARD_API_KEY": squad.COACH_KEY,
        "COACHBOARD_TODAY": training.TODAY.isoformat(),
        "COACHBOARD_TIMEOUT_S": str(patience_s),
    }
    with dashboard_process(tmp_path, **settings) as address:
        yield address


def when_asked_for(part, fault):
    def chosen(exchange):
        if re.search(part.encode(), exchange.raw.split(b"\r\n", 1)[0]):
            fault(exchange)
        else:
            exchange.answer(exchange.ask())

    return chosen


def no_traceback(page):
    assert page.locator("[data-testid=stException]").count() == 0
    assert "Something went wrong" not in page.inner_text("body")


def test_a_service_that_comes_back_is_read_at_the_next_step(dashboard, line, new_page, tmp_path):
    page = new_page()
    page.goto(f"{dashboard}/{LINK}")
    expect(page.get_by_text("61.0 kg on Tue 10 Mar")).to_be_visible()
    aged(tmp_path, hours=2)
    line.always = reset
    page.get_by_role("radio", name="6 months").click()
    expect(page.get_by_text("Last known data, updated 2 hours ago")).to_be_visible()
    expect(page.get_by_text("61.0 kg on Tue 10 Mar")).to_be_visible()

    line.always = None
    aged(tmp_path, hours=1)  # else refreshes wait for the limit of a minute
    notice = page.get_by_text("Last known data")
    for months in (3, 6) * 60:  # a failed read rests
        page.get_by_role("radio", name=f"{months} months").click()
        settled(page)  # while a page runs its notices are not there yet
        if not notice.count():
            break
    expect(notice).to_have_count(0)
    expect(page.get_by_text("61.0 kg on Tue 10 Mar")).to_be_visible()
    no_traceback(page)


_TOPS = """() => {
  const hasDays = (element) => element.shadowRoot?.querySelector(".calendar");
  let days;
  const note = () => {
    if (!days?.isConnected) days = [...document.querySelectorAll("*")].find(hasDays);
    const place = days?.getBoundingClientRect();
    if (place?.height) (window.tops ??= new Set()).add(Math.round(place.top));
    requestAnimationFrame(note);
  };
  note();
}"""
"""Notes each place of the days in the window, frame by frame."""


@pytest.mark.parametrize(("hours", "places"), [(0.2, 1), (2, 2)])
def test_the_days_stay_where_they_are_while_their_data_are_refreshed(
    dashboard, new_page, tmp_path, hours, places
):
    """A line about old data comes once and does not go."""
    page = new_page()
    page.goto(f"{dashboard}/calendar?athlete={squad.ANA}")
    expect(page.locator(".day").first).to_be_visible()
    settled(page)
    aged(tmp_path, hours=hours)
    page.evaluate(_TOPS)
    page.get_by_role("radio", name="Without").click()
    expect(page.get_by_text("Up to date.")).to_have_count(places - 1, timeout=30_000)
    settled(page)
    page.get_by_role("radio", name="With missed").click()
    settled(page)

    expect(page.get_by_text("Up to date.")).to_have_count(places - 1)
    assert len(page.evaluate("[...window.tops]")) == places


def test_an_undo_whose_reply_was_lost_is_tried_again_with_success(dashboard, line, new_page):
    page = new_page()
    page.goto(f"{dashboard}/calendar?athlete={squad.ANA}")
    workout, tray = page.locator(".item").filter(has_text="Intervals").first, page.locator(".tray")
    expect(workout).to_be_visible()
    settled(page)
    workout.focus()
    for key in ("m", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(tray).to_contain_text("Moved Intervals to Sat 14 Mar")
    line.always = when_asked_for("/undo", reset_after_arrival)
    page.keyboard.press("Control+z")
    expect(tray).to_contain_text("perhaps saved")
    line.always = None
    page.keyboard.press("Control+z")

    expect(tray).to_contain_text("Undone: moved Intervals")
    expect(page.locator(".day[data-date='2026-03-13'] .item")).to_contain_text("Intervals")


@pytest.mark.parametrize("patience_s", [25])
@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (when_asked_for("/users", held), "Waiting for the service about the profile"),
        (held, "Waiting for the service, "),
    ],
    ids=["users", "all"],
)
def test_a_page_that_waits_for_a_slow_service_names_the_data_it_waits_for(
    dashboard, line, new_page, fault, says
):
    line.always = fault
    page = new_page()
    page.goto(f"{dashboard}/{LINK}")
    expect(page.get_by_text(says)).to_be_visible(timeout=20_000)

    line.gate.set()
    expect(page.get_by_text("61.0 kg on Tue 10 Mar")).to_be_visible(timeout=30_000)
    expect(page.get_by_text("Waiting for")).to_have_count(0)
    no_traceback(page)


def test_a_service_that_hangs_is_waited_for_no_longer_than_stated(dashboard, line, new_page):
    line.always = when_asked_for("/sleeps", silent)
    page = new_page()
    page.goto(f"{dashboard}/{LINK}")

    expect(page.get_by_text("The data service did not answer in time")).to_be_visible()
    expect(page.get_by_text("61.0 kg on Tue 10 Mar")).to_be_visible()
    no_traceback(page)


@pytest.mark.parametrize(
    ("part", "look", "unread", "untrue"),
    [
        ("activities", "training", "The sessions of this range could not be loaded", "No session in"),
        ("activities", "relations", "The sessions of this range could not be loaded", "needs 20 pairs"),
        ("sleeps", "nights", "The nights of this range could not be loaded", "not recorded"),
        ("metrics", "metrics", "The metrics of this range could not be loaded", "No metrics yet"),
    ],
)
def test_data_that_could_not_be_read_is_not_shown_as_missing(
    dashboard, line, new_page, part, look, unread, untrue
):
    line.always = when_asked_for(f"/{part}", reset)
    page = new_page()
    page.goto(f"{dashboard}/{LINK}&look={look}")

    expect(page.get_by_text(unread)).to_be_visible()
    expect(page.get_by_text(untrue)).to_have_count(0)
    no_traceback(page)


def test_load_is_not_drawn_as_rest_where_the_sessions_could_not_be_read(dashboard, line, new_page):
    line.always = when_asked_for("/activities", reset)
    page = new_page()
    page.goto(f"{dashboard}/{LINK}")

    figure = page.get_by_role("figure")
    expect(figure).to_have_attribute("aria-label", re.compile("^(From top to bottom: )?(HRV|Resting|Sleep)"))
    expect(figure.get_by_text("Fitness")).to_have_count(0)
    expect(figure.get_by_text("Sleep (h)")).to_be_visible()
    no_traceback(page)


@pytest.mark.parametrize(
    ("part", "untrue"),
    [("activities", "missed|^0:00 of"), ("training-prescriptions|/entries", "unplanned")],
)
def test_the_calendar_judges_no_pair_with_an_unreadable_side(dashboard, line, new_page, part, untrue):
    line.always = when_asked_for(f"/{part}", reset)
    page = new_page()
    page.goto(f"{dashboard}/calendar?athlete={squad.ANA}")

    grid = page.get_by_role("grid")
    unknown = grid.get_by_role(
        "button", name=re.compile(r"not compared \(sessions or plans could not be read\)")
    )
    expect(unknown.first).to_be_visible()
    expect(grid.get_by_role("button", name=re.compile(untrue))).to_have_count(0)
    expect(grid.get_by_text(re.compile(untrue))).to_have_count(0)
    notice = page.get_by_text("unknown (sessions or plans could not be read)")
    come_near(page, notice)
    expect(notice).to_be_visible()
    no_traceback(page)


@pytest.mark.parametrize(("part", "title"), [("sleeps", "Nights"), ("notes", "Notes"), ("events", "Events")])
def test_an_athlete_is_shown_without_the_failed_parts(dashboard, line, new_page, part, title):
    line.always = when_asked_for(f"/{part}", reset)
    page = new_page()
    page.goto(f"{dashboard}/athlete?athlete={squad.ANA}")

    expect(page.get_by_text(f"{title}: The data service cannot be reached")).to_be_visible()
    expect(page.get_by_role("table", name="Last sessions")).to_be_visible()
    no_traceback(page)


def test_a_service_that_hangs_from_the_first_request_names_the_next_step(dashboard, line, new_page):
    line.always = silent
    page = new_page()
    page.goto(f"{dashboard}/{LINK}")

    expect(page.get_by_text("Try again in a minute")).to_be_visible()
    no_traceback(page)


@pytest.mark.parametrize("patience_s", [25])
def test_a_click_counts_although_the_rows_are_drawn_again_between_press_and_release(
    dashboard, line, new_page
):
    """The browser sends no click if the pressed element is replaced before the release."""
    pressed = threading.Event()

    def later(exchange):
        if squad.BEN.encode() in exchange.raw:
            held(exchange)
        else:
            pressed.wait(30)
            exchange.answer(exchange.ask())

    line.always = when_asked_for("/activities", later)
    page = new_page()
    page.goto(dashboard)
    expect(page.get_by_text("Loaded 0 of 2 athletes")).to_be_visible()
    box = page.get_by_role("button", name=re.compile("^Athlete")).bounding_box()
    page.mouse.move(box["x"] + 10, box["y"] + 10)
    page.mouse.down()
    pressed.set()
    expect(page.get_by_text("Loaded 1 of 2 athletes")).to_be_visible()
    page.mouse.up()

    expect(page).to_have_url(re.compile("sort=name"))
    line.gate.set()
    expect(page.get_by_text("of 2 athletes need")).to_be_visible()
    no_traceback(page)


def test_invalid_rows_are_reported_and_the_rest_is_shown(dashboard, line, new_page):
    def spoil(body):
        rows = json.loads(body)
        rows[0] = {**rows[0], "value": "heavy"}
        rows[-1] = {**rows[-1], "novelty": "<b>x</b>"}
        return json.dumps(rows).encode()

    line.always = when_asked_for("/metrics", changed(spoil))
    page = new_page()
    page.goto(f"{dashboard}/{LINK}&look=metrics")
    settled(page)

    notice = page.get_by_text("metrics could not be read")
    expect(notice).to_be_visible()
    assert "1 of " in notice.inner_text()
    expect(page.get_by_text("Metrics shown")).to_be_visible()
    no_traceback(page)


@pytest.mark.slow
@pytest.mark.parametrize("fault", [reset, reset_after_arrival], ids=["before it arrived", "after it arrived"])
def test_a_plan_that_the_service_does_not_save_is_kept_and_saved_once(
    dashboard, line, new_page, squad_store, fault
):
    page = new_page()
    page.goto(f"{dashboard}/calendar?athlete={squad.ANA}&edit=new.note.2026-03-17.{squad.ANA}")
    title, save = page.get_by_label("Title"), page.get_by_role("button", name="Save", exact=True)
    title.fill("Bring the race bike")
    line.always = when_asked_for("/plan/v1/batches", fault)
    settled(page)
    save.click()
    expect(page.get_by_text("No answer from the service: perhaps saved.")).to_be_visible()
    expect(title).to_have_value("Bring the race bike")

    line.always = None
    save.click()
    expect(page.locator(".tray")).to_contain_text("Added Bring the race bike")
    no_traceback(page)
    with squad_store.reading_plans() as plans:
        rows = plans.between(squad.ANA, date(2026, 3, 17), date(2026, 3, 17))
    assert len(rows) == 1
