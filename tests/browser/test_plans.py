"""Plans of several weeks, in a real browser: made from a week of the calendar, and read on a phone."""

import re
from asyncio import to_thread
from contextlib import closing
from threading import Semaphore

import httpx
import pytest
from playwright.sync_api import expect

import squad
from browser.journeys import PHONE, seed_fortnight, settled, sideways_px, take_demo_key, violations, watched
from browser.test_planning import new, plan, tray
from coachboard.service.api.app import create_app
from coachboard.service.store import NewUser, Store
from coachboard.settings import Settings
from coachboard.wire.enums import WorkspaceRole
from running import dashboard_process
from serving import served

__all__ = ["plan"]

pytestmark = pytest.mark.browser


def section(page, name):
    page.get_by_role("radio", name=name).click()
    return settled(page)


def test_the_menu_of_a_week_opens_the_form_of_a_plan_with_its_days(plan):
    page = plan()
    page.get_by_role("button", name=re.compile("Week 12: copy")).click()
    page.get_by_role("button", name="Save as plan…").click()

    expect(page.get_by_role("heading", name="New plan")).to_be_visible()
    expect(page.get_by_text(re.compile("^7 days: "))).to_be_visible()
    expect(page).to_have_url(re.compile("from=2026-03-16"))


def test_a_plan_on_a_phone_has_nothing_sideways_and_no_fault_for_screen_readers(plan):
    page = plan(**PHONE)
    page.goto(page.url.partition("calendar")[0] + "plans?new=weeks")
    settled(page)
    page.get_by_label("Title").fill("Two weeks")
    page.get_by_role("button", name="Save as plan").click()
    expect(page.get_by_text("Saved Two weeks.")).to_be_visible()

    for name in ("Weeks", "Apply", "Athletes with it", "Title and sharing"):
        section(page, name)
        assert sideways_px(page) <= 1
        assert violations(page) == []


def test_stay_here_keeps_the_open_workout_of_a_plan(plan):
    page = plan()
    page.goto(page.url.partition("calendar")[0] + "plans?new=weeks&from=2026-03-02&to=2026-03-15")
    settled(page).get_by_label("Title").fill("Two weeks")
    page.get_by_role("button", name="Save as plan").click()
    expect(page.get_by_text("Saved Two weeks.")).to_be_visible()
    items = settled(page).locator(".item")
    items.nth(0).click()
    title = page.get_by_role("textbox", name="Title", exact=True)
    opened = title.input_value()
    title.fill("Changed")
    items.nth(1).click()
    page.get_by_role("button", name="Stay here").click()
    settled(page)

    assert opened
    expect(title).to_have_value("Changed")


def test_a_search_by_group_lists_its_athletes(plan, tmp_path):
    with (
        closing(Store.open(f"sqlite:///{tmp_path / 'service.db'}")) as store,
        store.changing_plans() as plans,
    ):
        plans.set_groups(squad.SQUAD, squad.BEN, ["Jünior Track"])
    page = plan()
    field = page.get_by_role("combobox", name="Athlete")
    field.click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("junior ben")

    expect(page.get_by_role("option")).to_have_text([re.compile("^Ben .* Jünior Track$")])
    assert violations(page) == []
    page.keyboard.press("Enter")
    expect(field).to_have_value(re.compile("^Ben [^J]*$"))


@pytest.fixture
def held(tmp_path, chromium, new_page):
    """The plan of a squad of twelve over a service that answers as many applications and previews as the gate lets pass."""
    seed_fortnight(tmp_path)
    gate = Semaphore(0)
    with closing(Store.open(f"sqlite:///{tmp_path / 'service.db'}")) as store:
        for number in range(10):
            store.add_user(NewUser(id=f"usr_{number}", first_name=f"Rider {number}"))
            store.add_member(squad.SQUAD, f"usr_{number}", WorkspaceRole.ATHLETE)
        app = create_app(store, settings=Settings(outbox=tmp_path / "outbox"))

        async def answer(scope, receive, send):
            if scope["type"] == "http" and scope["path"].endswith("/apply"):
                await to_thread(gate.acquire)
            await app(scope, receive, send)

        with served(answer) as service:
            settings = {"COACHBOARD_BASE_URL": service, "COACHBOARD_API_KEY": squad.COACH_KEY}
            with dashboard_process(tmp_path, **settings) as address:
                page = watched(new_page())
                page.goto(f"{address}/plans?new=weeks&from=2026-03-02&to=2026-03-22")
                page.get_by_label("Title").fill("Three weeks")
                page.get_by_role("button", name="Save as plan").click()
                yield section(page, "Apply"), gate


def test_a_plan_for_many_counts_the_athletes_that_it_has_read_and_is_one_batch(held):
    page, gate = held
    page.get_by_role("combobox", name="Athletes").click()
    page.get_by_role("option", name="All athletes (12)").click()
    for done in (0, 5, 10):
        expect(page.get_by_text(f"Reading the calendars: {done} of 12 athletes…")).to_be_visible()
        gate.release()
    gate.release(100)  # for further runs of the page
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Apply to 12 athletes")).to_be_visible()
    expect(page.get_by_text("Reading the calendars")).to_have_count(0)
    page.get_by_role("button", name="Apply to 12 athletes").click()

    expect(
        page.get_by_text(re.compile(r"^Added \d+ entries to the calendars of 12 athletes\."))
    ).to_be_visible()
    page.get_by_role("button", name="Undo the plan for 12 athletes").click()
    expect(page.get_by_text("Undone: the plan for 12 athletes.")).to_be_visible()
    assert page.faults == []


@pytest.mark.slow
def test_an_athlete_enters_illness_and_travel_and_a_coach_sees_them_before_planning(plan, new_page):
    coach = plan()
    address = coach.url.partition("/calendar")[0]
    athlete = watched(new_page())
    athlete.goto(f"{address}/calendar")
    take_demo_key(athlete, "athlete")
    expect(athlete.get_by_role("button", name="Ana Li demo")).to_be_visible()
    settled(athlete).goto(f"{address}/calendar?on=2026-03-24")
    expect(athlete.get_by_role("grid")).to_be_visible(timeout=30_000)
    for date, kind, text in (("2026-03-24", "Illness", "Flu"), ("2026-03-26", "Travel", "Flight")):
        new(settled(athlete), date, kind)
        athlete.get_by_label("Title").fill(text)
        athlete.keyboard.press("Control+s")
        expect(tray(athlete)).to_contain_text(f"Added {text}")
    workout = {"title": "Ride", "sport": "cycling", "duration": 3600}
    entries = [{"day": day, "kind": "workout", "value": workout} for day in (1, 2, 3)]
    dry = [
        {
            "op": "create",
            "kind": "workout",
            "userId": squad.ANA,
            "value": {**workout, "date": f"2026-03-{day}"},
        }
        for day in (24, 25, 26)
    ]
    with httpx.Client(
        base_url=f"{address}/api/plan/v1", headers={"Authorization": f"Bearer {squad.COACH_KEY}"}
    ) as service:
        warnings = service.post("/batches", json={"operations": dry, "dryRun": True}).json()["warnings"]
        made = service.post("/plans", json={"title": "Three days", "days": 3, "entries": entries}).json()
    coach.goto(f"{address}/plans?plan={made['id']}&view=apply&to={squad.ANA}&on=2026-03-24")
    expect(coach.get_by_text("Days to look at (2)")).to_be_visible(timeout=30_000)

    assert [(each["date"], each["code"]) for each in warnings] == [
        ("2026-03-24", "ill"),
        ("2026-03-26", "notAvailable"),
    ]
    assert athlete.faults == []
