"""A coach plans on the calendar, in a real browser with the real service: mouse, keyboard, touch, refusals, a reload."""

import datetime as dt
import re

import httpx
import pytest
from playwright.sync_api import expect

import squad
import training
from browser.journeys import (
    PHONE,
    come_near,
    focused,
    seed_fortnight,
    settled,
    sideways_px,
    sign_out,
    tab_to,
    take_demo_key,
    violations,
    watched,
)
from running import dashboard_process, wait_until

pytestmark = pytest.mark.browser
TEXT = "Warm-up\n- 15m 50-60%\n\nMain set 3x\n- 12m 95-100%\n- Easy 4m 50%\n\nCool-down\n- 10m ramp 60-40%"


@pytest.fixture
def plan(tmp_path, chromium, new_page):
    """Opens the calendar of a fortnight of one's own, with a key and a link; each test changes the plan."""
    seed_fortnight(tmp_path)
    pages = []
    with dashboard_process(tmp_path, COACHBOARD_TODAY=training.TODAY.isoformat()) as address:

        def open_calendar(link=f"calendar?athlete={squad.ANA}", *, leaves=False, **options):
            page = new_page(**options)
            if leaves:  # the browser asks whether to leave unsaved changes
                page.on("dialog", lambda dialog: dialog.accept())
            else:
                pages.append(watched(page))
            page.goto(f"{address}/{link}")
            expect(page.get_by_role("grid")).to_be_visible(timeout=60_000)
            return settled(page)

        yield open_calendar
    assert [page.faults for page in pages if page.faults] == []


def day(page, date):
    return page.locator(f".day[data-date='{date}']")


def item(page, title):
    return page.locator(".item").filter(has_text=title).first


def tray(page):
    return page.locator(".tray")


def drag(page, title, date, *, key=None):
    start, end = item(page, title).bounding_box(), day(page, date).bounding_box()
    page.mouse.move(start["x"] + 20, start["y"] + 10)
    page.mouse.down()
    page.mouse.move(end["x"] + 30, end["y"] + 60, steps=5)
    if key:
        page.keyboard.down(key)
    page.mouse.up()
    if key:
        page.keyboard.up(key)


class Connection:
    """The page's connection to the dashboard, which can lose what the browser sends or what the dashboard replies."""

    def __init__(self, page):
        self.loses_reports = self.loses_replies = False
        page.route_web_socket(re.compile("_stcore/stream"), self._connect)
        page.reload()
        expect(page.get_by_role("grid")).to_be_visible(timeout=60_000)
        settled(page)

    def _connect(self, browser):
        dashboard = browser.connect_to_server()
        browser.on_message(lambda message: self.loses_reports or dashboard.send(message))
        dashboard.on_message(lambda message: self.loses_replies or browser.send(message))


def new(page, date, kind):
    day(page, date).hover()
    day(page, date).get_by_role("button", name="New on").click()
    page.get_by_role("button", name=kind, exact=True).click()
    expect(page.get_by_role("dialog", name=re.compile("^New"))).to_be_visible()


def test_a_coach_writes_moves_copies_and_takes_back_a_workout(plan):
    page = plan()
    new(page, "2026-03-17", "Workout")
    page.get_by_label("Title").fill("Threshold")
    page.get_by_role("textbox", name="Steps").fill(f"{TEXT}\n- 10m 900%")
    expect(page.get_by_role("button", name=re.compile("^Line 10, column"))).to_be_visible()
    page.get_by_role("textbox", name="Steps").fill(TEXT)
    expect(page.get_by_text("1:13:00")).to_be_visible()
    expect(page.get_by_text("all 3 repetitions fit")).to_be_visible()
    page.keyboard.press("Control+s")
    expect(tray(page)).to_contain_text("Added Threshold")
    expect(day(page, "2026-03-17").locator(".item")).to_contain_text("1h13")

    drag(page, "Threshold", "2026-03-19")
    expect(day(page, "2026-03-19").locator(".item")).to_have_count(1)
    expect(tray(page)).to_contain_text("Moved Threshold to Thu 19 Mar")
    expect(day(page, "2026-03-19").locator(".item")).to_contain_text("moved from Tue 17 Mar")

    drag(page, "Threshold", "2026-03-21", key="Alt")
    expect(tray(page)).to_contain_text("Copied Threshold to Sat 21 Mar")
    expect(page.locator(".item").filter(has_text="Threshold")).to_have_count(2)
    page.keyboard.press("Control+z")
    expect(tray(page)).to_contain_text("Undone: copied Threshold")
    expect(page.locator(".item").filter(has_text="Threshold")).to_have_count(1)

    item(page, "Threshold").focus()
    page.keyboard.press("Delete")
    expect(tray(page)).to_contain_text("Deleted Threshold")
    tray(page).get_by_role("button", name="Undo").click()
    expect(item(page, "Threshold")).to_be_visible()


