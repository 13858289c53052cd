"""The roster in a browser: rows by mouse, touch and keyboard; links, a phone, snoozed flags."""

import re

import pytest
from playwright.sync_api import expect

import squad
import training
from browser.journeys import (
    PHONE,
    focused,
    mismatched_names,
    settled,
    tab_to,
    violations,
    violations_in_both_schemes,
)
from coachboard.service.store import NewNote, Store
from coachboard.wire.enums import NoteType
from coachboard.wire.plans import Note
from running import dashboard_process

pytestmark = pytest.mark.browser
expect.set_options(timeout=20_000)


@pytest.fixture(scope="module")
def address(chromium, tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp("roster")
    store = Store.open(f"sqlite:///{tmp_path / 'service.db'}")
    squad.seed(store)
    training.seed(store, squad.ANA)
    ill = Note(id="not_9", type=NoteType.MEDICAL, title="Ill", content=None, date=training.TODAY, time=None)
    store.put_notes(squad.ANA, [NewNote(note=ill, creator_id=squad.ANA, hidden_until=None)])
    store.close()
    with dashboard_process(tmp_path, COACHBOARD_TODAY=training.TODAY.isoformat()) as address:
        yield address


def row(page, name):
    return page.get_by_role("row").filter(has_text=name)


def test_the_walk_from_the_roster_to_tomorrows_plan(address, new_page):
    """Roster, athlete, session, back and on to the plan: every step is one click."""
    page = new_page()
    page.goto(address)
    expect(row(page, "Ana Li")).to_be_visible()

    page.get_by_role("link", name="Ana Li").click()
    expect(page.get_by_role("heading", name="Ana Li")).to_be_visible()
    assert f"athlete={squad.ANA}" in page.url

    page.get_by_role("link", name="Intervals").click()
    expect(page.get_by_role("heading", name="Calendar")).to_be_visible()
    assert f"athlete={squad.ANA}" in page.url


def test_on_a_laptop_the_table_is_as_wide_as_the_page_and_shows_hrv_of_two_decimals(address, new_page):
    """44 px stuck out beyond the bar above, and "94.83" beside its bound 94.80 was cut off."""
    page = new_page(viewport={"width": 1366, "height": 900})
    page.goto(address)
    expect(row(page, "Ana Li").locator("td").first).to_be_visible()
    settled(page)
    cell = page.locator("td[data-label='HRV, ms, 7-day mean']").first
    sizes = page.locator(".people").evaluate(
        """(table) => [table.scrollWidth, table.clientWidth, table.getRootNode().host.closest('[data-testid=stVerticalBlock]').clientWidth]"""
    )
    is_cut = cell.evaluate(
        """(cell) => {
            const body = document.createElement('span');
            const [sign, sub] = ['sign', 'sub'].map((name) => Object.assign(document.createElement('span'), {className: name}));
            const main = Object.assign(document.createElement('span'), {className: 'main'});
            [sign.textContent, sub.textContent, body.className] = ['▼', '94.80–102', 'body'];
            main.append(sign, '94.83');
            body.append(main, sub);
            cell.replaceChildren(body);
            return [main, sub].map((line) => line.scrollWidth > line.clientWidth);
        }"""
    )

    assert len(set(sizes)) == 1, sizes
    assert is_cut == [False, False]


def test_hrv_is_apart_from_the_next_session(address, new_page):
    """ "62" and "VO2max" were 6 px apart and read as one value."""
    page = new_page(viewport={"width": 1366, "height": 900})
    page.goto(address)
    expect(row(page, "Ana Li").locator("td:nth-child(11) .main")).to_be_visible()
    gap = """(row) => {
        const [hrv, next] = [9, 10].map((at) => row.children[at]);
        const text = next.querySelector(".main");
        text.textContent = "Lactate clearance";
        const right = parseFloat(getComputedStyle(hrv).paddingRight), left = parseFloat(getComputedStyle(next).paddingLeft);
        return [right + left, text.scrollWidth - text.clientWidth];
    }"""
    assert row(page, "Ana Li").evaluate(gap) == [8, 0]


def test_on_a_laptop_no_head_is_cut_off(address, new_page):
    page = new_page(viewport={"width": 1366, "height": 900})
    page.goto(address)
    settled(page)
    cut = """(heads) => heads.flatMap((one) => {
        if (one.matches("button .main") && !/[↑↓]/.test(one.textContent)) one.textContent += "↓";
        const text = document.createRange();
        text.selectNodeContents(one);  // scrollWidth is rounded: "of planned, 7 d" was cut off at 79.6 px
        return text.getBoundingClientRect().width > one.getBoundingClientRect().width + 0.01 ? [one.textContent] : [];
    })"""
    assert page.locator("thead .head span").evaluate_all(cut) == []
    last = page.locator("td[data-label='Last session'] .main").first
    last.evaluate("(one) => { one.textContent = 'yesterday'; one.nextSibling.textContent = 'Mon 23 Nov'; }")
    assert last.evaluate(
        "(one) => [one, one.nextSibling].every((part) => part.scrollWidth <= part.clientWidth)"
    )


@pytest.mark.parametrize("width", [1366, 1440, 1920])
def test_the_longest_days_of_sessions_and_events_are_written_out(address, new_page, width):
    """An event of today was "⚑ to…" on a laptop."""
    page = new_page(viewport={"width": width, "height": 900})
    page.goto(address)
    expect(row(page, "Ana Li").locator("td").nth(12)).to_be_visible()
    settled(page)
    cut = """(row) => [["Last session", "yesterday"], ["Event", "⚑ today"], ["Event", "⚑ 14 d"], ["Event", "365 d"], ["Estimates of CP, CS", "3 of 3"]]
        .filter(([label, words]) => {
            const cell = row.querySelector(`td[data-label="${label}"]`);
            const [body, main] = ["body", "main"].map((name) => Object.assign(document.createElement("span"), {className: name}));
            const [sign, text] = words.startsWith("⚑") ? words.split(/ (.*)/) : ["", words];
            if (sign) main.append(Object.assign(document.createElement("span"), {className: "sign", textContent: sign}));
            main.append(text);
            body.append(main);
            cell.replaceChildren(body);
            const range = document.createRange();
            range.selectNodeContents(main);
            return range.getBoundingClientRect().width > main.getBoundingClientRect().width;
        })"""
    assert row(page, "Ana Li").evaluate(cut) == []


@pytest.mark.parametrize(
    ("path", "place"), [("/?view=week", "tbody th"), (f"/athlete?athlete={squad.ANA}", "td")]
)
def test_names_and_titles_of_lists_are_written_out(address, new_page, path, place):
    """Squad week showed "Tom Okafor-Sinclair-…", the last sessions "recorded as Ev…"."""
    page = new_page(viewport={"width": 1366, "height": 900})
    page.goto(f"{address}{path}")
    lines = page.locator(f".people {place} .main, .people {place} .sub")
    expect(lines.first).to_be_visible()
    cut = """(lines) => lines.map((line) => {
        line.textContent = "Over-unders 3 times 12 minutes, recorded as Evening ride with friends and more";
        return Math.max(0, Math.round(line.scrollWidth - line.clientWidth));
    })"""
    assert set(lines.evaluate_all(cut)) == {0}


def test_the_titles_of_missed_sessions_are_written_out_in_the_squads_week(address, new_page):
    """They were "✕ Endura…" and "✕ Long endura…"."""
    page = new_page(viewport={"width": 1366, "height": 900})
    page.goto(f"{address}/?view=week")
    box = page.locator(".days td .chip").first
    expect(box).to_be_visible()
    lines = """(box, words) => {
        const [sign, text] = ["sign", "text"].map((name) => Object.assign(document.createElement("span"), {className: name}));
        [sign.textContent, text.textContent, box.className] = ["✕", words, "chip missed"];
        box.replaceChildren(sign, text);
        return [Math.round(text.getBoundingClientRect().height / 15), Math.max(0, text.scrollWidth - text.clientWidth)];
    }"""

    assert box.evaluate(lines, "Endurance") == [1, 0]
    assert box.evaluate(lines, "Long endurance") == [2, 0]
    assert box.evaluate(lines, "Schwellenintervalle")[1] == 0


def test_the_calendar_says_that_a_session_is_excused(address, new_page):
    """By a sign and a word in the entry: it has no colour."""
    page = new_page(viewport={"width": 1366, "height": 900})
    page.goto(f"{address}/calendar?athlete={squad.ANA}&month={training.TODAY:%Y-%m}")
    excused = page.locator("button.item").filter(has_text="excused").first

    expect(excused.locator(".sign")).to_have_text("⊘")
    expect(excused.locator(".detail")).to_have_text(re.compile(r"^excused, 1h00"))
    expect(excused).to_have_accessible_name(re.compile(r"not done \(excused by a note\)"))
    expect(page.locator(".legend")).to_contain_text("⊘ excused")


def test_the_last_session_is_one_click_from_the_roster(address, new_page):
    page = new_page()
    page.goto(address)

    row(page, "Ana Li").get_by_role("link", name="2 d ago").click()

    expect(page).to_have_url(re.compile("activity=act_Surplus"))


def test_a_keyboard_sorts_and_the_link_brings_the_order_back(address, new_page):
    """A column's header is a button; its effect is in the URL and announced by a screen reader."""
    page = new_page()
    page.goto(address)
    head = (
        page.get_by_role("columnheader")
        .filter(has_text="Weeks")
        .or_(page.get_by_role("columnheader").filter(has_text="7 days"))
    )
    expect(head.first).to_be_visible()
    # While rows load the table is drawn again, and a key press on a removed header has no effect.
    expect(page.get_by_text("1 of 2 athletes")).to_be_visible()
    expect(page.get_by_test_id("stProgress")).to_have_count(0)
    page.get_by_role("columnheader", name="Athlete").get_by_role("button").press("Enter")
    expect(page.get_by_role("columnheader", name="Athlete")).to_have_attribute("aria-sort", "ascending")

    again = new_page()
    again.goto(page.url)
    expect(again.get_by_role("columnheader", name="Athlete")).to_have_attribute("aria-sort", "ascending")


def test_arrow_keys_walk_the_lines_and_enter_leads_on(address, new_page):
    page = new_page()
    page.goto(address)
    expect(row(page, "Ana Li").get_by_text("2 d ago")).to_be_visible()
    expect(page.get_by_test_id("stProgress")).to_have_count(0)
    settled(page)
    tab_to(page, lambda at: at["target"] == f"athlete?athlete={squad.ANA}")
    page.keyboard.press("ArrowDown")
    assert focused(page)["target"] == f"athlete?athlete={squad.BEN}"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="Ana Li")).to_be_visible()


