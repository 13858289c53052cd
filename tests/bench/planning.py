"""Planning: gestures in a browser beside their goals, a month beside a service without the API, and large batches.

The batches run on SQLite, and on PostgreSQL where COACHBOARD_TEST_POSTGRES_URL names a server.
"""

import re
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

import orjson
from playwright.sync_api import Locator, Page

import squad
import training
from bench import squads
from bench.browser import chromium, settle_s
from bench.dashboard import athletes, dashboard
from bench.pages import DRAWN
from bench.table import Row
from browser.journeys import seed_fortnight
from coachboard.service.planning import applying, batches
from coachboard.service.planning.batches import Author
from coachboard.service.store import NewUser, Store
from coachboard.service.store.library import StoredPlan
from coachboard.wire.enums import WorkspaceRole
from coachboard.wire.planning import PlanBatch
from coachboard.wire.training_plans import ApplyRequest, RollOutRequest
from databases import SERVER, empty_database
from running import dashboard_process

_GOAL = "goal"
_TIMES = 7
_TEXT = "Warm-up\n- 15m 50-60%\n\n3x\n- 12m 95-100%\n- 4m 50%\n\nCool-down\n- 10m 50%"
_ATHLETES, _WORKOUTS = 40, 3_000
_TYPED_S = """(area, [text, duration]) => new Promise((resolve) => {
  const panel = area.getRootNode();
  const began = performance.now();
  const observer = new MutationObserver(() => {
    if (![...panel.querySelectorAll("*")].some((element) => element.textContent.trim() === duration)) return;
    observer.disconnect();
    resolve((performance.now() - began) / 1000);
  });
  observer.observe(panel, { subtree: true, childList: true, characterData: true });
  area.value = text;
  area.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
})"""
"""Seconds from a typed text to the profile's duration; measured in the page, as a driver looks only every 100 ms."""
_WATCH_PLACE = """(entry, [id, date]) => {
  const root = entry.getRootNode();
  window.placed = new Promise((resolve) => {
    const begin = (event) => {
      if (event.type === "keydown" && event.key !== "Enter") return;
      const isThere = () => root.querySelector(`[data-date="${date}"] [data-pick="${id}"]`) !== null;
      const look = () => isThere() && (observer.disconnect(),
        requestAnimationFrame((now) => resolve((performance.now() - event.timeStamp) / 1000)));
      const observer = new MutationObserver(look);
      observer.observe(root, { subtree: true, childList: true });
      look();
    };
    for (const type of ["pointerup", "keydown"]) addEventListener(type, begin, { capture: true, once: true });
  });
}"""
"""Notes the seconds from the release of the pointer, or from Enter, to the frame that draws the entry in its new day."""


def run() -> list[Row]:
    """Gestures first, while the machine is quiet."""
    return [*_gestures(), *_months(), *_batches()]


def _gestures() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name, chromium() as new_page:
        seed_fortnight(Path(name))
        today = training.TODAY.isoformat()
        with dashboard_process(Path(name), COACHBOARD_TODAY=today) as address:
            page = new_page()
            settle_s(page, f"{address}/calendar?athlete={squad.ANA}", extra=DRAWN["calendar"])
            drops = [_drop_s(page, day) for day in (19, 20, 19, 20, 19, 20, 19)]
            placed, saved = (statistics.median(column) for column in zip(*drops, strict=True))
            yield Row("planning, drop to its new place", placed, "s", 0.1, _GOAL)
            yield Row("planning, drop to saved", saved, "s", 0.3, _GOAL)
            moved = [_key_s(page, day) for day in (20, 19, 20, 19, 20, 19, 20)]
            yield Row("planning, Enter to its new place", statistics.median(moved), "s", 0.1, _GOAL)
            opened = [_open_s(page) for _ in range(_TIMES)]
            yield Row("planning, click to editor", statistics.median(opened), "s", 0.25, _GOAL)
            typed = [_type_s(page, minutes) for minutes in range(11, 11 + _TIMES)]
            yield Row("planning, text to profile", statistics.median(typed), "s", 0.15, _GOAL)


