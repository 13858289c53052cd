"""The worker is fair between jobs, continues the jobs of a killed process, and survives a job that fails."""

import hashlib
import os
import shutil
import socket
import sqlite3
import time
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
import sqlalchemy as sa

from coachboard.service.own_data import jobs
from coachboard.service.own_data.imports import received as files_received
from coachboard.service.own_data.jobs import Worker, has_ended, new_job
from coachboard.service.own_data.uploads import remove_abandoned, waiting_bytes
from coachboard.service.store import ImportedFile, JobFile, JobKind, JobState, NewUser, own_rows
from unit.service.importers.fit_files import at, fit_file, records, session
from waiting import wait_until

TODAY = date(2026, 6, 1)


def ride(number):
    first_s = 10_000 * number
    return fit_file(
        session(start_time=at(first_s), total_elapsed_time=60.0), *records(60, first_s=first_s, power=200)
    )


@pytest.fixture
def worker(store, tmp_path, monkeypatch):
    monkeypatch.setenv("COACHBOARD_DATA", str(tmp_path))
    worker = Worker(store, today=lambda: TODAY)
    yield worker
    worker.close()


def received(store, user_id, count, state=JobState.QUEUED):
    store.add_user(NewUser(id=user_id))
    job = new_job(user_id, JobKind.IMPORT, state)
    store.add_job(job)
    folder = store.originals.uploads(job.id)
    folder.mkdir(parents=True)
    for number in range(count):
        (folder / f"{number:03}.fit").write_bytes(ride(number))
    return job


def is_done(store, job):
    return store.job(job.id).state is JobState.DONE


def test_a_small_import_does_not_wait_for_a_large_one(store, worker):
    large, small = received(store, "usr_a", 12), received(store, "usr_b", 1)
    worker.submit(large.id)
    worker.submit(small.id)
    wait_until(lambda: is_done(store, small), at_most_s=60)
    ahead = store.job(large.id).done
    wait_until(lambda: is_done(store, large), at_most_s=60)

    assert ahead < 12
    assert len(store.activities_of("usr_a", None, None)) == 12


def test_an_import_that_a_killed_process_left_continues_with_the_next_file(store, worker):
    job = received(store, "usr_a", 3, JobState.RUNNING)
    store.put_progress(
        job.id, [JobFile("000.fit", 0, "imported", {"notes": []})], done=1, worker="elsewhere:1"
    )
    worker.start()
    wait_until(lambda: is_done(store, job), at_most_s=60)

    assert [file.name for file in store.job_files(job.id)] == ["000.fit", "001.fit", "002.fit"]
    assert len(store.activities_of("usr_a", None, None)) == 2
    wait_until(lambda: not store.originals.uploads(job.id).exists())  # removed after the end is written


@pytest.mark.parametrize(("state", "imported"), [(JobState.RUNNING, 2), (JobState.QUEUED, 3)])
def test_a_job_of_a_process_that_ended_is_continued_by_one_that_serves(store, worker, state, imported):
    """It was running until a restart."""
    worker.start()
    job = received(store, "usr_a", 3, state)
    if state is JobState.RUNNING:
        done = [JobFile("000.fit", 0, "imported", {"notes": []})]
        store.put_progress(job.id, done, done=1, worker=f"{socket.gethostname()}:{2**22 + 1}")
    worker.take_over()
    worker.take_over()
    wait_until(lambda: is_done(store, job), at_most_s=60)

    assert len(store.activities_of("usr_a", None, None)) == imported
    assert [file.name for file in store.job_files(job.id)][-imported:] == ["000.fit", "001.fit", "002.fit"][
        -imported:
    ]


