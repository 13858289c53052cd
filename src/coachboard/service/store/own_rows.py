"""A person's changes to their own data: imports with undo, corrections, deletion with 30 days to restore, jobs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

import orjson
import sqlalchemy as sa

from coachboard.service.store import directory, jobs, own_activities, recordings, rows, streams
from coachboard.service.store.database import Row, StoreDatabase
from coachboard.service.store.originals import Originals, originals_at
from coachboard.service.store.records import (
    ActivityChange,
    ImportedActivity,
    ImportedRows,
    JobFile,
    JobKind,
    JobState,
    ReportOutcomes,
    StoredActivity,
    StoredJob,
)
from coachboard.service.store.tables import activities, metrics, prescriptions, sleeps, users
from coachboard.service.store.upsert import upsert
from coachboard.wire.activities import Activity
from coachboard.wire.body import Sleep

RESTORABLE = timedelta(days=30)
_KEPT = frozenset({"import_id"})
"""A second import of a row keeps the first import's id, with which an undo removes it."""


class OwnRows(StoreDatabase):
    """The part of the store that people change themselves."""

    @property
    def originals(self) -> Originals:
        return originals_at(self._readers.url)

    # Imports.

    def put_imported(self, user_id: str, imported: ImportedRows) -> None:
        """Write all rows of a file in one transaction; nothing if its import was undone meanwhile."""
        table_rows = _rows_of(user_id, imported)
        packed = [
            (read.activity.id, streams.packed(read.streams)) for read in imported.activities if read.streams
        ]
        with self._changing({user_id}) as connection:
            if imported.import_id is not None and jobs.is_undone(connection, imported.import_id):
                return
            for table, rows_ in table_rows:
                directory.put(connection, table, rows_, kept=_KEPT)
            own_activities.remove(connection, sleeps, user_id, imported.removed_sleeps)
            for activity_id, body in packed:
                streams.put(connection, user_id, activity_id, body)
            if imported.recording is not None:
                recordings.put(connection, imported.recording, imported.import_id)

    def undo_import(
        self, user_id: str, import_id: str, now: datetime, filled: Mapping[str, Sequence[str]] | None = None
    ) -> int:
        """Delete every row of an import, and mark it as undone; returns their number.

        `filled` has the fields of older nights that the import added, by the nights' ids.
        """
        with self._changing({user_id}) as connection:
            # First: another process that writes rows of this import has locked its job, and ends before they are deleted.
            states = [state for state in JobState if state is not JobState.UNDONE]
            moment = int(now.timestamp())
            jobs.change(connection, import_id, states, state=JobState.UNDONE, finished_at=moment)
            digests = recordings.remove_import(connection, user_id, import_id)
            gone = sum(
                own_activities.remove_import(connection, table, user_id, import_id)
                for table in (activities, prescriptions, metrics, sleeps)
            )
            _clear_fields(connection, user_id, filled or {})
        self.remove_unused(user_id, digests)
        return gone

    def remove_unused(self, user_id: str, digests: Iterable[str]) -> None:
        """Delete stored files from which no activity was read."""
        with self._reading() as connection:
            unused = [digest for digest in digests if not own_activities.is_used(connection, user_id, digest)]
        for digest in unused:
            self.originals.remove(user_id, digest)

    # Activities.

    def own_activity(self, user_id: str, activity_id: str) -> StoredActivity | None:
        """An activity of a person, even if deleted."""
        with self._reading() as connection:
            return own_activities.find(connection, user_id, activity_id)

    def activities_of_file(self, user_id: str, digest: str) -> list[StoredActivity]:
        """The person's activities that were read from a kept file, also deleted ones."""
        with self._reading() as connection:
            return own_activities.of_file(connection, user_id, digest)

    def activities_with_correction(self, user_id: str, name: str) -> list[StoredActivity]:
        """The person's activities, without deleted ones, that have this correction or mark."""
        with self._reading() as connection:
            return own_activities.with_correction(connection, user_id, name)

    def add_activity(
        self,
        user_id: str,
        read: ImportedActivity,
        corrections: Mapping[str, Any],
        is_twin: Callable[[Activity], bool],
    ) -> bool:
        """Add an activity that a person entered; False if a session of these days is a twin of it."""
        row = {**_activity_row(user_id, read), **own_activities.encoded({"corrections": corrections})}
        days = {"start": row["day"] - timedelta(days=1), "end": row["day"] + timedelta(days=1)}
        with self._changing({user_id}) as connection:
            # PostgreSQL: of two tabs that save the same session, the second one waits and finds the first one's.
            connection.execute(sa.select(users.c.id).where(users.c.id == user_id).with_for_update())
            near = rows.bodies(connection, rows.RowKind.ACTIVITIES, user_id, **days)
            if any(is_twin(Activity.from_wire(orjson.loads(body))) for body in near):
                return False
            directory.put(connection, activities, [row])
            return True

    def own_activity_ids(self, user_id: str) -> list[str]:
        """The ids of a person's activities, newest first, without deleted ones."""
        with self._reading() as connection:
            return own_activities.ids(connection, user_id)

    def deleted_activities(self, user_id: str) -> list[StoredActivity]:
        """A person's deleted activities, the last deleted first."""
        with self._reading() as connection:
            return own_activities.deleted(connection, user_id)

    def change_activity(self, seen: StoredActivity, activity: Activity, **columns: Any) -> bool:
        """Write an activity; False if its corrections, parts or deletion changed since it was read.

        Without this check a recomputation would overwrite a name that the person entered meanwhile.
        """
        row = rows.of_activity(seen.user_id, activity)
        with self._changing({seen.user_id}) as connection:
            return own_activities.change(connection, seen, {**row, **own_activities.encoded(columns)})

    def put_read_again(self, seen: StoredActivity, read: ImportedActivity, **columns: Any) -> bool:
        """Write an activity that was read again with its streams; False as in `change_activity`."""
        return self.put_together(ActivityChange(seen, read, columns))

    def put_together(self, *changes: ActivityChange) -> bool:
        """Write several activities of a person; none of them, and False, if one has changed since it was read."""
        written = [(change, _row_of(change), _packed_of(change)) for change in changes]
        try:
            with self._changing({change.seen.user_id for change in changes}) as connection:
                for change, row, body in written:
                    _write(connection, change.seen, row, body)
        except _ChangedMeanwhile:
            return False
        return True

    def delete_activities(self, user_id: str, ids: Iterable[str]) -> None:
        """Delete activities of a person with their streams; their files may be imported again."""
        chosen = frozenset(ids)
        with self._changing({user_id}) as connection:
            recordings.forget(connection, user_id, chosen)
            own_activities.remove(connection, activities, user_id, chosen)

    def purge_deleted(self, now: datetime) -> int:
        """Delete activities whose restore period is over; returns their number."""
        with self._reading() as connection:
            old = own_activities.deleted_before(connection, now - RESTORABLE)
        for seen in old:
            self.delete_activities(seen.user_id, [seen.id])
            self.remove_unused(seen.user_id, [digest for digest, _place in seen.parts])
        return len(old)

    def corrections_of(self, user_id: str, activity_ids: Iterable[str]) -> dict[str, dict[str, Any]]:
        """The person's corrections of these activities, by id."""
        with self._reading() as connection:
            return own_activities.corrections_of(connection, user_id, list(activity_ids))

    # Metrics and planned workouts.

    def imported_prescriptions(self, user_id: str, *, visible_on: date | None = None) -> list[bytes]:
        """The planned workouts that a person imported, by day; a coach's are not among them.

        With `visible_on` without those that a coach hides from the person on that day.
        """
        is_own = sa.and_(prescriptions.c.user_id == user_id, _is_imported(visible_on))
        by_day = (prescriptions.c.day, prescriptions.c.id)
        with self._reading() as connection:
            return list(connection.scalars(sa.select(prescriptions.c.body).where(is_own).order_by(*by_day)))

    def own_body(
        self, kind: rows.RowKind, user_id: str, row_id: str, *, visible_on: date | None = None
    ) -> bytes | None:
        """A row of a person that they may change; of planned workouts as in `imported_prescriptions`."""
        table = kind.table
        is_own = sa.and_(table.c.user_id == user_id, table.c.id == row_id)
        if kind is rows.RowKind.PRESCRIPTIONS:
            is_own = sa.and_(is_own, _is_imported(visible_on))
        with self._reading() as connection:
            body: bytes | None = connection.scalar(sa.select(table.c.body).where(is_own))
            return None if body is None else bytes(body)

    def replace_row(self, kind: rows.RowKind, user_id: str, seen: bytes, row: Row) -> bool:
        """Replace a row; False if it has changed since it was read."""
        table = kind.table
        with self._changing({user_id}) as connection:
            is_meant = sa.and_(table.c.id == row["id"], table.c.user_id == user_id, table.c.body == seen)
            return connection.execute(sa.update(table).where(is_meant).values(row)).rowcount > 0

    def delete_row(self, kind: rows.RowKind, user_id: str, row_id: str, seen: bytes) -> bool:
        """Delete a row; False if it has changed since it was read."""
        table = kind.table
        with self._changing({user_id}) as connection:
            is_meant = sa.and_(table.c.id == row_id, table.c.user_id == user_id, table.c.body == seen)
            return connection.execute(sa.delete(table).where(is_meant)).rowcount > 0

    # Jobs. Their progress does not change a person's rows: caches stay valid.

    def add_job(self, job: StoredJob, worker: str | None = None) -> None:
        """Add a job; `worker` is the process that runs it already."""
        with self._writers.begin() as connection:
            jobs.add(connection, job, worker)

    def claim_job(self, job_id: str, before: str | None, **values: Any) -> bool:
        """Take a queued or running job from the worker that had it; False if another process was faster."""
        with self._writers.begin() as connection:
            return jobs.claim(connection, job_id, before, **values)

    def change_job(self, job_id: str, states: Sequence[JobState], **values: Any) -> bool:
        """Set columns of a job that is in one of the states; False if it is in another."""
        with self._writers.begin() as connection:
            return jobs.change(connection, job_id, states, **values)

    def job(self, job_id: str) -> StoredJob | None:
        with self._reading() as connection:
            return jobs.find(connection, job_id)

    def jobs_of(self, user_id: str, kind: JobKind) -> list[StoredJob]:
        """A person's jobs of one kind, newest first."""
        with self._reading() as connection:
            return jobs.of_user(connection, user_id, kind)

    def unfinished_jobs(self) -> list[tuple[StoredJob, str | None, int | None]]:
        """Queued and running jobs, with their worker and its last heartbeat."""
        with self._reading() as connection:
            return jobs.unfinished(connection)

    def receiving_jobs(self) -> list[StoredJob]:
        """Imports that were not started."""
        with self._reading() as connection:
            return jobs.receiving(connection)

    def put_progress(self, job_id: str, files: Sequence[JobFile] = (), **values: Any) -> bool:
        """Write lines of a report and columns of a running job; False if it no longer runs, for example after an undo."""
        with self._writers.begin() as connection:
            jobs.put_files(connection, job_id, files)
            return jobs.change(connection, job_id, (JobState.RUNNING,), **values)

    def job_files(self, job_id: str) -> list[JobFile]:
        with self._reading() as connection:
            return jobs.files_of(connection, job_id)

    def report_page(self, job_id: str, offset: int, limit: int) -> list[JobFile]:
        """Lines of an import's report, problems first."""
        with self._reading() as connection:
            return jobs.page_of(connection, job_id, offset, limit)

    def report_outcomes(self, job_id: str) -> ReportOutcomes:
        with self._reading() as connection:
            return jobs.outcomes_of(connection, job_id)


