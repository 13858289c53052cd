"""The client against bare httpx and orjson of the same bytes: cold, warm, and a roster within the budget.

Client and service share a clock that advances when a caller waits for the budget, so that a minute of waiting
costs no minute here; every other figure is wall time.
"""

import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TypeVar

import httpx
import numpy as np
import orjson

import seeded
from bench.table import Row
from coachboard.client import Client, Options
from coachboard.service.api.app import create_app, mounted
from coachboard.service.store import NewUser, Store
from coachboard.settings import Settings
from coachboard.wire.activities import Activity
from coachboard.wire.streams import STREAM_COLUMNS, ActivityStreams
from serving import served

T = TypeVar("T")

TODAY = date(2026, 3, 20)
ATHLETES = 50
WINDOWS = 8  # of four weeks each
LAPS = 10
SAMPLES = 21_600
REPEATS = 5
KEY = "bench-key"
FLOOR_KEY = "bench-floor-key"
"""Of another coach of the same athletes: the service remembers its replies to each caller."""


class Clock:
    """Real time, plus what was slept."""

    def __init__(self) -> None:
        self.ahead_s = 0.0
        self._lock = threading.Lock()

    def __call__(self) -> float:
        return time.time() + self.ahead_s

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self.ahead_s += seconds


@dataclass(frozen=True)
class Bench:
    """A seeded service."""

    url: str
    clock: Clock
    folder: Path

    @contextmanager
    def client(self, name: str) -> Iterator[Client]:
        options = Options(today=TODAY, clock=self.clock, sleep=self.clock.sleep)
        with Client(self.url, KEY, cache_url=f"sqlite:///{self.folder / name}.db", options=options) as client:
            yield client

    def next_minute(self) -> None:
        self.clock.sleep(122.0)


def run() -> list[Row]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        clock = Clock()
        store = Store.open(f"sqlite:///{folder / 'service.db'}")
        stack.callback(store.close)
        _seed(store)
        app = create_app(store, settings=Settings(today=TODAY, outbox=folder), clock=clock)
        url = stack.enter_context(served(mounted(app))) + "/api"
        bench = Bench(url, clock, folder)
        return [*_lists(bench), *_long_list(bench), *_streams(bench), *_roster(bench)]


def _windows() -> list[tuple[date, date]]:
    ends = [TODAY - timedelta(days=28 * n) for n in range(WINDOWS)]
    return [(end - timedelta(days=27), end) for end in ends]


def _wanted() -> list[tuple[str, date, date]]:
    return [(f"usr_{n}", *window) for window in _windows() for n in range(ATHLETES)]


def _lists(bench: Bench) -> list[Row]:
    """400 lists of four weeks, 20 activities of 10 laps each; each beside its floors, or a busy machine decides."""
    wanted = _wanted()
    bare, loads, models, cold, cold_frame, cold_models, warm = ([] for _ in range(7))
    floor_headers = {"Authorization": f"Bearer {FLOOR_KEY}"}

    def measure_floor(http: httpx.Client, ask: tuple[str, date, date]) -> None:
        seconds, body = _timed(lambda: _bare(bench, http, ask))
        bare.append(seconds)
        seconds, reply = _timed(lambda: orjson.loads(body))
        loads.append(seconds)
        models.append(_timed(lambda: [Activity.from_wire(row) for row in reply])[0])

    def measure_client(client: Client, ask: tuple[str, date, date]) -> None:
        seconds, result = _timed(lambda: client.list_activities(*ask))
        cold.append(seconds)
        cold_frame.append(_timed(lambda: result.frame)[0])
        cold_models.append(_timed(lambda: result.value)[0])

    with bench.client("lists") as client, httpx.Client(headers=floor_headers) as http:
        client.get_user()
        for number, ask in enumerate(wanted):
            if number % 100 == 0:
                bench.next_minute()
            # By turns: who asks second finds the service's pages warm.
            if number % 2:
                measure_floor(http, ask)
            measure_client(client, ask)
            if not number % 2:
                measure_floor(http, ask)
        # The second time: what the last windows brought has made the lists of the others news.
        for ask in wanted[-100:] * 2:
            warm.append(_timed(lambda ask=ask: client.list_activities(*ask).frame)[0])
        warm = warm[-100:]
    with bench.client("lists") as client:
        client.get_user()
        disk = [_timed(lambda ask=ask: client.list_activities(*ask).frame)[0] for ask in wanted]
    whole, plain = _sums(bare, loads, models), _sums(bare, loads)
    typed = "httpx + orjson + models"
    return [
        _row("list cold, rows checked", cold, plain, "httpx + orjson"),
        _row("list cold, rows checked", cold, whole, typed),
        _row("list cold, frame", _sums(cold, cold_frame), plain, "httpx + orjson"),
        _row("list cold, frame", _sums(cold, cold_frame), whole, typed),
        _row("list cold, models", _sums(cold, cold_models), whole, typed),
        _row("list cold, frame and models", _sums(cold, cold_frame, cold_models), whole, typed),
        _row("list warm, in memory", warm, loads, "orjson"),
        _row("list warm, from disk", disk, loads, "orjson"),
    ]


def _sums(*parts: list[float]) -> list[float]:
    return [sum(seconds) for seconds in zip(*parts, strict=True)]


def _row(name: str, value: list[float], floor: list[float], floor_name: str) -> Row:
    return Row(name, statistics.median(value) * 1000, "ms", statistics.median(floor) * 1000, floor_name)


