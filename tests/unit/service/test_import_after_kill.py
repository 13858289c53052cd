"""An import that is killed continues: each session exists once, and no orphaned file is left."""

import signal
import subprocess
import sys

import httpx
import pytest

from coachboard.service.api.app import create_app
from coachboard.service.own_data.jobs import OF_COMMAND, Worker, new_job, worker_name
from coachboard.service.store import JobKind, JobState, NewUser, Store
from coachboard.settings import Settings
from serving import served
from soak import import_kills
from waiting import wait_until

KEY = "a-key"
SLOW = "import time, click; echo = click.echo; from coachboard.cli import main; "
SLOW += "click.echo = lambda *text, **to: (echo(*text, **to), time.sleep(60)); main()"


@pytest.mark.slow
@pytest.mark.parametrize("way", import_kills.WAYS)
def test_a_killed_import_ends_as_one_without_a_kill(way):
    assert import_kills.imports_row(way, 2).failures == ()


@pytest.fixture
def store(tmp_path):
    store = Store.open(f"sqlite:///{tmp_path / 'store.db'}")
    store.add_user(NewUser(id="usr_a"))
    store.add_key("usr_a", label="test", key=KEY)
    yield store
    store.close()


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
def test_the_report_says_that_a_signal_interrupted_the_command(store, tmp_path, ending):
    """It said that the import was running until the service restarted."""
    (tmp_path / "files").mkdir()
    for name in ("a.gpx", "b.gpx"):
        (tmp_path / "files" / name).write_bytes(b"<gpx")
    app = create_app(store, settings=Settings(data=tmp_path, outbox=tmp_path / "outbox"))
    command = [
        sys.executable,
        "-c",
        SLOW,
        "import",
        str(tmp_path / "files"),
        "--db",
        f"sqlite:///{tmp_path / 'store.db'}",
    ]
    with served(app) as address, httpx.Client(headers={"Authorization": f"Bearer {KEY}"}) as http:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_until(
                lambda: [job.done for job in store.jobs_of("usr_a", JobKind.IMPORT)] == [1], at_most_s=60
            )
            path = f"{address}/own/v1/imports"
            (before,) = http.get(path).json()
            process.send_signal(ending)
            process.wait(30)
        finally:
            process.kill()
            process.wait()
        one_path = f"{path}/{before['id']}"
        places = [one_path, path] if ending is signal.SIGKILL else [path, one_path]  # each alone finds it out
        said = {place: http.get(place).json() for place in places}
    app.state.mailer.close()
    app.state.worker.close()

    assert before["state"] == "running"
    for found in (said[one_path], *said[path]):
        assert (found["state"], found["error"]) == (
            "failed",
            "the command was interrupted before its last file",
        )
        assert found["finishedAt"]
    assert [line["name"] for line in said[one_path]["report"]] == [str(tmp_path / "files" / "a.gpx")]


def test_a_restarted_service_ends_an_interrupted_command_and_no_running_one(store, tmp_path):
    jobs = [new_job("usr_a", JobKind.IMPORT, JobState.RUNNING, **{OF_COMMAND: True}) for _ in range(2)]
    for job in jobs:
        store.add_job(job, worker_name())
    ids = [job.id for job in jobs]
    store.put_progress(ids[0], worker="elsewhere:1", seen_at=0)
    store.put_progress(ids[1], worker=worker_name().replace(":", "-elsewhere:"), seen_at=2**40)
    worker = Worker(store, today=lambda: None)
    worker.start()
    worker.close()

    assert [store.job(one).state for one in ids] == [JobState.FAILED, JobState.RUNNING]


@pytest.mark.slow
def test_an_import_of_a_killed_process_ends_in_the_one_that_serves(tmp_path):
    """Two processes on one database: the import was running until one of them restarted."""
    data = tmp_path / "data"
    files = import_kills.files_in(tmp_path / "files")
    import_kills.make_store(data)
    store = import_kills.store_of(data)
    app = create_app(store, settings=Settings(data=data, outbox=data / "outbox"))
    headers = {"Authorization": f"Bearer {import_kills.KEY}"}
    with served(app) as address, httpx.Client(headers=headers) as http:
        assert import_kills.WAYS["an upload and its import in the service"](data, files) <= import_kills.RIDES
        path = f"{address}/own/v1/imports"
        (found,) = http.get(path).json()
        if found["state"] == "receiving":  # killed during the upload: it is sent again
            import_kills.upload(address, files, job_id=found["id"])
        wait_until(lambda: http.get(f"{path}/{found['id']}").json()["state"] == "done", at_most_s=60)
    app.state.mailer.close()
    app.state.worker.close()

    assert len(store.activities_of(import_kills.PERSON, None, None)) == import_kills.RIDES
    store.close()
