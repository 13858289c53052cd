"""Browsers sign in and out with three keys in turn: no data of one key appears with another one."""

import asyncio
import random
import re
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

from playwright.async_api import Browser, Page, async_playwright, expect

import training
from bench.browser import FLAGS, settled
from coachboard.service.store import NewNote, NewUser, Store
from coachboard.ui.frame import navigation
from coachboard.wire.enums import Gender, NoteType, WorkspaceRole
from coachboard.wire.plans import Note
from conftest import chromium_path
from running import dashboard_process
from soak.table import Row, faults_of

MARKS = ("Quokka", "Narwhal", "Axolotl")
"""Each key reads people, sessions, workouts and notes with one of these words, and no other data have it."""
_PAGES = tuple(
    "" if name == "roster" else name
    for name in navigation.PLACES
    if name not in navigation.pages_for("public")
)
_TIMEOUT_MS = 90_000
_TEXTS = """() => {
  const of = (root) => [...root.querySelectorAll('*')].filter((e) => e.shadowRoot).map((e) =>
    e.shadowRoot.innerHTML + of(e.shadowRoot)).join(' ');
  return document.documentElement.outerHTML + of(document);
}"""


@dataclass
class _Seen:
    visits: int = 0
    pages: int = 0
    faults: list[str] = field(default_factory=list)


def browsers(count: int, minutes: float) -> Iterator[Row]:
    """Let browsers, each with its own cookies, loop through sign-in, pages and sign-out."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _seed(folder)
        with dashboard_process(folder, COACHBOARD_TODAY=training.TODAY.isoformat()) as address:
            seen = asyncio.run(_looped(address, count, time.monotonic() + 60 * minutes))
        seen.faults += faults_of(folder)
    figures = f"pages of {seen.visits} sign-ins"
    yield Row(f"{count} browsers on 3 keys for {minutes:g} min", seen.pages, tuple(seen.faults), figures)


def _seed(folder: Path) -> None:
    store = Store.open(f"sqlite:///{folder / 'service.db'}")
    for mark in MARKS:
        workspace = store.add_workspace(f"Squad {mark}", f"squad-{mark.lower()}")
        for role, person in ((WorkspaceRole.COACH, "coach"), (WorkspaceRole.ATHLETE, "athlete")):
            user = f"usr_{mark}_{person}"
            born = date(1990, 1, 1)
            store.add_user(
                NewUser(
                    id=user,
                    first_name=mark,
                    last_name=person,
                    date_of_birth=born,
                    gender=Gender.FEMALE,
                    height=170,
                )
            )
            store.add_member(workspace, user, role)
        store.add_key(f"usr_{mark}_coach", label="soak", key=key_of(mark))
        _seed_training(store, mark, user)
    store.close()


def _seed_training(store: Store, mark: str, user: str) -> None:
    days = [training.TODAY + timedelta(days=n) for n in range(-20, 10)]
    rides = [training.activity(f"{mark}_{n}", day) for n, day in enumerate(days) if day < training.TODAY]
    store.put_activities(user, rides)
    store.put_prescriptions(user, [training.prescription(f"{mark}_{n}", day) for n, day in enumerate(days)])
    note = Note(id=f"not_{mark}", type=NoteType.MEDICAL, title=mark, content=mark, date=days[10], time=None)
    store.put_notes(user, [NewNote(note=note, creator_id=user, hidden_until=None)])


def key_of(mark: str) -> str:
    return f"key-{mark[::-1]}"


async def _looped(address: str, count: int, end: float) -> _Seen:
    seen = _Seen()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium_path(), args=list(FLAGS))
        async with asyncio.TaskGroup() as group:
            for _ in range(count):
                group.create_task(_one(browser, address, seen, end))
        await browser.close()
    return seen


async def _one(browser: Browser, address: str, seen: _Seen, end: float) -> None:
    """One browser; after a fault it continues with new cookies."""
    while time.monotonic() < end:
        context = await browser.new_context(viewport={"width": 1366, "height": 900})
        context.set_default_timeout(_TIMEOUT_MS)
        page = await context.new_page()
        try:
            while time.monotonic() < end:
                await _visit(page, address, random.choice(MARKS), seen)
        except Exception as error:  # noqa: BLE001 (the table names it)
            seen.faults.append(f"{page.url}: {type(error).__name__} {str(error)[:200]}")
        await context.close()


async def _visit(page: Page, address: str, mark: str, seen: _Seen) -> None:
    await page.goto(f"{address}/{random.choice(_PAGES)}")
    await page.get_by_label("API key", exact=True).fill(key_of(mark))
    async with page.expect_response(
        "**/session"
    ):  # the cookie, without which the next page asks for the key again
        await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_test_id("stSidebarNav")).to_be_visible(timeout=_TIMEOUT_MS)
    seen.visits += 1
    for name in random.sample(_PAGES, 3):
        await page.goto(f"{address}/{name}")
        await _look(page, mark, seen)
    reader = page.get_by_test_id("stSidebarUserContent").locator("button[aria-expanded]")
    await reader.click()
    await page.get_by_role("button", name="Sign out").click()
    await expect(page.get_by_role("heading", name="Sign in")).to_be_visible(timeout=_TIMEOUT_MS)
    await _look(page, None, seen, leaving=mark)
    await (page.go_back() if random.random() < 0.5 else page.reload())
    await expect(page.get_by_role("heading", name="Sign in")).to_be_visible(timeout=_TIMEOUT_MS)
    await _look(page, None, seen)


async def _look(page: Page, mark: str | None, seen: _Seen, *, leaving: str | None = None) -> None:
    """Note the words of other keys and messages of faults, while the page is drawn and after it.

    Until the run of a sign-out ends, Streamlit leaves what the tab has shown before.
    """
    for may_show in ({mark, leaving}, {mark}):
        shown = await page.evaluate(_TEXTS)
        others = [
            other for other in MARKS if other not in may_show and re.search(other, shown, re.IGNORECASE)
        ]
        seen.faults += [f"{page.url}: shows {other} to {mark or 'nobody'}" for other in others]
        seen.faults += [f"{page.url}: {text}" for text in ("went wrong", "Traceback") if text in shown]
        await page.wait_for_function(settled("true"), timeout=_TIMEOUT_MS)
    if mark is not None:
        await expect(page.get_by_test_id("stSidebarUserContent")).to_contain_text(mark, timeout=_TIMEOUT_MS)
    seen.pages += 1
