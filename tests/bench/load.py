"""Many people rerun one page: time of a rerun, CPU for each, memory; an empty page in the same run.

Sizes can be named in BENCH_LOAD as `activity:100,roster:400x2`, with two dashboards over one cache and one service. Each
person opens the page, scrolls to its end, and reruns it after a pause, in which the timers of the page go on. The load
of other programs changes the times, but hardly the CPU of a rerun.
"""

import asyncio
import gc
import os
import random
import statistics
from collections.abc import Iterator
from datetime import timedelta
from operator import itemgetter
from typing import NamedTuple

import httpx
import psutil

from bench import squads
from bench.browser import empty_page
from bench.dashboard import Served, athletes, dashboards
from bench.table import Row
from coachboard_demo.people import KEYS
from soak.visitor import Visitor

USUAL = "activity:50,roster:100"
PAUSE_S = 5.0
ARRIVAL_S = 0.2
"""Between two people, so that opening the page is not what the reruns are measured with."""
WARM_S, LASTS_S = 120.0, 60.0
"""The first reruns of a session fetch the curves of its season, which are cached then: they do not count."""
IDLE_CPU_S = 0.5
"""CPU in five seconds of a process that nobody asks; before that, its own background fetches count as reruns."""


class Use(NamedTuple):
    """All reruns of one group of people: seconds of each, CPU of the process, memory of each further person."""

    took_s: list[float]
    cpu_s: float
    person_mb: float


def run() -> list[Row]:
    rows: list[Row] = []
    squad = squads.USUAL[0]
    with empty_page() as empty:
        floor = _measured(Served([empty], empty), "", 20, [{}])
    rows += _rows("empty page, 20 people", floor, None)
    for asked in os.environ.get("BENCH_LOAD", USUAL).split(","):
        page, size = asked.split(":")
        people, _, processes = size.partition("x")
        with dashboards(squad, int(processes or 1)) as found:
            use = _measured(found, page, int(people), _queries(found.service, page))
        where = f" on {processes} dashboards" if processes else ""
        rows += _rows(f"{page}, {people} people{where}", use, floor)
    return rows


def _rows(name: str, use: Use, floor: Use | None) -> Iterator[Row]:
    cuts = statistics.quantiles(use.took_s, n=100)
    for share, value in {"p50": cuts[49], "p95": cuts[94], "p99": cuts[98]}.items():
        yield Row(f"{name}, {share} of {len(use.took_s)} reruns", 1e3 * value, "ms")
    cpu_ms = 1e3 * use.cpu_s / len(use.took_s)
    floor_ms = 1e3 * floor.cpu_s / len(floor.took_s) if floor else None
    yield Row(f"{name}, CPU of a rerun", cpu_ms, "ms", floor_ms, "empty page" if floor else "")
    yield Row(f"{name}, memory of each further person", use.person_mb, "MB")


def _queries(address: str, page: str) -> list[dict[str, str]]:
    """The parameters of the page for each athlete; a session's page needs the newest session too."""
    if page != "activity":
        return [{"athlete": athlete} for athlete in athletes(address)]
    return [
        {"athlete": athlete, "activity": session["id"], "day": session["startedAtLocal"][:10]}
        for athlete in athletes(address)
        if (session := _newest_session(address, athlete))
    ]


def _newest_session(address: str, athlete: str) -> dict[str, str] | None:
    days = {"from": (squads.TODAY - timedelta(days=14)).isoformat(), "to": squads.TODAY.isoformat()}
    reply = httpx.get(
        f"{address}/api/users/{athlete}/activities",
        params=days,
        headers={"Authorization": f"Bearer {KEYS[0]}"},
        timeout=60,
    )
    found: list[dict[str, str]] = reply.raise_for_status().json()
    return max(found, key=itemgetter("startedAt"), default=None)


def _measured(found: Served, page: str, people: int, queries: list[dict[str, str]]) -> Use:
    ports = [address.rsplit(":", 1)[1] for address in (*found.dashboards, found.service)]
    processes = [
        child
        for child in psutil.Process().children()
        if any(port in " ".join(child.cmdline()) for port in ports)
    ]
    return asyncio.run(_reruns(found.dashboards, page, people, queries, processes))


async def _reruns(
    addresses: list[str],
    page: str,
    count: int,
    queries: list[dict[str, str]],
    processes: list[psutil.Process],
) -> Use:
    took_s: list[float] = []
    begin, end = asyncio.Event(), asyncio.Event()
    ready = asyncio.Semaphore(0)
    async with asyncio.TaskGroup() as group:
        half = count // 2
        for number in range(count):
            if number == half:
                await _quiet(processes)
                half_mb = _memory_mb(processes)  # the first half fills the caches that all share
            query, address = queries[number % len(queries)], addresses[number % len(addresses)]
            group.create_task(_person(address, page, query, ready, begin, end, took_s))
            await asyncio.sleep(ARRIVAL_S)
        for _ in range(count):
            await ready.acquire()
        await _quiet(processes)
        begin.set()
        await asyncio.sleep(WARM_S)
        took_s.clear()
        gc.collect()
        gc.disable()  # a collection of this program stopped it for 0.13 to 0.3 s, 4 % of its CPU
        before_s = _cpu_s(processes)
        await asyncio.sleep(LASTS_S)
        end.set()
        cpu_s = _cpu_s(processes) - before_s
        gc.enable()
        person_mb = (_memory_mb(processes) - half_mb) / (count - half)
    return Use(took_s, cpu_s, person_mb)


def _cpu_s(processes: list[psutil.Process]) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in processes)


def _memory_mb(processes: list[psutil.Process]) -> float:
    return sum(process.memory_info().rss for process in processes) / 2**20


async def _quiet(processes: list[psutil.Process]) -> None:
    """Wait until the processes have fetched everything in the background, at most two minutes."""
    for _ in range(24):
        before_s = _cpu_s(processes)
        await asyncio.sleep(5)
        if _cpu_s(processes) - before_s < IDLE_CPU_S * len(processes):
            return


async def _person(
    address: str,
    page: str,
    query: dict[str, str],
    ready: asyncio.Semaphore,
    begin: asyncio.Event,
    end: asyncio.Event,
    took_s: list[float],
) -> None:
    async with Visitor(address) as visitor:
        if page:
            await visitor.open(page, **query)
            await visitor.scroll()
        ready.release()
        await begin.wait()
        await asyncio.sleep(random.uniform(0, PAUSE_S))
        while not end.is_set():
            took_s.append(await visitor.rerun())
            await visitor.stay(random.uniform(0.5 * PAUSE_S, 1.5 * PAUSE_S))