class _ChangedMeanwhile(Exception):  # noqa: N818 (what happened; it ends the transaction)
    """One of several activities has changed since it was read."""


def _is_imported(visible_on: date | None) -> sa.ColumnElement[bool]:
    is_imported = prescriptions.c.import_id.is_not(None)
    if visible_on is None:
        return is_imported
    hidden_until = prescriptions.c.hidden_until
    return sa.and_(is_imported, sa.or_(hidden_until.is_(None), hidden_until <= visible_on))


def _write(connection: sa.Connection, seen: StoredActivity, row: Row, body: bytes | None) -> None:
    if not own_activities.change(connection, seen, row):
        raise _ChangedMeanwhile
    if body is not None:
        streams.put(connection, seen.user_id, seen.id, body)


def _row_of(change: ActivityChange) -> Row:
    row = {} if change.read is None else _activity_row(change.seen.user_id, change.read)
    return {**row, **own_activities.encoded(change.columns)}


def _packed_of(change: ActivityChange) -> bytes | None:
    recorded = None if change.read is None else change.read.streams
    return None if recorded is None else streams.packed(recorded)


def _clear_fields(connection: sa.Connection, user_id: str, fields: Mapping[str, Sequence[str]]) -> None:
    for sleep_id, names in fields.items():
        body = own_activities.body_of(connection, sleeps, user_id, sleep_id)
        if body is None:
            continue
        night = Sleep.from_wire(orjson.loads(body)).model_copy(update=dict.fromkeys(names))
        if any(value is not None for name, value in night if name not in {"id", "day"}):
            upsert(connection, sleeps, [rows.of_sleep(user_id, night)])
        else:
            own_activities.remove(connection, sleeps, user_id, [sleep_id])


def _rows_of(user_id: str, imported: ImportedRows) -> list[tuple[sa.Table, list[Row]]]:
    table_rows: list[tuple[sa.Table, list[Row]]] = [
        (activities, [_activity_row(user_id, read) for read in imported.activities]),
        (prescriptions, [rows.of_dated(user_id, row) for row in imported.prescriptions]),
        (sleeps, [rows.of_sleep(user_id, row) for row in imported.sleeps]),
        (metrics, [rows.of_metric(user_id, row) for row in imported.metrics]),
    ]
    return [
        (table, [{**row, "import_id": imported.import_id} for row in rows_])
        for table, rows_ in table_rows
        if rows_
    ]


def _activity_row(user_id: str, read: ImportedActivity) -> Row:
    row = rows.of_activity(user_id, read.activity)
    return {**row, **own_activities.encoded({"parts": read.parts}), "athlete": read.athlete}
