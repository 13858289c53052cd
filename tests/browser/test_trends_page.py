"""The trends page in a browser: deep links to each part, keyboard, a phone, files, hostile notes, a stopped service."""

import io
from itertools import pairwise

import pandas as pd
import pytest
from playwright.sync_api import expect

import squad
from browser.journeys import (
    PHONE,
    downloaded,
    focused,
    sideways_px,
    tab_to,
    violations_in_both_schemes,
)

pytestmark = pytest.mark.browser
LINK = f"trends?athlete={squad.ANA}"
HIDDEN_PX = """() => [...document.querySelectorAll('.dvn-scroller')]
  .map(table => table.scrollWidth - table.clientWidth).filter(px => px > 1)"""


def newest_weight(page):
    return page.get_by_text("61.0 kg on Tue 10 Mar")


@pytest.fixture
def opened(deep_link):
    """Opens the trends by deep link, settled, with the summary."""
    return lambda link=LINK, **options: deep_link(link, newest_weight, **options)


def chart(page, name):
    return page.get_by_role("figure", name=name)


@pytest.mark.parametrize(
    ("look", "shows"),
    [
        ("load", "with fitness and fatigue"),
        ("nights", "Start and end of each night in local time"),
        ("metrics", "Filled dots = measured"),
        ("training", "Monotony"),
    ],
)
def test_each_part_is_a_link_and_its_chart_has_a_text_alternative(opened, look, shows):
    page = opened(f"{LINK}&look={look}")

    expect(page.locator(f"[aria-label*='{shows}']").first).to_be_visible()
    expect(page.locator(".main-svg").first).to_be_visible()
    assert page.faults == []


def test_a_part_that_is_picked_is_in_the_address_and_opens_elsewhere(opened, new_page):
    page = opened()
    page.get_by_role("radio", name="Metrics").click()
    expect(page.get_by_text("Metrics shown")).to_be_visible()
    page.get_by_role("radio", name="Overlay").click()
    expect(page.get_by_text("change since the first value of the range").first).to_be_visible()

    elsewhere = new_page()
    elsewhere.goto(page.url)
    expect(elsewhere.get_by_text("change since the first value of the range").first).to_be_visible(
        timeout=30_000
    )
    assert "look=metrics" in page.url


def test_keyboard_alone_picks_a_part_and_keeps_the_focus(opened):
    page = opened()
    tab_to(page, lambda at: at["text"].strip() == "Load and recovery")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")

    expect(page.get_by_text("Sleep need (h)")).to_be_visible()
    assert focused(page)["text"].strip() == "Nights"


def test_a_number_says_its_formula_and_window_on_demand(opened):
    page = opened()
    line = page.get_by_test_id("stMarkdown").filter(has_text="sleep debt")
    line.get_by_test_id("stTooltipIcon").hover()

    expect(page.get_by_role("tooltip")).to_contain_text("Window: last 14 nights")
    expect(page.get_by_role("tooltip")).to_contain_text("need − sleep")


@pytest.mark.parametrize("look", ["load", "nights", "metrics", "training", "relations"])
def test_on_a_phone_nothing_scrolls_sideways(opened, look):
    page = opened(f"{LINK}&look={look}", viewport={"width": 400, "height": 860})

    assert sideways_px(page) <= 1


def test_on_a_phone_buttons_of_a_group_are_apart_and_the_days_fit_in_one_row(opened):
    page = opened(LINK, **PHONE)
    days, sections = (
        [
            button.bounding_box()
            for button in page.get_by_role("radiogroup", name=name).get_by_role("radio").all()
        ]
        for name in ("Days", "Section")
    )

    assert len({box["y"] for box in days}) == 1
    for left, right in pairwise([*days, *sections]):
        assert left["y"] != right["y"] or right["x"] - left["x"] - left["width"] >= 4


@pytest.mark.parametrize(("look", "shows"), [("metrics", "All columns"), ("relations", "needs 20 pairs")])
def test_on_a_phone_no_table_hides_columns_at_its_side(opened, look, shows):
    page = opened(f"{LINK}&look={look}", **PHONE)

    expect(page.get_by_text(shows).first).to_be_visible()
    assert page.evaluate(HIDDEN_PX) == []
    assert sideways_px(page) <= 1


def test_on_a_phone_long_names_and_units_of_metrics_fit(deep_link):
    """ "Critical speed, swimming" next to "−0.1 mL/min/kg" was 30 px too wide."""
    link = f"trends?athlete={squad.COACH}&look=metrics"
    page = deep_link(link, lambda page: page.get_by_text("All columns"), **PHONE)
    expect(page.locator(".dvn-scroller").first).to_be_visible()

    expect(page.locator("[role=gridcell]", has_text="mL/min/kg").first).to_be_attached()
    assert page.evaluate(HIDDEN_PX) == []


@pytest.mark.parametrize("look", ["load", "nights", "metrics", "training", "relations"])
def test_the_page_has_no_serious_accessibility_violation(opened, look):
    assert violations_in_both_schemes(opened(f"{LINK}&look={look}")) == []


def test_the_data_of_a_chart_come_as_csv_and_parquet(opened):
    page = opened(f"{LINK}&look=metrics")
    # The table of metrics comes first, with files of its own; those of the chart come with its own table.
    page.get_by_text("Table", exact=True).last.click()
    expect(page.get_by_role("button", name="CSV")).to_have_count(2)
    name, csv = downloaded(page, page.get_by_role("button", name="CSV").last)
    _, parquet = downloaded(page, page.get_by_role("button", name="Parquet").last)

    written, typed = pd.read_csv(io.BytesIO(csv)), pd.read_parquet(io.BytesIO(parquet))
    assert name == "trends-metrics-panels.csv"
    assert list(written.columns) == ["Metric", "Date", "Value", "Unit", "Source"]
    assert written["Value"].tolist() == typed["Value"].tolist()
    assert "Critical power per kg, cycling" in set(written["Metric"])


def test_a_service_that_stops_leaves_the_last_known_trends_with_their_age(without_service):
    without_service(LINK, newest_weight)
