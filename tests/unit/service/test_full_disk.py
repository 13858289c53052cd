"""A full disk: each write is refused with one sentence and one line of the log, reads go on, and writes do afterwards."""

import logging
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
import pytest
import sqlalchemy as sa
from click.testing import CliRunner

import seeded
from coachboard.cli import main
from coachboard.service.api.app import create_app
from coachboard.service.store import JobState, NewUser, Store
from coachboard.settings import Settings
from contract.conftest import is_described
from databases import SERVER, content
from serving import served
from small_disk import fill, small_disk
from unit.service.importers.fit_files import activity, at, fit_file, records, session
from waiting import wait_until

MOST = 100
OWN = "/own/v1"
FULL = {
    "code": "insufficient_storage",
    "error": "The disk is full: the service saved nothing. Free some space there, then try again.",
}


@contextmanager
def service_on(folder, url=None):
    """A seeded service whose files are in the folder, as the store and a client of the athlete."""
    with closing(Store.open(url or f"sqlite:///{folder / 'service.db'}")) as store:
        seeded.seed(store)
        app = create_app(store, settings=Settings(data=folder, outbox=folder / "outbox"))
        headers = {"Authorization": f"Bearer {seeded.ATHLETE_KEY}"}
        with served(app) as address, httpx.Client(base_url=address, headers=headers, timeout=60) as client:
            client.event_hooks["response"].append(is_described)
            client.get("/users/me")  # the key's last use is written once an hour, in the background
            yield store, client
        app.state.mailer.close()
        app.state.worker.close()


def errors(caplog):
    lines = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert [line for line in lines if line.exc_info] == []
    return [line.getMessage() for line in lines]


def invite(client, number):
    body = {"email": f"a{number}@example.org", "role": "athlete", "sendInvitationEmail": True}
    headers = {"Authorization": f"Bearer {seeded.COACH_KEY}"}
    return client.post(f"/workspaces/{seeded.SQUAD}/invitations", json=body, headers=headers)


def test_a_refused_request_is_one_line_and_the_service_recovers(tmp_path, caplog):
    """Without a mount: the database may not grow."""
    with service_on(tmp_path) as (_, client):
        with closing(sqlite3.connect(tmp_path / "service.db")) as connection:
            connection.execute("VACUUM")  # the migrations leave free pages
        pages = 1  # the lowest possible: the present size

        def limit(connection, *_):
            connection.execute(f"PRAGMA max_page_count = {pages}")

        sa.event.listen(sa.Pool, "checkout", limit)
        replies = [invite(client, number) for number in range(MOST)]
        refused = [reply for reply in replies if reply.status_code == 507]
        lines = errors(caplog)
        read, ready = client.get("/users/me"), client.get("/ready")
        pages = 4_294_967_294  # the limit belongs to the connection
        after = invite(client, MOST).status_code
        sa.event.remove(sa.Pool, "checkout", limit)

    assert {reply.status_code for reply in replies} == {200, 507}
    assert refused[0].json() == FULL
    of_requests = [line for line in lines if "a request was refused because the disk is full" in line]
    assert len(of_requests) == len(refused)
    assert (read.status_code, after) == (200, 200)
    assert ready.status_code == 503
    assert ready.json()["error"] == "The disk is full: reads work, and nothing can be saved. Free some space."


