"""A data folder that may not be written: lists and a backup work, and a change ends with one line."""

import os
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

import seeded
from coachboard.cli import main
from coachboard.service.store import Store

LISTS = {
    "users": "Ana",
    "workspaces": "wke_",
    "keys": seeded.ATHLETE,
    "invitations": "",
    "activities": "act_",
    "metrics": "critical power",
}
NOBODY = 65_534


@pytest.fixture
def data(monkeypatch):
    """A folder below /tmp itself: another user may not enter pytest's."""
    with tempfile.TemporaryDirectory(prefix="coachboard-") as name:
        outer, folder = Path(name), Path(name, "read only #1")
        outer.chmod(0o755)
        folder.mkdir()
        monkeypatch.setenv("COACHBOARD_DATA", str(folder))
        monkeypatch.delenv("COACHBOARD_DATABASE_URL", raising=False)
        with closing(Store.open(f"sqlite:///{folder / 'coachboard.db'}")) as store:
            seeded.seed(store)
            store.originals.put(seeded.ATHLETE, "0" * 64, b"a recording")
        yield folder


@contextmanager
def read_only(folder):
    """Nobody may write to the folder; root may write anywhere, so root becomes another user meanwhile."""
    for path in folder.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    folder.chmod(0o555)
    if os.geteuid() == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(os.getuid())
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755)


def run(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


def arguments(name):
    whose = {"activities": ["--user", seeded.ATHLETE], "metrics": [seeded.ATHLETE]}
    return [name, "list", *whose.get(name, [])]


@pytest.mark.parametrize("has_log", [False, True], ids=["closed", "killed"])
def test_lists_and_a_backup_work_and_change_nothing(data, has_log, tmp_path):
    if has_log:
        late = (
            "import os, sqlite3, sys; c = sqlite3.connect(sys.argv[1]);"
            "c.execute(\"update workspaces set name = 'Late'\"); c.commit(); os.execlp('true', 'true')"
        )
        subprocess.run([sys.executable, "-c", late, str(data / "coachboard.db")], check=True)
    expected = {name: run(*arguments(name)).stdout for name in LISTS} if not has_log else None
    before = {
        path: path.read_bytes() for path in data.rglob("*") if path.is_file() and "-shm" not in path.name
    }
    target = Path(tempfile.mkdtemp(dir=data.parent))
    target.chmod(0o777)  # the other user writes to it
    file = target / "club.backup"
    with read_only(data):
        with pytest.raises(PermissionError):
            (data / "new").touch()
        found = {name: run(*arguments(name)) for name in LISTS}
        written = run("backup", file)
        refused = run("users", "remove", seeded.ATHLETE)

    for name, text in LISTS.items():
        assert found[name].exit_code == 0, found[name].output
        assert text in found[name].stdout
        assert expected is None or found[name].stdout == expected[name]
    assert ("Late" in found["workspaces"].stdout) is has_log
    assert written.exit_code == 0, written.output
    assert "1 original file" in written.stderr
    assert refused.exit_code == 1
    (line,) = [line for line in refused.stderr.splitlines() if "chmod -R" not in line]
    assert f"{data / 'coachboard.db'} may not be changed" in line
    after = {
        path: path.read_bytes() for path in data.rglob("*") if path.is_file() and "-shm" not in path.name
    }
    assert after == before

    with tarfile.open(file) as tar:
        Path(tmp_path, "store.db").write_bytes(tar.extractfile("store").read())
    with closing(sqlite3.connect(tmp_path / "store.db")) as database:
        names = {row[0] for row in database.execute("SELECT name FROM workspaces")}
    assert (names == {"Late"}) is has_log
