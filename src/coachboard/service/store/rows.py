"""A user's dated rows (activities, prescriptions, notes, events, metrics and sleeps) as the JSON of the replies."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from functools import cache
from typing import Any

import orjson
import sqlalchemy as sa

from coachboard.models.activities import Activity
from coachboard.models.base import Wire, wire_names, write_timestamp
from coachboard.models.body import Metric, Sleep
from coachboard.models.plans import Event
from coachboard.models.prescriptions import TrainingPrescription
from coachboard.service.store.records import NewNote
from coachboard.service.store.tables import METADATA


class RowKind(StrEnum):
    """The kinds, named like their tables."""

    ACTIVITIES = "activities"
    PRESCRIPTIONS = "prescriptions"
    NOTES = "notes"
    EVENTS = "events"
    METRICS = "metrics"
    SLEEPS = "sleeps"

    @property
    def table(self) -> sa.Table:
        return METADATA.tables[self]


def encode(row: Wire) -> bytes:
    """The row's JSON on the wire; unset fields are absent.

    Nested rows may be dictionaries with wire names, which is ten times as fast.
    """
    return orjson.dumps(row, _plain, orjson.OPT_PASSTHROUGH_DATETIME)


def _plain(value: Any) -> Any:
    if isinstance(value, date | time):
        return write_timestamp(value) if isinstance(value, datetime) else value.isoformat()
    if isinstance(value, Wire):
        names, given = wire_names(type(value)), value.model_fields_set
        return {names[name]: held for name, held in value.__dict__.items() if name in given}
    raise TypeError(f"no JSON for {type(value).__name__}")


def of_activity(user_id: str, activity: Activity) -> dict[str, Any]:
    return _row(user_id, activity, local_day(activity), _moment_of(activity))


def local_day(activity: Activity) -> date | None:
    """The day that a range matches: of the local start, else of the start with its offset."""
    if activity.started_at_local is not None:
        return activity.started_at_local.date()
    if activity.started_at is None:
        return None
    return (activity.started_at + timedelta(minutes=activity.utc_offset or 0)).date()


def _moment_of(activity: Activity) -> str:
    # The UTC start decides which row is newer: an athlete who flies west starts "later" on an earlier day.
    start = activity.started_at or activity.started_at_local
    return "" if start is None else start.strftime("%Y-%m-%d %H:%M:%S")


def of_dated(user_id: str, row: TrainingPrescription | Event) -> dict[str, Any]:
    return _row(user_id, row, row.date, f"{row.date} {row.time or ''}")


def of_note(user_id: str, new: NewNote) -> dict[str, Any]:
    row = _row(user_id, new.note, new.note.date, f"{new.note.date} {new.note.time or ''}")
    return {**row, "creator_id": new.creator_id, "hidden_until": new.hidden_until}


def of_metric(user_id: str, metric: Metric) -> dict[str, Any]:
    row = _row(user_id, metric, metric.date, str(metric.date))
    return {**row, "sport": metric.sport, "type": metric.type, "source": metric.source}


def of_sleep(user_id: str, sleep: Sleep) -> dict[str, Any]:
    start: datetime | None = sleep.started_at
    began = "" if start is None else f"{start:%H:%M:%S}"
    return _row(user_id, sleep, sleep.day, f"{sleep.day} {began}")


def _row(user_id: str, row: Wire, day: date | None, moment: str) -> dict[str, Any]:
    body = encode(row)
    return {"id": row.id, "user_id": user_id, "day": day, "moment": moment, "body": body}  # type: ignore[attr-defined]  # each kind has an id


def bodies(
    connection: sa.Connection, kind: RowKind, user_id: str, *, start: date | None, end: date | None
) -> Sequence[bytes]:
    """The rows of the inclusive range, in the order of their endpoint."""
    statement = _within(kind, has_start=start is not None, has_end=end is not None)
    return connection.scalars(statement, {"user": user_id, "start": start, "end": end}).all()


def note_bodies(
    connection: sa.Connection,
    user_id: str,
    *,
    start: date | None,
    end: date | None,
    seen_by: str,
    today: date,
) -> Sequence[bytes]:
    """The notes of the range that the caller may see: hidden ones only for their creator ("Note")."""
    table = RowKind.NOTES.table
    is_shown = sa.or_(
        table.c.hidden_until.is_(None), table.c.hidden_until <= today, table.c.creator_id == seen_by
    )
    chosen = _within(RowKind.NOTES, has_start=start is not None, has_end=end is not None).where(is_shown)
    return connection.scalars(chosen, {"user": user_id, "start": start, "end": end}).all()


@cache
def _within(kind: RowKind, *, has_start: bool, has_end: bool) -> sa.Select[bytes]:
    # Built once: building it takes as long as reading the rows of a month.
    table = kind.table
    by_age = (table.c.moment, table.c.id)
    order = by_age if kind is RowKind.METRICS else tuple(column.desc() for column in by_age)
    chosen = sa.select(table.c.body).where(table.c.user_id == sa.bindparam("user")).order_by(*order)
    if kind is RowKind.ACTIVITIES:
        chosen = chosen.where(table.c.deleted_at.is_(None))
    if has_start:
        chosen = chosen.where(table.c.day >= sa.bindparam("start"))
    if has_end:
        chosen = chosen.where(table.c.day <= sa.bindparam("end"))
    return chosen


def delete_activities(connection: sa.Connection, ids: Iterable[str]) -> None:
    table = RowKind.ACTIVITIES.table
    chosen = [{"chosen": activity_id} for activity_id in ids]
    if chosen:
        connection.execute(sa.delete(table).where(table.c.id == sa.bindparam("chosen")), chosen)


def delete_but(connection: sa.Connection, kind: RowKind, user_id: str, kept: AbstractSet[str]) -> None:
    table = kind.table
    is_theirs = sa.and_(table.c.user_id == user_id, table.c.import_id.is_(None))
    there = connection.scalars(sa.select(table.c.id).where(is_theirs)).all()
    gone = [{"chosen": row_id} for row_id in there if row_id not in kept]
    if gone:
        connection.execute(sa.delete(table).where(table.c.id == sa.bindparam("chosen")), gone)


def latest_metrics(connection: sa.Connection, user_id: str) -> list[bytes]:
    """The newest metric of each sport and type; on the same day a measured value before an estimate."""
    table = RowKind.METRICS.table
    is_estimate = sa.case((table.c.source == "user", 0), else_=1)
    place = sa.func.row_number().over(
        partition_by=(table.c.sport, table.c.type),
        order_by=(table.c.day.desc(), is_estimate, table.c.id.desc()),
    )
    ranked = sa.select(table.c.id, place.label("place")).where(table.c.user_id == user_id).subquery()
    chosen = (
        sa.select(table.c.body)
        .join(ranked, ranked.c.id == table.c.id)
        .where(ranked.c.place == 1)
        .order_by(table.c.sport, table.c.type)
    )
    return list(connection.scalars(chosen))