def _drop_s(page: Page, day: int) -> tuple[float, float]:
    """Seconds from the release of the pointer to the entry in its new day, and to the saved move."""
    start = _entry(page).bounding_box()
    end = page.locator(f"[data-date='2026-03-{day}']").bounding_box()
    assert start
    assert end
    page.mouse.move(start["x"] + 20, start["y"] + 10)
    page.mouse.down()
    page.mouse.move(end["x"] + 30, end["y"] + 60, steps=3)
    _watch_place(page, day)
    began = time.perf_counter()
    page.mouse.up()
    _wait_for_move(page, day)
    return float(page.evaluate("window.placed")), time.perf_counter() - began


def _key_s(page: Page, day: int) -> float:
    """Seconds from Enter to the entry in its new day, a day later or earlier."""
    _entry(page).focus()
    page.keyboard.press("m")
    page.keyboard.press("ArrowRight" if day == 20 else "ArrowLeft")
    _watch_place(page, day)
    page.keyboard.press("Enter")
    _wait_for_move(page, day)
    return float(page.evaluate("window.placed"))


def _entry(page: Page) -> Locator:
    return page.locator("[data-pick]").filter(has_text="Intervals").first


def _watch_place(page: Page, day: int) -> None:
    entry = _entry(page)
    entry.evaluate(_WATCH_PLACE, [entry.get_attribute("data-pick"), f"2026-03-{day}"])


def _wait_for_move(page: Page, day: int) -> None:
    """Until the page says that the move to this day is saved."""
    page.get_by_text(re.compile(rf"^Moved .* to {date(2026, 3, day):%a %-d %b}")).first.wait_for()


def _open_s(page: Page) -> float:
    item = page.locator(".item").filter(has_text="Intervals").first
    began = time.perf_counter()
    item.click()
    page.get_by_label("Title").wait_for()
    took_s = time.perf_counter() - began
    page.get_by_role("button", name="Close").click()
    page.get_by_label("Title").wait_for(state="hidden")
    return took_s


def _type_s(page: Page, minutes: int) -> float:
    if not page.get_by_label("Title").is_visible():
        page.locator(".item").filter(has_text="Intervals").first.click()
    steps = page.get_by_role("textbox", name="Steps")
    return float(steps.evaluate(_TYPED_S, [f"- {minutes}m 60%", f"{minutes}:00"]))


def _months() -> Iterator[Row]:
    """Reloads, by turns, of pages whose data the client has."""
    named = squads.Squad(24, 1.5)
    with chromium() as new_page, dashboard(named) as planned, dashboard(named, has_plans=False) as bare:
        links = [_month_link(address) for address in (planned, bare)]
        times = [
            [settle_s(new_page(), link, extra=DRAWN["calendar"]) for link in links] for _ in range(_TIMES)
        ]
    with_s, without_s = (statistics.median(column) for column in zip(*times[1:], strict=True))
    yield Row("planning, a month of four athletes", with_s, "s", without_s, "without the API")


def _month_link(address: str) -> str:
    first, *others = athletes(address)[:4]
    return f"{address}/calendar?athlete={first}&beside={','.join(others)}"


def _batches() -> Iterator[Row]:
    for kind in ("sqlite", *(["postgres"] if SERVER else [])):
        with (
            tempfile.TemporaryDirectory() as name,
            empty_database(kind, Path(name)) as url,
            closing(Store.open(url)) as store,
        ):
            body = _plan_of_many(store)
            times = [_batch_s(store, body, turn) for turn in range(3)]
            applied = [_plan_s(store, turn) for turn in range(3)]
        run_s, undo_s = (statistics.median(column) for column in zip(*times, strict=True))
        what = f"{_WORKOUTS:,} workouts for {_ATHLETES} athletes, {kind}"
        yield Row(f"planning, {what}", run_s, "s", 5.0, _GOAL)
        yield Row(f"planning, undo of {what}", undo_s, "s", 5.0, _GOAL)
        parts = ("a plan", "its preview", "its roll-out", "its undo")
        for part, seconds in zip(parts, map(statistics.median, zip(*applied, strict=True)), strict=True):
            yield Row(f"planning, {part}: {what}", seconds, "s", 5.0, _GOAL)