def test_an_undo_between_two_files_stops_the_next_one(store):
    """The next file was written before the import noticed the undo."""
    job = received(store, "usr_a", 2, JobState.RUNNING)
    steps = jobs.import_steps(store, job, TODAY)
    next(steps)
    next(steps)
    store.undo_import("usr_a", job.id, datetime.now(UTC))
    with pytest.raises(StopIteration):
        next(steps)

    assert store.activities_of("usr_a", None, None) == []
    assert store.recordings_of("usr_a") == []


def test_an_undo_that_fails_half_way_changes_nothing(store, worker, monkeypatch):
    """The page said that everything is removed, and had no button any more."""
    job = received(store, "usr_a", 1)
    worker.submit(job.id)
    wait_until(lambda: is_done(store, job), at_most_s=60)
    with monkeypatch.context() as broken:
        broken.setattr(own_rows.recordings, "remove_import", failing)
        with pytest.raises(sqlite3.OperationalError):
            worker.undo(store.job(job.id))
        state, sessions = store.job(job.id).state, store.activities_of("usr_a", None, None)
    worker.undo(store.job(job.id))

    assert (state, len(sessions)) == (JobState.DONE, 1)
    assert (store.job(job.id).state, store.activities_of("usr_a", None, None)) == (JobState.UNDONE, [])


def failing(*_args):
    raise sqlite3.OperationalError("database or disk is full")


def test_a_job_that_this_worker_runs_is_not_begun_again(store, worker, monkeypatch):
    job, begun, steps = received(store, "usr_a", 6), [], jobs.import_steps
    monkeypatch.setattr(jobs, "import_steps", lambda *job: begun.append(job) or steps(*job))
    worker.submit(job.id)
    wait_until(lambda: store.job(job.id).state is not JobState.QUEUED)
    worker.take_over()
    wait_until(lambda: is_done(store, job), at_most_s=60)

    assert len(begun) == 1


def test_a_job_that_another_process_took_is_continued_once_that_one_has_ended(store, worker, monkeypatch):
    job, claims, claim = received(store, "usr_a", 1), [], store.claim_job
    alive, ended = f"{socket.gethostname()}:{os.getppid()}", f"{socket.gethostname()}:{2**22 + 1}"
    store.claim_job(job.id, None, worker=alive)
    monkeypatch.setattr(store, "claim_job", lambda *of, **by: claims.append(of) or claim(*of, **by))
    worker.submit(job.id)  # loses
    wait_until(lambda: claims)
    worker.undo(new_job("usr_a", JobKind.IMPORT, JobState.RECEIVING))  # returns after the steps before it
    worker.take_over()
    store.put_progress(job.id, worker=ended)
    worker.take_over()
    wait_until(lambda: is_done(store, job), at_most_s=60)

    assert claims == [(job.id, None), (job.id, ended)]


def test_an_import_without_its_files_ends_as_interrupted(store, worker):
    """A restart on another machine said that all files were imported."""
    job = received(store, "usr_a", 1, JobState.RUNNING)
    queued = received(store, "usr_a", 1)
    for one in (job, queued):
        shutil.rmtree(store.originals.uploads(one.id))
    store.put_progress(job.id, worker="elsewhere:1", seen_at=int(time.time()) - 200)
    worker.take_over()
    assert store.job(job.id).state is JobState.RUNNING
    store.put_progress(job.id, seen_at=int(time.time()) - 301)
    worker.start()

    assert store.job(job.id).state is JobState.FAILED
    assert store.job(job.id).error.startswith("the service was interrupted")
    assert store.job(queued.id).state is JobState.QUEUED  # its own process has them


def test_a_recomputation_after_an_import_shows_that_its_process_lives(store, worker, monkeypatch):
    """Else another machine takes the job over after five minutes."""
    job = received(store, "usr_a", 1)
    worker.submit(job.id)
    wait_until(lambda: is_done(store, job), at_most_s=60)
    store.change_job(job.id, (JobState.DONE,), state=JobState.RUNNING, seen_at=0)
    monkeypatch.setattr(jobs, "is_current", lambda *_: False)
    steps = jobs.recompute_sessions(store, job)
    next(steps)
    ((_, _, seen_at),) = store.unfinished_jobs()
    store.change_job(job.id, (JobState.RUNNING,), state=JobState.UNDONE)

    assert time.time() - seen_at < 60
    assert next(steps, None) is None


