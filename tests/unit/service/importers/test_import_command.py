"""The command: ids on standard output, everything else on standard error, an exit code to go by."""

import pytest
from click.testing import CliRunner

from coachboard.service.importers.commands import COMMANDS, import_recordings
from coachboard.service.store import NewUser, Store
from unit.service.importers.fit_files import fit_file, records, session

RIDE = fit_file(session(total_elapsed_time=60.0), *records(60, power=200))


@pytest.fixture
def run(tmp_path):
    url = f"sqlite:///{tmp_path / 'store.db'}"
    store = Store.open(url)
    store.add_user(NewUser(id="usr_a"))
    store.close()
    (tmp_path / "files").mkdir()

    def run(*arguments, user="usr_a", **files):
        for name, data in files.items():
            (tmp_path / "files" / name.replace("__", ".")).write_bytes(data)
        return CliRunner().invoke(
            import_recordings, [str(tmp_path / "files"), "--user", user, "--db", url, *arguments]
        )

    return run


def test_ids_stand_alone_on_standard_output(run):
    result = run(ride__fit=RIDE)

    assert result.exit_code == 0
    (line,) = result.stdout.splitlines()
    assert line.startswith("act_")
    assert result.stderr.endswith("ride.fit: imported, 1 activity\n")


def test_a_second_run_prints_the_same_ids(run):
    first, second = run(ride__fit=RIDE), run()

    assert second.stdout == first.stdout
    assert second.exit_code == 0
    assert "already imported as ride.fit" in second.stderr


def test_a_broken_file_is_named_and_the_others_are_imported(run):
    result = run(ride__fit=RIDE, broken__gpx=b"<gpx")

    assert result.exit_code == 1
    assert len(result.stdout.splitlines()) == 1
    assert "broken.gpx: not imported" in result.stderr
    assert result.stderr.endswith("Error: 1 of 2 files could not be imported\n")


def test_where_nothing_can_be_read_it_fails(run):
    assert run(broken__fit=b"?").stderr.endswith("Error: no file could be imported\n")


def test_an_empty_folder_fails(run):
    result = run()

    assert result.exit_code == 1
    assert result.stderr == "Error: no FIT, TCX or GPX file found\n"


def test_an_unknown_user_fails_before_anything_is_read(run):
    result = run(user="usr_x", ride__fit=RIDE)

    assert result.exit_code == 1
    assert result.stderr == "Error: there is no user usr_x\n"


def test_a_workout_is_told_apart_and_takes_the_day_that_was_asked_for(run):
    workout = fit_file(("WORKOUT_STEP", {"message_index": 0, "duration_type": "open"}), kind="workout")
    result = run("--day", "2026-07-01", plan__fit=workout)

    assert (result.exit_code, result.stdout) == (0, "")
    assert "imported, 1 planned workout" in result.stderr


def test_a_database_that_cannot_be_opened_is_one_clear_line(run, tmp_path):
    result = run("--db", f"sqlite:///{tmp_path}", ride__fit=RIDE)

    assert result.exit_code == 1
    assert result.stderr.startswith("Error: cannot open the database: ")
    assert len(result.stderr.splitlines()) == 1


def test_the_command_is_offered():
    assert [command.name for command in COMMANDS] == ["import"]
