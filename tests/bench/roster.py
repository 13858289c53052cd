"""Roster and athlete page at 24 athletes with 1.5 years and 300 with 8: cold, warm, and the table's first rows."""

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from playwright.sync_api import Page

from bench.browser import chromium, empty_page, free_port, median_s, served, settle_s
from bench.table import Row
from coachboard.service.demo.generate import KEYS, Size, generate, user_id
from coachboard.service.store import Store

TODAY = date(2026, 11, 20)
SIZES = ((24, 1.5), (300, 8.0))
_FLOOR = "empty page"
_NAMES = (
    "[...document.querySelectorAll('*')].some(e => (e.shadowRoot ?? e).querySelector?.('.people tbody tr'))"
)
_WHOLE = f"!document.querySelector('[data-testid=stProgress]') && {_NAMES}"


def run() -> list[Row]:
    """Sizes can be named in BENCH_SIZES as `24x1.5,300x8`."""
    with empty_page() as empty, chromium() as new_page:
        floor_s = median_s(lambda: settle_s(new_page(), empty), times=5)
        rows: list[Row] = []
        for athletes, years in _sizes():
            with _dashboard(athletes, years) as address:
                rows += _rows(address, new_page, floor_s, f"{athletes} athletes, {years:g} years")
    return rows


def _rows(address: str, new_page: Callable[[], Page], floor_s: float, size: str) -> list[Row]:
    page = new_page()
    settle_s(new_page(), f"{address}/settings")
    names_s = settle_s(page, address, extra=_NAMES)
    began = time.perf_counter()
    page.wait_for_function(f"() => {_WHOLE}", polling=50, timeout=600_000)
    whole_s = names_s + time.perf_counter() - began
    warm_s = median_s(lambda: settle_s(page, address, extra=_WHOLE), times=5)
    link = f"{address}/athlete?athlete={user_id('climber')}"
    athlete_s = settle_s(page, link)
    again_s = median_s(lambda: settle_s(page, link), times=5)
    return [
        Row(f"roster, first rows cold, {size}", names_s, "s", floor_s, _FLOOR),
        Row(f"roster, all rows cold, {size}", whole_s, "s"),
        Row(f"roster warm, {size}", warm_s, "s", floor_s, _FLOOR),
        Row(f"athlete, first visit, {size}", athlete_s, "s", floor_s, _FLOOR),
        Row(f"athlete warm, {size}", again_s, "s", floor_s, _FLOOR),
    ]


def _sizes() -> tuple[tuple[int, float], ...]:
    asked = os.environ.get("BENCH_SIZES")
    if not asked:
        return SIZES
    pairs = (size.split("x") for size in asked.split(","))
    return tuple((int(athletes), float(years)) for athletes, years in pairs)


@contextmanager
def _dashboard(athletes: int, years: float) -> Iterator[str]:
    folder = Path(tempfile.mkdtemp())
    database = f"sqlite:///{folder / 'service.db'}"
    store = Store.open(database)
    generate(store, Size(TODAY, athletes=athletes, years=years))
    for key, owner in zip(KEYS, ("coach", "climber", "admin"), strict=True):
        store.add_key(user_id(owner), label=key, key=key)
    store.close()
    port = free_port()
    env = {
        "COACHBOARD_DATABASE_URL": database,
        "COACHBOARD_CACHE_URL": f"sqlite:///{folder / 'cache.db'}",
        "COACHBOARD_TODAY": TODAY.isoformat(),
    }
    command = [sys.executable, "-m", "uvicorn", "app:app", "--port", str(port), "--log-level", "warning"]
    with served(command, port=port, env=env) as address:
        yield address
