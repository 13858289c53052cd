"""The activity page in a browser: plan and laps by click, a second session by keyboard, a phone, a view's address."""

import json
import re
from datetime import timedelta

import numpy as np
import pytest
from playwright.sync_api import expect

import rides
import squad
from browser.journeys import come_near_part, settled, sideways_px, violations, watched
from coachboard.service.store import Store
from coachboard.wire.enums import Sport, StepLabel
from coachboard.wire.prescriptions import (
    StructureIntensity,
    StructureRepetition,
    StructureStep,
    TrainingPrescription,
)
from running import dashboard_process

pytestmark = pytest.mark.browser

DAY = rides.START.date()
LINK = f"activity?athlete={squad.ANA}&activity=act_1&day={DAY}"
VIEW = "&axis=distance&cols=power,speed&smooth=30&bands=none&plan=0&with=act_2&align=lap&sel=600-1200&zoom=300-1500"
_CHOSEN = """() => {
  const inBars = (what) => [...document.querySelectorAll('[data-testid=stMain] *')]
    .flatMap(e => e.shadowRoot ? [...e.shadowRoot.querySelectorAll(what)] : []);
  return ({
  pressed: inBars('input:checked').map(e => e.parentElement.innerText.trim()),
  typed: inBars('input[type=text]').map(e => e.value).filter(Boolean),
  figure: document.querySelector('.figure').getAttribute('aria-label'),
  frames: [...document.querySelectorAll('.figure .selectionlayer path')].length > 0,
  compared: document.body.innerText.includes('Compared with'),
})}"""


def step(label, watts, seconds):
    wish = dict.fromkeys(
        name for name, field in StructureIntensity.model_fields.items() if field.is_required()
    ) | {"min_power": watts - 10, "max_power": watts + 10}
    return StructureStep(
        type="step",
        label=label,
        intensity=StructureIntensity(**wish),
        length={"type": "duration", "duration": seconds},
    )


