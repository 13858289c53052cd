"""A database that is missing or empty beside its files: each command says so in one line and makes no new one."""

import os
import time
from contextlib import closing

import pytest
from click.testing import CliRunner

import seeded
from coachboard.cli import main
from coachboard.service.store import Store
from databases import DATABASES, empty_database

CREATING = {
    "open": ["open", "--no-browser"],
    "serve": ["serve"],
    "demo": ["demo"],
    "demo-data": ["demo-data", "--athletes", "1", "--years", "0.1"],
    "users add": ["users", "add", "--first-name", "Eva"],
    "workspaces add": ["workspaces", "add", "Squad", "squad"],
    "import": ["import", __file__],
}
SIGNS = {
    "originals": "coachboard.db.files/person/digest",
    "key": "keys/usr_1",
    "backup": "club.backup",
    "secret": "invitation.secret",
    "copy": "coachboard.db.set-aside-20260501-101010",
    "log": "coachboard.db-wal",
    "originals of PostgreSQL": "files/person/digest",
}


@pytest.fixture
def data(tmp_path, monkeypatch):
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("COACHBOARD_DATA", str(folder))
    monkeypatch.delenv("COACHBOARD_DATABASE_URL", raising=False)

    def serves(*_args, **_named):
        raise AssertionError("serves a new database")

    monkeypatch.setattr("uvicorn.run", serves)
    monkeypatch.setattr("coachboard_demo.share.call_for", lambda *_: None)  # processes that write the squad
    monkeypatch.setattr("coachboard.cli.serve_dashboard", serves)
    monkeypatch.setattr("coachboard.server.open_command.serve_dashboard", serves)
    return folder


def put(data, sign):
    path = data / SIGNS[sign]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"content")


def files(data):
    return {path.relative_to(data): path.read_bytes() for path in data.rglob("*") if path.is_file()}


def refused(words, data):
    before = files(data)
    result = CliRunner().invoke(main, words)

    assert result.exit_code == 1, result.output
    (line,) = result.stderr.splitlines()
    assert "coachboard restore" in line
    assert files(data) == before
    return line


@pytest.mark.parametrize("name", CREATING)
@pytest.mark.parametrize("is_empty", [False, True], ids=["missing", "empty"])
def test_no_command_makes_a_database_beside_recordings(name, is_empty, data, free_port):
    put(data, "originals")
    if is_empty:
        (data / "coachboard.db").touch()
    ports = ["--port", str(free_port)] if name in {"open", "serve", "demo"} else []
    line = refused([*CREATING[name], *ports], data)

    assert str(data / "coachboard.db.files") in line


@pytest.mark.parametrize("sign", SIGNS)
def test_each_trace_of_a_database_is_named(sign, data):
    put(data, sign)

    assert str(data / SIGNS[sign].split("/")[0]) in refused(CREATING["users add"], data)


@pytest.mark.parametrize(
    "other", ["cache.db", "dashboard.db", "outbox/mail.eml", "coachboard.db.files/empty"]
)
def test_files_of_a_dashboard_alone_stop_no_first_start(other, data):
    """`coachboard dashboard` over another machine's service makes them without a database."""
    path = data / other
    path.parent.mkdir(exist_ok=True)
    path.mkdir() if other.endswith("empty") else path.write_bytes(b"content")

    assert CliRunner().invoke(main, CREATING["users add"]).exit_code == 0


def test_a_demo_beside_a_sound_database_is_no_loss(data):
    with closing(Store.open(f"sqlite:///{data / 'coachboard.db'}")) as store:
        seeded.seed(store)
    put(data, "key")

    result = CliRunner().invoke(main, [*CREATING["demo-data"], "--db", str(data / "demo.db")])
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("kind", DATABASES)
def test_a_database_without_people_beside_recordings_is_refused(kind, data):
    """An earlier version made an empty database beside the recordings of the lost one."""
    with empty_database(kind, data) as url:
        Store.open(url).close()
        with closing(Store.open(url)) as store:
            store.originals.put("usr_1", "0" * 64, b"a recording")
            folder = store.originals.folder
        result = CliRunner().invoke(main, [*CREATING["users add"], "--db", url])

    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert "has no people" in line
    assert str(folder) in line
    assert "@" not in line


@pytest.mark.parametrize("kind", [kind for kind in DATABASES if "sqlite" not in str(kind)])
def test_an_empty_postgresql_database_beside_recordings_gets_no_tables(kind, data):
    put(data, "originals of PostgreSQL")
    with empty_database(kind, data) as url:
        first, second = (CliRunner().invoke(main, [*CREATING["users add"], "--db", url]) for _ in range(2))

    assert str(data / "files") in first.stderr
    assert first.stderr == second.stderr


def test_a_restore_is_the_way_out(data, tmp_path):
    url = f"sqlite:///{data / 'coachboard.db'}"
    with closing(Store.open(url)) as store:
        seeded.seed(store)
        store.originals.put(seeded.ATHLETE, "0" * 64, b"a recording")
    file = tmp_path / "club.backup"
    assert CliRunner().invoke(main, ["backup", str(file)]).exit_code == 0
    (data / "coachboard.db").unlink()
    refused(CREATING["users add"], data)

    assert CliRunner().invoke(main, ["restore", str(file)]).exit_code == 0
    assert "Ana" in CliRunner().invoke(main, ["users", "list"]).stdout


def test_an_old_empty_file_without_anything_beside_it_is_refused_too(data):
    path = data / "coachboard.db"
    path.touch()
    os.utime(path, (time.time() - 120,) * 2)

    refused_line = CliRunner().invoke(main, CREATING["users add"]).stderr
    assert "the file is empty" in refused_line
