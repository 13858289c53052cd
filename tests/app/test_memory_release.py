"""A process closes the clients of users who left, also if nobody comes any more."""

import asyncio
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from running import ROOT, answers, free_port
from soak.visitor import Visitor
from waiting import wait_until

_PROCESS = """
import sys
import uvicorn
import app
from coachboard.ui.frame import clients
app.CLOSE_IDLE_S, clients.IDLE_S = 0.5, 1.0
uvicorn.run(app.app, port=int(sys.argv[1]))
"""


async def visit(address, process):
    """The open files of the client's cache while a tab with the demo's key is open."""
    async with Visitor(address) as visitor:
        await visitor.open("athlete")
        await visitor.stay(3)  # longer than a client without an open tab is kept
        assert visitor.faults == []
        return files_of_cache(process)


def files_of_cache(process):
    found = []
    for link in Path(f"/proc/{process.pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            found.append(str(link.readlink()))
    return [name for name in found if "/cache.db" in name]


@pytest.mark.slow
def test_a_process_without_people_closes_the_clients_of_those_who_left(tmp_path, squad_database):
    """The last session stayed until another tab was closed, and its client until another sign-in."""
    shutil.copy(squad_database, tmp_path / "service.db")
    port = free_port()
    env = {name: value for name, value in os.environ.items() if not name.startswith("COACHBOARD_")}
    env |= {
        "COACHBOARD_DATABASE_URL": f"sqlite:///{tmp_path / 'service.db'}",
        "COACHBOARD_CACHE_URL": f"sqlite:///{tmp_path / 'cache.db'}",
        "PYTHONPATH": str(ROOT),
    }
    with (tmp_path / "log").open("wb") as log:
        words = [sys.executable, "-c", _PROCESS, str(port)]
        process = subprocess.Popen(words, cwd=tmp_path, env=env, stdout=log, stderr=log)
    try:
        wait_until(lambda: answers(port), at_most_s=180)
        assert asyncio.run(visit(f"http://127.0.0.1:{port}", process))
        wait_until(lambda: not files_of_cache(process), at_most_s=60)
        assert process.poll() is None
        assert asyncio.run(visit(f"http://127.0.0.1:{port}", process))
    finally:
        process.terminate()
        process.wait(20)
    said = (tmp_path / "log").read_text()
    assert "Traceback" not in said, said[-3000:]