def test_a_click_beside_the_words_of_a_line_leads_on_too(address, new_page):
    page = new_page()
    page.goto(address)
    expect(row(page, "Ana Li").get_by_text("2 d ago")).to_be_visible()
    settled(page)
    row(page, "Ana Li").get_by_role("cell").nth(3).click()

    expect(page.get_by_role("heading", name="Ana Li")).to_be_visible()


def test_the_way_back_leads_to_the_roster_as_it_was_left(address, new_page):
    """One step back: no address of neither page lies in between."""
    page = new_page()
    page.goto(f"{address}/?q=ana")
    expect(page.get_by_text("1 hidden by search or filter")).to_be_visible()
    settled(page)
    row(page, "Ana Li").get_by_role("link", name="Ana Li").dblclick()
    expect(page.get_by_role("heading", name="Ana Li")).to_be_visible()
    settled(page)
    page.go_back()

    expect(page.get_by_text("1 hidden by search or filter")).to_be_visible()
    assert page.url == f"{address}/?q=ana"


def test_a_line_opens_in_a_tab_of_its_own(address, new_page):
    page = new_page()
    page.goto(address)
    expect(row(page, "Ana Li").get_by_text("2 d ago")).to_be_visible()
    settled(page)
    with page.context.expect_page() as opened:
        row(page, "Ana Li").get_by_role("link", name="Ana Li").click(modifiers=["ControlOrMeta"])

    expect(opened.value.get_by_role("heading", name="Ana Li")).to_be_visible(timeout=30_000)
    assert page.url.rstrip("/") == address


