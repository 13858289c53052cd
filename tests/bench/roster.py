"""The roster with an empty cache: names, first numbers, all numbers, and the calls that the service refused."""

import time
from collections.abc import Callable

from playwright.sync_api import Page

from bench import squads
from bench.browser import chromium, empty_page, median_s, settle_s
from bench.dashboard import dashboard, refused
from bench.table import Row

USUAL = (squads.Squad(24, 1.5), squads.Squad(50, 1.5))
"""The budget lets 58 athletes be read within its first minute; a larger squad waits, which `300x8` measures."""
_ROW = "[...document.querySelectorAll('*')].some(e => (e.shadowRoot ?? e).querySelector?.('.people tbody tr{kind}'))"
_NAMES = _ROW.format(kind="")
_NUMBERS = _ROW.format(kind=":not(.muted)")
_WHOLE = f"!document.querySelector('[data-testid=stProgress]') && !{_ROW.format(kind='.muted')} && {_NAMES}"


def run() -> list[Row]:
    """Sizes can be named in BENCH_SIZES as `24x1.5,300x8`."""
    with empty_page() as empty, chromium() as new_page:
        floor_s = median_s(lambda: settle_s(new_page(), empty), times=5)
        rows: list[Row] = []
        for squad in squads.asked(USUAL):
            with dashboard(squad) as address:
                rows += _rows(address, new_page, floor_s, str(squad))
    return rows


def _rows(address: str, new_page: Callable[[], Page], floor_s: float, size: str) -> list[Row]:
    settle_s(new_page(), f"{address}/settings")
    page = new_page()
    began = time.perf_counter()
    names_s = settle_s(page, address, extra=_NAMES)
    numbers_s, whole_s = (_reached_s(page, state, began) for state in (_NUMBERS, _WHOLE))
    return [
        Row(f"roster cold, names, {size}", names_s, "s", floor_s, "empty page"),
        Row(f"roster cold, first numbers, {size}", numbers_s, "s"),
        Row(f"roster cold, all numbers, {size}", whole_s, "s"),
        Row(f"roster cold, calls refused by the service, {size}", refused(address), "replies 429"),
    ]


def _reached_s(page: Page, state: str, began: float) -> float:
    page.wait_for_function(f"() => {state}", polling=20, timeout=900_000)
    return time.perf_counter() - began