def _long_list(bench: Bench) -> list[Row]:
    """1,120 activities in one list, as a season page asks."""
    bench.next_minute()
    with bench.client("long") as client:
        first = client.list_activities("usr_long")
        body = orjson.dumps([row.to_wire() for row in first.value])
        first.frame.info  # noqa: B018 (as the season page does, which has it kept)
        client.is_settled(10)
        loads_s = _median(lambda: orjson.loads(body))
        warm_s = _median(lambda: client.list_activities("usr_long").frame)
    disk, models = [], []
    for _ in range(REPEATS):
        with bench.client("long") as client:
            client.get_user()
            disk.append(_timed(lambda: client.list_activities("usr_long").frame)[0])
            models.append(_timed(lambda: client.list_activities("usr_long").value)[0])
    return [
        Row("1,120 activities warm, in memory", warm_s * 1000, "ms", loads_s * 1000, "orjson"),
        _row("1,120 activities warm, from disk", disk, [loads_s], "orjson"),
        _row("1,120 activities warm, models from disk", models, [loads_s], "orjson"),
    ]


def _streams(bench: Bench) -> list[Row]:
    """One ride of 25 columns of 21,600 samples."""
    headers = {"Authorization": f"Bearer {KEY}", "Accept-Encoding": "zstd"}
    floor, loads, cold, warm = ([] for _ in range(4))
    with httpx.Client(headers=headers) as http:
        url = f"{bench.url}/activities/act_0_0/streams"
        body = http.get(url).content
        for number in range(2 * REPEATS):
            floor.append(_timed(lambda: ActivityStreams.from_json(http.get(url).content))[0])
            loads.append(_timed(lambda: orjson.loads(body))[0])
            with bench.client(f"streams{number}") as client:
                client.get_user()
                cold.append(_timed(lambda client=client: client.get_streams("act_0_0").value)[0])
                warm.append(_timed(lambda client=client: client.get_streams("act_0_0").value)[0])
    return [
        _row("streams cold", cold, floor, "httpx + decode"),
        _row("streams warm", warm, loads, "orjson"),
    ]


def _roster(bench: Bench) -> list[Row]:
    """Six lists for each of 50 athletes, from nothing, through eight threads."""
    bench.next_minute()
    first: list[float] = []
    ahead = bench.clock.ahead_s
    with bench.client("roster") as client:
        started = time.perf_counter()

        def six(user_id: str) -> int:
            lists = (client.list_activities, client.list_prescriptions, client.list_notes)
            lists += (client.list_events, client.list_metrics, client.list_sleeps)
            found = sum(len(read(user_id, TODAY - timedelta(days=42), TODAY).frame) for read in lists)
            first.append(time.perf_counter() - started)
            return found

        dict(client.pool.each(six, [user.id for user in client.list_users().value][:ATHLETES]))
        whole_s = time.perf_counter() - started
        refused = client._rate_limit.refusals
    return [
        Row("roster of 50 x 6 cold: first athlete", min(first) * 1000, "ms"),
        Row("roster of 50 x 6 cold: all, waits for the budget left out", whole_s * 1000, "ms"),
        Row("roster of 50 x 6 cold: waits for the budget", bench.clock.ahead_s - ahead, "s"),
        Row("roster of 50 x 6 cold: replies of 429", refused, "replies"),
    ]


def _bare(bench: Bench, http: httpx.Client, ask: tuple[str, date, date]) -> bytes:
    user_id, start, end = ask
    reply = http.get(f"{bench.url}/users/{user_id}/activities?from={start}&to={end}")
    assert reply.status_code == httpx.codes.OK
    return reply.content


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def _median(work: Callable[[], object]) -> float:
    return statistics.median(_timed(work)[0] for _ in range(REPEATS))


def _seed(store: Store) -> None:
    workspace = store.add_workspace("Bench", "bench")
    for coach, key in (("usr_coach", KEY), ("usr_floor", FLOOR_KEY)):
        store.add_user(_person(coach))
        store.add_key(coach, label="bench", key=key)
        store.add_member(workspace, coach, seeded.WorkspaceRole.COACH)
    for number in range(ATHLETES):
        user_id = store.add_user(_person(f"usr_{number}"))
        store.add_member(workspace, user_id, seeded.WorkspaceRole.ATHLETE)
        store.put_activities(user_id, _activities(str(number), WINDOWS * 20))
    store.add_user(_person("usr_long"))
    store.add_member(workspace, "usr_long", seeded.WorkspaceRole.ATHLETE)
    store.put_activities("usr_long", _activities("long", WINDOWS * 140))
    store.put_streams("act_0_0", _ride())


def _person(user_id: str) -> NewUser:
    return NewUser(
        id=user_id, first_name="Ann", last_name="Other", date_of_birth=None, gender=None, height=None
    )


def _activities(prefix: str, count: int) -> list[Activity]:
    end = datetime(TODAY.year, TODAY.month, TODAY.day, 8, tzinfo=UTC)
    step = timedelta(days=28 * WINDOWS) / count
    rides = [seeded.activity(f"act_{prefix}_{n}", end - n * step) for n in range(count)]
    return [ride.model_copy(update={"laps": ride.laps * LAPS}) for ride in rides]


def _ride() -> ActivityStreams:
    random = np.random.default_rng(1)
    columns = {name: random.normal(200, 50, SAMPLES).round(2) for name in STREAM_COLUMNS}
    stamps = np.datetime64("2026-03-20T08:00:00", "ms") + np.arange(SAMPLES) * np.timedelta64(1000, "ms")
    return ActivityStreams(columns, stamps)
