"""Jobs in the background: one worker takes a step of each job in turn, so that a large import blocks no other one."""

import logging
import os
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import unquote

from coachboard.database import is_disk_full
from coachboard.plain_text import first_line, visible
from coachboard.plurals import count
from coachboard.service.api.errors import DATABASE_FAILED
from coachboard.service.ids import new_id
from coachboard.service.importers.errors import RecordingError
from coachboard.service.importers.importing import FileReport, Importer, ImportOutcome, athletes_of
from coachboard.service.importers.reread import is_current, recompute
from coachboard.service.importers.run import ImportRun
from coachboard.service.own_data.uploads import KEPT_ENDED, remove_abandoned
from coachboard.service.store import JobFile, JobKind, JobState, Store, StoredJob

_LOG = logging.getLogger(__name__)
_SILENT_S = 300  # a worker on another machine that wrote nothing for so long has ended
_WRITE_EVERY = 20  # sessions between two writes of a recomputation's progress

_REST_S, _LONGEST_REST_S = 5.0, 60.0  # between two attempts while the database fails

OF_COMMAND = "of_command"
"""The argument of an import that a command runs: its files lie with the user, so the service cannot continue it."""
_INTERRUPTED = "the command was interrupted before its last file"
_FILES_ARE_GONE = "the service was interrupted, and the files are not on this machine: import them again"

Steps = Iterator[None]