def writes(client, job_id):
    """Each writing request of the service, as its method, path and body."""
    tag = client.get(f"{OWN}/activities/{seeded.RIDE}").headers["etag"]
    metric = client.get(f"{OWN}/metrics").json()[0]
    key = client.get(f"{OWN}/keys").json()[0]["id"]
    ride = f"{OWN}/activities/{seeded.RIDE}"
    value = {"type": "weight", "value": 70, "date": "2026-03-01"}
    of_metric = {"If-Match": metric["etag"]}
    return {
        "invite": lambda: invite(client, 1),
        "import": lambda: client.post(f"{OWN}/imports", json={}),
        "send": lambda: client.put(f"{OWN}/imports/{job_id}/files?name=a.fit", content=os.urandom(2_000_000)),
        "start": lambda: client.post(f"{OWN}/imports/{job_id}/start", json={}),
        "rename": lambda: client.patch(ride, json={"name": "Hills"}, headers={"If-Match": tag}),
        "replace": lambda: client.put(
            f"{ride}/file?name=a.fit", content=os.urandom(2_000_000), headers={"If-Match": tag}
        ),
        "delete": lambda: client.delete(ride, headers={"If-Match": tag}),
        "value": lambda: client.post(f"{OWN}/metrics", json=value),
        "change value": lambda: client.put(
            f"{OWN}/metrics/{metric['metric']['id']}", json=value, headers=of_metric
        ),
        "delete value": lambda: client.delete(f"{OWN}/metrics/{metric['metric']['id']}", headers=of_metric),
        "recompute": lambda: client.post(f"{OWN}/recomputations"),
        "key": lambda: client.post(f"{OWN}/keys", json={"label": "watch"}),
        "rename key": lambda: client.patch(f"{OWN}/keys/{key}", json={"label": "watch"}),
        "revoke key": lambda: client.delete(f"{OWN}/keys/{key}"),
        "leave": lambda: client.delete(f"{OWN}/memberships/{seeded.SQUAD}"),
    }


def empty_log(folder):
    """Without its write-ahead log SQLite needs a new page for each write."""
    with closing(sqlite3.connect(folder / "service.db", timeout=20)) as database:
        assert database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone() == (0, 0, 0)


def files(folder):
    names = ("service.db-wal", "service.db-shm", "filler")
    return {
        path.relative_to(folder): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in names
    }


def test_each_write_on_a_full_disk_is_507_and_leaves_nothing_half_written(tmp_path, caplog):
    with small_disk(tmp_path / "disk", megabytes=12) as disk, service_on(disk) as (_store, client):
        job_id = client.post(f"{OWN}/imports", json={}).json()["id"]
        requests = writes(client, job_id)
        empty_log(disk)
        before, rows = files(disk), content(f"sqlite:///{disk / 'service.db'}")
        found, said = {}, {}
        for name, request in requests.items():
            empty_log(disk)
            filler = fill(disk)
            caplog.clear()
            reply = request()
            found[name], said[name] = (reply.status_code, reply.json()), errors(caplog)
        read, health = client.get("/users/me").status_code, client.get("/health").status_code
        full = client.get("/ready")
        after = files(disk)
        assert content(f"sqlite:///{disk / 'service.db'}") == rows
        filler.unlink()
        again = {name: requests[name]().status_code for name in ("invite", "send", "rename", "value")}

    assert found == dict.fromkeys(requests, (507, FULL))
    assert {name: len(lines) for name, lines in said.items()} == dict.fromkeys(requests, 1)
    assert all("because the disk is full" in lines[0] for lines in said.values())
    assert after == before
    assert (read, health, full.status_code) == (200, 200, 503)
    assert "The disk is full" in full.json()["error"]
    assert set(again.values()) <= {200, 201}


def ride():
    columns = {"power": 200, "heart_rate": 140, "distance": lambda place: place * 8.0}
    durations = {"total_elapsed_time": 900.0, "total_timer_time": 900.0}
    return fit_file(*records(900, **columns), session(start_time=at(0), **durations), activity(offset_s=7200))


def test_an_import_waits_for_room_and_goes_on(tmp_path, caplog, monkeypatch):
    """The recordings have a disk of their own here: the job's row is written, the recording is not."""
    monkeypatch.setattr("coachboard.service.own_data.jobs._REST_S", 0.05)
    with service_on(tmp_path) as (store, client), small_disk(store.originals.folder, megabytes=1) as disk:
        job = f"{OWN}/imports/{client.post(f'{OWN}/imports', json={}).json()['id']}"
        assert client.put(f"{job}/files?name=ride.fit", content=ride()).status_code == 200
        filler = fill(disk)
        client.post(f"{job}/start", json={})
        wait_until(lambda: errors(caplog))
        assert client.get(job).json()["state"] == JobState.RUNNING
        filler.unlink()
        wait_until(lambda: client.get(job).json()["state"] == JobState.DONE)
        report = client.get(job).json()["report"]

    assert [line["outcome"] for line in report] == ["imported"]
    assert all("waits for room on the disk" in line for line in errors(caplog))


