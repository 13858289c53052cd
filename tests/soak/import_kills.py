"""`kill -9` of an import: each session exists once, the import resumes, and no orphaned file is left."""

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
from click.testing import CliRunner

from coachboard.cli import main
from coachboard.service.api.app import create_app
from coachboard.service.own_data import uploads
from coachboard.service.own_data.jobs import OF_COMMAND
from coachboard.service.store import JobKind, NewUser, Store
from coachboard.service.store.rows import RowKind
from coachboard.settings import Settings
from running import free_port
from serving import served
from soak.table import Row
from unit.service.importers.fit_files import at, fit_file, records, session

PERSON, KEY = "usr_imports", "key-of-imports"
RIDES = 12
_LONG_S = 3_600
_MOST_S = 180
_MAIN = "import sys; from coachboard.cli import main; sys.argv[0] = 'coachboard'; main()"

Kill = Callable[[Path, Path], float]
"""Import the files of a folder into the data folder, and kill; the share of the sessions that were there."""


def rows(kills: int) -> Iterator[Row]:
    for way in WAYS:
        yield imports_row(way, -(-kills // len(WAYS)))


def imports_row(way: str, kills: int) -> Row:
    started, failures, shares = time.monotonic(), [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = files_in(folder / "files")
        template = folder / "template"
        make_store(template)
        whole = _whole(template, files, folder / "whole")
        for number in range(kills):
            data = folder / str(number)
            shutil.copytree(template, data)
            shares.append(WAYS[way](data, files))
            failures += [f"kill {number}: {said}" for said in _resumed(data, files, whole, way)]
            shutil.rmtree(data)
    figures = (
        f"{min(shares)} to {max(shares)} of {RIDES} sessions at the kill, {time.monotonic() - started:.0f} s"
    )
    return Row(f"kill -9: {way}", kills, tuple(failures), figures)


def files_in(folder: Path) -> Path:
    folder.mkdir()
    for number in range(RIDES):
        first_s = 2 * _LONG_S * number
        ride = fit_file(
            session(start_time=at(first_s), total_elapsed_time=float(_LONG_S)),
            *records(_LONG_S // 3, first_s=first_s, step_s=3, power=lambda n: 200 + n % 50),
        )
        (folder / f"ride-{number}.fit").write_bytes(ride)
    (folder / "nights.csv").write_text("date,hrv\n2026-05-02,60\n2026-05-03,61\n")
    return folder


def make_store(data: Path) -> None:
    data.mkdir()
    with closing(store_of(data)) as store:
        store.add_user(NewUser(id=PERSON, first_name="Ana", last_name="Berg"))
        store.add_key(PERSON, label="soak", key=KEY)


def store_of(data: Path) -> Store:
    return Store.open(url_of(data))


def url_of(data: Path) -> str:
    return f"sqlite:///{data / 'service.db'}"


def import_all(data: Path, files: Path) -> Any:
    return CliRunner().invoke(main, ["import", str(files), "--db", url_of(data)])


def _whole(template: Path, files: Path, data: Path) -> dict[str, Any]:
    """The rows after an import without a kill."""
    shutil.copytree(template, data)
    result = import_all(data, files)
    assert result.exit_code == 0, result.output
    return content(data)


def content(data: Path) -> dict[str, Any]:
    """The person's rows, the files that were read, and the originals."""
    with closing(store_of(data)) as store:
        activities = {row.id: row for row in store.activities_of(PERSON, None, None)}
        return {
            "activities": {id_: row.model_dump_json() for id_, row in activities.items()},
            "streams": sum(store.streams(id_) is not None for id_ in activities),
            "nights": sorted(store.row_bodies(RowKind.SLEEPS, PERSON)),
            "recordings": sorted(row.digest for row in store.recordings_of(PERSON)),
            "originals": sorted(path.name for path in _kept(data)),
        }


def _kept(data: Path) -> list[Path]:
    folder = data / "service.db.files"
    return [path for path in folder.rglob("*") if path.is_file() and "uploads" not in path.parts]


def _environment(data: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COACHBOARD_")}
    return kept | {"COACHBOARD_DATA": str(data), "COACHBOARD_DATABASE_URL": url_of(data)}


@contextmanager
def _begun(data: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    with (data / "log").open("ab") as log:
        command = [sys.executable, "-c", _MAIN, *words]
        process = subprocess.Popen(command, env=_environment(data), stdout=log, stderr=log)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _after_sessions(data: Path, process: subprocess.Popen[bytes]) -> int:
    """Wait for a random number of stored sessions and a moment more; the sessions at the end."""
    enough = random.randint(0, RIDES - 1)
    end = time.monotonic() + _MOST_S
    with closing(sqlite3.connect(f"file:{data / 'service.db'}?mode=ro", uri=True)) as connection:
        while _count(connection) < enough and process.poll() is None:
            assert time.monotonic() < end, (data / "log").read_text()[-1000:]
            time.sleep(0.001)
        time.sleep(random.random() * 0.05)
        process.kill()
        process.wait()
        return _count(connection)


def _count(connection: sqlite3.Connection) -> int:
    (number,) = connection.execute("SELECT count(*) FROM activities").fetchone()
    return int(number)


def _has_job(data: Path) -> bool:
    with closing(sqlite3.connect(f"file:{data / 'service.db'}?mode=ro", uri=True)) as connection:
        return bool(connection.execute("SELECT 1 FROM jobs").fetchall())


def _kill_command(data: Path, files: Path) -> float:
    with _begun(data, "import", str(files), "--db", url_of(data)) as process:
        _wait_for(lambda: _has_job(data), process, data)
        return _after_sessions(data, process)


def _kill_service(data: Path, files: Path) -> float:
    """Upload, start the import, and kill the service at any of these moments."""
    port = free_port()
    with _begun(data, "serve", "--db", url_of(data), "--port", str(port)) as process:
        _wait_for(lambda: _answers(port), process, data)
        if random.random() < 0.3:  # during the upload
            upload(f"http://127.0.0.1:{port}/api", files, most=random.randint(0, RIDES))
            return 0
        upload(f"http://127.0.0.1:{port}/api", files)
        return _after_sessions(data, process)


def _kill_open(data: Path, files: Path) -> float:
    port = str(free_port())
    with _begun(data, "open", str(files), "--port", port, "--no-browser") as process:
        _wait_for(lambda: _has_job(data), process, data)
        return _after_sessions(data, process)


WAYS: dict[str, Kill] = {
    "coachboard import": _kill_command,
    "an upload and its import in the service": _kill_service,
    "coachboard open with files": _kill_open,
}


def _wait_for(is_so: Callable[[], bool], process: subprocess.Popen[bytes], data: Path) -> None:
    end = time.monotonic() + _MOST_S
    while not is_so():
        assert process.poll() is None, (data / "log").read_text()[-1000:]
        assert time.monotonic() < end, (data / "log").read_text()[-1000:]
        time.sleep(0.005)


def _answers(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/api/health").status_code == 200
    except httpx.TransportError:
        return False


def upload(address: str, files: Path, *, job_id: str = "", most: int | None = None) -> str:
    """Send files to a new or a known import, and start it unless only some are sent; gives its id."""
    with httpx.Client(base_url=address, headers={"Authorization": f"Bearer {KEY}"}, timeout=60) as client:
        job_id = job_id or client.post("/own/v1/imports", json={}).json()["id"]
        for path in sorted(files.iterdir())[:most]:
            sent = client.put(
                f"/own/v1/imports/{job_id}/files", params={"name": path.name}, content=path.read_bytes()
            )
            assert sent.status_code == 200, sent.text
        if most is None:
            client.post(f"/own/v1/imports/{job_id}/start", json={}).raise_for_status()
    return job_id


def _resumed(data: Path, files: Path, whole: dict[str, Any], way: str) -> list[str]:
    """Resume as a user does, and compare with an import without a kill."""
    failures = checked(data)
    if way == "coachboard import":
        result = import_all(data, files)
        failures += [] if result.exit_code == 0 else [f"the second import: {result.output[-200:]}"]
    failures += _served_to_the_end(data, files)
    _age(data)
    with closing(store_of(data)) as store:
        uploads.remove_abandoned(store)
    failures += checked(data)
    found = content(data)
    failures += [
        f"{name}: {_short(found[name])}, not {_short(whole[name])}"
        for name in whole
        if found[name] != whole[name]
    ]
    left = [path for path in (data / "service.db.files" / "uploads").rglob("*") if path.is_file()]
    failures += [f"upload left: {path.name}" for path in left]
    log = (data / "log").read_text()
    failures += ["traceback in the log"] if "Traceback" in log else []
    return failures


def _served_to_the_end(data: Path, files: Path) -> list[str]:
    """Start the service again; each import that was started ends, and one that was not is sent again."""
    settings = Settings(data=data, outbox=data / "outbox")
    with closing(store_of(data)) as store:
        app = create_app(store, settings=settings)
        with served(app) as address:
            jobs = store.jobs_of(PERSON, JobKind.IMPORT)
            for job in jobs:
                if job.state == "receiving":
                    upload(address, files, job_id=job.id)
            end = time.monotonic() + _MOST_S
            while any(job.state in {"queued", "running", "receiving"} for job in jobs):
                if time.monotonic() > end:
                    return [f"the import is {jobs[0].state} for ever"]
                time.sleep(0.02)
                jobs = store.jobs_of(PERSON, JobKind.IMPORT)
        app.state.mailer.close()
        app.state.worker.close()
        app.state.intervals.close()
        # The service has not the files of a killed command: its import ends, and the second command did the rest.
        wrong = [job for job in jobs if job.state != "done" and not job.arguments.get(OF_COMMAND)]
        return [f"an import is {job.state}: {job.error}" for job in wrong]


def _age(data: Path) -> None:
    """Let two days pass: abandoned files are removed after one."""
    old = time.time() - 2 * 86_400
    for path in (data / "service.db.files").rglob("*"):
        os.utime(path, (old, old))


def checked(data: Path) -> list[str]:
    with closing(sqlite3.connect(data / "service.db")) as connection:
        said = connection.execute("PRAGMA integrity_check").fetchall()
        wrong = connection.execute("PRAGMA foreign_key_check").fetchall()
    return ([] if said == [("ok",)] else [f"integrity: {said[0][0]}"]) + [
        f"foreign key: {row}" for row in wrong
    ]


def _short(value: Any) -> str:
    return str(len(value)) if isinstance(value, dict | list) else str(value)
