"""`kill -9` of a service between an invitation's reply and its mail: each mail is there once after the next start."""

import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from pathlib import Path

import httpx

import seeded
from coachboard.service.store import Store
from running import free_port
from soak.table import Row

_START_S, _MAIL_S = 180, 60
_SERVE = "from coachboard.cli import main; main()"


def mails(kills: int) -> Iterator[Row]:
    """Invite, kill at a random moment up to 20 ms after the reply, start again, and count the mails of each address."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        wanted, found = invited_with_kills(Path(name), kills)
    wrong = tuple(f"{email}: {found[email]} mails" for email in wanted if found[email] != 1)
    yield Row("kill -9 after the reply to an invitation", kills, wrong, f"{time.monotonic() - started:.0f} s")


def invited_with_kills(folder: Path, kills: int) -> tuple[list[str], Counter[str]]:
    """The addresses with a reply of success, and the mails of each address in the outbox."""
    url = f"sqlite:///{folder / 'service.db'}"
    store = Store.open(url)
    seeded.seed(store)
    store.close()
    wanted = []
    for number in range(kills):
        with _service(folder, url) as (address, process):
            email = f"a{number}@example.org"
            body = {"email": email, "role": "athlete", "sendInvitationEmail": True}
            headers = {"Authorization": f"Bearer {seeded.COACH_KEY}"}
            reply = httpx.post(
                f"{address}/workspaces/{seeded.SQUAD}/invitations", json=body, headers=headers, timeout=60
            )
            time.sleep(random.random() * 0.02)
            process.kill()
            wanted += [email] if reply.status_code == 200 else []
    with _service(folder, url):
        end = time.monotonic() + _MAIL_S
        while set(wanted) - set(found := _outbox(folder)) and time.monotonic() < end:
            time.sleep(0.05)
    return wanted, found


@contextmanager
def _service(folder: Path, url: str) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    port = free_port()
    env = {"COACHBOARD_DATA": str(folder), "PATH": "/usr/bin:/bin"}
    words = [sys.executable, "-c", _SERVE, "serve", "--db", url, "--port", str(port)]
    with (folder / "log").open("ab") as log, subprocess.Popen(words, stderr=log, env=env) as process:
        try:
            end = time.monotonic() + _START_S
            while not _answers(f"http://127.0.0.1:{port}/api/users/me"):
                assert process.poll() is None, (folder / "log").read_text()[-500:]
                assert time.monotonic() < end, "the service did not start"
                time.sleep(0.05)
            yield f"http://127.0.0.1:{port}/api", process
        finally:
            process.terminate()


def _answers(address: str) -> bool:
    try:
        return httpx.get(address).status_code == 401
    except httpx.TransportError:
        return False


def _outbox(folder: Path) -> Counter[str]:
    files = (folder / "outbox").glob("*.eml")
    return Counter(str(message_from_bytes(file.read_bytes())["To"]) for file in files)