@pytest.mark.slow
def test_a_week_is_copied_pasted_shifted_and_cleared(plan):
    page = plan()

    def act(week, name):
        page.get_by_role("button", name=f"⋯ Week {week}").click()
        page.get_by_role("dialog").get_by_role("button", name=name).click()

    act(11, "Copy")
    expect(tray(page)).to_contain_text("Copied 2 entries")
    act(13, "Paste")
    expect(tray(page)).to_contain_text("Pasted 2 entries")
    expect(day(page, "2026-03-27").locator(".item")).to_contain_text("Intervals")
    page.get_by_role("button", name="⋯ Week 13").click()
    page.get_by_label("Days").fill("2")
    page.get_by_role("button", name="Shift by").click()
    expect(tray(page)).to_contain_text("2 days later")
    expect(day(page, "2026-03-29").locator(".item")).to_contain_text("Intervals")
    act(13, "Delete planned workouts")
    expect(tray(page)).to_contain_text("Deleted 2 workouts")
    expect(day(page, "2026-03-29").locator(".item")).to_have_count(0)


@pytest.mark.slow
def test_the_menu_of_a_week_sets_its_target_which_the_week_column_shows(plan):
    page = plan()
    page.get_by_role("button", name="⋯ Week 11").click()
    page.get_by_role("button", name="Set target").click()
    dialog = page.get_by_role("dialog").filter(has_text="Target of the week of")
    dialog.get_by_role("spinbutton", name="Load").fill("420")
    dialog.get_by_role("spinbutton", name="Load").press("Tab")
    dialog.get_by_role("button", name="Save target").click()
    expect(dialog).not_to_be_visible()
    expect(page.locator(".total").filter(has_text="Target load")).to_contain_text("420")
    expect(page).not_to_have_url(re.compile("target="))

    page.get_by_role("button", name="⋯ Week 11").click()
    page.get_by_role("button", name="Set target").click()
    expect(dialog.get_by_role("spinbutton", name="Load")).to_have_value("420")
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("target="))
    expect(dialog).not_to_be_visible()


def test_keyboard_alone_creates_moves_and_undoes(plan):
    page = plan()
    tab_to(page, lambda at: at["pick"] == "2026-02-23")
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight", "+"):
        page.keyboard.press(key)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name=re.compile("New note"))).to_be_visible()
    page.keyboard.type("Bring gels")
    page.keyboard.press("Control+s")
    expect(tray(page)).to_contain_text("Added Bring gels")

    item(page, "Bring gels").focus()
    for key in ("m", "ArrowDown", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(page.get_by_role("status").filter(has_text="Moved Bring gels to Wed 25 Mar")).to_have_count(1)
    expect(day(page, "2026-03-25").locator(".item")).to_contain_text("Bring gels")
    assert focused(page)["text"].startswith("Bring gels")
    for key in ("m", "ArrowUp", "Escape"):
        page.keyboard.press(key)
    expect(page.get_by_role("status").filter(has_text="Bring gels: not moved")).to_have_count(1)
    expect(day(page, "2026-03-25").locator(".item")).to_contain_text("Bring gels")
    page.keyboard.press("Control+z")
    expect(day(page, "2026-03-17").locator(".item")).to_contain_text("Bring gels")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_moves_by_a_long_press_and_edits_in_a_sheet(plan, scheme):
    page = plan(**PHONE, has_touch=True, is_mobile=True, color_scheme=scheme)
    item(page, "Intervals").scroll_into_view_if_needed()
    box = item(page, "Intervals").bounding_box()
    finger = page.context.new_cdp_session(page)
    place = {"x": box["x"] + 5, "y": box["y"] + 5}
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [place]})
    expect(tray(page)).to_contain_text("Move here")
    page.evaluate(
        "addEventListener('click', () => { window.hasClicked = true; }, { once: true, capture: true })"
    )
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_function("window.hasClicked")
    expect(tray(page)).to_contain_text("Move here")
    day(page, "2026-03-15").tap(position={"x": 200, "y": 8})
    expect(tray(page)).to_contain_text("Moved Intervals to Sun 15 Mar")
    expect(day(page, "2026-03-15").locator(".item")).to_contain_text("Intervals")

    item(page, "Intervals").tap()
    expect(page.get_by_role("dialog", name="Workout · Ana Li")).to_be_visible()
    assert sideways_px(page) <= 1
    assert violations(settled(page)) == []


