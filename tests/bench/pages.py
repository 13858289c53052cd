"""Calendar and trends: cold, reloaded and by a click in the navigation, beside an empty page, at several sizes.

Cold is a first visit to an athlete of whom the client knows nothing yet. The floor of a reload is an empty page, that of
a click is the change between two empty pages. Roster and athlete are measured in `roster.py`.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from playwright.sync_api import Page

from bench import squads
from bench.browser import chromium, empty_page, free_port, median_s, served, settle_s, settled
from bench.table import Row
from coachboard.service.demo.generate import KEYS

TIMES = 7
PAGES = ("calendar", "trends")
# Each page is there once its own part is drawn, not when its title is.
DRAWN = {
    "calendar": "[...document.querySelectorAll('*')].some(e => (e.shadowRoot ?? e).querySelector?.('.grid .day'))",
    "trends": "document.querySelector('.figure .main-svg')",
}
_TWO_EMPTY_PAGES = """
import streamlit as st
def one(): st.title("One")
def two(): st.title("Two")
st.navigation([st.Page(one, title="One", default=True), st.Page(two, title="Two")]).run()
"""


def run() -> list[Row]:
    """Sizes can be named in BENCH_SIZES as `24x1.5,300x8`."""
    with chromium() as new_page:
        with empty_page() as address:
            reload_s = median_s(lambda: settle_s(new_page(), address), times=TIMES)
        with empty_page(_TWO_EMPTY_PAGES) as address:
            click_s = _between(new_page(), address, ("Two", "One"))[0]
        rows: list[Row] = []
        for squad in squads.asked():
            with _dashboard(squad) as address:
                rows += _rows(address, new_page, floors=(reload_s, click_s), size=str(squad))
    return rows


def _rows(address: str, new_page: Callable[[], Page], *, floors: tuple[float, float], size: str) -> list[Row]:
    settle_s(new_page(), f"{address}/settings")
    athletes = iter(_athletes(address))
    rows: list[Row] = []
    for name in PAGES:
        cold_s = median_s(lambda name=name: _visit_s(new_page(), address, name, next(athletes)), times=TIMES)
        known = next(athletes)
        _visit_s(new_page(), address, name, known)
        warm_s = median_s(lambda name=name: _visit_s(new_page(), address, name, known), times=TIMES)  # noqa: B023 (used at once)
        rows += [
            Row(f"{name} cold, {size}", cold_s, "s", floors[0], "empty page"),
            Row(f"{name} reloaded, {size}", warm_s, "s", floors[0], "empty page"),
        ]
    page = new_page()
    _visit_s(page, address, "trends", known)
    for name, clicked_s in zip(PAGES, _between(page, None, ("Calendar", "Trends")), strict=True):
        rows.append(Row(f"{name} by a click, {size}", clicked_s, "s", floors[1], "change of empty pages"))
    return rows


def _visit_s(page: Page, address: str, name: str, athlete: str) -> float:
    return settle_s(page, f"{address}/{name}?athlete={athlete}", extra=DRAWN[name])


def _between(page: Page, address: str | None, titles: tuple[str, str]) -> tuple[float, float]:
    """Seconds from a click in the navigation to the settled page, to and fro; the first pair only warms up."""
    if address:
        settle_s(page, address, extra="document.querySelector('h1')")
    pairs = [tuple(_click_s(page, title) for title in titles) for _ in range(TIMES + 1)][1:]
    there, back = (sorted(times)[TIMES // 2] for times in zip(*pairs, strict=True))
    return there, back


def _click_s(page: Page, title: str) -> float:
    link = page.locator("[data-testid=stSidebarNavLink]", has_text=title)
    link.wait_for()
    extra = f"document.querySelector('h1')?.innerText === '{title}' && ({DRAWN.get(title.lower(), 'true')})"
    start = time.perf_counter()
    link.click()
    page.wait_for_function(settled(extra), polling=10, timeout=60_000)
    return time.perf_counter() - start


def _athletes(address: str) -> list[str]:
    """Those with the longest lists first would be unfair; the order of the service is by name."""
    reply = httpx.get(f"{address}/api/users", headers={"Authorization": f"Bearer {KEYS[0]}"}, timeout=60)
    return [user["id"] for user in reply.raise_for_status().json()]


@contextmanager
def _dashboard(squad: squads.Squad) -> Iterator[str]:
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        env = {
            "COACHBOARD_DATABASE_URL": f"sqlite:///{squads.database(squad)}",
            "COACHBOARD_CACHE_URL": f"sqlite:///{Path(folder) / 'cache.db'}",
            "COACHBOARD_TODAY": squads.TODAY.isoformat(),
        }
        command = [sys.executable, "-m", "uvicorn", "app:app", "--port", str(port), "--log-level", "warning"]
        with served(command, port=port, env=env) as address:
            yield address
