"""Entries of calendars: planned workouts, notes and events with what the interface cannot hold, batches and history.

A row of a calendar is a row of its kind's table. Each change is kept as it was before and after, under its athlete.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import date, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

import orjson
import sqlalchemy as sa

from coachboard.service.store import directory, people
from coachboard.service.store.comments import Comments
from coachboard.service.store.library import TrainingPlans, Workouts
from coachboard.service.store.rows import LEADING, RowKind, bodies, of_metric
from coachboard.service.store.tables import (
    activities,
    athlete_groups,
    athlete_settings,
    members,
    metrics,
    plan_batches,
    plan_changes,
    users,
)
from coachboard.service.store.upsert import chunks, upsert
from coachboard.wire.base import FIRST_DAY
from coachboard.wire.body import Metric
from coachboard.wire.enums import Gender, WorkspaceRole
from coachboard.wire.metrics import THRESHOLD_HEART_RATE, VALUES
from coachboard.wire.planning import EntryKind, PlanOp
from coachboard.wire.users import User

MOST_SPAN_DAYS = 366
"""The longest span of a note or an event: a read of a month looks this far back."""

_DECISIONS = ("skipped", "pairing")
"""Names in `PlanRow.entry` of what a person decided about a planned row."""
_KIND_OF = {
    EntryKind.WORKOUT: RowKind.PRESCRIPTIONS,
    EntryKind.NOTE: RowKind.NOTES,
    EntryKind.EVENT: RowKind.EVENTS,
}


@dataclass(frozen=True, slots=True)
class PlanRow:
    """A row of a calendar with all its columns; `entry` has text, lock, skip and pairing by the names of the wire.

    `changed` is who changed the row last, when and in which batch: it is no part of the row's content.
    """

    kind: EntryKind
    id: str
    user_id: str
    day: date
    moment: str
    body: bytes
    import_id: str | None = None
    creator_id: str | None = None
    hidden_until: date | None = None
    workspace_id: str | None = None
    is_private: bool = False
    end_day: date | None = None
    in_percent: bool = False
    entry: Mapping[str, Any] = field(default_factory=dict)
    changed: Mapping[str, Any] | None = None

    @property
    def last_day(self) -> date:
        return self.end_day or self.day

    @property
    def title(self) -> str | None:
        """The title of a workout or a note, the name of an event."""
        body = orjson.loads(self.body)
        title: str | None = body["title"] if "title" in body else body["name"]
        return title

    def content(self) -> bytes:
        """All columns but `changed` as JSON: equal for equal rows."""
        return orjson.dumps(
            {name: getattr(self, name) for name in _CONTENT} | {"body": self.body.decode()},
            option=orjson.OPT_SORT_KEYS,
        )

    @classmethod
    def from_content(cls, content: bytes) -> "PlanRow":
        values = orjson.loads(content)
        for name in ("day", "hidden_until", "end_day"):
            values[name] = None if values[name] is None else date.fromisoformat(values[name])
        return cls(**{**values, "kind": EntryKind(values["kind"]), "body": values["body"].encode()})


_CONTENT = tuple(each.name for each in fields(PlanRow) if each.name not in {"changed", "body"})
_COLUMNS = tuple(name for name in _CONTENT if name not in {"kind", "entry"})


class SettingKind(StrEnum):
    """The kinds of settings of an athlete in the table `athlete_settings`; `VALUE` is a threshold heart rate."""

    VALUE = "value"
    AVAILABILITY = "availability"
    TARGET = "target"


@dataclass(frozen=True, slots=True)
class AthleteSetting:
    """A value, an availability or a weekly target of an athlete; `body` is a JSON object with the id."""

    id: str
    user_id: str
    kind: SettingKind
    day: date
    body: bytes
    set_by: str | None


class PlanChange(NamedTuple):
    """An entry that a batch changed; None before a creation and after a deletion."""

    place: int
    op: PlanOp
    before: PlanRow | None
    after: PlanRow | None

    @property
    def row(self) -> PlanRow:
        """The row after the change, or the deleted one."""
        row = self.after or self.before
        assert row is not None
        return row

    @property
    def key(self) -> tuple[EntryKind, str]:
        return self.row.kind, self.row.id


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredBatch:
    """A batch that is done; `results` names kind, user and entry of each operation."""

    id: str
    author_id: str
    idempotency_key: str | None
    digest: str
    results: Sequence[tuple[str, str, str]]
    warnings: Sequence[Mapping[str, Any]]
    reply: Mapping[str, Any] | None = (
        None  # of a plan that was applied or rolled out; of an undo the rows that it left
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchStamp:
    """Who made a batch, from which page, when (microseconds since 1970), and which batch it undoes."""

    batch_id: str
    author_id: str
    source: str | None
    undo_of: str | None
    created_at: int


class Plans:
    """Reads and writes of calendars in one transaction."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection
        self.comments = Comments(connection)
        self.library = Workouts(connection)
        self.training = TrainingPlans(connection)

    # People.

    def lock(self, people_: Iterable[str]) -> None:
        """Let one batch at a time write the calendars of these people; SQLite has one writer anyway."""
        for chunk in chunks(sorted(set(people_))):
            chosen = sa.select(users.c.id).where(users.c.id.in_(chunk)).order_by(users.c.id)
            self._connection.execute(chosen.with_for_update(key_share=True)).all()

    def led_by(self, user_id: str) -> dict[str, frozenset[str]]:
        """The athletes whom the user leads as coach or admin, with the workspaces where they do."""
        athlete = members.alias()
        chosen = (
            sa.select(athlete.c.user_id, athlete.c.workspace_id)
            .join(members, members.c.workspace_id == athlete.c.workspace_id)
            .where(
                members.c.user_id == user_id,
                members.c.role.in_(LEADING),
                athlete.c.role == WorkspaceRole.ATHLETE,
            )
        )
        led = defaultdict[str, set[str]](set)
        for row in self._connection.execute(chosen):
            led[row.user_id].add(row.workspace_id)
        return {athlete_id: frozenset(workspaces) for athlete_id, workspaces in led.items()}

    def groups(self, workspace_ids: Iterable[str]) -> dict[tuple[str, str], list[str]]:
        """The names of groups by workspace and athlete, in order."""
        named = defaultdict[tuple[str, str], list[str]](list)
        chosen = sa.select(athlete_groups).where(athlete_groups.c.workspace_id.in_(workspace_ids))
        for row in self._connection.execute(chosen.order_by(athlete_groups.c.name)):
            named[row.workspace_id, row.user_id].append(row.name)
        return named

    def set_groups(self, workspace_id: str, user_id: str, names: Iterable[str]) -> None:
        """Replace the groups of an athlete of the workspace."""
        table = athlete_groups.c
        is_meant = sa.and_(table.workspace_id == workspace_id, table.user_id == user_id)
        self._connection.execute(sa.delete(athlete_groups).where(is_meant))
        rows = [{"workspace_id": workspace_id, "user_id": user_id, "name": name} for name in names]
        if rows:
            self._connection.execute(sa.insert(athlete_groups), rows)

    def workspaces_led_by(self, user_id: str) -> dict[str, str]:
        """Ids and names of the workspaces that the user leads."""
        return people.workspaces_led_by(self._connection, user_id)

    def has_coach(self, user_id: str) -> bool:
        """Whether another person leads a workspace in which the user is an athlete."""
        return bool(people.coaches_of(self._connection, user_id))

    def workspaces_of_athlete(self, user_id: str) -> frozenset[str]:
        """The workspaces in which the user is an athlete."""
        is_athlete = sa.and_(members.c.user_id == user_id, members.c.role == WorkspaceRole.ATHLETE)
        return frozenset(self._connection.scalars(sa.select(members.c.workspace_id).where(is_athlete)))

    def names(self, ids: Iterable[str]) -> dict[str, str]:
        """Names by id; a person without a name, or who is gone, has the id."""
        wanted = sorted(set(ids))
        names = dict(zip(wanted, wanted, strict=True))
        for chunk in chunks(wanted):
            chosen = sa.select(users.c.id, users.c.first_name, users.c.last_name).where(users.c.id.in_(chunk))
            for row in self._connection.execute(chosen):
                names[row.id] = people.full_name(row.first_name, row.last_name) or row.id
        return names

    def metric_bodies(self, user_id: str) -> Sequence[bytes]:
        """The values of an athlete, which targets in percent follow."""
        return bodies(self._connection, RowKind.METRICS, user_id, start=None, end=None)

    def threshold_bodies(self, user_id: str) -> list[bytes]:
        """The threshold heart rates of an athlete."""
        table = athlete_settings
        is_meant = sa.and_(table.c.user_id == user_id, table.c.kind == SettingKind.VALUE)
        return list(self._connection.scalars(sa.select(table.c.body).where(is_meant)))

    def activity_bodies(self, user_id: str, since: date, until: date = date.max) -> Sequence[bytes]:
        """The sessions of an athlete in a range of days."""
        is_meant = sa.and_(
            activities.c.user_id == user_id,
            activities.c.day.between(since, until),
            activities.c.deleted_at.is_(None),
        )
        return self._connection.scalars(sa.select(activities.c.body).where(is_meant)).all()

    def gender_of(self, user_id: str) -> Gender | None:
        body = self._connection.scalar(sa.select(users.c.body).where(users.c.id == user_id))
        return None if body is None else User.from_wire(orjson.loads(body)).gender

    def time_zone_of(self, user_id: str) -> str | None:
        return self._connection.scalar(sa.select(users.c.time_zone).where(users.c.id == user_id))

    def has_activity(self, user_id: str, activity_id: str) -> bool:
        is_meant = sa.and_(
            activities.c.user_id == user_id, activities.c.id == activity_id, activities.c.deleted_at.is_(None)
        )
        return self._connection.scalar(sa.select(sa.exists().where(is_meant))) or False

    # Settings.

    def settings(self, kind: SettingKind, user_id: str) -> list[AthleteSetting]:
        """The settings of that kind by day; of values also those among the metrics."""
        table = athlete_settings
        chosen = sa.select(table).where(table.c.user_id == user_id, table.c.kind == kind)
        rows = list(self._connection.execute(chosen))
        if kind is SettingKind.VALUE:
            is_settable = sa.and_(metrics.c.user_id == user_id, metrics.c.type.in_(VALUES))
            rows += self._connection.execute(sa.select(metrics).where(is_settable))
        read = (AthleteSetting(row.id, user_id, kind, row.day, bytes(row.body), row.set_by) for row in rows)
        return sorted(read, key=lambda setting: (setting.day, setting.id))

    def put_setting(self, setting: AthleteSetting) -> None:
        """Write a setting; a value that the interface has is a metric."""
        body = orjson.loads(setting.body)
        if setting.kind is SettingKind.VALUE and body["type"] != THRESHOLD_HEART_RATE:
            row = {**of_metric(setting.user_id, Metric.from_wire(body)), "set_by": setting.set_by}
            directory.put(self._connection, metrics, [row])
            return
        names = ("id", "user_id", "kind", "day", "body", "set_by")
        upsert(self._connection, athlete_settings, [{name: getattr(setting, name) for name in names}])

    def delete_setting(self, setting: AthleteSetting) -> None:
        for table in (athlete_settings, metrics):
            is_meant = sa.and_(table.c.id == setting.id, table.c.user_id == setting.user_id)
            self._connection.execute(sa.delete(table).where(is_meant))

    # Rows.

    def rows(self, wanted: Iterable[tuple[EntryKind, str, str]]) -> dict[tuple[EntryKind, str], PlanRow]:
        """The rows with these kinds, people and ids, by kind and id.

        On PostgreSQL they stay locked until the end of the transaction.
        """
        owners, read = {(kind, row_id): user_id for kind, user_id, row_id in wanted}, {}
        for kind in EntryKind:
            table = _KIND_OF[kind].table
            for chunk in chunks(sorted(row_id for each, row_id in owners if each is kind)):
                people_ = {owners[kind, row_id] for row_id in chunk}
                is_meant = sa.and_(table.c.user_id.in_(people_), table.c.id.in_(chunk))
                for row in self._connection.execute(_select(kind).where(is_meant).with_for_update()):
                    if owners[kind, row.id] == row.user_id:
                        read[kind, row.id] = _row(kind, row)
        return read

    def find(self, entry_id: str) -> PlanRow | None:
        """The row of any kind with that id."""
        return self.find_all([entry_id]).get(entry_id)

    def find_all(self, ids: Iterable[str]) -> dict[str, PlanRow]:
        """The rows of any kind with these ids."""
        rows = dict[str, PlanRow]()
        for chunk in chunks(sorted(set(ids))):
            people_ = sorted(directory.people_of(self._connection, chunk))
            for kind, row_kind in _KIND_OF.items():
                table = row_kind.table.c
                is_meant = sa.and_(table.user_id.in_(people_), table.id.in_(chunk))
                for row in self._connection.execute(_select(kind).where(is_meant)):
                    rows[row.id] = _row(kind, row)
        return rows

    def between(self, user_id: str, start: date, end: date, *, only_decided: bool = False) -> list[PlanRow]:
        """The rows of a person whose days overlap the inclusive range, oldest first; `only_decided`: skipped, paired by hand, or a note of several days."""
        return sorted(
            (
                row
                for kind in EntryKind
                for row in self._between(kind, user_id, start, end, only_decided=only_decided)
            ),
            key=lambda row: (row.moment, row.kind, row.id),
        )

    def _between(
        self, kind: EntryKind, user_id: str, start: date, end: date, *, only_decided: bool
    ) -> Iterator[PlanRow]:
        table = _KIND_OF[kind].table
        is_meant = sa.and_(
            table.c.user_id == user_id,
            table.c.day >= max(start, FIRST_DAY) - timedelta(days=MOST_SPAN_DAYS),
            table.c.day <= end,
            sa.func.coalesce(table.c.end_day, table.c.day) >= start,
        )
        if only_decided and kind is EntryKind.NOTE:
            is_meant = sa.and_(is_meant, table.c.end_day.is_not(None))
        elif only_decided:
            # Rows without the two names need no decoding: an athlete has thousands.
            has_name = [table.c.entry.contains(f'"{name}"') for name in _DECISIONS]
            is_meant = sa.and_(is_meant, sa.or_(*has_name))
        for row in self._connection.execute(_select(kind).where(is_meant)):
            plan = _row(kind, row)
            is_decided = kind is EntryKind.NOTE or any(name in plan.entry for name in _DECISIONS)
            if is_decided or not only_decided:
                yield plan

    def rows_of_plan(
        self, plan_id: str, people_: Iterable[str], start: date, end: date, *, is_locking: bool
    ) -> list[PlanRow]:
        """The rows of these people in the inclusive range that a plan wrote.

        With `is_locking` they stay locked on PostgreSQL until the end of the transaction.
        """
        read = []
        for kind in EntryKind:
            table = _KIND_OF[kind].table
            for chunk in chunks(sorted(people_)):
                is_meant = sa.and_(
                    table.c.user_id.in_(chunk),
                    table.c.day.between(start, end),
                    table.c.entry.contains(f'"{plan_id}"'),
                )
                chosen = _select(kind).where(is_meant)
                if is_locking:
                    chosen = chosen.with_for_update()
                read += [_row(kind, row) for row in self._connection.execute(chosen)]
        return [row for row in read if row.entry.get("plan", {}).get("planId") == plan_id]

    def deleted_of_plan(self, plan_id: str, people_: Iterable[str]) -> list[tuple[PlanRow, str]]:
        """The rows of a plan that were deleted, the last deletion last, each with the batch that first did it.

        An undo of an undo has the batch that was undone first.
        """
        deleted, undone = list[tuple[int, PlanRow, str]](), dict[str, str]()
        for chunk in chunks(sorted(people_)):
            is_of_chunk = plan_changes.c.user_id.in_(chunk)
            undos = sa.select(plan_changes.c.batch_id, plan_changes.c.undo_of).where(
                is_of_chunk, plan_changes.c.undo_of.is_not(None)
            )
            undone |= {row.batch_id: row.undo_of for row in self._connection.execute(undos.distinct())}
            chosen = sa.select(plan_changes).where(is_of_chunk, plan_changes.c.after.is_(None))
            for change in self._connection.execute(chosen):
                before = PlanRow.from_content(bytes(change.before))
                if before.entry.get("plan", {}).get("planId") == plan_id:
                    deleted.append((change.created_at, before, change.batch_id))
        return [
            (row, _root(batch_id, undone)) for _at, row, batch_id in sorted(deleted, key=lambda each: each[0])
        ]

    def was_deleted(self, user_id: str, entry_id: str) -> bool:
        """Whether a batch deleted an entry of that id."""
        is_meant = sa.and_(
            plan_changes.c.user_id == user_id,
            plan_changes.c.entry_id == entry_id,
            plan_changes.c.after.is_(None),
        )
        return self._connection.scalar(sa.select(sa.exists().where(is_meant))) or False

    def write(self, changes: Iterable[PlanChange]) -> None:
        """Write the rows after the changes, and delete those that have none."""
        written, deleted = (
            defaultdict[EntryKind, list[dict[str, Any]]](list),
            defaultdict[tuple[EntryKind, str], list[str]](list),
        )
        for change in changes:
            if change.after is not None:
                written[change.after.kind].append(_values(change.after))
            elif change.before is not None:
                deleted[change.before.kind, change.before.user_id].append(change.before.id)
        for kind, values in written.items():
            directory.put(self._connection, _KIND_OF[kind].table, values)
        for (kind, user_id), ids in deleted.items():
            table = _KIND_OF[kind].table
            for chunk in chunks(ids):
                is_meant = sa.and_(table.c.user_id == user_id, table.c.id.in_(chunk))
                self._connection.execute(sa.delete(table).where(is_meant))

    # Batches.

    def add_batch(self, batch: StoredBatch, stamp: BatchStamp, changes: Iterable[PlanChange]) -> None:
        """Keep a batch with its changes, for the history and for an undo."""
        values = {
            "user_id": batch.author_id,
            "id": batch.id,
            "idempotency_key": batch.idempotency_key,
            "digest": batch.digest,
            "results": orjson.dumps(batch.results).decode(),
            "warnings": orjson.dumps(batch.warnings).decode(),
            "reply": None if batch.reply is None else orjson.dumps(batch.reply).decode(),
        }
        directory.put(self._connection, plan_batches, [values])
        kept = [
            {
                "user_id": change.row.user_id,
                "place": change.place,
                "op": change.op,
                "kind": change.row.kind,
                "entry_id": change.row.id,
                "before": None if change.before is None else change.before.content(),
                "after": None if change.after is None else change.after.content(),
                "batch_id": stamp.batch_id,
                "author_id": stamp.author_id,
                "source": stamp.source,
                "undo_of": stamp.undo_of,
                "created_at": stamp.created_at,
            }
            for change in changes
        ]
        if kept:
            self._connection.execute(sa.insert(plan_changes), kept)

    def forget_batches(self, ids: Sequence[str]) -> None:
        """Delete batches and their changes; the entries stay as they are."""
        is_batch = directory.is_among(self._connection, plan_batches, ids)
        results = self._connection.scalars(
            sa.delete(plan_batches).where(is_batch).returning(plan_batches.c.results)
        )
        people_ = sorted({user_id for text in results for _kind, user_id, _id in orjson.loads(text)})
        is_change = sa.and_(plan_changes.c.user_id.in_(people_), plan_changes.c.batch_id.in_(ids))
        self._connection.execute(sa.delete(plan_changes).where(is_change))

    def newest_change(self, people_: Iterable[str]) -> int:
        """When the calendar of one of these people was last changed, in microseconds since 1970; 0 if never."""
        newest = 0
        for chunk in chunks(sorted(people_)):
            moment = sa.func.max(plan_changes.c.created_at)
            newest = max(
                newest,
                self._connection.scalar(sa.select(moment).where(plan_changes.c.user_id.in_(chunk))) or 0,
            )
        return newest

    def batch_of_key(self, author_id: str, key: str) -> StoredBatch | None:
        """The author's batch with that idempotency key."""
        is_meant = sa.and_(plan_batches.c.user_id == author_id, plan_batches.c.idempotency_key == key)
        return self._batch(is_meant)

    def batch(self, batch_id: str) -> StoredBatch | None:
        return self._batch(directory.is_among(self._connection, plan_batches, [batch_id]))

    def _batch(self, is_meant: sa.ColumnElement[bool]) -> StoredBatch | None:
        row = self._connection.execute(sa.select(plan_batches).where(is_meant)).first()
        if row is None:
            return None
        return StoredBatch(
            id=row.id,
            author_id=row.user_id,
            idempotency_key=row.idempotency_key,
            digest=row.digest,
            results=[(kind, user_id, entry_id) for kind, user_id, entry_id in orjson.loads(row.results)],
            warnings=orjson.loads(row.warnings),
            reply=None if row.reply is None else orjson.loads(row.reply),
        )

    def changes_of(self, batch: StoredBatch) -> list[PlanChange]:
        """The changes of a batch in their order."""
        changes = []
        for chunk in chunks(sorted({user_id for _kind, user_id, _id in batch.results})):
            is_meant = sa.and_(plan_changes.c.user_id.in_(chunk), plan_changes.c.batch_id == batch.id)
            changes += [
                _change(row) for row in self._connection.execute(sa.select(plan_changes).where(is_meant))
            ]
        return sorted(changes, key=lambda change: change.place)

    def history(self, user_id: str, most: int) -> list[tuple[BatchStamp, list[PlanChange]]]:
        """The last batches that changed a person's calendar, newest first."""
        newest = (
            sa.select(plan_changes.c.batch_id, sa.func.max(plan_changes.c.created_at).label("created_at"))
            .where(plan_changes.c.user_id == user_id)
            .group_by(plan_changes.c.batch_id)
            .order_by(sa.desc("created_at"), plan_changes.c.batch_id)
            .limit(most)
        )
        order = [row.batch_id for row in self._connection.execute(newest)]
        is_meant = sa.and_(plan_changes.c.user_id == user_id, plan_changes.c.batch_id.in_(order))
        stamps, changes = dict[str, BatchStamp](), defaultdict[str, list[PlanChange]](list)
        for row in self._connection.execute(
            sa.select(plan_changes).where(is_meant).order_by(plan_changes.c.place)
        ):
            stamps[row.batch_id] = BatchStamp(
                batch_id=row.batch_id,
                author_id=row.author_id,
                source=row.source,
                undo_of=row.undo_of,
                created_at=row.created_at,
            )
            changes[row.batch_id].append(_change(row))
        return [(stamps[batch_id], changes[batch_id]) for batch_id in order]


