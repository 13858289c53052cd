"""Rows that people change themselves: the migration of a filled store, undo, deletion for 30 days, kept files."""

import stat
from datetime import UTC, date, datetime, timedelta

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config

import seeded
from coachboard.service.importers.archive import SourceFile
from coachboard.service.importers.importing import Importer
from coachboard.service.own_data.jobs import new_job
from coachboard.service.store import ImportedFile, JobKind, JobState, NewUser, RowKind, Store, engine
from coachboard.service.store.own_rows import RESTORABLE
from coachboard.service.store.rows import of_activity
from coachboard.service.store.tables import METADATA
from coachboard.wire.activities import Activity
from unit.service.importers.fit_files import fit_file, records, session

RIDE = fit_file(session(total_elapsed_time=600.0), *records(600, power=200))
START = datetime(2026, 5, 4, 6, tzinfo=UTC)


@pytest.fixture
def athlete(store):
    return store.add_user(NewUser(first_name="Ana"))


def imported(store, athlete, import_id="imp_1"):
    importer = Importer(store, athlete, today=date(2026, 6, 1), import_id=import_id)
    return importer.import_source(SourceFile("a/ride.fit", lambda: RIDE)).activity_ids[0]


def at_revision(url, revision):
    """A database whose schema stopped at that revision."""
    database = engine.open_engine(url)
    with engine.writing(database).begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(engine._MIGRATIONS))
        config.attributes.update(connection=connection, metadata=METADATA)
        command.upgrade(config, revision)
    return database


def test_a_store_that_was_filled_before_keeps_its_rows(store_url):
    database = at_revision(store_url, "0003")
    row = of_activity("usr_a", seeded.activity("act_1", START))
    with engine.writing(database).begin() as connection:
        connection.execute(sa.text("INSERT INTO users (id, body) VALUES ('usr_a', :body)"), {"body": b"{}"})
        columns = "INSERT INTO activities (id, user_id, day, moment, body) VALUES (:id, :user_id, :day, :moment, :body)"
        connection.execute(sa.text(columns).bindparams(sa.bindparam("day", type_=sa.Date)), row)
    engine.migrate(database)
    database.dispose()
    store = Store.open(store_url)
    seen = store.own_activity("usr_a", "act_1")
    bodies = store.row_bodies(RowKind.ACTIVITIES, "usr_a")
    store.close()

    assert [bytes(body) for body in bodies] == [row["body"]]
    assert (seen.parts, seen.corrections, seen.deleted_at) == ((), {}, None)


def test_kept_files_can_be_read_by_their_owner_alone(store, athlete, tmp_path, monkeypatch):
    monkeypatch.setenv("COACHBOARD_DATA", str(tmp_path))
    seen = store.own_activity(athlete, imported(store, athlete))
    path = store.originals.path(athlete, seen.parts[0][0])

    assert path.read_bytes() == RIDE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_an_undo_removes_rows_and_files_of_that_import_alone(store, athlete, tmp_path, monkeypatch):
    monkeypatch.setenv("COACHBOARD_DATA", str(tmp_path))
    store.put_activities(athlete, [seeded.activity("act_1", START - timedelta(days=9))])
    digest = store.own_activity(athlete, imported(store, athlete)).parts[0][0]
    gone = store.undo_import(athlete, "imp_1", START)

    assert gone == 1
    assert [row.id for row in store.activities_of(athlete, None, None)] == ["act_1"]
    assert not store.originals.path(athlete, digest).exists()
    assert store.recording(athlete, digest) is None


def test_a_deleted_session_is_gone_for_good_after_thirty_days(store, athlete, tmp_path, monkeypatch):
    monkeypatch.setenv("COACHBOARD_DATA", str(tmp_path))
    activity_id, now = imported(store, athlete), datetime.now(UTC)
    seen = store.own_activity(athlete, activity_id)
    (row,) = store.activities_of(athlete, None, None)
    store.change_activity(seen, row, deleted_at=now)

    assert store.activities_of(athlete, None, None) == []
    assert store.streams(activity_id) is None
    assert store.purge_deleted(now + RESTORABLE - timedelta(hours=1)) == 0
    assert store.purge_deleted(now + RESTORABLE + timedelta(hours=1)) == 1
    assert store.own_activity(athlete, activity_id) is None
    assert not store.originals.path(athlete, seen.parts[0][0]).exists()


def test_another_persons_session_with_the_id_of_a_deleted_one_stays(store, athlete, tmp_path, monkeypatch):
    monkeypatch.setenv("COACHBOARD_DATA", str(tmp_path))
    other, now = store.add_user(NewUser(first_name="Ben")), datetime.now(UTC)
    row = seeded.activity("act_1", START)
    for person in (athlete, other):
        store.put_activities(person, [row])
        store.put_recording(ImportedFile("digest", person, "ride.fit", ("act_1",), now))
    store.change_activity(store.own_activity(athlete, "act_1"), row, deleted_at=now)
    store.purge_deleted(now + RESTORABLE + timedelta(hours=1))

    assert store.own_activity(athlete, "act_1") is None
    assert store.recording(athlete, "digest") is None
    assert store.activities_of(other, None, None) == [row]
    assert store.recording(other, "digest") is not None


def test_a_write_over_a_newer_correction_is_refused(store, athlete, tmp_path, monkeypatch):
    monkeypatch.setenv("COACHBOARD_DATA", str(tmp_path))
    seen = store.own_activity(athlete, imported(store, athlete))
    (row,) = store.activities_of(athlete, None, None)
    named = Activity.from_wire({**row.to_wire(), "name": "Hills"})

    assert store.change_activity(seen, named, corrections={"name": "Hills"})
    assert not store.change_activity(seen, row, corrections={"name": "Other"})
    assert store.activities_of(athlete, None, None)[0].name == "Hills"


def test_progress_of_an_undone_import_is_refused(store, athlete):

    job = new_job(athlete, JobKind.IMPORT, JobState.RUNNING)
    store.add_job(job)

    assert store.put_progress(job.id, done=1)
    store.change_job(job.id, [JobState.RUNNING], state=JobState.UNDONE)
    assert not store.put_progress(job.id, done=2)