@pytest.fixture
def data(tmp_path, monkeypatch):
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("COACHBOARD_DATA", str(folder))
    monkeypatch.delenv("COACHBOARD_DATABASE_URL", raising=False)
    with closing(Store.open(f"sqlite:///{folder / 'coachboard.db'}")) as store:
        store.add_user(NewUser(first_name="Ana", id="usr_ana"))
        store.originals.put("usr_ana", "0" * 64, os.urandom(2_000_000))
    return folder


def one_line(result):
    assert result.exit_code == 1, result.output
    (line,) = result.stderr.splitlines()
    return line


def test_a_backup_on_a_full_disk_is_one_line_and_leaves_nothing(data, tmp_path):
    with small_disk(tmp_path / "disk", megabytes=1) as disk:
        line = one_line(CliRunner().invoke(main, ["backup", str(disk / "club.backup")]))
        assert list(disk.iterdir()) == []

    assert line.startswith(f"Error: the disk is full: {disk} has no room for the backup")


def test_a_backup_that_may_not_grow_is_one_line_and_leaves_nothing(data, tmp_path):
    """Without a mount: no file of the process may exceed a megabyte."""
    target = tmp_path / "target"
    target.mkdir()
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from coachboard.cli import main; main()",
            "backup",
            str(target / "club.backup"),
        ],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000)),
    )

    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert "the disk is full" in done.stderr
    assert list(target.iterdir()) == []


@pytest.mark.parametrize(
    "words", [["users", "add"], ["keys", "add", "Ana"], ["metrics", "add", "Ana", "weight", "70"]]
)
def test_a_command_on_a_full_disk_is_one_line(words, tmp_path, data, monkeypatch):
    with small_disk(tmp_path / "disk", megabytes=8) as disk:
        shutil.copytree(data, disk / "data")
        monkeypatch.setenv("COACHBOARD_DATA", str(disk / "data"))
        filler = fill(disk)
        line = one_line(CliRunner().invoke(main, words))
        filler.unlink()
        again = CliRunner().invoke(main, words)

    assert line == "Error: the disk is full: free some space, then run the command again"
    assert again.exit_code == 0, again.output


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.skipif(SERVER is None, reason="COACHBOARD_TEST_POSTGRES_URL is not set")
def test_a_full_tablespace_of_postgresql_is_507_and_recovers(caplog, monkeypatch):
    with (
        TemporaryDirectory(
            prefix="coachboard-"
        ) as name,  # the server is another user, who may not enter pytest's
        small_disk(Path(name, "disk"), megabytes=24) as disk,
        tablespace(disk) as url,
    ):
        monkeypatch.setenv("COACHBOARD_DATA", f"{name}/data")
        with service_on(Path(name, "data"), url) as (_store, client):
            filler = fill(disk)
            replies = [invite(client, number) for number in range(MOST)]
            lines, read, full = errors(caplog), client.get("/users/me"), client.get("/ready")
            filler.unlink()
            after = invite(client, MOST)

    refused = [reply for reply in replies if reply.status_code != 200]
    assert refused
    assert {(reply.status_code, *reply.json().values()) for reply in refused} == {(507, *FULL.values())}
    assert len([line for line in lines if "because the disk is full" in line]) == len(refused)
    assert (read.status_code, full.status_code, after.status_code) == (200, 503, 200)
    assert "The disk is full" in full.json()["error"]


@contextmanager
def tablespace(disk):
    """The address of a database on that disk."""
    disk.parent.chmod(0o755)
    space = disk / "space"
    space.mkdir(mode=0o700)
    try:
        shutil.chown(space, "postgres")
    except (LookupError, PermissionError):
        pytest.skip("the server's user may not be given a folder here")
    engine = sa.create_engine(SERVER, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE TABLESPACE small LOCATION '{space}'")
        try:
            connection.exec_driver_sql("CREATE DATABASE small TABLESPACE small")
            yield sa.make_url(SERVER).set(database="small").render_as_string(hide_password=False)
        finally:
            connection.exec_driver_sql("DROP DATABASE IF EXISTS small WITH (FORCE)")
            connection.exec_driver_sql("DROP TABLESPACE small")
    engine.dispose()