def test_the_age_of_each_number_is_a_tap_away(address, new_page):
    page = new_page(viewport={"width": 400, "height": 860}, has_touch=True)
    page.goto(address)
    expect(row(page, "Ana Li").get_by_text("1 of 1")).to_be_visible()
    settled(page)
    row(page, "Ana Li").get_by_role("button", name="All numbers of Ana Li").tap()
    row(page, "Ana Li").locator("td[data-label=Data]").get_by_role("button").tap()

    table = page.get_by_role("table", name="Age of each value")
    expect(table.get_by_role("row", name="Fitness 42 d, fatigue 7 d")).to_contain_text("Tue 10 Mar")
    expect(page).to_have_url(re.compile(f"view=look&athlete={squad.ANA}"))


@pytest.mark.parametrize("view", ["everyone", "look", "review", "week", "stimulus"])
def test_the_page_has_no_serious_accessibility_violation(address, new_page, view):
    page = new_page()
    page.goto(f"{address}/?view={view}")
    expect(page.get_by_text("1 of 2 athletes needs a look")).to_be_visible()
    expect(page.get_by_test_id("stProgress")).to_have_count(0)

    assert violations_in_both_schemes(settled(page)) == []


def test_a_phone_reaches_all_of_a_wide_matrix_by_keyboard(address, new_page):
    page = new_page(viewport={"width": 300, "height": 800})
    page.goto(f"{address}/?view=stimulus")
    expect(page.get_by_role("table", name="Planned and completed stimulus")).to_be_visible()

    assert violations(settled(page)) == []