def _root(batch_id: str, undone: Mapping[str, str]) -> str:
    """The batch that a chain of undos began with."""
    while batch_id in undone:
        batch_id = undone[batch_id]
    return batch_id


def _select(kind: EntryKind) -> sa.Select[Any]:
    table = _KIND_OF[kind].table
    return sa.select(*(table.c[name] for name in _COLUMNS), table.c.entry, table.c.body)


def _row(kind: EntryKind, row: Any) -> PlanRow:
    entry = {} if row.entry is None else orjson.loads(row.entry)
    values = {name: getattr(row, name) for name in _COLUMNS}
    changed = entry.pop("changed", None)
    for name in ("is_private", "in_percent"):
        values[name] = bool(values[name])
    return PlanRow(kind=kind, body=bytes(row.body), entry=entry, changed=changed, **values)


def _values(row: PlanRow) -> dict[str, Any]:
    values = {name: getattr(row, name) for name in _COLUMNS}
    return {**values, "body": row.body, "entry": orjson.dumps({**row.entry, "changed": row.changed}).decode()}


def _change(row: Any) -> PlanChange:
    before, after = (
        None if content is None else PlanRow.from_content(bytes(content))
        for content in (row.before, row.after)
    )
    return PlanChange(row.place, PlanOp(row.op), before, after)
