"""Files that only their owner may open, whichever command makes them; wider ones are reported in one line."""

import os
import subprocess
import sys
from contextlib import contextmanager

import pytest

import squad
from coachboard.private_files import report_wide
from running import dashboard_process, free_port, wait_until

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
GPX = '<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>{}</trkseg></trk></gpx>'
POINT = '<trkpt lat="{:.4f}" lon="8"><time>2026-05-04T06:{:02}:00Z</time></trkpt>'


def started(*words, folder, **env):
    """The command in a process of its own under the wide umask of most shells."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("COACHBOARD_")}
    return subprocess.Popen(
        [sys.executable, "-c", "from coachboard.cli import main; main()", *map(str, words)],
        env=inherited | {"COACHBOARD_DATA": str(folder)} | env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        umask=0o022,
    )


def done(*words, folder, **env):
    process = started(*words, folder=folder, **env)
    out, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return out.strip(), errors


@contextmanager
def running(*words, folder, until):
    process = started(*words, folder=folder)
    try:
        wait_until(lambda: process.poll() is not None or until.exists(), "the command made no file")
        yield
    finally:
        process.terminate()
        process.communicate(timeout=60)


def wide(folder):
    return [path.name for path in [folder, *folder.rglob("*")] if path.stat().st_mode & 0o077]


@pytest.mark.slow
def test_no_command_makes_a_file_that_others_may_open(tmp_path, squad_service):
    folder, ride = tmp_path / "parent" / "data", tmp_path / "ride.gpx"
    ride.write_text(GPX.format("".join(POINT.format(46 + n / 100, n) for n in range(20))))
    user_id, _ = done("users", "add", "--first-name", "Ana", folder=folder)
    done("import", ride, "--user", user_id, folder=folder)
    done("sync", "--base-url", squad_service, folder=folder, COACHBOARD_API_KEY=squad.COACH_KEY)

    assert {path.name for path in folder.iterdir()} >= {"coachboard.db", "cache.db", "coachboard.db.files"}
    assert wide(folder.parent) == []


@pytest.mark.parametrize("words", [["serve"], ["open", "--no-browser"]], ids=lambda words: words[0])
def test_no_server_makes_a_file_that_others_may_open(tmp_path, words):
    folder = tmp_path / "data"
    with running(*words, "--port", free_port(), folder=folder, until=folder / "coachboard.db-wal"):
        assert wide(folder) == []


def test_wider_permissions_are_one_line_that_names_the_repair(tmp_path, caplog):
    data, database = tmp_path / "my data", tmp_path / "elsewhere.db"
    data.mkdir()
    data.chmod(0o755)  # whatever umask another test of this process has set
    for file in (database, data / "cache.db", data / "cache.db-wal", data / "dashboard.db"):
        file.touch()
        file.chmod(0o644)
    places = data, f"sqlite:///{database}", f"sqlite:///{data}/cache.db", "postgresql://host/base"
    report_wide(*places)

    (line,) = caplog.messages
    assert f"other users of this machine may open {database}" in line
    repair = line.partition("repair with: ")[2]
    assert repair == f"chmod -R go-rwx {database} '{data}'"
    subprocess.run(["sh", "-c", repair], check=True)
    caplog.clear()
    report_wide(*places)
    assert caplog.messages == []


@pytest.mark.slow
def test_the_dashboard_and_the_commands_report_a_wide_folder_when_they_start(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    data.chmod(0o750)
    _, errors = done("users", "add", folder=data)
    with dashboard_process(tmp_path, COACHBOARD_DATA=str(data)):
        pass
    (log,) = tmp_path.glob("dashboard-*.log")

    for said in (errors, log.read_text()):
        assert said.count(f"repair with: chmod -R go-rwx {data}\n") == 1