@pytest.mark.slow
def test_a_refusal_and_a_reload_lose_nothing(plan):
    page = plan(leaves=True)
    new(page, "2026-03-17", "Workout")
    page.get_by_role("textbox", name="Steps").fill("- 30h 60%")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Not saved")).to_be_visible()
    page.get_by_label("Title").fill("Half typed")
    settled(page).reload()

    expect(page.get_by_label("Title")).to_have_value("Half typed", timeout=30_000)
    expect(page.get_by_role("textbox", name="Steps")).to_have_value("- 30h 60%")
    page.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Discard changes").click()
    expect(page.get_by_role("dialog", name=re.compile("New workout"))).to_be_hidden()
    assert "edit=" not in page.url


@pytest.mark.slow
def test_a_save_without_an_answer_has_a_notice_and_keeps_the_draft(plan):
    page = plan(leaves=True)
    connection = Connection(page)
    new(page, "2026-03-17", "Workout")
    page.get_by_label("Title").fill("Threshold")
    page.get_by_role("textbox", name="Steps").fill(TEXT)
    expect(page.get_by_text("1:13:00")).to_be_visible()
    connection.loses_reports = True
    page.keyboard.press("Control+s")

    late = page.get_by_text(
        "No answer from the dashboard: perhaps not saved. Reload the page. Your draft stays in this tab."
    )
    expect(late).to_be_visible(timeout=60_000)
    page.get_by_label("Title").fill("Threshold 3 × 12")
    expect(late).to_be_visible()
    connection.loses_reports = False
    page.reload()
    expect(page.get_by_text("Your unsaved draft is back.")).to_be_visible(timeout=60_000)
    expect(page.get_by_role("textbox", name="Steps")).to_have_value(TEXT)
    page.keyboard.press("Control+s")
    expect(tray(page)).to_contain_text("Added Threshold 3 × 12")


@pytest.mark.slow
def test_a_drop_is_drawn_before_the_service_replies(plan):
    page = plan()
    new(page, "2026-03-17", "Day off")
    page.keyboard.press("Control+s")
    expect(item(page, "Day off")).to_be_visible()
    connection = Connection(page)
    connection.loses_replies = True

    drag(page, "Day off", "2026-03-19")
    expect(day(page, "2026-03-19").locator(".item")).to_have_count(1)
    expect(day(page, "2026-03-17").locator(".item")).to_have_count(0)


@pytest.mark.slow
def test_saving_again_after_a_lost_answer_adds_one_entry(plan):
    page, other = plan(leaves=True), plan()
    connection = Connection(page)
    new(page, "2026-03-17", "Day off")
    connection.loses_replies = True
    page.keyboard.press("Control+s")
    expect(item(other, "Day off")).to_be_visible(timeout=60_000)
    connection.loses_replies = False
    page.reload()
    expect(page.get_by_role("dialog", name=re.compile("^New"))).to_be_visible(timeout=60_000)
    page.keyboard.press("Control+s")

    expect(tray(page)).to_contain_text("Added Day off")
    expect(page.locator(".item").filter(has_text="Day off")).to_have_count(1)
    new(page, "2026-03-17", "Day off")
    page.keyboard.press("Control+s")
    expect(page.locator(".item").filter(has_text="Day off")).to_have_count(2)