def test_a_filter_is_picked_by_keyboard_and_names_itself_when_the_lists_are_folded(address, new_page):
    page = new_page()
    page.goto(address)
    expect(row(page, "Ana Li").get_by_text("2 d ago")).to_be_visible()
    page.get_by_role("button", name="Filter").press("Enter")
    tab_to(page, lambda at: at["label"] == "Sport")
    page.keyboard.type("cycling")
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile("sport=cycling"))
    expect(page.get_by_text("1 hidden by search or filter")).to_be_visible()
    page.get_by_role("button", name="Filter").press("Enter")
    expect(page.get_by_role("combobox")).to_have_count(0)
    expect(page.get_by_role("button", name="Cycling", exact=True)).to_be_visible()


def test_escape_folds_the_filters_in_again(address, new_page):
    page = new_page()
    page.goto(address)
    expect(row(page, "Ana Li").get_by_text("2 d ago")).to_be_visible()
    button = page.get_by_role("button", name="Filter")
    expect(button).to_have_attribute("aria-expanded", "false")
    button.press("Enter")
    expect(button).to_have_attribute("aria-expanded", "true")
    tab_to(page, lambda at: at["label"] == "Sport")
    page.keyboard.press("Escape")

    expect(page.get_by_role("combobox")).to_have_count(0)
    expect(button).to_be_focused()
    expect(button).to_have_attribute("aria-expanded", "false")


def test_names_of_strangers_are_text(address, new_page):
    page = new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    expect(page.get_by_text(squad.HOSTILE_NAME)).to_be_visible()

    assert not [url for url in asked if "tracker.example" in url]


