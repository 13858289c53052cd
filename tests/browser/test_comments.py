"""Comments between an athlete and a coach in a real browser: marks, answers, drafts, retraction, hostile text."""

import re

import httpx
import pytest
from playwright.sync_api import expect

import squad
import training
from browser.journeys import PHONE, seed_fortnight, settled, sideways_px, violations, watched
from running import dashboard_process

pytestmark = pytest.mark.browser
HOSTILE = "<img src=x onerror=alert(1)> [a](javascript:alert(1)) **b**"


@pytest.fixture
def dashboard(tmp_path, chromium):
    """The address of a dashboard over a squad, with a planned workout of tomorrow named Hills."""
    seed_fortnight(tmp_path)
    with dashboard_process(tmp_path, COACHBOARD_TODAY=training.TODAY.isoformat()) as address:
        yield address


@pytest.fixture
def ask(dashboard):
    def send(method, path, key, **body):
        headers = {"Authorization": f"Bearer {key}"}
        reply = httpx.request(
            method, f"{dashboard}/api/plan/v1{path}", headers=headers, json=body or None, timeout=30
        )
        assert reply.status_code == 200, reply.text
        return reply.json()

    return send


@pytest.fixture
def hills(ask):
    """A workout that the coach has planned."""
    value = {"date": "2026-03-17", "title": "Hills", "sport": "cycling"}
    operation = {"op": "create", "kind": "workout", "userId": squad.ANA, "value": value}
    return ask("POST", "/batches", squad.COACH_KEY, operations=[operation])["entries"][0]["id"]


def opened(new_page, dashboard, entry_id, **options):
    page = watched(new_page(**options))
    page.goto(f"{dashboard}/calendar?athlete={squad.ANA}&view=week&on=2026-03-17&open={entry_id}")
    expect(page.get_by_label("Your comment")).to_be_visible(timeout=60_000)
    return settled(page)


def test_a_coach_sees_the_mark_answers_changes_and_retracts(dashboard, ask, hills, new_page):
    ask("POST", f"/entries/{hills}/comments", squad.ATHLETE_KEY, text=HOSTILE)
    page = opened(new_page, dashboard, hills)
    thread = page.locator(".thread")

    expect(thread.get_by_text(HOSTILE)).to_be_visible()
    expect(thread.get_by_text("New", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="Roster", exact=True)).to_be_visible()  # read by now
    field = page.get_by_label("Your comment")
    field.fill("On the trainer is fine")
    page.reload()  # the draft is there again
    expect(field).to_have_value("On the trainer is fine", timeout=60_000)
    settled(page)
    field.press("Control+Enter")
    expect(thread.locator(".text").nth(1)).to_have_text("On the trainer is fine")
    expect(field).to_have_value("")

    thread.get_by_role("button", name=re.compile("Edit comment")).click()
    thread.get_by_label("Change your comment").fill("The trainer is fine")
    thread.get_by_role("button", name="Save").click()
    expect(thread.locator(".text").nth(1)).to_have_text("The trainer is fine")
    expect(thread.get_by_text("changed")).to_be_visible()
    (comment,) = ask("GET", "/comments/unread", squad.ATHLETE_KEY)
    assert (comment["text"], comment["title"]) == ("The trainer is fine", "Hills")
    thread.get_by_role("button", name=re.compile("Delete comment")).click()
    thread.get_by_role("button", name="Delete for all?").click()
    expect(thread.locator(".text")).to_have_count(1)
    assert ask("GET", "/comments/unread", squad.ATHLETE_KEY) == []
    assert page.faults == []


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_thread_on_a_phone_is_accessible_and_as_wide_as_the_window(dashboard, ask, hills, new_page, scheme):
    ask("POST", f"/entries/{hills}/comments", squad.ATHLETE_KEY, text="x" * 300)
    ask("POST", f"/entries/{hills}/comments", squad.COACH_KEY, text="Two\n\nparagraphs")
    page = opened(new_page, dashboard, hills, **PHONE, color_scheme=scheme)

    assert sideways_px(page) <= 0
    assert violations(page) == []


def test_a_refused_comment_stays_in_the_field(dashboard, ask, hills, new_page):
    page = opened(new_page, dashboard, hills)
    for number in range(30):
        ask("POST", f"/entries/{hills}/comments", squad.COACH_KEY, text=f"Comment {number}")
    field = page.get_by_label("Your comment")
    field.fill("One too many")
    page.get_by_role("button", name="Comment", exact=True).click()

    expect(page.get_by_text("Not saved: too many comments in a minute.")).to_be_visible()
    expect(field).to_have_value("One too many")


def test_a_coach_answers_three_comments_from_the_feed_by_keyboard(dashboard, ask, hills, new_page):
    for path, text in (
        (f"/entries/{hills}", "About the plan"),
        ("/activities/act_Kept", "About the first ride"),  # older than the sessions of the list
        ("/activities/act_Moved", "About the second ride"),
    ):
        ask("POST", f"{path}/comments", squad.ATHLETE_KEY, text=text)
    page = watched(new_page())
    page.goto(f"{dashboard}/?view=feed")
    expect(page.get_by_role("link", name="Roster (3 new)")).to_be_visible(timeout=60_000)
    expect(page.get_by_text("comment on the plan")).to_be_visible()
    expect(page.get_by_test_id("stProgress")).to_have_count(0, timeout=60_000)
    expect(page.get_by_text("comment on the session")).to_have_count(1, timeout=60_000)
    for number in range(3):
        settled(page)
        page.keyboard.press("u")
        expect(page.locator(".thread .text").last).to_have_text(re.compile("^About"))
        expect(page.locator(".thread .mark")).to_have_count(1)  # that of the new comment
        left = f"Roster ({2 - number} new)" if number < 2 else "Roster"
        expect(page.get_by_role("link", name=left, exact=True)).to_be_visible()
        field = settled(page).get_by_label("Your comment")
        field.fill(f"Answer {number}")
        field.press("Control+Enter")
        expect(page.locator(".thread .text").last).to_have_text(f"Answer {number}")
        settled(page)
        field.blur()

    settled(page)
    expect(page.get_by_role("button", name="Next new comment")).to_be_disabled()
    assert {row["text"] for row in ask("GET", "/comments/unread", squad.ATHLETE_KEY)} == {
        "Answer 0", "Answer 1", "Answer 2",
    }  # fmt: skip
    first = page.url
    page.keyboard.press("p")
    expect(page).not_to_have_url(first)
    assert page.faults == []