def _plan_of_many(store: Store) -> bytes:
    store.add_user(NewUser(id="usr_coach"))
    store.add_workspace("Squad", "squad", id="wke_squad")
    store.add_member("wke_squad", "usr_coach", WorkspaceRole.COACH)
    ids = [f"usr_{number}" for number in range(_ATHLETES)]
    for user_id in ids:
        store.add_user(NewUser(id=user_id))
        store.add_member("wke_squad", user_id, WorkspaceRole.ATHLETE)
    operations = [
        {
            "op": "create",
            "kind": "workout",
            "userId": ids[number % _ATHLETES],
            "value": {
                "date": str(training.TODAY + timedelta(days=number // _ATHLETES)),
                "title": f"Workout {number}",
                "sport": "cycling",
                "text": _TEXT,
            },
        }
        for number in range(_WORKOUTS)
    ]
    return orjson.dumps({"operations": operations})


def _batch_s(store: Store, body: bytes, turn: int) -> tuple[float, float]:
    """Seconds of the batch, decoded, done and answered, and of its undo."""
    author = Author("usr_coach", training.TODAY, 1e9 + turn)
    began = time.perf_counter()
    reply = batches.run(store, author, PlanBatch.from_wire(orjson.loads(body)), idempotency_key=None)
    done = time.perf_counter()
    batches.undo(store, author, orjson.loads(reply)["id"], force=False)
    return done - began, time.perf_counter() - done


def _plan_s(store: Store, turn: int) -> tuple[float, ...]:
    """Seconds of the application of a plan of 75 days, of its preview, of a roll-out of all entries, and of the undo."""
    author, plan_id = Author("usr_coach", training.TODAY, 2e9 + turn), f"pln_{turn}"
    start = {"start": training.TODAY.isoformat()}
    athletes = [{"userId": f"usr_{number}", "anchor": start} for number in range(_ATHLETES)]
    asked = ApplyRequest.from_wire({"athletes": athletes})
    plans = [StoredPlan(plan_id, "usr_coach", None, "usr_coach", 0, 1, _plan_fields(title)) for title in "AB"]
    with store.changing_plans() as rows:
        rows.training.add(plans[0])
    times = [time.perf_counter()]
    reply = applying.apply(store, author, lambda _rows: plans[0], asked, idempotency_key=None)
    times.append(time.perf_counter())
    preview = asked.model_copy(update={"dry_run": True})
    applying.apply(store, author, lambda _rows: plans[0], preview, idempotency_key=None)
    times.append(time.perf_counter())
    later = applying.roll_out(store, author, lambda _rows: plans[1], RollOutRequest(), idempotency_key=None)
    times.append(time.perf_counter())
    batches.undo(store, author, orjson.loads(later)["id"], force=False)
    undone = time.perf_counter()
    batches.undo(store, author, orjson.loads(reply)["id"], force=False)
    times.append(time.perf_counter() - undone + times[-1])
    return tuple(after - before for before, after in pairwise(times))


def _plan_fields(title: str) -> dict[str, object]:
    days = _WORKOUTS // _ATHLETES
    value = {"title": title, "sport": "cycling", "text": _TEXT}
    entries = [
        {"id": f"ple_{day}", "day": day, "lastDay": None, "kind": "workout", "value": value}
        for day in range(1, days + 1)
    ]
    return {
        "title": title,
        "description": None,
        "sport": "cycling",
        "days": days,
        "entries": entries,
        "createdBy": "",
    }