def test_a_name_is_searched_by_keyboard_and_stays_in_the_address(address, new_page):
    page = new_page()
    page.goto(address)
    field = page.get_by_role("textbox", name="Search by name")
    field.fill("ANA")
    field.press("Enter")

    expect(page).to_have_url(re.compile("q=ANA"))
    expect(page.get_by_text("1 hidden by search or filter")).to_be_visible()
    expect(page.get_by_role("row")).to_have_count(2)  # the head and Ana
    expect(field).to_be_focused()
    field.fill("")
    field.press("Enter")
    expect(page).not_to_have_url(re.compile("q="))


def test_a_phone_shows_a_list_without_scrolling_sideways(address, new_page):
    page = new_page(viewport={"width": 400, "height": 860})
    page.goto(address)
    expect(page.get_by_role("link", name="Ana Li")).to_be_visible()

    assert page.evaluate("document.scrollingElement.scrollWidth <= window.innerWidth + 1")


def test_a_phone_cuts_off_no_flag(address, new_page):
    page = new_page(**PHONE)
    page.goto(address)
    flag = row(page, "Ana Li").locator("td:nth-child(2) .main")
    expect(flag).to_be_visible()
    flag.locator(".text").evaluate("(one) => { one.textContent = 'Hard session, poor recovery'; }")
    assert flag.evaluate("(one) => one.scrollWidth <= one.clientWidth")


def test_a_phone_keeps_all_sessions_of_a_day_apart(address, new_page):
    page = new_page(**PHONE)
    page.goto(f"{address}/?view=week")
    chips = row(page, "Ana Li").locator("td:has(.chip)").first
    expect(chips).to_be_visible()
    overlaps = """(cell) => {
        const chip = cell.querySelector(".chip");
        for (let more = 0; more < 3; more += 1) cell.append(chip.cloneNode(true));
        const edge = cell.getBoundingClientRect().right;
        return [...cell.querySelectorAll(".chip")].filter((one) => one.getBoundingClientRect().right > edge).length;
    }"""
    assert chips.evaluate(overlaps) == 0


def test_a_phone_orders_its_cards_without_heads(address, new_page):
    page = new_page(**PHONE)
    page.goto(address)
    expect(page.get_by_role("link", name="Ana Li")).to_be_visible()
    expect(page.get_by_test_id("stProgress")).to_have_count(0)
    settled(page)
    page.get_by_role("combobox", name="Sort").click()
    page.get_by_role("option", name="Sort: name", exact=True).click()

    expect(page).to_have_url(re.compile("sort=name"))
    # "Sort: priority" above the matrix of stimuli had no effect.
    page.goto(f"{address}/?view=stimulus")
    expect(page.get_by_text("Not classified: planned")).to_be_visible()
    settled(page)
    expect(page.get_by_role("combobox", name="Sort")).to_have_count(0)


def test_enter_on_a_flag_focuses_the_button_back_to_all_athletes(address, new_page):
    page = new_page()
    page.goto(address)
    flag = row(page, "Ana Li").get_by_role("button").first
    expect(flag).to_be_visible()
    flag.focus()
    page.keyboard.press("Enter")

    expect(page.get_by_role("button", name="All athletes")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).not_to_have_url(re.compile("athlete="))


def test_a_flag_is_snoozed_with_a_reason_and_comes_back(address, new_page):
    page = new_page()
    page.goto(f"{address}/?view=look")
    page.get_by_role("button", name="Snooze").first.click()
    page.get_by_label("Reason").fill("Spoke on the phone")
    page.get_by_test_id("stFormSubmitButton").get_by_role("button").click()
    expect(page.get_by_text("Spoke on the phone")).to_be_visible()

    page.get_by_role("button", name="Unsnooze").first.click()
    expect(page.get_by_text("Spoke on the phone")).to_have_count(0)


def test_a_service_that_stops_leaves_the_last_known_rows(without_service):
    without_service("", lambda page: row(page, "Ana Li").get_by_text("2 d ago"))