@pytest.mark.slow
def test_a_text_with_errors_is_saved_as_a_draft_and_later_as_a_workout(plan):
    page = plan()
    new(page, "2026-03-17", "Workout")
    page.get_by_label("Title").fill("Unfinished")
    page.get_by_role("textbox", name="Steps").fill("- 1h hills 3")
    page.get_by_label("Title").fill("")
    expect(page.get_by_role("button", name=re.compile("^Line 1, column"))).to_be_visible()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Not saved: Steps: Line 1")).to_be_visible()
    page.get_by_label("Title").fill("Unfinished")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("button", name="Save as draft").click()
    expect(tray(page)).to_contain_text("Added Unfinished")
    expect(item(page, "Unfinished")).to_contain_text("draft")

    item(page, "Unfinished").click()
    expect(page.get_by_role("textbox", name="Steps")).to_have_value("- 1h hills 3")
    page.get_by_role("textbox", name="Steps").fill("- 1h hills")
    page.keyboard.press("Control+s")
    expect(tray(page)).to_contain_text("Saved Unfinished")
    expect(item(page, "Unfinished")).not_to_contain_text("draft")


@pytest.mark.slow
def test_the_chosen_stimulus_stays_with_other_steps_until_it_is_taken_away(plan):
    page = plan()
    stimulus = page.get_by_label("Stimulus")

    def save_and_open_again():
        page.keyboard.press("Control+s")
        expect(page.get_by_role("dialog")).to_be_hidden()
        item(page, "Hills").click()
        expect(page.get_by_role("dialog", name=re.compile("^Workout"))).to_be_visible()
        settled(page)

    new(page, "2026-03-17", "Workout")
    page.get_by_label("Title").fill("Hills")
    page.get_by_role("textbox", name="Steps").fill("- 1h hills")
    stimulus.select_option("VO2max")
    save_and_open_again()
    expect(stimulus).to_have_value("vo2max")

    page.get_by_role("textbox", name="Steps").fill("- 20m 100%")
    save_and_open_again()
    expect(page.get_by_role("textbox", name="Steps")).to_have_value("- 20m 100%")
    expect(stimulus).to_have_value("vo2max")

    stimulus.select_option("No stimulus")
    save_and_open_again()
    expect(stimulus).to_have_value("")


@pytest.mark.slow
def test_the_refusal_of_a_text_goes_when_the_text_changes(plan):
    page = plan()
    new(page, "2026-03-17", "Workout")
    page.get_by_label("Title").fill("Hills")
    page.get_by_role("textbox", name="Steps").fill("- 1h hills 3")
    page.get_by_role("button", name="Save", exact=True).click()
    refused = page.get_by_text("Not saved: ")
    expect(refused).to_be_visible()
    page.get_by_role("textbox", name="Steps").fill("- 1h hills")
    expect(page.get_by_text("1:00:00", exact=True)).to_be_visible()
    expect(refused).to_be_hidden()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(tray(page)).to_contain_text("Added Hills")


@pytest.mark.slow
def test_a_long_word_of_a_title_stays_whole_on_a_laptop(plan):
    page = plan(viewport={"width": 1366, "height": 768})
    new(page, "2026-03-10", "Workout")
    page.get_by_label("Title").fill("Progressive")
    page.get_by_role("textbox", name="Steps").fill("- 1h 60%")
    page.keyboard.press("Control+s")
    expect(tray(page)).to_contain_text("Added Progressive")

    title = item(page, "Progressive").locator(".title")
    lines = """title => {
        const words = document.createRange();
        words.selectNodeContents(title);
        return words.getClientRects().length;
    }"""
    assert title.evaluate(lines) == 1


@pytest.mark.slow
def test_signing_out_removes_drafts(plan):
    page = plan()
    new(page, "2026-03-17", "Note")
    page.get_by_label("Title").fill("Half typed")
    drafts = "() => Object.keys(sessionStorage).filter((key) => key.startsWith('coachboard.draft')).length"
    assert page.evaluate(drafts) == 1
    sign_out(page)

    wait_until(lambda: page.evaluate(drafts) == 0, "the drafts are still there")


@pytest.mark.slow
def test_two_coaches_see_the_conflict_and_each_others_changes(plan):
    first, second = plan(f"calendar?athlete={squad.ANA}&edit=tpr_Intervals", leaves=True), plan()
    first.get_by_label("Title").fill("Mine")
    drag(second, "Intervals", "2026-03-20")
    expect(tray(second)).to_contain_text("Moved Intervals")
    first.reload()
    expect(first.get_by_label("Title")).to_have_value("Mine")
    first.get_by_role("button", name="Save", exact=True).click()

    expect(first.get_by_text("was changed by Cleo Coach meanwhile")).to_be_visible()
    expect(first.get_by_role("cell", name="2026-03-20")).to_be_visible()
    first.get_by_role("button", name="Save mine").click()
    expect(tray(first)).to_contain_text("Saved Mine")
    expect(item(second, "Mine")).to_be_visible(timeout=30_000)


