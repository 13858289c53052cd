"""A user's dated rows (activities, prescriptions, notes, events, metrics and sleeps) as the JSON of the replies."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from datetime import date, datetime, time
from enum import StrEnum
from functools import cache
from typing import Any, NamedTuple

import orjson
import sqlalchemy as sa

from coachboard.service.store.records import NewNote
from coachboard.service.store.tables import METADATA, members
from coachboard.wire.activities import Activity, local_day
from coachboard.wire.base import Wire, wire_names, write_timestamp
from coachboard.wire.body import Metric, Sleep
from coachboard.wire.enums import WorkspaceRole
from coachboard.wire.plans import Event
from coachboard.wire.prescriptions import TrainingPrescription

LEADING = (WorkspaceRole.COACH, WorkspaceRole.ADMIN)
"""The roles that read and plan for the athletes of a workspace."""


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


class PlannedBody(NamedTuple):
    """A planned row; one in percent needs the athlete's values before it is sent."""

    body: bytes
    in_percent: bool | None
    entry: str | None


def planned_bodies(
    connection: sa.Connection,
    kind: RowKind,
    user_id: str,
    *,
    days: tuple[date | None, date | None],
    seen_by: str,
    today: date,
) -> list[PlannedBody]:
    """The planned rows of the range that the caller may see.

    Hidden ones only for their creator ("Note"), private ones for those who lead their workspace.
    """
    start, end = days
    chosen = _planned_within(kind, has_start=start is not None, has_end=end is not None)
    given = {"user": user_id, "start": start, "end": end, "reader": seen_by, "today": today}
    return [PlannedBody(*row) for row in connection.execute(chosen, given)]


@cache
def _planned_within(kind: RowKind, *, has_start: bool, has_end: bool) -> sa.Select[Any]:
    table = kind.table
    reader: sa.BindParameter[str] = sa.bindparam("reader")
    is_open = sa.or_(
        table.c.hidden_until.is_(None),
        table.c.hidden_until <= sa.bindparam("today"),
        table.c.creator_id == reader,
    )
    leads = sa.and_(members.c.user_id == reader, members.c.role.in_(LEADING))
    is_for_reader = sa.or_(
        table.c.is_private.is_not(True),
        table.c.workspace_id.in_(sa.select(members.c.workspace_id).where(leads)),
    )
    chosen = _within(kind, has_start=has_start, has_end=has_end).where(is_open, is_for_reader)
    return chosen.with_only_columns(table.c.body, table.c.in_percent, table.c.entry)


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


def delete_but(connection: sa.Connection, kind: RowKind, user_id: str, kept: AbstractSet[str]) -> None:
    table = kind.table
    is_theirs = sa.and_(table.c.user_id == user_id, table.c.import_id.is_(None))
    if "entry" in table.c:  # a person wrote it or changed it
        is_theirs = sa.and_(is_theirs, table.c.entry.is_(None))
    there = connection.scalars(sa.select(table.c.id).where(is_theirs)).all()
    gone = [{"chosen": row_id} for row_id in there if row_id not in kept]
    if gone:
        is_gone = sa.and_(table.c.user_id == user_id, table.c.id == sa.bindparam("chosen"))
        connection.execute(sa.delete(table).where(is_gone), gone)


def latest_metrics(connection: sa.Connection, user_id: str) -> list[bytes]:
    """The newest metric of each sport and type; on the same day a measured value before an estimate."""
    table = RowKind.METRICS.table
    is_estimate = sa.case((table.c.source == "user", 0), else_=1)
    place = sa.func.row_number().over(
        partition_by=(table.c.sport, table.c.type),
        order_by=(table.c.day.desc(), is_estimate, table.c.id.desc()),
    )
    ranked = (
        sa.select(table.c.user_id, table.c.id, place.label("place"))
        .where(table.c.user_id == user_id)
        .subquery()
    )
    chosen = (
        sa.select(table.c.body)
        .join(ranked, sa.and_(ranked.c.user_id == table.c.user_id, ranked.c.id == table.c.id))
        .where(ranked.c.place == 1)
        .order_by(table.c.sport, table.c.type)
    )
    return list(connection.scalars(chosen))
