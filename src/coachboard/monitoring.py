"""Counts of this process in Prometheus' text format, for the addresses that the setting allows.

Written by hand: a library for these hundred lines would be one more dependency to keep up to date. Labels are fixed
words and route templates: a key, a name or an id in a label would reach everyone who reads the figures.
"""

import threading
import time
from bisect import bisect_left
from collections.abc import Awaitable, Callable, Iterable, Iterator
from ipaddress import ip_address, ip_network
from math import inf
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PATH = "/metrics"
OTHER = "other"
"""Of paths without a route and of methods without a meaning: a caller can send any number of them."""

_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
_BOUNDS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, inf)
_STARTED = time.time()

Gauge = tuple[str, str, float]
"""A value of now: name, explanation, value."""


_LOCK = threading.Lock()
"""Held for each addition: two threads that add at once would lose one."""


class Tally:
    """A counter for each combination of its labels' values."""

    def __init__(self, name: str, explanation: str, *labels: str) -> None:
        self.name = name
        self._head = f"# HELP {name} {explanation}\n# TYPE {name} counter"
        self._labels = labels
        self._values: dict[tuple[str, ...], float] = {}

    def add(self, *values: str) -> None:
        with _LOCK:
            self._values[values] = self._values.get(values, 0) + 1

    def lines(self) -> Iterator[str]:
        with _LOCK:
            totals = sorted(self._values.items())
        yield self._head
        for values, number in totals:
            yield f"{self.name}{_braces(zip(self._labels, values, strict=True))} {number:g}"


class Histogram:
    """A histogram of seconds for each combination of its labels' values."""

    def __init__(self, name: str, explanation: str, *labels: str) -> None:
        self.name = name
        self._head = f"# HELP {name} {explanation}\n# TYPE {name} histogram"
        self._labels = labels
        self._values: dict[tuple[str, ...], tuple[list[int], float]] = {}

    def add(self, seconds: float, *values: str) -> None:
        with _LOCK:
            counts, total = self._values.get(values, ([0] * len(_BOUNDS_S), 0.0))
            counts[bisect_left(_BOUNDS_S, seconds)] += 1
            self._values[values] = counts, total + seconds

    def lines(self) -> Iterator[str]:
        with _LOCK:
            rows = sorted((values, list(counts), total) for values, (counts, total) in self._values.items())
        yield self._head
        for values, counts, total in rows:
            labels = list(zip(self._labels, values, strict=True))
            for place, bound in enumerate(_BOUNDS_S):
                bound_text = "+Inf" if bound == inf else f"{bound:g}"
                yield f"{self.name}_bucket{_braces([*labels, ('le', bound_text)])} {sum(counts[: place + 1])}"
            yield f"{self.name}_sum{_braces(labels)} {total:.6f}"
            yield f"{self.name}_count{_braces(labels)} {sum(counts)}"


REQUESTS = Tally("coachboard_requests_total", "Answered HTTP requests.", "part", "route", "method", "status")
REQUEST_SECONDS = Histogram(
    "coachboard_request_duration_seconds", "Time until an answer was sent.", "part", "route"
)
RATE_LIMITED = Tally(
    "coachboard_rate_limited_total", "Requests refused with 429, by the limit they exceeded.", "limit"
)
REPLY_CACHE = Tally("coachboard_reply_cache_total", "Reads of the service by its cache of replies.", "result")
CLIENT_CACHE = Tally("coachboard_client_cache_total", "Reads of pages by the client's cache.", "result")
PAGE_SECONDS = Histogram("coachboard_page_duration_seconds", "Time of a full run of a page.", "page")
_SERIES = (REQUESTS, REQUEST_SECONDS, RATE_LIMITED, REPLY_CACHE, CLIENT_CACHE, PAGE_SECONDS)


def text(gauges: Iterable[Gauge] = ()) -> str:
    """All series of this process, and these gauges."""
    lines = [line for series in _SERIES for line in series.lines()]
    for name, explanation, value in (*gauges, *_of_the_process()):
        lines += [f"# HELP {name} {explanation}", f"# TYPE {name} gauge", f"{name} {value:.15g}"]
    return "\n".join(lines) + "\n"


def _of_the_process() -> Iterator[Gauge]:
    yield "process_start_time_seconds", "Start of the process, seconds since 1970.", _STARTED
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()
        descriptors = sum(1 for _ in Path("/proc/self/fd").iterdir())
    except OSError:  # no Linux
        return
    yield "process_resident_memory_bytes", "Memory of the process.", int(pages[1]) * 4096
    yield "process_open_fds", "Open files and connections of the process.", descriptors


def _braces(labels: Iterable[tuple[str, str]]) -> str:
    parts = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels)
    return f"{{{parts}}}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


class Measured:
    """ASGI middleware: counts and times the requests of a part by route, and its open websockets."""

    def __init__(self, app: ASGIApp, *, part: str, route_of: Callable[[Scope], str]) -> None:
        self._app = app
        self._part = part
        self._route_of = route_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            _SOCKETS.append(None)
            try:
                await self._app(scope, receive, send)
            finally:
                _SOCKETS.pop()
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status, route = time.perf_counter(), 500, self._route_of(scope)

        async def noting_send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noting_send)
        finally:
            method = scope["method"] if scope["method"] in _METHODS else OTHER
            REQUESTS.add(self._part, route, method, str(status))
            REQUEST_SECONDS.add(time.perf_counter() - started, self._part, route)


_SOCKETS: list[None] = []


def sessions() -> Gauge:
    return "coachboard_sessions", "Open tabs of the dashboard.", len(_SOCKETS)


def endpoint(
    allowed: str, gauges: Callable[[], Awaitable[Iterable[Gauge]]], refused: Callable[[], Response]
) -> Callable[[Request], Awaitable[Response]]:
    """The figures for these addresses and networks; the answer to an unknown path for all others."""
    networks = [ip_network(each.strip()) for each in allowed.split(",") if each.strip()]

    async def answer(request: Request) -> Response:
        caller = request.client.host if request.client else ""
        try:
            address = ip_address(caller)
        except ValueError:  # a socket without an address
            return refused()
        if not any(address in network for network in networks):
            return refused()
        body = text(await gauges())
        return Response(body, media_type="text/plain; version=0.0.4; charset=utf-8")

    return answer