def seed(folder):
    """An hour of six intervals as planned, and the same session of the week before at 10 W less."""
    store = Store.open(f"sqlite:///{folder / 'service.db'}")
    squad.seed(store)
    t = np.arange(3_600)
    for name, start, less in (("act_1", rides.START, 0), ("act_2", rides.START - timedelta(days=7), 10)):
        power = np.where(t // 300 % 2, 280.0, 160.0) - less
        laps = tuple(rides.lap(at, at + 299, power=float(power[at]), at=start) for at in range(0, 3_600, 300))
        ride = rides.activity(
            name, start=start, name="Hills", total_duration=3_600, distance=36_000, laps=laps
        )
        store.put_activities(squad.ANA, [ride])
        store.put_streams(name, rides.streams(3_600, power=power, at=start))
    sums = {
        "distance": 36_000,
        "elevation_gain": 420,
        "work": 749_000,
        "volume": 85,
        "intensity": 62,
        "rpe": 9,
        "feeling": 4,
    }
    means = {"average_power": 178, "normalized_power": 217, "average_heart_rate": 143, "average_cadence": 89}
    store.put_activities(
        squad.ANA, [rides.activity("act_3", start=rides.START - timedelta(days=40), **sums, **means)]
    )
    turns = StructureRepetition(
        type="repetition",
        n_repetitions=6,
        steps=(step(StepLabel.REST, 160, 300), step(StepLabel.ACTIVE, 280, 300)),
    )
    fields = dict.fromkeys(TrainingPrescription.model_fields) | {
        "id": "tpr_1", "date": DAY, "title": "Six hills", "sport": Sport.CYCLING, "structure": (turns,),
        "activity_id": "act_1",
    }  # fmt: skip
    store.put_prescriptions(squad.ANA, [TrainingPrescription(**fields)])
    store.close()


@pytest.fixture(scope="module")
def dashboard(chromium, tmp_path_factory):
    folder = tmp_path_factory.mktemp("views")
    seed(folder)
    settings = {
        "COACHBOARD_API_KEY": squad.COACH_KEY,
        "COACHBOARD_TODAY": (DAY + timedelta(days=3)).isoformat(),
    }
    with dashboard_process(folder, **settings) as address:
        yield address


@pytest.fixture
def visit(new_page, dashboard):
    """Opens the session with more in its address and waits until its panels are drawn."""

    def open_view(more="", **context):
        page = watched(new_page(**context))
        page.goto(f"{dashboard}/{LINK}{more}")
        expect(page.locator(".figure .scatterlayer .trace path").first).to_be_visible()
        return settled(page)

    return open_view


def figure(page, alt):
    return page.locator(f'.figure[aria-label^="{alt}"]')


def test_a_clicked_bar_of_the_laps_selects_its_stretch(visit):
    page = visit()
    come_near_part(page, "Laps")
    bar = figure(page, "Laps:").locator(".barlayer .point path").nth(3)
    bar.scroll_into_view_if_needed()
    expect(bar).to_be_visible()
    box = bar.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    expect(page.get_by_text("Selection, 15:00 to 20:00")).to_be_visible()


def test_a_row_of_planned_and_done_selects_its_part_of_the_session(visit):
    page = visit("&look=plan")
    come_near_part(page, "Analysis")
    table = page.locator("[data-testid=stDataFrame]").last
    table.scroll_into_view_if_needed()
    settled(page)
    box = table.bounding_box()
    page.mouse.click(box["x"] + 15, box["y"] + 35 * 2.5)

    page.wait_for_url(re.compile(r"sel=300-\d+"))
    expect(page.get_by_text("Selection, 5:00 to 10:00")).to_be_attached()


def test_a_row_of_the_best_efforts_selects_its_stretch(visit):
    page = visit("&look=power")
    come_near_part(page, "Analysis")
    table = page.locator("[data-testid=stDataFrame]").last
    expect(table).to_be_visible()
    table.scroll_into_view_if_needed()
    settled(page)
    box = table.bounding_box()
    # Below the head 5 s, 15 s, 30 s, 1, 2, then 5 min, as long as one interval, and four more.
    page.mouse.click(box["x"] + 15, box["y"] + box["height"] / 11 * 6.5)

    page.wait_for_url(re.compile(r"sel=300-600"))
    expect(page.get_by_text("Selection, 5:00 to 10:00")).to_be_attached()


def test_a_second_session_is_laid_over_by_keyboard(visit):
    page = visit()
    page.get_by_role("button", name=re.compile("Compare")).press("Enter")
    choice = page.get_by_role("combobox", name=re.compile("Session"))
    choice.press("ArrowDown")
    expect(page.get_by_role("option").first).to_be_visible()
    choice.press("Enter")

    expect(page.get_by_text("Compared with")).to_be_visible()
    expect(page.locator(".figure .legend text").nth(1)).to_contain_text("Hills")
    assert "with=act_2" in page.url


def test_a_typed_moment_marks_route_and_panels(visit):
    page = visit()
    come_near_part(page, "Route")
    page.get_by_label("At", exact=True).fill("10:00")
    page.get_by_label("At", exact=True).press("Enter")

    expect(page.get_by_text("position at 10:00")).to_be_visible()
    assert "at=600" in page.url


def test_an_address_opens_exactly_the_view_it_was_copied_from(visit):
    """Axis, columns, smoothing, bands, plan, comparison, selection and zoom, in a browser that never saw it."""
    first = visit(VIEW)
    expect(first.get_by_text("Compared with")).to_be_visible()
    address, chosen = first.url, first.evaluate(_CHOSEN)
    second = visit(address[address.index(LINK) + len(LINK) :])
    expect(second.get_by_text("Compared with")).to_be_visible()

    assert second.evaluate(_CHOSEN) == chosen
    assert {"Distance", "30 s", "Off"} <= set(chosen["pressed"])
    assert chosen["typed"][-2:] == ["10:00", "20:00"]
    assert "5:00 to 25:00" in chosen["figure"]
    assert sorted(second.url.split("&")) == sorted(address.split("&"))


def test_a_phone_gets_tall_panels_short_tables_and_nothing_too_wide(visit):
    page = visit("&with=act_2&sel=300-599", viewport={"width": 400, "height": 860})
    come_near_part(page, "Route")
    come_near_part(page, "Analysis")

    assert page.locator(".figure").first.bounding_box()["height"] > 4 * 160
    assert sideways_px(page) <= 1
    for control in page.locator("[data-testid=stMain] [data-variant=segmented_control]").all():
        box = control.bounding_box()
        assert box is None or box["x"] + box["width"] <= 401
    expect(page.get_by_text("All columns").first).to_be_visible()


@pytest.mark.parametrize("look", ["plan", "power", "bands", "quality"])
def test_the_page_has_no_serious_barrier(visit, look):
    page = visit(f"&with=act_2&sel=300-599&look={look}")
    come_near_part(page, "Route")
    come_near_part(page, "Analysis")

    assert violations(page) == []
    assert page.faults == []


def test_the_way_back_takes_a_choice_back(visit):
    page = visit()
    page.get_by_role("radio", name="Moving").click()
    expect(page).to_have_url(re.compile("axis=moving"))
    settled(page)
    page.get_by_role("radio", name="30 s").click()
    expect(page).to_have_url(re.compile("smooth=30"))
    settled(page)
    page.go_back()
    expect(page.get_by_role("radio", name="Raw")).to_be_checked()
    expect(page.get_by_role("radio", name="Moving")).to_be_checked()
    page.go_back()

    expect(page.get_by_role("radio", name="Time", exact=True)).to_be_checked()
    expect(page).not_to_have_url(re.compile("axis="))


_PRINTED = """() => { window.print = () => console.log(`printed ${JSON.stringify({
  heads: [...document.querySelectorAll('h2')].map((head) => head.innerText),
  widths: [...document.querySelectorAll('.figure')].map((box) => box.querySelector('svg')?.getBoundingClientRect().width),
})}`); }"""


def test_ctrl_p_prints_laps_route_and_analysis_as_wide_as_the_paper(visit):
    page = visit()
    page.evaluate(_PRINTED)
    with page.expect_console_message(lambda one: one.text.startswith("printed")) as printed:
        page.keyboard.press("Control+p")

    sheet = json.loads(printed.value.text.removeprefix("printed "))
    assert {"Laps", "Route"} <= set(sheet["heads"])
    assert len(sheet["widths"]) > 3
    assert set(sheet["widths"]) == {700}
    expect(figure(page, "Over elapsed time").locator("svg").first).not_to_have_attribute("width", "700")


def test_the_browsers_own_print_command_fits_the_panels_and_names_missing_sections(visit):
    page = visit()
    page.evaluate(
        "() => { addEventListener('beforeprint', () => console.log(document.querySelector('.main-svg').clientWidth)); }"
    )
    with page.expect_console_message(lambda one: one.text == "700"):
        page.pdf()

    page.emulate_media(media="print")
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    # Heads wider than the chosen values overlapped: "SmoothingColour bands".
    heads = page.locator("legend").evaluate_all("all => all.map(e => [e.scrollWidth, e.clientWidth])")
    assert len(heads) >= 2
    assert [text <= room for text, room in heads] == [True] * len(heads)


def test_paper_holds_every_lap_as_a_plain_table(visit):
    page = visit()
    come_near_part(page, "Laps")
    laps = page.locator(".for-paper").first
    expect(laps).to_be_hidden()
    hints = page.get_by_text(re.compile("^Select a (row|bar)"))
    expect(hints).to_have_count(2)
    expect(hints.first).to_be_visible()

    page.emulate_media(media="print")
    for hint in hints.all():
        expect(hint).to_be_hidden()
    expect(laps.locator("tbody tr")).to_have_count(12)
    expect(laps).to_be_visible()
    expect(page.get_by_test_id("stDataFrame").first).to_be_hidden()
    expect(laps.get_by_role("row").nth(2)).to_contain_text("5:00")


def test_on_a_phone_the_legend_of_the_laps_is_not_cut_off(visit):
    page = visit(viewport={"width": 400, "height": 860}, has_touch=True)
    come_near_part(page, "Laps")
    expect(
        page.get_by_text(
            "Dashed lines: averages including stops (speed: moving time only). Grey boxes: planned targets. Colours"
        )
    ).to_be_visible()
    bars = figure(page, "Laps: width = duration")
    entries = bars.locator(".legendtext")
    expect(entries.first).to_be_visible()

    right = bars.bounding_box()["x"] + bars.bounding_box()["width"]
    assert all(box["x"] + box["width"] <= right for box in (entry.bounding_box() for entry in entries.all()))


def test_the_numbers_of_a_session_are_in_columns_and_two_per_row_on_a_phone(new_page, dashboard):
    def left_edges(**context):
        page = new_page(**context)
        page.goto(f"{dashboard}/{LINK.replace('act_1', 'act_3')}")
        numbers = page.locator("dl > div")
        expect(numbers.first).to_be_visible()
        boxes = [box for box in (one.bounding_box() for one in numbers.all()) if box]
        rows = {}
        for box in boxes:
            rows.setdefault(round(box["y"]), []).append(round(box["x"]))
        return list(rows.values())

    first, *others = left_edges()
    assert others
    assert all(row == first[: len(row)] for row in others)
    assert {len(row) for row in left_edges(viewport={"width": 400, "height": 860}, has_touch=True)} == {2}


def test_on_a_phone_one_row_of_controls_is_above_the_first_chart(visit):
    page = visit(viewport={"width": 400, "height": 860}, has_touch=True)
    assert page.locator(".figure").first.bounding_box()["y"] < 600
    panels, fields = page.get_by_role("button", name="Panels"), page.get_by_role("textbox", name="To")
    assert abs(panels.bounding_box()["y"] - fields.bounding_box()["y"]) < 8

    page.get_by_role("button", name="View").tap()
    page.get_by_role("radio", name="Distance").check(force=True)
    expect(page).to_have_url(re.compile("axis=distance"))