def test_a_job_that_fails_is_reported_and_the_next_one_runs(store, worker, monkeypatch):
    broken, whole = received(store, "usr_a", 1), received(store, "usr_b", 1)
    steps = jobs.import_steps

    def failing(store_, job, today):
        if job.id == broken.id:
            raise OSError("disk full")
        return steps(store_, job, today)

    monkeypatch.setattr(jobs, "import_steps", failing)
    worker.submit(broken.id)
    worker.submit(whole.id)
    wait_until(lambda: is_done(store, whole), at_most_s=60)

    assert store.job(broken.id).state is JobState.FAILED
    assert store.job(broken.id).error == "OSError: see the service log"


def aged(folder, days):
    moment = time.time() - days * 86_400
    os.utime(folder, (moment, moment))


def test_an_upload_that_nobody_started_is_removed_after_a_week(store, worker):
    job = received(store, "usr_a", 2, JobState.RECEIVING)
    folder = store.originals.uploads(job.id)
    old = replace(job, id="imp_old", created_at=job.created_at - timedelta(days=8))
    store.add_job(old)
    old_folder = store.originals.uploads(old.id)
    shutil.copytree(folder, old_folder)
    aged(old_folder, 7.1)
    aged(folder, 7.1)  # its import is younger
    worker.start()
    wait_until(lambda: store.job(old.id).state is JobState.UNDONE)
    wait_until(lambda: not old_folder.exists())

    assert store.job(job.id).state is JobState.RECEIVING
    assert folder.exists()


def test_cleanings_that_are_asked_for_within_a_day_are_one(store, worker, monkeypatch):
    """Each new import asks for one, and waits behind it: it looks at the files of all people."""
    cleaned = []
    monkeypatch.setattr(jobs, "remove_abandoned", cleaned.append)
    store.add_user(NewUser(id="usr_a"))
    nothing = new_job("usr_a", JobKind.IMPORT, JobState.RECEIVING)
    for _ in range(5):
        worker.clean()
        worker.undo(nothing)  # returns after all cleanings before it

    assert cleaned == [store]


def test_an_upload_that_still_receives_files_is_kept(store, worker):
    job = received(store, "usr_a", 1, JobState.RECEIVING)
    old = replace(job, id="imp_old", created_at=job.created_at - timedelta(days=30))
    store.add_job(old)
    shutil.copytree(store.originals.uploads(job.id), store.originals.uploads(old.id))
    aged(store.originals.uploads(old.id), 6.9)
    remove_abandoned(store)

    assert store.job(old.id).state is JobState.RECEIVING
    assert store.originals.uploads(old.id).exists()


def test_folders_that_no_import_needs_are_removed_after_a_day(store, worker):
    failed = received(store, "usr_a", 1)
    store.change_job(failed.id, (JobState.QUEUED,), state=JobState.FAILED)
    running = received(store, "usr_a", 1, JobState.RUNNING)
    left, fresh = store.originals.uploads("rep_left"), store.originals.uploads("rep_fresh")
    for folder in (left, fresh):
        folder.mkdir()
    for folder in (left, store.originals.uploads(failed.id), store.originals.uploads(running.id)):
        aged(folder, 1.1)
    remove_abandoned(store)

    kept = {folder.name for folder in store.originals.upload_folders()}
    assert kept == {"rep_fresh", running.id}


