"""Backup and restore over real databases, original files and a running service."""

import gzip
import hashlib
import io
import tarfile
from contextlib import closing
from datetime import UTC, date, datetime, timedelta

import httpx
import orjson
import pytest
import sqlalchemy as sa
from click.testing import CliRunner

import seeded
from coachboard import cli
from coachboard.loaders import local_store
from coachboard.server import backup_command
from coachboard.server.sign_in_links import owner_key, read_key
from coachboard.service.api.app import create_app, mounted
from coachboard.service.store import PendingInvitation, Store
from coachboard.settings import Settings
from coachboard.wire.enums import InvitedRole
from databases import DATABASES, content, empty_database
from serving import served

RECORDING = b"a recording"
DIGEST = hashlib.sha256(RECORDING).hexdigest()


@pytest.fixture(params=DATABASES)
def kind(request):
    return request.param


@pytest.fixture
def data(tmp_path, monkeypatch):
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("COACHBOARD_DATA", str(folder))
    return folder


@pytest.fixture
def url(kind, data):
    with empty_database(kind, data) as found:
        yield found


@pytest.fixture
def store(url):
    with closing(Store.open(url)) as opened:
        seeded.seed(opened)
        opened.originals.put(seeded.ATHLETE, DIGEST, RECORDING)
        yield opened


@pytest.fixture
def preferences(data):
    """The dashboard's own data, with one row."""
    engine = local_store.open_store(Settings().cache_url)
    with engine.begin() as connection:
        connection.execute(sa.insert(local_store.PREFERENCES).values(owner="o", body="{}"))
    yield engine
    engine.dispose()


def data_of(url):
    """All rows but the version numbers, which a restore counts up."""
    return {name: rows for name, rows in content(url).items() if name != "stamps"}


def run(*words):
    return CliRunner().invoke(cli.main, [str(word) for word in words])


def test_a_backup_restores_everything_into_an_empty_place(
    store, url, kind, preferences, tmp_path, data, monkeypatch
):
    file = tmp_path / "club.backup"
    written = run("backup", "--db", url, file)
    assert written.exit_code == 0, written.output
    assert file.stat().st_mode & 0o777 == 0o600
    assert written.stderr == f"Wrote and verified {file}: all databases and 1 original file.\n"
    assert {entry.name for entry in tmp_path.iterdir()} == {"club.backup", "data"}

    before = data_of(url)
    other = tmp_path / "other"
    monkeypatch.setenv("COACHBOARD_DATA", str(other))
    with empty_database(kind, other) as empty:
        restored = run("restore", "--db", empty, file)
        assert restored.exit_code == 0, restored.output
        assert data_of(empty) == before
        assert len(before["activities"]) >= 4
        with closing(Store.open(empty)) as opened:
            assert opened.originals.path(seeded.ATHLETE, DIGEST).read_bytes() == RECORDING
            assert opened.originals.path(seeded.ATHLETE, DIGEST).stat().st_mode & 0o777 == 0o600
    engine = local_store.open_store(Settings().cache_url)
    with engine.connect() as connection:
        assert connection.execute(sa.select(local_store.PREFERENCES)).all() == [("o", "{}")]
    engine.dispose()


def test_an_invitation_from_before_the_backup_is_accepted_on_a_new_machine(
    store, url, kind, tmp_path, data, monkeypatch
):
    squad = store.add_workspace("Squad", "squad-of-backup")
    now = datetime.now(UTC)
    asked = PendingInvitation(
        squad, "ada@example.org", "ada@example.org", InvitedRole.ATHLETE, now, now + timedelta(days=7), None
    )
    sent = store.invite(asked)
    own = owner_key(data, store, seeded.ATHLETE)
    file = tmp_path / "club.backup"
    assert run("backup", "--db", url, file).exit_code == 0

    other = tmp_path / "other"
    monkeypatch.setenv("COACHBOARD_DATA", str(other))
    with empty_database(kind, other) as empty:
        assert run("restore", "--db", empty, file).exit_code == 0
        assert read_key(other, seeded.ATHLETE) == own
        secret = other / "invitation.secret"
        for path in (secret, other / "keys" / seeded.ATHLETE):
            assert path.stat().st_mode & 0o777 == 0o600
            assert path.parent.stat().st_mode & 0o777 == 0o700
        with (
            closing(Store.open(empty)) as opened,
            served(mounted(create_app(opened, settings=Settings()))) as address,
        ):
            assert opened.invite(asked).code == sent.code  # without the secret, a new code would replace it
            body = {"code": sent.code, "firstName": "Ada"}
            accepted = httpx.post(f"{address}/api/own/v1/invitations/accept", json=body)
            assert (accepted.status_code, accepted.json()["workspace"]) == (201, "Squad"), accepted.text
            key = {"Authorization": f"Bearer {own.get_secret_value()}"}
            assert httpx.get(f"{address}/api/users/me", headers=key).json()["id"] == seeded.ATHLETE


