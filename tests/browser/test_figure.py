"""The component that draws figures: level labels, the room there is, and a script that does not arrive."""

import pytest
from playwright.sync_api import expect

import squad
from browser.journeys import PHONE, settled

pytestmark = pytest.mark.browser
LINK = f"trends?athlete={squad.ANA}"


def figure_of(page):
    expect(page.locator(".figure .main-svg").first).to_be_visible(timeout=60_000)
    return page.locator(".figure").first


def widths(figure):
    return figure.evaluate("box => [box.clientWidth, box.querySelector('.main-svg').clientWidth]")


def test_on_a_phone_the_labels_of_days_stay_level(new_page, fortnight):
    page = new_page(**PHONE)
    page.goto(f"{fortnight}/{LINK}")
    labels = figure_of(settled(page)).locator(".xtick text")

    expect(labels.first).to_be_visible()
    turned = labels.evaluate_all("texts => texts.map(t => t.getAttribute('transform') || '')")
    assert len(turned) >= 2
    assert not any("rotate(90" in each for each in turned)


def test_a_figure_fills_a_window_that_changes_its_width(new_page, fortnight):
    page = new_page()
    page.goto(f"{fortnight}/{LINK}")
    figure = figure_of(settled(page))
    page.set_viewport_size({"width": 900, "height": 900})

    page.wait_for_function(
        "() => { const box = document.querySelector('.figure');"
        " return box.clientWidth < 700 && box.querySelector('.main-svg').clientWidth === box.clientWidth; }"
    )
    box_px, drawn_px = widths(figure)
    assert box_px == drawn_px


def test_a_script_that_does_not_arrive_is_said_in_the_figures_place(new_page, fortnight):
    page = new_page()
    page.route("**/assets/**", lambda route: route.abort())
    page.goto(f"{fortnight}/{LINK}")

    expect(page.get_by_text("The chart could not be drawn").first).to_be_visible(timeout=60_000)
