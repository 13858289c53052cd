"""Files that wait for their import: the limit for each person, and the ages at which files are removed.

The browser that sent half of a takeout may never come back: without an end, each try would keep gigabytes.
"""

import shutil
import time
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from coachboard.service.store import JobKind, JobState, Store, StoredJob

MAX_WAITING_BYTES = 20_000_000_000
"""For all imports of a person that have not ended, together."""
KEPT_WAITING = timedelta(days=7)
"""How long an import that was not started keeps its files, from the last file on."""
KEPT_ENDED = timedelta(days=1)
"""How long the folder of an import that failed stays, and that of a killed process."""
_WAITING = frozenset({JobState.RECEIVING, JobState.QUEUED, JobState.RUNNING})


def waiting_bytes(store: Store, user_id: str) -> int:
    """The size of the person's files that wait for their import."""
    jobs = [job for job in store.jobs_of(user_id, JobKind.IMPORT) if job.state in _WAITING]
    return sum(_size(store.originals.uploads(job.id)) for job in jobs)


def remove_abandoned(store: Store) -> None:
    """Undo imports that were not started in time, and remove folders and originals that nothing needs."""
    for job in store.receiving_jobs():
        if _age(_touched_s(store, job)) > KEPT_WAITING:
            store.change_job(
                job.id, (JobState.RECEIVING,), state=JobState.UNDONE, finished_at=int(time.time())
            )
            shutil.rmtree(store.originals.uploads(job.id), ignore_errors=True)
    for folder in store.originals.upload_folders():
        job_or_none = store.job(folder.name)
        is_needed = job_or_none is not None and job_or_none.state in _WAITING
        if not is_needed and _age(_modified_s(folder)) > KEPT_ENDED:
            shutil.rmtree(folder, ignore_errors=True)
    for user in store.users():
        _remove_unread(store, user.id)


def _remove_unread(store: Store, user_id: str) -> None:
    """Remove originals that a killed import stored before it wrote their rows, and halves of them."""
    old = [path for path in store.originals.stored(user_id) if _age(_modified_s(path)) > KEPT_ENDED]
    if not old:
        return
    digests = {recording.digest for recording in store.recordings_of(user_id)}
    for path in old:
        if path.name.startswith("."):
            path.unlink(missing_ok=True)
    unread = [path.name for path in old if path.name not in digests and not path.name.startswith(".")]
    store.remove_unused(user_id, unread)


def _touched_s(store: Store, job: StoredJob) -> float:
    # A file that arrives changes its folder.
    return max(job.created_at.timestamp(), _modified_s(store.originals.uploads(job.id)))


def _modified_s(path: Path) -> float:
    try:
        return float(path.stat().st_mtime)
    except FileNotFoundError:
        return 0.0


def _age(moment_s: float) -> timedelta:
    return timedelta(seconds=time.time() - moment_s)


def _size(folder: Path) -> int:
    size = 0
    for path in folder.iterdir() if folder.is_dir() else ():
        with suppress(FileNotFoundError):  # the import may end meanwhile
            size += path.stat().st_size
    return size
