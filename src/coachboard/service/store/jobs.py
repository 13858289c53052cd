"""Jobs: imports and recomputations, their progress and the lines of their reports."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import orjson
import sqlalchemy as sa

from coachboard.service.store import directory
from coachboard.service.store.records import JobFile, JobKind, JobState, ReportOutcomes, StoredJob
from coachboard.service.store.tables import job_files, jobs
from coachboard.service.store.upsert import upsert

UNFINISHED = (JobState.QUEUED, JobState.RUNNING)


def add(connection: sa.Connection, job: StoredJob, worker: str | None = None) -> None:
    row = {
        "id": job.id,
        "user_id": job.user_id,
        "kind": job.kind,
        "state": job.state,
        "arguments": orjson.dumps(job.arguments).decode(),
        "created_at": int(job.created_at.timestamp()),
        "done": job.done,
        "total": job.total,
        "worker": worker,
        "seen_at": None if worker is None else int(job.created_at.timestamp()),
    }
    directory.put(connection, jobs, [row])


def change(connection: sa.Connection, job_id: str, states: Iterable[JobState], **values: Any) -> bool:
    """Set columns of a job that is in one of the states; returns whether there was one."""
    if "arguments" in values:
        values["arguments"] = orjson.dumps(values["arguments"]).decode()
    is_meant = sa.and_(_is(connection, job_id), jobs.c.state.in_(list(states)))
    return connection.execute(sa.update(jobs).where(is_meant).values(**values)).rowcount > 0


def claim(connection: sa.Connection, job_id: str, before: str | None, **values: Any) -> bool:
    """Take an unfinished job from the worker that had it; of two processes that try, one gets it."""
    is_meant = sa.and_(
        _is(connection, job_id), jobs.c.state.in_(UNFINISHED), jobs.c.worker.is_not_distinct_from(before)
    )
    values["state"] = JobState.RUNNING
    return connection.execute(sa.update(jobs).where(is_meant).values(**values)).rowcount > 0


def is_undone(connection: sa.Connection, job_id: str) -> bool:
    """Whether an import was undone. On PostgreSQL an undo waits until this transaction has ended."""
    chosen = sa.select(jobs.c.state).where(_is(connection, job_id)).with_for_update(read=True)
    return connection.scalar(chosen) == JobState.UNDONE


def find(connection: sa.Connection, job_id: str) -> StoredJob | None:
    row = connection.execute(sa.select(jobs).where(_is(connection, job_id))).first()
    return None if row is None else _read(row)


def of_user(connection: sa.Connection, user_id: str, kind: JobKind) -> list[StoredJob]:
    """A person's jobs of one kind, newest first."""
    chosen = sa.select(jobs).where(jobs.c.user_id == user_id, jobs.c.kind == kind)
    return [_read(row) for row in connection.execute(chosen.order_by(jobs.c.created_at.desc(), jobs.c.id))]


def unfinished(connection: sa.Connection) -> list[tuple[StoredJob, str | None, int | None]]:
    """All queued and running jobs, oldest first, each with its worker and the worker's last heartbeat."""
    chosen = sa.select(jobs).where(jobs.c.state.in_(UNFINISHED)).order_by(jobs.c.created_at, jobs.c.id)
    return [(_read(row), row.worker, row.seen_at) for row in connection.execute(chosen)]


def receiving(connection: sa.Connection) -> list[StoredJob]:
    """All imports that were not started."""
    chosen = sa.select(jobs).where(jobs.c.state == JobState.RECEIVING)
    return [_read(row) for row in connection.execute(chosen)]


def put_files(connection: sa.Connection, job_id: str, files: Sequence[JobFile]) -> None:
    user_id = connection.scalar(sa.select(jobs.c.user_id).where(_is(connection, job_id))) if files else None
    upsert(
        connection,
        job_files,
        [
            {
                "user_id": user_id,
                "job_id": job_id,
                "name": file.name,
                "place": file.place,
                "outcome": file.outcome,
                "report": orjson.dumps(file.report).decode(),
            }
            for file in files
        ],
    )


def files_of(connection: sa.Connection, job_id: str) -> list[JobFile]:
    """The lines of the report in the order of the files."""
    chosen = sa.select(job_files).where(_is_line(connection, job_id)).order_by(job_files.c.place)
    return [
        JobFile(row.name, row.place, row.outcome, orjson.loads(row.report))
        for row in connection.execute(chosen)
    ]


_LINE_ORDER = ("failed", "skipped", "imported", "same session", "known")
_HAS_NOTES = ~job_files.c.report.contains('"notes":[]')


def page_of(connection: sa.Connection, job_id: str, offset: int, limit: int) -> list[JobFile]:
    """Lines of the report: problems first, then repaired files, then those with nights, then the others as they were read."""
    rank = sa.case({outcome: place for place, outcome in enumerate(_LINE_ORDER)}, value=job_files.c.outcome)
    no_notes = sa.case((_HAS_NOTES, 0), else_=1)
    no_nights = sa.case((job_files.c.report.contains('"nights":0,'), 1), else_=0)
    ordered = sa.select(job_files).where(_is_line(connection, job_id))
    chosen = ordered.order_by(rank, no_notes, no_nights, job_files.c.place, job_files.c.name)
    rows = connection.execute(chosen.offset(offset).limit(limit))
    return [JobFile(row.name, row.place, row.outcome, orjson.loads(row.report)) for row in rows]


def outcomes_of(connection: sa.Connection, job_id: str) -> ReportOutcomes:
    """The lines of a report in numbers, without reading them: a page asks twice a second."""
    is_line = _is_line(connection, job_id)
    name = sa.func.lower(job_files.c.name)
    # The notes of Strava's list say how many sessions it completes, not that it was repaired.
    is_list = sa.or_(name == "activities.csv", name.like("%/activities.csv"))
    is_repaired = sa.case((sa.and_(_HAS_NOTES, ~is_list), 1), else_=0)
    grouped = sa.select(job_files.c.outcome, sa.func.count(), sa.func.sum(is_repaired)).where(is_line)
    rows = {row[0]: (row[1], row[2]) for row in connection.execute(grouped.group_by(job_files.c.outcome))}
    skipped = sa.select(job_files.c.report).where(is_line, job_files.c.outcome == "skipped")
    return ReportOutcomes(
        lines={outcome: number for outcome, (number, _) in rows.items()},
        repaired=int(rows.get("imported", (0, 0))[1]),
        skipped=sum(orjson.loads(report).get("number", 1) for report in connection.scalars(skipped)),
    )


def _is(connection: sa.Connection, job_id: str) -> sa.ColumnElement[bool]:
    return directory.is_among(connection, jobs, [job_id])


def _is_line(connection: sa.Connection, job_id: str) -> sa.ColumnElement[bool]:
    return directory.is_among(connection, job_files, [job_id], column="job_id")


def _read(row: sa.Row[Any]) -> StoredJob:
    return StoredJob(
        id=row.id,
        user_id=row.user_id,
        kind=JobKind(row.kind),
        state=JobState(row.state),
        arguments=orjson.loads(row.arguments),
        created_at=datetime.fromtimestamp(row.created_at, UTC),
        finished_at=None if row.finished_at is None else datetime.fromtimestamp(row.finished_at, UTC),
        done=row.done,
        total=row.total,
        current=row.current,
        error=row.error,
    )