def test_a_running_service_answers_with_the_restored_data(store, url, tmp_path, data):
    key = {"Authorization": f"Bearer {seeded.COACH_KEY}"}
    file = tmp_path / "club.backup"
    with (
        served(mounted(create_app(store, settings=Settings()))) as address,
        httpx.Client(headers=key) as client,
    ):

        def metrics():
            reply = client.get(f"{address}/api/users/{seeded.ATHLETE}/metrics")
            assert reply.status_code == 200, reply.text
            return reply.json()

        first = metrics()
        assert run("backup", "--db", url, file).exit_code == 0
        store.put_metrics(seeded.ATHLETE, [seeded.metric("mtr_later", date(2026, 3, 9), 71.0)])
        assert len(str(metrics())) > len(str(first))
        before = store.look("", {seeded.ATHLETE}).stamp
        refused = run("restore", "--db", url, file)
        assert (refused.exit_code, refused.stderr) == (
            1,
            "Error: the database already has people: restore into another one with --db, or add --replace\n",
        )
        restored = run("restore", "--db", url, "--replace", file)
        assert restored.exit_code == 0, restored.output
        assert metrics() == first
        assert store.look(before, {seeded.ATHLETE}).is_plan_by_person == {seeded.ATHLETE: False}
        store.put_metrics(seeded.ATHLETE, [seeded.metric("mtr_later", date(2026, 3, 9), 72.0)])
        assert "72.0" in str(metrics())
        assert run("restore", "--db", url, "--replace", file).exit_code == 0
        store.put_metrics(seeded.ATHLETE, [seeded.metric("mtr_again", date(2026, 3, 9), 73.0)])
        assert "72.0" not in str(metrics())  # as many changes as before the restore
        assert "73.0" in str(metrics())


def test_a_backup_of_another_kind_of_database_is_refused(data, tmp_path):
    file = tmp_path / "file"
    parts = {"store": {"kind": "postgresql", "rows": {}}}
    archive(file, {"format": "coachboard-backup-1", "schema": "0005", "coachboard": "1", "databases": parts})

    assert run("restore", file).stderr == (
        "Error: the store of the backup is from postgresql and the database given is sqlite\n"
    )


def test_a_damaged_original_is_reported_and_kept(store, url, tmp_path):
    store.originals.path(seeded.ATHLETE, DIGEST).write_bytes(b"other")
    written = run("backup", "--db", url, tmp_path / "file")

    assert written.exit_code == 0
    assert f"{DIGEST} is damaged; `coachboard import --again` repairs it." in written.stderr


def test_a_backup_writes_over_no_file(store, url, tmp_path):
    file = tmp_path / "there"
    file.write_text("mine")

    assert run("backup", "--db", url, file).stderr == f"Error: {file} already exists: choose another name\n"
    assert file.read_text() == "mine"


def archive(file, manifest, *rest):
    with tarfile.open(file, "w:gz") as tar:
        for name, text in (("manifest.json", orjson.dumps(manifest)), *rest):
            info = tarfile.TarInfo(name)
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text))


def test_a_file_that_is_no_backup_is_refused(data, tmp_path):
    file = tmp_path / "file"
    for bytes_ in (b"", b"text", gzip.compress(b"text")):
        file.write_bytes(bytes_)
        assert run("restore", file).stderr == f"Error: {file} is not a backup of Coachboard\n"
    archive(file, {"format": "another"})
    assert run("restore", file).stderr == f"Error: {file} is not a backup of Coachboard\n"
    assert run("restore", tmp_path / "none").stderr == f"Error: there is no file {tmp_path / 'none'}\n"
    assert list(data.iterdir()) == []


