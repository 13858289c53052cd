"""A headless Chromium that measures the time from navigation, or from a click, until a page is settled."""

import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[2]
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
)
# Settled: connected, the script not running, no skeleton left, and every chart in the window drawn.
_SETTLED = """() => {
  const app = document.querySelector('[data-testid=stApp]');
  return app && app.dataset.testScriptState === 'notRunning'
    && app.dataset.testConnectionState === 'CONNECTED'
    && !document.querySelector('[data-testid=stSkeleton]')
    && [...document.querySelectorAll('.figure')].every(
      c => c.querySelector('.main-svg') || c.getBoundingClientRect().top > innerHeight)
    && EXTRA;
}"""


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def served(command: list[str], *, port: int, env: dict[str, str] | None = None) -> Iterator[str]:
    """A server of its own process, from its first answer until the block ends; yields its address."""
    log = tempfile.NamedTemporaryFile(suffix=".log", delete=False)  # noqa: SIM115 (outlives the block on purpose)
    process = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **(env or {})}, stdout=log, stderr=subprocess.STDOUT
    )
    try:
        _wait_until_healthy(port, process, Path(log.name))
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=20)


def _wait_until_healthy(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(1200):
        if process.poll() is not None:
            sys.exit(f"the server ended: {log.read_text()[-2000:]}")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1):
                return
        except OSError:
            time.sleep(0.05)
    sys.exit(f"the server did not answer: {log.read_text()[-2000:]}")


@contextmanager
def empty_page(script: str = 'import streamlit as st\nst.text("ready")\n') -> Iterator[str]:
    """The floor: a Streamlit server whose script draws one line."""
    folder = Path(tempfile.mkdtemp())
    (folder / "empty.py").write_text(script)
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(folder / "empty.py")]
    options = ["--server.headless=true", f"--server.port={port}", "--runner.postScriptGC=false"]
    with served([*command, *options, "--browser.gatherUsageStats=false"], port=port) as address:
        yield address


@contextmanager
def chromium(*, zone: str | None = None, locale: str | None = None) -> Iterator[Callable[[], Page]]:
    """A browser; each call opens a page of its own session, all sharing one HTTP cache.

    Zone and locale are the machine's unless named, here or as COACHBOARD_BENCH_ZONE and COACHBOARD_BENCH_LOCALE.
    """
    zone = zone or os.environ.get("COACHBOARD_BENCH_ZONE")
    locale = locale or os.environ.get("COACHBOARD_BENCH_LOCALE")
    with sync_playwright() as playwright:
        path = os.environ.get("CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        context = browser.new_context(
            viewport={"width": 1366, "height": 900}, timezone_id=zone, locale=locale
        )
        try:
            yield context.new_page
        finally:
            browser.close()


def settle_s(page: Page, address: str, *, extra: str = "true") -> float:
    """Seconds from navigation until settled; `extra` is a further condition in JavaScript."""
    start = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.wait_for_function(settled(extra), polling=20, timeout=60_000)
    return time.perf_counter() - start


def settled(extra: str = "true") -> str:
    """The condition in JavaScript under which a page is settled, with a further one."""
    return _SETTLED.replace("EXTRA", f"({extra})")


def median_s(measure: Callable[[], float], *, times: int = 7) -> float:
    """The median of several measurements."""
    return statistics.median(measure() for _ in range(times))
