"""Roster and athlete page at 24 athletes with 1.5 years and 300 with 8: cold, warm, and the table's first rows."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from bench.browser import chromium, empty_page, free_port, median_s, served, settle_s
from bench.table import Row
from coachboard.service.demo.generate import KEYS, Size, generate, user_id
from coachboard.service.store import Store

TODAY = date(2026, 11, 20)
SIZES = ((24, 1.5), (300, 8.0))
_FLOOR = "empty page"
_NAMES = "!!document.querySelector('.people') || [...document.querySelectorAll('*')].some(e => e.shadowRoot?.querySelector('.people tbody tr'))"
_WHOLE = "!document.querySelector('[data-testid=stProgress]') && (" + _NAMES + ")"


def run() -> list[Row]:
    """Sizes can be named in BENCH_SIZES as `24x1.5,300x8`."""
    rows: list[Row] = []
    with empty_page() as empty, chromium() as new_page:
        floor_s = median_s(lambda: settle_s(new_page(), empty), times=5)
        for athletes, years in _sizes():
            with _dashboard(athletes, years) as address:
                page = new_page()
                settle_s(new_page(), f"{address}/settings")
                names_s = settle_s(page, address, extra=_NAMES)
                whole_s = names_s + settle_s(page, address, extra=_WHOLE)
                warm_s = median_s(lambda: settle_s(page, address, extra=_WHOLE), times=5)
                link = f"{address}/athlete?athlete={user_id('climber')}"
                athlete_s = settle_s(page, link)
                again_s = median_s(lambda: settle_s(page, link), times=5)
            name = f"{athletes} athletes, {years:g} years"
            rows += [
                Row(f"roster, first rows cold, {name}", names_s, "s", floor_s, _FLOOR),
                Row(f"roster, all rows cold, {name}", whole_s, "s"),
                Row(f"roster warm, {name}", warm_s, "s", floor_s, _FLOOR),
                Row(f"athlete cold, {name}", athlete_s, "s", floor_s, _FLOOR),
                Row(f"athlete warm, {name}", again_s, "s", floor_s, _FLOOR),
            ]
    return rows


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
