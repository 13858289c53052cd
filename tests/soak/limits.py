"""Limits of one process and of two: requests in a minute, file descriptors, request lines, and a disk that is read-only."""

import os
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx
import psutil

import databases
import plain_rows
import seeded
from coachboard.service.api.limits import PER_KEY, PER_USER, WINDOW_S
from coachboard.service.store import Store
from plain_service import plain_app
from running import free_port
from serving import served
from soak.table import Row

_MAIN = "import sys; from coachboard.cli import main; sys.argv[0] = 'coachboard'; main()"
_START_S = 180
KEYS, DESCRIPTORS = 500, 1_024
LINE_BYTES = 60_000_000


def rows() -> Iterator[Row]:
    yield shared_limit_row("sqlite")
    if databases.SERVER is not None:
        yield shared_limit_row("postgres")
    yield descriptors_row(KEYS)
    yield request_line_row()
    yield read_only_row()


@contextmanager
def _service(folder: Path, url: str, *words: str) -> Iterator[tuple[str, psutil.Process]]:
    port = free_port()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COACHBOARD_")}
    command = [sys.executable, "-c", _MAIN, "serve", "--db", url, "--port", str(port), *words]
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(
            command, env=kept | {"COACHBOARD_DATA": str(folder)}, stdout=log, stderr=log
        )
    address = f"http://127.0.0.1:{port}/api"
    try:
        end = time.monotonic() + _START_S
        while not _answers(f"{address}/health"):
            assert process.poll() is None, (folder / "log").read_text()[-500:]
            assert time.monotonic() < end, "the service did not start"
            time.sleep(0.05)
        yield address, psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(20)


def _answers(address: str) -> bool:
    try:
        return httpx.get(address, timeout=5).status_code == 200
    except httpx.TransportError:
        return False


def shared_limit_row(kind: str) -> Row:
    """Two processes on one database, asked at the same time: together they allow the limit and no more."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = stack.enter_context(databases.empty_database(kind, folder))
        store = Store.open(url)
        seeded.seed(store)
        store.close()
        both = [stack.enter_context(_service(folder, url, "--shared-limits"))[0] for _ in range(2)]
        asked = [
            (seeded.COACH_KEY, "/users", PER_KEY + 100),
            (seeded.ATHLETE_KEY, f"/users/{seeded.ATHLETE}", PER_USER + 30),
        ]
        failures, figures = [], []
        for key, path, number in asked:
            _wait_for_a_fresh_minute()
            found = _statuses(both, path, key, number)
            limit = PER_KEY if path == "/users" else PER_USER
            figures.append(f"{found[200]} of {number} allowed, limit {limit}")
            failures += [] if found == {200: limit, 429: number - limit} else [f"{path}: {dict(found)}"]
    return Row(f"two processes on one limit, {kind}", 2, tuple(failures), "; ".join(figures))


def _wait_for_a_fresh_minute() -> None:
    left_s = WINDOW_S - time.time() % WINDOW_S
    if left_s < 40:
        time.sleep(left_s + 0.1)


def _statuses(addresses: list[str], path: str, key: str, number: int) -> Counter[int]:
    headers = {"Authorization": f"Bearer {key}"}
    with ExitStack() as stack, ThreadPoolExecutor(8) as threads:
        clients = [stack.enter_context(httpx.Client(headers=headers, timeout=60)) for _ in addresses]

        def ask(place: int) -> int:
            return clients[place % 2].get(addresses[place % 2] + path).status_code

        return Counter(threads.map(ask, range(number)))


_CLIENTS = """
import json, os, sys, threading
from concurrent.futures import ThreadPoolExecutor
from pydantic import SecretStr
from coachboard.client import Client, Options
from coachboard.client.http import check_accepted
address, cache, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
def sign_in(place):
    key = SecretStr(f"key-{place}")
    check_accepted(address, key, timeout_s=60)
    client = Client(address, key, cache_url=cache, options=Options())
    client.get_user(); client.list_users()
    return client
with ThreadPoolExecutor(20) as threads:
    clients = list(threads.map(sign_in, range(number)))
    print(json.dumps([len(os.listdir("/proc/self/fd")), threading.active_count()]))
