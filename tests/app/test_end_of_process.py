"""A dashboard whose service hangs ends within seconds of SIGTERM: each client once waited for its own requests."""

import asyncio
import os
import select
import socket
import subprocess
import sys
import threading
import time
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

import plain_rows
import seeded
from coachboard.listening import GRACE_S
from coachboard.service.store import Store
from running import ROOT, answers, free_port
from serving import served
from soak.visitor import Visitor
from waiting import wait_until

_KEYS = 5
_HANG_S = 60.0
_END_S = 15.0  # two limits of 5 s, and a busy machine


def hanging_service():
    """It knows every key, and hangs at any question but the first of each key."""
    go_on, asked = threading.Event(), []

    def answer(request):
        if request.url.path == "/users/me":
            return JSONResponse(plain_rows.plain().profiles["me"])
        asked.append(request.headers["authorization"])
        go_on.wait(_HANG_S)
        return JSONResponse([])

    return Starlette(routes=[Route("/{path:path}", answer)]), asked, go_on


async def signed_in_until(address, is_so):
    """Visitors with a key each wait for their first page until the condition holds; their tabs stay open meanwhile."""

    async def visit(number):
        async with Visitor(address) as visitor:
            await visitor.sign_in(f"key-{number}")

    visits = [asyncio.create_task(visit(number)) for number in range(_KEYS)]
    await asyncio.to_thread(is_so)
    return visits


@pytest.mark.slow
def test_a_process_whose_clients_wait_ends_soon_after_sigterm(tmp_path):
    service, asked, go_on = hanging_service()
    port = free_port()

    async def ended_after():
        visits = await signed_in_until(
            f"http://127.0.0.1:{port}", lambda: wait_until(lambda: len(set(asked)) == _KEYS, at_most_s=120)
        )
        process.terminate()
        started = time.monotonic()
        await asyncio.to_thread(process.wait, 120)
        for visit in visits:
            visit.cancel()
        await asyncio.gather(*visits, return_exceptions=True)
        return time.monotonic() - started

    with served(service) as base_url, (tmp_path / "log").open("wb") as log:
        env = {name: value for name, value in os.environ.items() if not name.startswith("COACHBOARD_")}
        env |= {
            "COACHBOARD_BASE_URL": base_url,
            "COACHBOARD_DATA": str(tmp_path),
            "COACHBOARD_TIMEOUT_S": str(_HANG_S),
        }
        words = [Path(sys.executable).with_name("coachboard"), "dashboard", "--port", str(port)]
        process = subprocess.Popen(words, cwd=ROOT, env=env, stdout=log, stderr=log)
        try:
            wait_until(lambda: answers(port), at_most_s=180)
            took_s = asyncio.run(ended_after())
        finally:
            process.kill()
            go_on.set()

    assert took_s < _END_S
    said = (tmp_path / "log").read_text()
    assert "Traceback" not in said, said[-3000:]


def dripping(address, sent):
    """An upload that never ends: a byte now and then, until the connection is closed."""
    parts = urlsplit(address)
    job = httpx.post(f"{address}/own/v1/imports", headers=OWNER, json={}, timeout=60).json()["id"]
    head = f"PUT {parts.path}/own/v1/imports/{job}/files?name=a.fit HTTP/1.1\r\nHost: {parts.netloc}\r\n"
    head += f"Authorization: {OWNER['Authorization']}\r\nContent-Length: 1000000\r\n\r\n"
    with socket.create_connection((parts.hostname, parts.port)) as connection, suppress(OSError):
        connection.sendall(head.encode())
        while not select.select([connection], [], [], 0.2)[0]:
            connection.sendall(b"x")
            sent.set()


OWNER = {"Authorization": f"Bearer {seeded.ATHLETE_KEY}"}


@pytest.mark.slow
def test_a_service_with_an_upload_that_never_ends_ends_soon_after_sigterm(tmp_path):
    """It waited for the upload until it was killed: what runs at the end, as for queued mails, did not run."""
    url, port = f"sqlite:///{tmp_path / 'service.db'}", free_port()
    with closing(Store.open(url)) as store:
        seeded.seed(store)
    env = {name: value for name, value in os.environ.items() if not name.startswith("COACHBOARD_")}
    env |= {"COACHBOARD_DATA": str(tmp_path), "COACHBOARD_DATABASE_URL": url}
    words = [Path(sys.executable).with_name("coachboard"), "serve", "--port", str(port)]
    address, sent = f"http://127.0.0.1:{port}/api", threading.Event()
    upload = threading.Thread(target=dripping, args=(address, sent), daemon=True)
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(words, cwd=ROOT, env=env, stdout=log, stderr=log)
        try:
            wait_until(lambda: is_healthy(address), at_most_s=180)
            upload.start()
            assert sent.wait(60)
            process.terminate()
            process.wait(GRACE_S + 30)
        finally:
            process.kill()

    said = (tmp_path / "log").read_text()
    assert "a request was cut, because the process ends" in said
    assert "Traceback" not in said, said[-3000:]


def is_healthy(address):
    with suppress(httpx.HTTPError):
        return httpx.get(f"{address}/health").status_code == 200
    return False