@pytest.mark.slow
@pytest.mark.parametrize("reloads", ["before the save", "after the refusal"])
def test_an_entry_that_was_deleted_meanwhile_is_saved_as_a_new_one(plan, reloads):
    first, second = plan(f"calendar?athlete={squad.ANA}&edit=tpr_Intervals", leaves=True), plan()
    first.get_by_label("Title").fill("Mine")
    steps = first.get_by_role("textbox", name="Steps").input_value()
    item(second, "Intervals").focus()
    second.keyboard.press("Delete")
    expect(tray(second)).to_contain_text("Deleted Intervals")
    notice = first.get_by_text("The entry was deleted meanwhile. Save adds it as a new entry.")
    if reloads == "after the refusal":
        first.get_by_role("button", name="Save", exact=True).click()
        expect(notice).to_be_visible()
    settled(first).reload()

    expect(notice).to_be_visible(timeout=60_000)
    expect(first.get_by_role("dialog", name="New workout · Ana Li")).to_be_visible()
    first.get_by_role("button", name="Save", exact=True).click()
    expect(tray(first)).to_contain_text("Added Mine")
    item(first, "Mine").click()
    expect(first.get_by_role("textbox", name="Steps")).to_have_value(steps)


@pytest.mark.slow
def test_the_history_names_who_changed_what_and_takes_it_back(plan):
    page = plan()
    drag(page, "Intervals", "2026-03-19")
    expect(tray(page)).to_contain_text("Moved Intervals")
    page.goto(f"{page.url}&look=history")
    expect(page.get_by_text("Moved Intervals from Fri 13 Mar to Thu 19 Mar")).to_be_visible()
    expect(page.get_by_text(re.compile("Cleo Coach · .* · Calendar"))).to_be_visible()
    page.get_by_role("button", name="Undo").click()

    expect(day(page, "2026-03-13").locator(".item")).to_contain_text("Intervals")


@pytest.mark.slow
def test_the_undo_of_a_change_with_a_long_title_is_beside_who_made_it(plan):
    page = plan(**PHONE)
    page.get_by_role("button", name="+ New on Tue 17 Mar").click()
    page.get_by_role("button", name="Note", exact=True).click()
    page.get_by_label("Title").fill("Long title " * 15)
    page.keyboard.press("Control+s")
    expect(tray(page)).to_contain_text("Added Long title")
    page.goto(f"{page.url}&look=history")
    who = page.get_by_text(re.compile("Cleo Coach · .* · Calendar"))
    expect(who).to_be_visible()
    line, undo = who.bounding_box(), page.get_by_role("button", name="Undo", exact=True).bounding_box()

    assert abs(line["y"] + line["height"] / 2 - undo["y"] - undo["height"] / 2) < 12
    assert page.get_by_text("Added Long title").bounding_box()["height"] < 80


@pytest.mark.slow
def test_an_athlete_moves_and_skips_but_does_not_rewrite_a_coachs_workout(plan, tmp_path, chromium, new_page):
    coach = plan()
    new(coach, "2026-03-17", "Workout")
    coach.get_by_label("Title").fill("Hills")
    coach.get_by_role("textbox", name="Steps").fill("- 1h 60%")
    coach.keyboard.press("Control+s")
    expect(tray(coach)).to_contain_text("Added Hills")
    address = coach.url.partition("/calendar")[0]
    athlete = watched(new_page())
    athlete.goto(f"{address}/calendar")
    take_demo_key(athlete, "athlete")
    expect(athlete.get_by_role("button", name="Ana Li demo")).to_be_visible()
    settled(athlete)
    athlete.goto(f"{address}/calendar")
    expect(athlete.get_by_role("grid")).to_be_visible(timeout=30_000)
    item(athlete, "Hills").click()
    expect(athlete.get_by_text("Planned by Cleo Coach")).to_be_visible()
    expect(athlete.get_by_label("Title")).to_be_disabled()
    athlete.get_by_role("button", name="Skip…").click()
    athlete.get_by_label("Reason").fill("Exam")
    athlete.get_by_role("button", name="Skip", exact=True).click()
    expect(tray(athlete)).to_contain_text("Skipped Hills")
    expect(item(athlete, "Hills")).to_contain_text("skipped: Exam")
    drag(athlete, "Hills", "2026-03-18")

    expect(tray(athlete)).to_contain_text("Moved Hills to Wed 18 Mar")
    expect(item(coach, "skipped: Exam")).to_be_visible(timeout=30_000)
    athlete.goto(f"{address}/calendar?look=history")
    expect(athlete.get_by_text("Added Hills")).to_be_visible()
    expect(athlete.get_by_role("button", name="Undo", exact=True)).to_have_count(2)  # the move and the skip


