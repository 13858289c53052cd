"""Many people read pages of one process: memory, file descriptors and threads stay flat after the first minutes."""

import asyncio
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import httpx
import psutil

from bench import squads
from coachboard.service.store import Store
from coachboard_demo.people import user_id
from running import dashboard_process, free_port
from soak.table import Row, faults_of
from soak.visitor import Visitor

KEYS_OF_PEOPLE = 12
THINK_S = (5.0, 20.0)
VISIT_PAGES = 8
_GROWTH = {"RSS": 1.1, "descriptors": 1.1, "threads": 1.1}
_SLACK = {"RSS": 40.0, "descriptors": 12.0, "threads": 6.0}


class Use(NamedTuple):
    """Memory, descriptors and threads of the dashboard's process."""

    rss_mb: float
    descriptors: int
    threads: int


@dataclass
class Watch:
    """Pages, waits and faults of the run, and the use of the process at the end of each minute."""

    pages: int = 0
    visits: int = 0
    waits_s: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)


def people(count: int, minutes: float) -> Iterator[Row]:
    """Yield a row per minute, then one for the run; a leak fails the run: a use that grows after settling."""
    with tempfile.TemporaryDirectory() as name:
        folder, keys, port = Path(name), [f"soak-key-{n}" for n in range(KEYS_OF_PEOPLE)], free_port()
        _copy_squad(folder, keys)
        today = squads.TODAY.isoformat()
        with dashboard_process(folder, port=port, COACHBOARD_TODAY=today) as address:
            process = next(one for one in psutil.Process().children() if str(port) in one.cmdline())
            watch = asyncio.run(_watched(address, keys, count, minutes, process))
        watch.faults += faults_of(folder)
    for minute, use in enumerate(watch.uses, 1):
        figures = f"RSS {use.rss_mb:.0f} MB, {use.descriptors} descriptors, {use.threads} threads"
        yield Row(f"{count} people, minute {minute}", 1, (), figures)
    median_s = statistics.median(watch.waits_s)
    slow_s = statistics.quantiles(watch.waits_s, n=20)[-1]
    yield Row(
        f"{count} people for {minutes:g} min",
        watch.pages,
        (*watch.faults, *_growing(watch.uses, settling=max(5, minutes / 3))),
        f"pages of {watch.visits} visits; a page takes {median_s:.2f} s, of 20 one {slow_s:.2f} s",
    )


def _copy_squad(folder: Path, keys: list[str]) -> None:
    """The squad without the demo's keys, with which a dashboard signs everyone in."""
    shutil.copy(squads.database(squads.USUAL[0]), folder / "service.db")
    store = Store.open(f"sqlite:///{folder / 'service.db'}")
    for key in store.keys():  # noqa: SIM118 (no mapping)
        store.revoke_key(key.id)
    for key in keys:
        store.add_key(user_id("coach"), label=key, key=key)
    store.close()


async def _watched(
    address: str, keys: list[str], count: int, minutes: float, process: psutil.Process
) -> Watch:
    watch, end = Watch(), time.monotonic() + 60 * minutes
    athletes = await _athletes(address, keys[0])
    async with asyncio.TaskGroup() as group:
        for number in range(count):
            key = keys[number % len(keys)]
            group.create_task(_person(address, key, athletes, watch, end))
        while (rest := end - time.monotonic()) > 0:
            await asyncio.sleep(min(60, rest))
            memory = process.memory_info().rss / 2**20
            watch.uses.append(Use(memory, process.num_fds(), process.num_threads()))
            print(f"minute {len(watch.uses)}: {watch.uses[-1]}, {watch.pages} pages", file=sys.stderr)
    return watch


async def _athletes(address: str, key: str) -> list[str]:
    async with httpx.AsyncClient(timeout=60) as http:
        reply = await http.get(f"{address}/api/users", headers={"Authorization": f"Bearer {key}"})
    return [user["id"] for user in reply.raise_for_status().json()]


async def _person(address: str, key: str, athletes: list[str], watch: Watch, end: float) -> None:
    """Visits of some pages; half of them end with a sign-out, the others with the tab."""
    await asyncio.sleep(random.uniform(0, min(THINK_S[1], (end - time.monotonic()) / 4)))
    while time.monotonic() < end:
        visitor = Visitor(address)
        try:
            async with visitor:
                watch.visits += 1
                await _visit(visitor, key, athletes, watch, end)
        except Exception as error:  # noqa: BLE001 (the table names it)
            watch.faults.append(f"{visitor.page}: {type(error).__name__} {error}")
            await asyncio.sleep(1)
        watch.faults += visitor.faults


async def _visit(visitor: Visitor, key: str, athletes: list[str], watch: Watch, end: float) -> None:
    await visitor.sign_in(key)
    for _ in range(random.randint(1, 2 * VISIT_PAGES)):
        if time.monotonic() > end:
            return
        started = time.monotonic()
        await visitor.open(random.choice(visitor.pages), athlete=random.choice(athletes))
        watch.waits_s.append(time.monotonic() - started)
        watch.pages += 1
        await visitor.scroll()
        await visitor.stay(min(random.uniform(*THINK_S), max(0.0, end - time.monotonic())))
    if random.random() < 0.5:
        await visitor.sign_out()


def _growing(uses: list[Use], *, settling: float) -> Iterator[str]:
    """Yield each use whose median in the last three minutes is above that of the first three after settling.

    The caches of fifty people on twelve keys fill until minute 40: a run of less than two hours may report them.
    """
    settled = uses[int(settling) :]
    if len(settled) < 6:
        return
    for name, first, last in zip(
        _GROWTH, zip(*settled[:3], strict=True), zip(*settled[-3:], strict=True), strict=True
    ):
        before, after = statistics.median(first), statistics.median(last)
        if after > before * _GROWTH[name] and after > before + _SLACK[name]:
            yield f"{name} grow from {before:.0f} to {after:.0f}"