def test_originals_that_a_killed_import_left_are_removed_after_a_day(store, worker):
    job = received(store, "usr_a", 1)
    worker.submit(job.id)
    wait_until(lambda: is_done(store, job), at_most_s=60)
    (kept,) = [recording.digest for recording in store.recordings_of("usr_a")]
    put = store.originals.put
    left = {"stored, not yet named": "a" * 64, "half": f".{'b' * 64}.0123"}
    for name in (*left.values(), "c" * 64):
        put("usr_a", name, b"1")  # names as of other bytes: nothing reads them
    for name in (*left.values(), kept):
        aged(store.originals.path("usr_a", name), 1.1)
    remove_abandoned(store)

    folder = store.originals.path("usr_a", kept).parent
    assert sorted(path.name for path in folder.iterdir()) == sorted([kept, "c" * 64])


def test_the_second_file_of_a_session_is_kept(store, worker):
    """No session was read from it, but the import knows it."""
    store.add_user(NewUser(id="usr_a"))
    digest = hashlib.sha256(b"1").hexdigest()
    store.originals.put("usr_a", digest, b"1")
    store.put_recording(ImportedFile(digest, "usr_a", "a.gpx", ("act_other",), datetime.now(UTC)))
    aged(store.originals.path("usr_a", digest), 1.1)
    remove_abandoned(store)

    assert store.originals.read("usr_a", digest) == b"1"


def test_an_original_that_is_stored_again_counts_as_new(store, worker):
    """A second import may be about to name the file that the first one left."""
    store.add_user(NewUser(id="usr_a"))
    digest = hashlib.sha256(b"1").hexdigest()
    store.originals.put("usr_a", digest, b"1")
    aged(store.originals.path("usr_a", digest), 1.1)
    store.originals.put("usr_a", digest, b"1")
    remove_abandoned(store)

    assert store.originals.read("usr_a", digest) == b"1"


def test_a_file_that_is_removed_while_the_folder_is_read_is_left_out(tmp_path):
    (tmp_path / "a.fit").write_bytes(b"1")
    (tmp_path / "gone.fit").symlink_to(tmp_path / "nothing")

    assert [file.name for file in files_received(tmp_path)] == ["a.fit"]


def test_the_size_of_waiting_files_counts_imports_that_have_not_ended(store, worker):
    for _ in range(2):
        received(store, "usr_a", 1, JobState.RECEIVING)
    received(store, "usr_b", 1, JobState.RECEIVING)
    ended = received(store, "usr_a", 1)
    store.change_job(ended.id, (JobState.QUEUED,), state=JobState.UNDONE)

    assert waiting_bytes(store, "usr_a") == 2 * len(ride(0))


def test_of_two_processes_one_takes_a_job(store):
    job = received(store, "usr_a", 0)

    assert store.claim_job(job.id, None, worker="here:1")
    assert not store.claim_job(job.id, None, worker="here:2")


def test_a_worker_that_lives_is_left_alone():

    assert not has_ended(f"{socket.gethostname()}:{os.getppid()}", None)
    assert has_ended(f"{socket.gethostname()}:{2**22 + 1}", None)


def test_a_job_waits_for_a_database_that_fails_and_then_ends(store, worker, monkeypatch, caplog):
    monkeypatch.setattr(jobs, "_REST_S", 0.05)
    job = received(store, "usr_a", 3)
    put, failed = store.put_progress, []

    def failing(job_id, *args, **values):
        if len(failed) < 3:
            failed.append(job_id)
            raise sa.exc.OperationalError("UPDATE", {}, sqlite3.OperationalError("disk is full"))
        return put(job_id, *args, **values)

    monkeypatch.setattr(store, "put_progress", failing)
    worker.submit(job.id)
    wait_until(lambda: is_done(store, job), at_most_s=60)

    assert len(store.activities_of("usr_a", None, None)) == 3
    assert [file.name for file in store.job_files(job.id)] == ["000.fit", "001.fit", "002.fit"]
    waits = [record for record in caplog.records if "waits for the database: disk is full" in record.message]
    assert len(waits) == 3
    assert [record for record in caplog.records if record.exc_info] == []