@pytest.mark.slow
def test_a_squad_week_moves_workouts_of_several_athletes_at_once(plan):
    page = plan(f"calendar?athlete={squad.ANA}&beside=squad&on=2026-03-12")
    drag_lane = page.locator(f".day[data-date='2026-03-14'][data-user='{squad.BEN}']")
    item(page, "Intervals").focus()
    page.keyboard.press("m")
    drag_lane.click(position={"x": 60, "y": 60})
    expect(tray(page)).to_contain_text("Copied Intervals to Sat 14 Mar")
    expect(drag_lane.locator(".item")).to_have_count(1)

    for one in page.locator(".item").filter(has_text="Intervals").all():
        one.click(modifiers=["Shift"])
    expect(tray(page)).to_contain_text("2 selected")
    tray(page).get_by_role("button", name="Delete").click()
    expect(tray(page)).to_contain_text("Deleted 2 workouts")


@pytest.mark.slow
def test_in_a_squad_week_the_focus_returns_to_the_athlete_whose_day_was_opened(plan):
    page = plan(f"calendar?athlete={squad.ANA}&beside=squad&on=2026-03-12")
    date = page.locator(f".day[data-date='2026-03-14'][data-user='{squad.BEN}'] .date")
    date.focus()
    page.keyboard.press("+")
    page.keyboard.press("Enter")  # a workout, the first of the menu
    expect(page.locator(".editor :focus")).to_be_visible()

    page.keyboard.press("Escape")
    expect(date).to_be_focused()


HOSTILE = "\"'><img src=x onerror='window.hasRun=1'>{{ 7 }}"
MARKUP = """calendar => {
  const all = [...calendar.querySelectorAll("*")];
  return [all.map((each) => each.localName), all.flatMap((each) => each.getAttributeNames())].map((names) => [...new Set(names)]);
}"""
TAGS = {"button", "div", "h3", "input", "p", "path", "section", "span", "strong", "svg", "symbol", "use"}
ATTRIBUTES = {
    "aria-current", "aria-haspopup", "aria-hidden", "aria-label", "aria-labelledby", "class", "d", "data-act",
    "data-at", "data-can", "data-date", "data-pick", "data-user", "data-what", "href", "id", "max", "min", "popover",
    "role", "style", "tabindex", "title", "type", "value", "viewBox",
}  # fmt: skip


@pytest.mark.slow
def test_text_of_people_is_text_in_the_grid_the_library_the_menus_and_the_tray(plan):
    page = plan()
    address = page.url.partition("/calendar")[0]
    with httpx.Client(headers={"Authorization": f"Bearer {squad.COACH_KEY}"}, timeout=60) as client:
        create = {"op": "create", "userId": squad.ANA}
        values = {
            "workout": {"title": HOSTILE, "sport": "cycling", "text": "- 1h 60%", "description": HOSTILE},
            "note": {"title": HOSTILE, "content": HOSTILE, "type": "training"},
            "event": {"name": HOSTILE, "description": HOSTILE, "sport": "cycling"},
        }
        operations = [
            {**create, "kind": kind, "value": {"date": "2026-03-12", **value}}
            for kind, value in values.items()
        ]
        client.post(f"{address}/api/plan/v1/batches", json={"operations": operations}).raise_for_status()
        workout = {"title": HOSTILE, "folder": HOSTILE, "sport": "cycling", "text": "- 1h 60%"}
        client.post(f"{address}/api/plan/v1/workouts", json=workout).raise_for_status()

    for view in ("month", "week", "agenda", "week&beside=squad"):
        page.goto(f"{address}/calendar?athlete={squad.ANA}&on=2026-03-12&library=all&view={view}")
        expect(day(page, "2026-03-12").first.locator(".title").filter(has_text=HOSTILE)).to_have_count(
            3, timeout=60_000
        )
        expect(page.get_by_role("heading", name=HOSTILE, exact=True)).to_have_count(1)
        page.locator(".shelf .item").filter(has_text=HOSTILE).hover()
        tags, attributes = page.locator(".calendar").evaluate(MARKUP)
        assert set(tags) <= TAGS
        assert set(attributes) <= ATTRIBUTES
    item(page, HOSTILE).focus()
    page.keyboard.press("m")
    expect(tray(page)).to_contain_text(HOSTILE)
    page.keyboard.press("Escape")
    assert page.evaluate("window.hasRun") is None


