"""The component that draws figures: level labels, the available width, and a script that fails to load."""

import re
from calendar import month_abbr
from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import expect

import squad
from browser import hills
from browser.journeys import PHONE, downloaded, settled

pytestmark = pytest.mark.browser
LIGHT_TEXT, DARK_TEXT = "rgb(16, 20, 24)", "rgb(232, 234, 237)"
MONTHS = list(month_abbr)
LINK = f"trends?athlete={squad.ANA}"


def figure_of(page):
    """The first figure, brought into view: figures below the window are not drawn."""
    page.locator(".figure").first.evaluate("element => element.scrollIntoView({block: 'center'})")
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


COUNTED = """
  window.drawings = [];
  let plotly;
  Object.defineProperty(window, "Plotly", {
    get: () => plotly,
    set: (found) => {
      const { react } = found;
      found.react = (box, ...rest) => { window.drawings.push(box.ariaLabel); return react(box, ...rest); };
      plotly = found;
    },
  });
"""


@pytest.mark.parametrize("width", [1366, 400])
@pytest.mark.parametrize(
    ("data", "link"),
    [("fortnight", f"athlete?athlete={squad.ANA}"), ("fortnight", LINK), ("hills_dashboard", hills.LINK)],
    ids=["athlete", "trends", "activity"],
)
def test_a_chart_is_drawn_once_with_room_for_its_legend(new_page, request, data, link, width):
    page = new_page(viewport={"width": width, "height": 1800})
    page.add_init_script(COUNTED)
    page.goto(f"{request.getfixturevalue(data)}/{link}")
    figure_of(settled(page))
    page.wait_for_timeout(500)
    drawings = page.evaluate("window.drawings")

    assert drawings
    assert len(drawings) == len(set(drawings))


def test_a_legend_that_wraps_enlarges_the_chart_and_keeps_its_panels(new_page, fortnight):
    page = new_page()
    page.goto(f"{fortnight}/athlete?athlete={squad.ANA}")
    wide = figure_of(settled(page))
    panel = "box => { const { _size: size } = box._fullLayout; return [size.h, box.clientHeight]; }"
    wide_panel_px, wide_px = wide.evaluate(panel)
    page.set_viewport_size(PHONE["viewport"])
    page.wait_for_function("() => document.querySelector('.figure').clientWidth < 400")
    settled(page)
    panel_px, height_px = wide.evaluate(panel)

    assert panel_px == pytest.approx(wide_panel_px, abs=3)
    assert height_px > wide_px


def test_on_a_phone_every_month_of_the_season_is_named_once_and_so_is_each_year(new_page, fortnight):
    page = new_page(**PHONE)
    page.goto(f"{fortnight}/athlete?athlete={squad.ANA}")
    figure = page.locator(".figure").first
    expect(figure).to_be_attached(timeout=60_000)
    settled(page)
    figure.scroll_into_view_if_needed()
    expect(figure.locator(".main-svg").first).to_be_visible()
    written = [
        line
        for label in figure.locator(".xtick text").all()
        for line in label.locator("tspan").all_text_contents() or label.all_text_contents()
    ]

    months = [text for text in written if text in MONTHS[1:]]
    years = [text for text in written if text.isdecimal() and len(text) == 4]
    at = MONTHS.index(months[0])
    assert len(months) >= 6
    assert months == [MONTHS[(at - 1 + step) % 12 + 1] for step in range(len(months))]
    assert len(years) == len(set(years)) == 1 + ("Jan" in months[1:])


def test_a_negative_number_under_the_hand_has_a_minus_sign(new_page, fortnight):
    page = new_page()
    page.goto(f"{fortnight}/athlete?athlete={squad.ANA}")
    figure = figure_of(settled(page))
    box = figure.bounding_box()
    labels = []
    for share in range(50, 90, 2):
        page.mouse.move(box["x"] + box["width"] * share / 100, box["y"] + box["height"] * 0.5)
        page.wait_for_timeout(60)
        labels += figure.locator(".hoverlayer text").all_text_contents()

    forms = [text for text in labels if text.startswith("Form")]
    assert any("\u2212" in text for text in forms)
    assert not any(re.search(r"-\d", text) for text in labels)


def test_a_system_that_turns_dark_turns_the_figure_dark(new_page, fortnight):
    page = new_page(color_scheme="light")
    page.goto(f"{fortnight}/athlete?athlete={squad.ANA}")
    figure = figure_of(settled(page))
    expect(figure.get_by_text("Fitness (42 d)", exact=True)).to_have_css("fill", LIGHT_TEXT)
    page.emulate_media(color_scheme="dark")

    expect(figure.get_by_text("Fitness (42 d)", exact=True)).to_have_css("fill", DARK_TEXT)


def test_a_script_that_fails_to_load_is_reported_and_loaded_with_the_next_figure(new_page, fortnight):
    page = new_page()
    page.route("**/assets/**", lambda route: route.abort())
    page.goto(f"{fortnight}/{LINK}")

    expect(page.get_by_text("Could not draw the chart").first).to_be_visible(timeout=60_000)

    page.unroute("**/assets/**")
    page.emulate_media(color_scheme="dark")  # the page sends the figure again

    expect(page.locator(".figure .main-svg").first).to_be_visible()
    expect(page.locator(".figure").first).not_to_contain_text("Could not draw the chart")


@pytest.mark.parametrize(("theme", "ground"), [("light", (255, 255, 255)), ("dark", (21, 24, 28))])
def test_the_camera_gives_a_picture_with_a_telling_name(new_page, fortnight, theme, ground):
    page = new_page(color_scheme=theme)
    page.goto(f"{fortnight}/{LINK}")
    figure = figure_of(settled(page))
    figure.hover()
    name, picture = downloaded(page, figure.get_by_role("button", name="Download plot as a PNG"))

    shown = figure.bounding_box()
    image = Image.open(BytesIO(picture))
    assert name.startswith("trends-")
    assert name.endswith(".png")
    assert image.format == "PNG"
    assert image.size == (2 * round(shown["width"]), 2 * round(shown["height"]))
    assert image.convert("RGBA").getpixel((1, 1)) == (*ground, 255)


def test_no_button_of_a_figure_sends_it_anywhere(new_page, fortnight):
    page = new_page()
    page.goto(f"{fortnight}/{LINK}")
    figure = figure_of(settled(page))
    figure.hover()

    names = figure.locator(".modebar-btn").evaluate_all("all => all.map(b => b.getAttribute('aria-label'))")
    assert "Download plot as a PNG" in names
    assert not [name for name in names if "Share" in name or "loud" in name]