class Worker:
    """Runs the jobs of one store, one step at a time, and continues those that a killed process left."""

    def __init__(self, store: Store, *, today: Callable[[], date]) -> None:
        self._store = store
        self._today = today
        self._name = worker_name()
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="own-data")
        self._closing = threading.Event()
        self._cleaned_at: float | None = None  # of the process's clock
        self._begun: set[str] = set()  # jobs that this worker runs, or that wait for it

    def start(self) -> None:
        """Remove rows that were deleted 30 days ago and abandoned uploads, and continue jobs whose process has ended."""
        self.clean()
        self.take_over()

    def clean(self) -> None:
        """Remove, in the background, rows that were deleted 30 days ago and uploads that nobody started.

        Once a day, as it looks at the files of all people: with 10,000, each import waited 18 s behind its cleaning.
        """
        now = time.monotonic()
        if self._cleaned_at is None or now - self._cleaned_at >= KEPT_ENDED.total_seconds():
            self._cleaned_at = now
            with suppress(RuntimeError):  # the worker is closing
                self._executor.submit(self._clean)

    def _clean(self) -> None:
        self._store.purge_deleted(datetime.now(UTC))
        remove_abandoned(self._store)

    def take_over(self) -> None:
        """Continue jobs whose process has ended, and end those without files here: else they run until a restart.

        A queued job may belong to a process that lives: the first one that claims it runs it.
        """
        for job, worker, seen_at in self._store.unfinished_jobs():
            if job.id in self._begun or not (job.state is JobState.QUEUED or has_ended(worker, seen_at)):
                continue
            if job.arguments.get(OF_COMMAND):
                self._finish(job, JobState.FAILED, error=_INTERRUPTED)
            elif job.kind is JobKind.IMPORT and not self._store.originals.uploads(job.id).is_dir():
                self._end_without_files(job, worker)
            else:
                self._begin(job, worker)

    def close(self) -> None:
        """Finish the current step; unfinished jobs continue at the next start."""
        self._closing.set()
        self._executor.shutdown(cancel_futures=True)

    def submit(self, job_id: str) -> None:
        """Run a job whose state is queued."""
        job = self._store.job(job_id)
        assert job is not None
        self._begin(job)

    def recompute(self, user_id: str) -> StoredJob:
        """Recompute the person's sessions whose references have changed; a job that waits already does it."""
        for job in self._store.jobs_of(user_id, JobKind.RECOMPUTE):
            if job.state is JobState.QUEUED:
                return job
        job = new_job(user_id, JobKind.RECOMPUTE, JobState.QUEUED)
        self._store.add_job(job)
        self._begin(job)
        return job

    def undo(self, job: StoredJob) -> None:
        """Remove the rows of an import between two steps of it; the steps that follow write none."""
        self._executor.submit(self._undo, job).result()

    def _undo(self, job: StoredJob) -> None:
        reports = [file.report.get("filled", {}) for file in self._store.job_files(job.id)]
        filled = {id_: names for report in reports for id_, names in report.items()}
        self._store.undo_import(job.user_id, job.id, datetime.now(UTC), filled)
        shutil.rmtree(self._store.originals.uploads(job.id), ignore_errors=True)

    def _end_without_files(self, job: StoredJob, before: str | None) -> None:
        """The files of a queued import may lie with a process on another machine, which runs it."""
        if job.state is JobState.RUNNING and self._store.claim_job(job.id, before, worker=self._name):
            self._finish(job, JobState.FAILED, error=_FILES_ARE_GONE)

    def _begin(self, job: StoredJob, before: str | None = None) -> None:
        self._begun.add(job.id)
        steps = import_steps if job.kind is JobKind.IMPORT else recompute_steps
        self._take(self._run(job, steps, before))

    def _run(
        self, job: StoredJob, steps: Callable[[Store, StoredJob, date], Steps], before: str | None
    ) -> Steps:
        rest_s = _REST_S
        while not self._closing.is_set():
            try:
                if not self._store.claim_job(job.id, before, worker=self._name, seen_at=int(time.time())):
                    self._begun.discard(job.id)  # the process that was faster may end, too
                    return
                before = self._name
                yield from steps(self._store, job, self._today())
                self._finish(job, JobState.DONE)
            except (
                *DATABASE_FAILED,
                OSError,
            ) as error:  # a job that failed here left half of a takeout unread
                is_full = is_disk_full(error)
                if not is_full and not isinstance(error, DATABASE_FAILED):
                    self._fail(job, error)
                    return
                _LOG.error(
                    "Job %s waits for %s: %s",
                    job.id,
                    "room on the disk" if is_full else "the database",
                    first_line(error),
                )
                self._closing.wait(rest_s)
                rest_s = min(2 * rest_s, _LONGEST_REST_S)
                yield
            except Exception as error:  # noqa: BLE001 (one job must not end the worker)
                self._fail(job, error)
                return
            else:
                if job.kind is JobKind.IMPORT:
                    shutil.rmtree(self._store.originals.uploads(job.id), ignore_errors=True)
                return

    def _fail(self, job: StoredJob, error: Exception) -> None:
        _LOG.exception("Job %s failed", job.id)
        self._finish(job, JobState.FAILED, error=f"{type(error).__name__}: see the service log")

    def _finish(self, job: StoredJob, state: JobState, **values: Any) -> None:
        self._store.put_progress(job.id, state=state, finished_at=int(time.time()), current=None, **values)

    def _take(self, steps: Steps) -> Future[None] | None:
        """Queue the next step of a job behind those of the other jobs."""
        with suppress(RuntimeError):  # the worker is closing
            return self._executor.submit(self._step, steps)
        return None

    def _step(self, steps: Steps) -> None:
        with suppress(StopIteration):
            next(steps)
            self._take(steps)


def worker_name() -> str:
    """The name of this process as the worker of a job."""
    return f"{socket.gethostname()}:{os.getpid()}"


def has_ended(worker: str | None, seen_at: int | None) -> bool:
    """Whether the process that worked on a job has ended."""
    host, _, process = (worker or "").rpartition(":")
    if host != socket.gethostname():
        return seen_at is None or time.time() - seen_at > _SILENT_S
    if int(process) == os.getpid():
        return True  # an earlier process with the same number, or an earlier worker in this one
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    return False