class Mouse:
    """Plans with clicks; the keyboard types texts only."""

    OPTIONS = {}  # noqa: RUF012 (never changed)

    def __init__(self, page):
        self.page = page

    def begin(self, date, kind):
        day(self.page, date).hover()
        self.press(day(self.page, date).get_by_role("button", name="New on"))
        self.press(self.named(kind))

    def named(self, name):
        return self.page.get_by_role("button", name=name, exact=True)

    def press(self, place):
        place.click()

    def example(self, name):
        self.press(self.named(name))

    def write(self, label, text):
        self.page.get_by_role("textbox", name=label).fill(text)

    def check(self, label):
        self.page.get_by_label(label).check()

    def save(self, title):
        self.press(self.named("Save"))
        expect(tray(self.page)).to_contain_text(f"Added {title}")

    def move(self, title, _start, date):
        drag(self.page, title, date)

    def week(self, number, name):
        self.press(self.page.get_by_role("button", name=f"⋯ Week {number}"))
        self.press(self.page.get_by_role("dialog").get_by_role("button", name=name))

    def undo(self):
        self.press(tray(self.page).get_by_role("button", name="Undo"))


class Touch(Mouse):
    """Plans on a phone."""

    OPTIONS = {**PHONE, "has_touch": True, "is_mobile": True}  # noqa: RUF012 (never changed)

    def begin(self, date, kind):
        self.press(day(self.page, date).get_by_role("button", name="New on"))
        self.press(self.named(kind))

    def press(self, place):
        place.tap()

    def check(self, label):
        self.press(self.page.get_by_label(label))

    def move(self, title, _start, date):
        box = item(self.page, title).bounding_box()
        place = {"clientX": box["x"] + 5, "clientY": box["y"] + 5}
        item(self.page, title).dispatch_event("pointerdown", {"pointerType": "touch", "button": 0, **place})
        expect(tray(self.page)).to_contain_text("Move here")
        item(self.page, title).tap()  # the finger lifts: its click is a part of the hold
        day(self.page, date).tap(position={"x": 200, "y": 8})


class Keyboard(Mouse):
    """Plans with keys alone; the focus is on a date between two entries."""

    KINDS = ("Workout", "Note", "Event or race", "Day off")

    def __init__(self, page):
        super().__init__(page)
        self.at = "2026-02-23"
        tab_to(page, lambda at: at["pick"] == self.at)

    def keys(self, *names):
        for name in names:
            self.page.keyboard.press(name)

    def go(self, date):
        weeks, days = divmod((dt.date.fromisoformat(date) - dt.date.fromisoformat(self.at)).days, 7)
        self.keys(*["ArrowDown" if weeks > 0 else "ArrowUp"] * abs(weeks), *["ArrowRight"] * days)
        assert focused(self.page)["pick"] == date
        self.at = date

    def begin(self, date, kind):
        self.go(date)
        self.keys("+", *["ArrowDown"] * self.KINDS.index(kind), "Enter")
        expect(self.page.get_by_role("dialog", name=re.compile("^New"))).to_be_visible()

    def example(self, name):
        expect(self.named(name)).to_be_visible()
        tab_to(self.page, lambda at: at["text"] == name)
        self.keys("Enter")

    def write(self, _label, text):
        self.page.keyboard.type(text)

    def check(self, _label):
        tab_to(self.page, lambda at: at["type"] == "checkbox")
        self.keys("Space")

    def save(self, title):
        self.keys("Control+s")
        expect(tray(self.page)).to_contain_text(f"Added {title}")
        expect(self.page.get_by_role("dialog", name=re.compile("^New"))).to_be_hidden()

    def move(self, title, start, date):
        self.go(start)
        tab_to(self.page, lambda at: at["text"].startswith(title))
        days = (dt.date.fromisoformat(date) - dt.date.fromisoformat(start)).days
        self.keys("m", *["ArrowRight" if days > 0 else "ArrowLeft"] * abs(days), "Enter")

    def week(self, number, name):
        tab_to(self.page, lambda at: (at["label"] or "").startswith(f"⋯ Week {number}"))
        self.keys("Enter")
        expect(self.page.get_by_role("dialog", name=f"Week {number}")).to_be_visible()
        while not focused(self.page)["text"].startswith(name):
            self.keys("ArrowDown")
        self.keys("Enter")

    def undo(self):
        self.keys("Control+z")


