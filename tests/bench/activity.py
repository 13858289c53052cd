"""The activity page of a 6 h ride with 25 columns: cold, warm, a selection to its card, bytes and memory."""

import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import numpy as np
import psutil
from playwright.sync_api import Page

import rides
import squad
from bench.browser import chromium, empty_page, free_port, median_s, served, settle_s
from bench.table import Row
from coachboard.service.store import Store
from coachboard.wire.streams import STREAM_COLUMNS, ActivityStreams

SECONDS = 21_600
TIMES = 7
_DRAWN = "document.querySelectorAll('.figure .scatterlayer .trace').length >= 4"
_ALL_DRAWN = """() => {
  const main = document.querySelector('[data-testid=stMain]');
  main.scrollBy(0, 150);  // what is drawn on approach must be in view for a moment
  const figures = [...document.querySelectorAll('.figure')];
  return main.scrollTop + main.clientHeight >= main.scrollHeight - 4 && figures.length >= 3
    && figures.every(figure => figure.querySelector('.main-svg'));
}"""
_FLOOR = "empty page"


def run() -> list[Row]:
    """The rows of the table; each ride is opened once, so that every cold run is a first one.

    Floor, cold and warm are opened in one tab each that had the page before: in a new tab a browser compiles all
    scripts again, which doubles the floor too and would tell cold from warm by the tab instead of by the data.
    """
    with _dashboard() as (address, process), empty_page() as empty, chromium() as new_page:
        floor_s = _in_one_tab(new_page(), [empty] * (TIMES + 1), extra="true")
        page = new_page()
        cold_s = _in_one_tab(page, [_link(address, number) for number in range(TIMES + 1)])
        received = _count_bytes(page)
        warm_s = _in_one_tab(page, [_link(address, 0)] * (TIMES + 1))
        payload_mb = received[0] / (TIMES + 1) / 1e6
        new_floor_s = median_s(lambda: _in_new_tab(new_page(), empty, extra="true"), times=TIMES)
        new_warm_s = median_s(lambda: _in_new_tab(new_page(), _link(address, 0)), times=TIMES)
        rest_s = median_s(lambda: _scroll_s(new_page(), _link(address, 0)), times=TIMES)
        page.bring_to_front()  # a page behind others draws once a second
        turns = iter(range(TIMES + 1))
        _select_s(page, next(turns))
        select_s = median_s(lambda: _select_s(page, next(turns)), times=TIMES)
        memory_mb = psutil.Process(process).memory_info().rss / 1e6
    return [
        Row("activity, 6 h x 25 columns, not in the cache", cold_s, "s", floor_s, _FLOOR),
        Row("activity, 6 h x 25 columns, warm", warm_s, "s", floor_s, _FLOOR),
        Row("activity, 6 h x 25 columns, warm, in a new tab", new_warm_s, "s", new_floor_s, _FLOOR),
        Row("activity, scrolled down to all charts drawn", rest_s, "s", floor_s, _FLOOR),
        Row("activity, drag released to card", select_s, "s"),
        Row("activity, bytes to the browser", payload_mb, "MB"),
        Row("activity, memory of the server", memory_mb, "MB"),
    ]


def _in_one_tab(page: Page, links: list[str], *, extra: str = _DRAWN) -> float:
    """The median of opening these one after the other; the first one warms the tab and does not count."""
    return statistics.median([settle_s(page, link, extra=extra) for link in links][1:])


def _in_new_tab(page: Page, link: str, *, extra: str = _DRAWN) -> float:
    seconds = settle_s(page, link, extra=extra)
    page.close()
    return seconds


def _link(address: str, number: int) -> str:
    day = (rides.START + timedelta(days=number)).date()
    return f"{address}/activity?athlete={squad.ANA}&activity=act_{number}&day={day}"


@contextmanager
def _dashboard() -> Iterator[tuple[str, int]]:
    folder = Path(tempfile.mkdtemp())
    store = Store.open(f"sqlite:///{folder / 'service.db'}")
    squad.seed(store)
    for number in range(TIMES + 1):
        _put_ride(store, number)
    store.close()
    port = free_port()
    env = {
        "COACHBOARD_DATABASE_URL": f"sqlite:///{folder / 'service.db'}",
        "COACHBOARD_CACHE_URL": f"sqlite:///{folder / 'cache.db'}",
        "COACHBOARD_TODAY": (rides.START + timedelta(days=TIMES + 1)).date().isoformat(),
    }
    command = [sys.executable, "-m", "uvicorn", "app:app", "--port", str(port), "--log-level", "warning"]
    with served(command, port=port, env=env) as address:
        yield address, _process_at(port)


def _process_at(port: int) -> int:
    listening = (c for c in psutil.Process().children(recursive=True) if _listens(c, port))
    return next(listening).pid


def _listens(process: psutil.Process, port: int) -> bool:
    return any(c.laddr.port == port and c.status == "LISTEN" for c in process.net_connections())


def _put_ride(store: Store, number: int) -> None:
    start = rides.START + timedelta(days=number)
    random = np.random.default_rng(number)
    t = np.arange(SECONDS)
    power = np.maximum(np.where(t // 600 % 2, 260.0, 170.0) + random.normal(0, 30, SECONDS), 0).round()
    columns = {name: random.normal(50, 5, SECONDS).round(1) for name in STREAM_COLUMNS}
    columns |= dict(rides.streams(SECONDS).columns) | {"power": power}
    laps = tuple(rides.lap(at, at + 599, power=float(power[at]), at=start) for at in range(0, SECONDS, 600))
    activity = rides.activity(
        f"act_{number}", start=start, total_duration=SECONDS, distance=216_000, laps=laps
    )
    store.put_activities(squad.ANA, [activity])
    stamps = np.datetime64(start.replace(tzinfo=None), "ms") + (t * 1000).astype("timedelta64[ms]")
    store.put_streams(activity.id, ActivityStreams(columns, stamps))


def _count_bytes(page: Page) -> list[int]:
    received = [0]
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: _add(received, frame)))
    return received


def _add(received: list[int], frame: str | bytes) -> None:
    received[0] += len(frame)


def _scroll_s(page: Page, link: str) -> float:
    """Seconds from scrolling to the end until laps, route and the analysis, drawn on approach, are on screen."""
    settle_s(page, link, extra=_DRAWN)
    start = time.perf_counter()
    page.wait_for_function(_ALL_DRAWN, polling=100, timeout=60_000)
    elapsed = time.perf_counter() - start
    page.close()
    return elapsed


def _select_s(page: Page, turn: int) -> float:
    """Seconds from letting go of the mouse until the card names another stretch."""
    box = page.locator(".figure").first.bounding_box()
    assert box is not None
    left, y = box["x"] + 80 + 60 * turn, box["y"] + 150
    page.mouse.move(left, y)
    page.mouse.down()
    page.mouse.move(left + 60, y + 20, steps=3)
    page.mouse.move(left + 200, y + 60, steps=3)
    before = page.evaluate(_CARD)
    start = time.perf_counter()
    page.mouse.up()
    page.wait_for_function(
        f"(before) => {{ const now = ({_CARD})(); return now && now !== before; }}", arg=before, polling=5
    )
    elapsed = time.perf_counter() - start
    page.wait_for_timeout(600)
    return elapsed


_CARD = """() => {
  const card = [...document.querySelectorAll('h1,h2,h3,h4,p,strong')].find(e => e.innerText.startsWith('Selection, '));
  return card ? card.innerText : '';
}"""