def new_job(user_id: str, kind: JobKind, state: JobState, **arguments: Any) -> StoredJob:
    prefix = "imp" if kind is JobKind.IMPORT else "rec"
    return StoredJob(
        id=new_id(prefix, user_id),
        user_id=user_id,
        kind=kind,
        state=state,
        arguments=arguments,
        created_at=datetime.now(UTC),
    )


def import_steps(store: Store, job: StoredJob, today: date) -> Steps:
    """Import the files that a job received, one at a step."""
    folder = store.originals.uploads(job.id)
    day = job.arguments.get("day")
    importer = Importer(
        store,
        job.user_id,
        today=date.fromisoformat(day) if day else today,
        import_id=job.id,
        is_again=bool(job.arguments.get("again")),
        columns=job.arguments.get("columns") or {},
    )
    run = ImportRun(importer, [folder], name_of=lambda path: upload_name(path.removeprefix(f"{folder}/")))
    done = {file.name for file in store.job_files(job.id)}
    skipped, values = run.others + int(job.arguments.get("others", 0)), 0
    yield
    for place, report in enumerate(run.reports(is_done=done.__contains__), start=len(done)):
        is_skipped = report.outcome is ImportOutcome.SKIPPED
        skipped, values = skipped + is_skipped, values + report.values
        lines = [] if is_skipped else [job_file(report, place)]
        progress = {
            "done": place + 1,
            "total": run.total,
            "current": report.name,
            "seen_at": int(time.time()),
        }
        if not store.put_progress(job.id, lines, **progress):
            return
        yield
    if skipped:
        store.put_progress(job.id, [_skipped(skipped, run.total)], seen_at=int(time.time()))
    if values:
        yield from recompute_sessions(store, job)


def _skipped(number: int, place: int) -> JobFile:
    said = f"{count(number, 'file')} without training or health data skipped (telemetry, settings, pictures)"
    return JobFile("Other files", place, ImportOutcome.SKIPPED, {"notes": [said], "number": number})


def recompute_sessions(store: Store, job: StoredJob) -> Steps:
    """Recompute after an import of weights or thresholds."""
    athlete_on = athletes_of(store, job.user_id)
    for activity_id in store.own_activity_ids(job.user_id):
        seen = store.own_activity(job.user_id, activity_id)
        if seen is not None and not is_current(seen, athlete_on):
            with suppress(RecordingError):
                recompute(store, job.user_id, activity_id, athlete_on)
            if not store.put_progress(job.id, seen_at=int(time.time())):  # else others take it for ended
                return
            yield


def upload_name(path: str) -> str:
    """The name that the caller gave an upload, with the path inside of an archive: `stored_name` read backwards."""
    stored, slash, inner = path.partition("/")
    return unquote(stored) + slash + inner


def job_file(report: FileReport, place: int) -> JobFile:
    """The line of a report as the store keeps it."""
    body = {
        "activityIds": report.activity_ids,
        "prescriptionIds": report.prescription_ids,
        "notes": [visible(note) for note in report.notes],
        "nights": report.nights,
        "values": report.values,
        "filled": dict(report.filled),
    }
    return JobFile(report.name, place, report.outcome, body)


def recompute_steps(store: Store, job: StoredJob, _today: date) -> Steps:
    """Recompute the sessions whose references have changed, one at a step."""
    athlete_on = athletes_of(store, job.user_id)
    ids = store.own_activity_ids(job.user_id)
    for place, activity_id in enumerate(ids, start=1):
        seen = store.own_activity(job.user_id, activity_id)
        is_changed = seen is not None and not is_current(seen, athlete_on)
        if is_changed:
            with suppress(RecordingError):  # the session keeps the load that it has
                recompute(store, job.user_id, activity_id, athlete_on)
        if is_changed or place % _WRITE_EVERY == 0 or place == len(ids):
            if not store.put_progress(job.id, done=place, total=len(ids), seen_at=int(time.time())):
                return
            yield