def plan_a_week(coach):
    page = coach.page
    coach.begin("2026-03-23", "Day off")
    coach.save("Day off")
    coach.begin("2026-03-24", "Workout")
    coach.example("Intervals 4 × 8 min")
    expect(page.get_by_text("all 4 repetitions fit")).to_be_visible()
    coach.save("Intervals 4 × 8 min")
    coach.begin("2026-03-26", "Workout")
    coach.write("Steps", "- 15m 60%\n\n3x\n- 12m 95%\n- Easy 4m 50%")
    expect(page.get_by_label("Title")).to_have_attribute("placeholder", "3 × 12 min")
    coach.save("3 × 12 min")
    coach.begin("2026-03-27", "Note")
    coach.write("Title", "Ask about the knee")
    coach.check("Private: for coaches only")
    coach.save("Ask about the knee")
    coach.begin("2026-03-28", "Workout")
    coach.example("Endurance ride")
    coach.save("Endurance ride")
    coach.begin("2026-03-29", "Event or race")
    coach.write("Name", "Spring cup")
    coach.save("Spring cup")
    coach.move("3 × 12 min", "2026-03-26", "2026-03-25")
    expect(tray(page)).to_contain_text("Moved 3 × 12 min to Wed 25 Mar")
    coach.week(13, "Copy")
    expect(tray(page)).to_contain_text("Copied 5 entries")
    coach.week(14, "Paste")
    expect(tray(page)).to_contain_text("Pasted 5 entries")
    expect(day(page, "2026-04-01").locator(".item")).to_contain_text("3 × 12 min")
    coach.undo()
    expect(tray(page)).to_contain_text("Undone: pasted 5 entries")
    expect(day(page, "2026-04-01").locator(".item")).to_have_count(0)


@pytest.mark.slow
@pytest.mark.parametrize("hand", [Mouse, Keyboard, Touch])
def test_a_coach_plans_an_empty_week_and_the_athlete_sees_what_it_is_for(plan, new_page, hand):
    """Two interval workouts, a long ride, a private note, a day off, a race; move, copy the week, undo."""
    page = plan(**hand.OPTIONS)
    plan_a_week(hand(page))
    athlete = watched(new_page())
    athlete.goto(f"{page.url.partition('/calendar')[0]}/calendar")
    take_demo_key(athlete, "athlete")
    expect(athlete.get_by_role("button", name="Ana Li demo")).to_be_visible()
    settled(athlete)
    athlete.goto(f"{page.url.partition('/calendar')[0]}/calendar")
    expect(item(athlete, "Spring cup")).to_be_visible(timeout=30_000)
    week = [
        title
        for number in range(23, 30)
        for title in day(athlete, f"2026-03-{number}").locator(".title").all_text_contents()
    ]
    assert week == ["Day off", "Intervals 4 × 8 min", "3 × 12 min", "Endurance ride", "Spring cup"]


def test_a_coach_subscribes_in_another_calendar_and_revokes_the_address(plan):
    page = plan()
    head = page.get_by_text("Subscribe in another calendar")
    come_near(page, head)
    head.click()
    page.get_by_role("button", name="Make address").click()
    address = page.get_by_role("textbox", name="address")
    expect(address).to_have_value(re.compile(r"/api/plan/v1/feeds/cbf_[\w-]+\.ics$"))
    url = address.input_value()
    assert "SUMMARY:Intervals" in httpx.get(url).text
    page.get_by_role("button", name="Revoke").click()
    expect(page.get_by_role("button", name="Revoke")).to_have_count(0)
    assert httpx.get(url).status_code == 404