"""


def descriptors_row(keys: int) -> Row:
    """As many coaches sign in to one process, each with a key: descriptors beside one socket for each of them."""
    with tempfile.TemporaryDirectory() as folder, served(plain_app(plain_rows.plain())) as address:
        done = subprocess.run(
            [sys.executable, "-c", _CLIENTS, address, f"sqlite:///{folder}/cache.db", str(keys)],
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS)),
        )
    if done.returncode:
        return Row(f"{keys} keys on one process", keys, (done.stderr.strip().splitlines()[-1][:100],), "")
    files, threads = (int(one) for one in done.stdout.strip("[] \n").split(","))
    total = files + keys  # and a websocket for each coach
    failures = [] if total < DESCRIPTORS else [f"{total} descriptors"]
    figures = f"{files} descriptors and {threads} threads; with a socket each {total} of {DESCRIPTORS}"
    return Row(f"{keys} keys on one process", keys, tuple(failures), figures)


def request_line_row(lines: int = 4) -> Row:
    """Request lines of 60 MB at once against the service alone: refused, others are answered, memory stays."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with _service(folder, f"sqlite:///{folder / 'service.db'}") as (address, process):
            before = process.memory_info().rss
            with ThreadPoolExecutor(lines) as threads:
                sent = [threads.submit(_send_line, httpx.URL(address).port or 80) for _ in range(lines)]
                slowest, highest = 0.0, before
                while not all(one.done() for one in sent):
                    started = time.monotonic()
                    assert _answers(f"{address}/health")
                    slowest = max(slowest, time.monotonic() - started)
                    highest = max(highest, process.memory_info().rss)
            taken = [one.result() for one in sent]
            is_alive = _answers(f"{address}/health")
    grown = (highest - before) / 2**20
    failures = [f"took {size / 1e6:.0f} MB" for size in taken if size > LINE_BYTES // 2]
    failures += [] if grown < 30 else [f"{grown:.0f} MB more memory"]
    failures += [] if slowest < 5 else [f"another request took {slowest:.1f} s"]
    failures += [] if is_alive else ["does not answer afterwards"]
    figures = f"at most {max(taken) / 1e6:.1f} MB taken of each, {grown:.0f} MB more memory, other requests at most {slowest:.2f} s"
    return Row("request lines of 60 MB", lines, tuple(failures), figures)


def _send_line(port: int) -> int:
    """The bytes that the service took before it closed the connection."""
    taken, piece = 0, b"x" * 65_536
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection, suppress(OSError):
        connection.sendall(b"GET /api/users?a=")
        while taken < LINE_BYTES:
            taken += connection.send(piece)
    return taken


_READ = (["users", "list"], ["keys", "list"], ["backup", "{outside}/club.backup"])
_WRITE = (
    ["import", __file__, "--user", seeded.ATHLETE],
    ["serve", "--port", "8739"],
    ["open", "--no-browser", "--port", "8739"],
)


def read_only_row() -> Row:
    """On a disk that cannot be written, what only reads works, and every other start ends with one line."""
    failures, runs = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "data"
        folder.mkdir()
        store = Store.open(f"sqlite:///{folder / 'service.db'}")
        seeded.seed(store)
        store.close()
        with _read_only(folder) as why_not:
            if why_not:
                return Row("a start on a read-only disk", 0, (), f"not run: {why_not}")
            for words in (*_READ, *_WRITE):
                runs += 1
                given = [word.replace("{outside}", name) for word in words]
                env = os.environ | {
                    "COACHBOARD_DATA": str(folder),
                    "COACHBOARD_DATABASE_URL": f"sqlite:///{folder / 'service.db'}",
                }
                try:
                    done = subprocess.run(
                        [sys.executable, "-c", _MAIN, *given],
                        env=env,
                        capture_output=True,
                        text=True,
                        timeout=60,
                        check=False,
                    )
                except subprocess.TimeoutExpired:
                    failures.append(f"{words[0]}: runs on")
                    continue
                lines = done.stderr.strip().splitlines()
                is_short = done.returncode == 0 or (len(lines) <= 2 and words not in _READ)
                is_plain = "Traceback" not in done.stderr and is_short
                failures += [] if is_plain else [f"{words[0]}: {len(lines)} lines, {lines[-1][:80]}"]
    return Row("a start on a read-only disk", runs, tuple(failures), "")


@contextmanager
def _read_only(folder: Path) -> Iterator[str]:
    """The folder as a mount that cannot be written; why that is not possible here."""
    mount = shutil.which("mount")
    done = mount and subprocess.run(
        [mount, "--bind", str(folder), str(folder)], capture_output=True, text=True, check=False
    )
    if not mount or not done or done.returncode:
        yield (done.stderr.strip() if done else "there is no mount")
        return
    subprocess.run([mount, "-o", "remount,bind,ro", str(folder)], check=True)
    try:
        yield ""
    finally:
        subprocess.run(["umount", str(folder)], check=True)