def test_on_paper_the_roster_is_a_table_also_from_a_phone(address, new_page):
    page = new_page(**PHONE)
    page.goto(address)
    expect(page.get_by_role("link", name="Ana Li")).to_be_visible()

    page.set_viewport_size({"width": 965, "height": 700})  # Letter on its side
    page.emulate_media(media="print")

    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    expect(page.get_by_role("columnheader", name="HRV, ms")).to_be_visible()
    expect(page.get_by_text(re.compile("^Select a (header|card)"))).to_be_hidden()
    table = page.get_by_role("table", name="Athletes with load")
    assert table.bounding_box()["width"] <= 965
    assert table.evaluate("(table) => getComputedStyle(table).display") == "table"


def test_a_sheet_is_white_where_the_theme_is_dark(address, new_page):
    page = new_page(color_scheme="dark")
    page.goto(address)
    expect(page.get_by_role("link", name="Ana Li")).to_be_visible()

    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert "invert(1)" in page.get_by_test_id("stApp").evaluate("(app) => getComputedStyle(app).filter")


def test_a_card_shows_four_numbers_and_a_tap_shows_the_rest(address, new_page):
    page = new_page(**PHONE, has_touch=True)
    page.goto(address)
    card = row(page, "Ana Li")
    expect(card.get_by_role("link", name="Ana Li")).to_be_visible()
    settled(page)
    expect(card.locator("td.number:visible")).to_have_count(4)
    expect(card.get_by_text("2 d ago")).to_be_hidden()

    card.locator("td.number").first.tap()

    expect(card.get_by_text("2 d ago")).to_be_visible()
    expect(card.get_by_role("button", name="All numbers of Ana Li")).to_have_attribute(
        "aria-expanded", "true"
    )


def test_search_and_order_stay_in_reach_while_the_cards_scroll(address, new_page):
    page = new_page(viewport={"width": 400, "height": 240})
    page.goto(address)
    expect(page.get_by_role("link", name="Ana Li")).to_be_visible()
    settled(page)
    page.get_by_test_id("stMain").evaluate("(main) => main.scrollTo(0, main.scrollHeight)")

    expect(page.get_by_role("textbox", name="Search by name")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("combobox", name="Sort")).to_be_in_viewport(ratio=1)


def test_a_laptop_at_twice_its_size_needs_no_scrolling_sideways_and_can_sort(address, new_page):
    page = new_page(viewport={"width": 683, "height": 450})
    page.goto(address)
    expect(page.get_by_role("link", name="Ana Li")).to_be_visible()

    assert page.locator(".people").evaluate("(table) => table.scrollWidth - table.clientWidth") == 0
    expect(page.get_by_role("combobox", name="Sort")).to_be_visible()


_EDGES = """(table) => {
  const right = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect().right;
  };
  const isNumber = (cell) => cell.classList.contains("number");
  const edges = (row) => [...row.cells].filter(isNumber).map((cell) => right(cell.querySelector(".main")));
  return { heads: edges(table.tHead.rows[0]), rows: [...table.tBodies[0].rows].map(edges) };
}"""


@pytest.mark.parametrize("view", ["everyone", "stimulus"])
def test_column_heads_are_over_their_numbers_to_the_pixel(address, new_page, view):
    page = new_page()
    page.goto(f"{address}/?view={view}")
    table = page.get_by_role("table")
    expect(table.locator("tbody td.number .main").first).to_be_visible()
    edges = settled(page).get_by_role("table").evaluate(_EDGES)

    known = [row for row in edges["rows"] if len(row) == len(edges["heads"])]
    assert known
    for row_edges in known:
        assert row_edges == pytest.approx(edges["heads"], abs=0.5)


@pytest.mark.parametrize("view", ["everyone", "week"])
@pytest.mark.parametrize("window", [{}, PHONE], ids=["wide", "phone"])
def test_visible_labels_are_part_of_the_accessible_names(address, new_page, view, window):
    page = new_page(**window)
    page.goto(f"{address}/?view={view}")
    expect(page.get_by_role("link", name="Ana Li")).to_be_visible()
    expect(page.get_by_test_id("stProgress")).to_have_count(0)

    assert mismatched_names(settled(page)) == []