def test_a_backup_of_a_newer_version_is_refused(data, tmp_path):
    file = tmp_path / "file"
    archive(file, {"format": "coachboard-backup-1", "schema": "9999", "coachboard": "9.9", "databases": {}})
    said = run("restore", file).stderr

    assert said.startswith(
        "Error: the backup has schema 9999 of Coachboard 9.9; this version reads schemas up to "
    )
    assert list(data.iterdir()) == []


def changed(file, target, change):
    """A copy of the archive with members that `change` gives for a name and its bytes."""
    with tarfile.open(file) as tar:
        members = [(each.name, tar.extractfile(each).read()) for each in tar.getmembers()]
    (_, manifest), *rest = [change(name, text) for name, text in members]
    archive(target, orjson.loads(manifest), *rest)


def test_a_damaged_backup_changes_nothing(store, url, tmp_path):
    file, damaged, cut = (tmp_path / name for name in ("file", "damaged", "cut"))
    assert run("backup", "--db", url, file).exit_code == 0
    cut.write_bytes(file.read_bytes()[:-2000])
    changed(file, damaged, lambda name, text: (name, text[: len(text) // 2] if name == "store" else text))
    before = data_of(url)
    for each in (cut, damaged):
        refused = run("restore", "--db", url, "--replace", each)
        assert refused.exit_code == 1
        assert refused.stderr.startswith(("Error: the backup is damaged", "Error: pg_restore failed"))
        assert refused.stderr.count("\n") == 1
    assert data_of(url) == before


def test_rows_that_are_missing_from_a_dump_are_noticed(store, url, tmp_path):
    file, changed_ = tmp_path / "file", tmp_path / "changed"
    assert run("backup", "--db", url, file).exit_code == 0

    def more(name, text):
        if name != "manifest.json":
            return name, text
        manifest = orjson.loads(text)
        manifest["databases"]["store"]["rows"]["activities"] += 1
        return name, orjson.dumps(manifest)

    changed(file, changed_, more)

    assert "has other rows than it lists" in run("restore", "--db", url, "--replace", changed_).stderr


def test_no_file_of_an_archive_is_written_elsewhere(store, url, tmp_path):
    file, bad = tmp_path / "file", tmp_path / "bad"
    assert run("backup", "--db", url, file).exit_code == 0
    changed(
        file,
        bad,
        lambda name, text: ("originals/../../../escaped", text) if name.startswith("orig") else (name, text),
    )
    refused = run("restore", "--db", url, "--replace", bad)

    assert refused.exit_code == 1
    assert not list(tmp_path.rglob("escaped"))


@pytest.mark.parametrize("name", ["secrets/keys/../../escaped", "secrets/escaped"])
def test_no_secret_of_an_archive_is_written_elsewhere(name, store, url, tmp_path):
    file, bad = tmp_path / "file", tmp_path / "bad"
    assert run("backup", "--db", url, file).exit_code == 0
    changed(file, bad, lambda old, text: (name, text) if old.startswith("orig") else (old, text))
    refused = run("restore", "--db", url, "--replace", bad)

    assert refused.stderr == f"Error: the backup is damaged: the file {name}\n"
    assert not list(tmp_path.rglob("escaped"))


@pytest.mark.parametrize("program", ["pg_dump", "pg_restore"])
def test_a_missing_program_of_postgres_is_named(program, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    database = backup_command._Database(sa.make_url("postgresql+psycopg://u:secret@127.0.0.1:1/d"), ())
    with pytest.raises(Exception, match=f"{program} is not on the path: install the client of PostgreSQL"):
        database._run(program)


def test_no_password_is_an_argument_or_in_an_error(tmp_path, monkeypatch):
    seen = tmp_path / "seen"
    program = tmp_path / "pg_dump"
    program.write_text(
        f'#!/bin/sh\necho "$@" > {seen}\necho "$PGPASSWORD" >> {seen}\necho broken >&2\nexit 1\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    database = backup_command._Database(sa.make_url("postgresql+psycopg://u:secret@127.0.0.1:1/d"), ())
    with pytest.raises(Exception, match=r"^pg_dump failed: broken$"):
        database._run("pg_dump")
    words, password = seen.read_text().splitlines()

    assert words == "--no-owner --no-privileges --dbname=postgresql://u@127.0.0.1:1/d"
    assert password == "secret"
