"""The import command writes ids to standard output, messages to standard error, and returns an exit code."""

from datetime import UTC, date, datetime, timedelta

import orjson
import pytest
from click.testing import CliRunner

from coachboard.service.importers import importing
from coachboard.service.importers.commands import COMMANDS, import_recordings
from coachboard.service.store import JobKind, NewUser, Store
from coachboard.wire.activities import Activity
from unit.service.importers.fit_files import fit_file, records, session
from unit.service.importers.xml_files import clock, gpx, gpx_points, segment

RIDE = fit_file(session(total_elapsed_time=60.0), *records(60, power=200))

TRACK = segment(gpx_points(range(90)))


@pytest.fixture
def run(store, tmp_path):
    url = store.url
    store.close()
    (tmp_path / "files").mkdir()

    def run(*arguments, user="usr_a", **files):
        for name, data in files.items():
            (tmp_path / "files" / name.replace("__", ".")).write_bytes(data)
        return CliRunner().invoke(
            import_recordings, [str(tmp_path / "files"), "--user", user, "--db", url, *arguments]
        )

    return run


def test_standard_output_has_ids_only(run):
    result = run(ride__fit=RIDE)

    assert result.exit_code == 0
    (line,) = result.stdout.splitlines()
    assert line.startswith("act_")
    assert "ride.fit: imported, 1 activity\n" in result.stderr
    assert result.stderr.endswith("Imported 1 session, 0 nights and 0 values from 1 file.\n")


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
    assert result.stderr.endswith("Error: 1 of 2 files not imported; see the reasons above\n")


def test_positions_that_jump_over_the_globe_make_no_sense_and_the_next_file_is_read(run):
    """10.7 million km of way once ended the whole run without memory."""
    points = "".join(
        f'<trkpt lat="{80 if second % 2 else -80}" lon="{170 if second % 2 else -170}">'
        f"<ele>{second % 2 * 1e5}</ele><time>{clock(second)}</time></trkpt>"
        for second in range(600)
    )
    result = run(jumping__gpx=gpx(f"<type>cycling</type>{segment(points)}"), later__gpx=gpx(TRACK))

    assert result.exit_code == 1
    assert "jumping.gpx: not imported\n    is not plausible (its positions are 10," in result.stderr
    assert "later.gpx: imported, 1 activity" in result.stderr
    assert result.stderr.endswith("Error: 1 of 2 files not imported; see the reasons above\n")


@pytest.mark.parametrize("error", [MemoryError(), ValueError("no\nrow"), RecursionError("too deep")])
@pytest.mark.parametrize("place", ["read_recording", "read_activity", "twin_of"])
def test_after_any_fault_of_a_file_the_next_is_read(run, monkeypatch, error, place):
    real = getattr(importing, place)
    faults = [error]

    def at_first_wrong(*arguments):
        if faults:
            raise faults.pop()
        return real(*arguments)

    run(first__gpx=gpx(f"<name>Kept before</name>{TRACK}"))
    monkeypatch.setattr(importing, place, at_first_wrong)
    result = run(ride__fit=RIDE, track__gpx=gpx(TRACK))
    said = " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")

    assert result.exit_code == 1
    assert f": not imported\n    is not plausible ({said})\n" in result.stderr
    assert "track.gpx: " in result.stderr
    assert isinstance(result.exception, SystemExit)
    assert len(result.stdout.splitlines()) == 2


def test_where_nothing_can_be_read_it_fails(run):
    assert run(broken__fit=b"?").stderr.endswith("Error: no file imported; see the reasons above\n")


def test_an_empty_folder_fails(run):
    result = run()

    assert result.exit_code == 1
    assert result.stderr == "Error: no recording, export or table found\n"


def test_an_unknown_user_fails_before_anything_is_read(run):
    result = run(user="usr_x", ride__fit=RIDE)

    assert result.exit_code == 1
    assert result.stderr == "Error: no such user: usr_x\n"


def test_a_workout_is_recognised_and_planned_on_the_given_day(run):
    workout = fit_file(("WORKOUT_STEP", {"message_index": 0, "duration_type": "open"}), kind="workout")
    result = run("--day", "2026-07-01", plan__fit=workout)

    assert (result.exit_code, result.stdout) == (0, "")
    assert "imported, 1 planned workout" in result.stderr


def test_a_database_that_cannot_be_opened_is_one_clear_line(run, tmp_path):
    result = run("--db", f"sqlite:///{tmp_path}", ride__fit=RIDE)

    assert result.exit_code == 1
    assert result.stderr.startswith(
        f"Error: cannot open the database {tmp_path}: unable to open database file; "
    )
    assert "name another one with --db" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_the_command_is_offered():
    assert [command.name for command in COMMANDS] == ["import", "nights"]


def test_files_are_read_again_on_request_and_a_corrected_name_stays(run, tmp_path):
    first = run(ride__fit=RIDE)
    store = Store.open(f"sqlite:///{tmp_path / 'store.db'}")
    seen = store.own_activity("usr_a", first.stdout.strip())
    row = Activity.from_wire({**orjson.loads(seen.body), "name": "Hills"})
    store.change_activity(seen, row, corrections={"name": "Hills"})
    again = run("--again")
    (kept,) = store.activities_of("usr_a", None, None)
    store.close()

    assert again.stdout == first.stdout
    assert "ride.fit: imported" in again.stderr
    assert kept.name == "Hills"


def test_a_person_is_found_by_name_or_is_the_only_one(run, tmp_path):
    store = Store.open(f"sqlite:///{tmp_path / 'store.db'}")
    store.add_user(NewUser(id="usr_a", first_name="Ana", last_name="Berg"))
    store.add_user(NewUser(id="usr_b", first_name="Ben", last_name="Berg"))
    store.close()

    assert run(user="ana berg", ride__fit=RIDE).exit_code == 0
    assert "several people are called Berg: " in run(user="Berg").stderr


def test_an_import_of_the_command_line_can_be_undone_as_a_job(run, tmp_path):
    run(ride__fit=RIDE)
    store = Store.open(f"sqlite:///{tmp_path / 'store.db'}")
    (job,) = store.jobs_of("usr_a", JobKind.IMPORT)
    lines = [line.outcome for line in store.job_files(job.id)]
    gone = store.undo_import("usr_a", job.id, datetime.now(UTC))
    store.close()

    assert (job.state, lines, gone) == ("done", ["imported"], 1)


def test_a_year_of_nights_is_imported_with_chosen_columns(run, tmp_path):
    days = [date(2025, 6, 1) + timedelta(days=number) for number in range(365)]
    table = "When,Puls\n" + "".join(f"{day},48\n" for day in days)
    (tmp_path / "nights.csv").write_text(table)
    url = f"sqlite:///{tmp_path / 'store.db'}"
    chosen = ["--column", "When=date", "--column", "Puls=resting_heart_rate"]
    result = CliRunner().invoke(COMMANDS[1], ["import", str(tmp_path / "nights.csv"), "--db", url, *chosen])

    assert result.exit_code == 0, result.output
    assert "Imported 0 sessions, 365 nights and 0 values from 1 file." in result.stderr
