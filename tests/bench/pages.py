"""Every page but the activity's: reloaded and by a click in the navigation, beside empty pages, at several sizes.

A page is settled when the script has ended, every chart in the window is drawn, and so is the last element of the
page: all that the first window shows, and all else that comes without the reader's doing. Page and empty page take
turns in random order, so that a busy moment of the machine, or what the page before left behind, meets both. A click
is compared with an empty page that is loaded and with a change of two empty ones. Where a page reads one athlete, a
first visit is measured too, to athletes of whom the client knows nothing yet. The roster's is in `roster.py`.
"""

import random
import statistics
import time
from collections.abc import Callable, Iterator

from playwright.sync_api import Page

from bench import squads
from bench.browser import chromium, empty_page, settle_s, settled
from bench.dashboard import athletes, dashboard
from bench.table import Row
from coachboard.ui.frame import navigation

TIMES = 5
_REST_S = 0.4
"""After each page: browser and server still clear it away, and the next one would pay for that."""
_WINDOW_S = 0.8
"""Before each page: a browser's new window loads the browser's own surface, some 400 ms of CPU that no reload has."""
_IN_A_COMPONENT = (
    "[...document.querySelectorAll('*')].some(e => (e.shadowRoot ?? e).querySelector?.('{selector}'))"
)
_UNDER_A_HEAD = "[...document.querySelectorAll('h2')].some(head => head.innerText.startsWith('{words}'))"
_LAST = {
    # Of the roster alone: the athlete's lists are tables of the same component, and may still be on screen.
    "roster": _IN_A_COMPONENT.format(selector=".people .numbers tbody tr:not(.muted)"),
    "athlete": _IN_A_COMPONENT.format(selector=".places section:last-child h2"),
    "calendar": _IN_A_COMPONENT.format(selector=".grid .day"),
    "trends": "document.querySelector('.figure .main-svg')",
    "workspaces": _UNDER_A_HEAD.format(words="Invitations"),
    "settings": _UNDER_A_HEAD.format(words="Formula sheet"),
}
"""The last element of a page, or its main section if the last element appears with the title; else its title."""
DRAWN = {
    name: _LAST.get(name, "document.querySelector('h1')")
    for name in navigation.PLACES
    if name in navigation.pages_for("everyone", "coaches") - {"activity"}
}
OF_AN_ATHLETE = ("athlete", "calendar", "trends")
_TWO_EMPTY_PAGES = """
import streamlit as st
def one(): st.title("One")
def two(): st.title("Two")
st.navigation([st.Page(one, title="One", default=True), st.Page(two, title="Two")]).run()
"""


def run() -> list[Row]:
    """Sizes can be named in BENCH_SIZES as `24x1.5,300x8`."""
    rows: list[Row] = []
    with chromium() as new_page, empty_page() as empty, empty_page(_TWO_EMPTY_PAGES) as two:
        for squad in squads.asked():
            with dashboard(squad) as address:
                rows += _first_visits(address, new_page, empty, str(squad))
                rows += _reloads(address, new_page, empty, str(squad))
                rows += _clicks(address, new_page, empty, two, str(squad))
    return rows


def _first_visits(address: str, new_page: Callable[[], Page], empty: str, size: str) -> Iterator[Row]:
    settle_s(new_page(), f"{address}/settings")
    unknown = iter(athletes(address)[1:])
    for name in OF_AN_ATHLETE:
        first_s, floor_s = _by_turns(
            lambda name=name: _visit_s(new_page, address, f"{name}?athlete={next(unknown)}", DRAWN[name]),  # type: ignore[misc] # the name of this turn
            lambda: _visit_s(new_page, empty),
        )
        yield Row(f"{name}, first visit, {size}", first_s, "s", floor_s, "empty page")


def _reloads(address: str, new_page: Callable[[], Page], empty: str, size: str) -> Iterator[Row]:
    known = athletes(address)[0]
    for name, drawn in DRAWN.items():
        link = f"{'' if name == 'roster' else name}?athlete={known}"
        _visit_s(new_page, address, link, _whole(drawn))
        warm_s, floor_s = _by_turns(
            lambda link=link, drawn=drawn: _visit_s(new_page, address, link, drawn),  # type: ignore[misc] # of this turn
            lambda: _visit_s(new_page, empty),
        )
        yield Row(f"{name}, reloaded, {size}", warm_s, "s", floor_s, "empty page")


def _clicks(address: str, new_page: Callable[[], Page], empty: str, two: str, size: str) -> Iterator[Row]:
    page, floor = new_page(), new_page()
    settle_s(floor, two, extra="document.querySelector('h1')")
    settle_s(page, f"{address}/settings", extra=DRAWN["settings"])
    others = iter(("Two", "One") * (TIMES + 1) * len(DRAWN))
    shown = "settings"
    clicked: dict[str, list[float]] = {name: [] for name in DRAWN}
    changed: list[float] = []
    loaded: list[float] = []
    for _ in range(TIMES + 1):
        loaded.append(_visit_s(new_page, empty))
        for name in _shuffled(shown):
            clicked[name].append(_click_s(page, navigation.PLACES[name].title, DRAWN[name]))
            shown, title = name, next(others)
            changed.append(_click_s(floor, title, f"document.querySelector('h1')?.innerText === '{title}'"))
    floor_s = statistics.median(changed[len(DRAWN) :])
    for name, seconds in clicked.items():
        # The first round brings scripts that the browser keeps from then on.
        after_s = statistics.median(seconds[1:])
        yield Row(f"{name}, by a click, {size}", after_s, "s", statistics.median(loaded[1:]), "empty page")
        yield Row(f"{name}, by a click, {size}", after_s, "s", floor_s, "change of empty pages")


def _whole(drawn: str) -> str:
    return f"!document.querySelector('[data-testid=stProgress]') && ({drawn})"


def _shuffled(shown: str) -> list[str]:
    """Every page in random order, not beginning with the one that is shown: a click on that changes nothing."""
    first = random.choice([name for name in DRAWN if name != shown])
    rest = [name for name in DRAWN if name != first]
    return [first, *random.sample(rest, len(rest))]


def _by_turns(measure: Callable[[], float], floor: Callable[[], float]) -> tuple[float, float]:
    taken: dict[Callable[[], float], list[float]] = {measure: [], floor: []}
    for _ in range(TIMES):
        for one in random.sample((measure, floor), 2):
            taken[one].append(one())
    return statistics.median(taken[measure]), statistics.median(taken[floor])


def _visit_s(new_page: Callable[[], Page], address: str, link: str = "", drawn: str = "true") -> float:
    page = new_page()
    try:
        page.wait_for_timeout(1000 * _WINDOW_S)
        return settle_s(page, f"{address}/{link}", extra=drawn)
    finally:
        page.close()
        time.sleep(_REST_S)


def _click_s(page: Page, title: str, drawn: str) -> float:
    link = page.locator("[data-testid=stSidebarNavLink]", has_text=title)
    link.wait_for()
    page.bring_to_front()  # a page behind another one gets its timers once a second
    start = time.perf_counter()
    link.click()
    page.wait_for_function(settled(drawn), polling=10, timeout=60_000)
    took_s = time.perf_counter() - start
    time.sleep(_REST_S)
    return took_s
