"""Servers for tests: the service on a thread, the whole dashboard as a process of its own."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

ROOT = Path(__file__).parents[1]
START_S = 180  # with other test runs beside it a start took more than a minute


_FIRST_PORT, _PORTS = 20_000, 12_000
_asked = count(os.getpid() * 499)  # test runs beside each other begin at different ports


def free_port() -> int:
    """A port for a server that is about to start, kept by nothing until then.

    Below the ports that the system assigns, and away from the ports of other test processes: a client or another
    run took such a port before the server came up.
    """
    while True:
        port = _FIRST_PORT + next(_asked) % _PORTS
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


@contextmanager
def refusing_port() -> Iterator[int]:
    """A port at which nobody answers: bound and not listened at, so that no other test's server can take it."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield int(held.getsockname()[1])


@contextmanager
def dashboard_process(folder: Path, *, port: int | None = None, **env: str) -> Iterator[str]:
    """A fresh process of `app.py`, started from another folder than the project's; yields its address."""
    port = port or free_port()
    log = folder / f"dashboard-{port}.log"
    defaults = {
        "COACHBOARD_DATABASE_URL": f"sqlite:///{folder / 'service.db'}",
        "COACHBOARD_CACHE_URL": f"sqlite:///{folder / 'cache.db'}",
        "COACHBOARD_OUTBOX": str(folder / "outbox"),
    }
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("COACHBOARD_")}
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "uvicorn", "app:app", "--app-dir", str(ROOT), "--port", str(port)],
            cwd=folder,
            env={**inherited, **defaults, **env},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_until(lambda: process.poll() is not None or answers(port), "the dashboard did not start")
        assert process.poll() is None, f"the dashboard ended: {log.read_text()[-2000:]}"
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1) as reply:
            return reply.status == 200
    except OSError:
        return False


def wait_until(is_so, otherwise: str) -> None:
    end = time.monotonic() + START_S
    while not is_so():
        assert time.monotonic() < end, otherwise
        time.sleep(0.02)
