"""Batches: all operations or none, in one transaction with one check of rights; and their undo."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache, cached_property, partial
from typing import Any

import orjson

from coachboard.plain_text import lines_of
from coachboard.service.api.errors import (
    Conflict,
    InvalidRequest,
    NoSuchRow,
    NotAllowed,
    PreconditionRequired,
    Refusal,
)
from coachboard.service.ids import new_id
from coachboard.service.planning import day_warnings, entries, targets
from coachboard.service.planning.entries import EntryReplies, etag_of
from coachboard.service.planning.rights import Author, Rights
from coachboard.service.planning.texts import check_threshold
from coachboard.service.store import Store
from coachboard.service.store.plans import (
    BatchStamp,
    PlanChange,
    PlanRow,
    Plans,
    SettingKind,
    StoredBatch,
)
from coachboard.wire.athlete_settings import Availability
from coachboard.wire.enums import Sport
from coachboard.wire.planning import (
    EntryKind,
    PairingMode,
    PlanBatch,
    PlanOp,
    PlanOperation,
    PlanValue,
    PlanWarning,
)

_NO_USER = "no such user, or you have no access"
_NO_ROW = "no such entry, or you have no access"
NO_BATCH = "No such batch, or you have no access."
_FIELDS_OF_OP = {
    PlanOp.MOVE: {"date"},
    PlanOp.COPY: {"date", "user_id", "workspace_id"},
    PlanOp.PAIR: {"activity_id", "pairing"},
    PlanOp.SKIP: {"reason"},
    PlanOp.DELETE: set[str](),
    PlanOp.UNPAIR: set[str](),
    PlanOp.UNSKIP: set[str](),
}
_KINDS_OF_OP = {
    PlanOp.SKIP: (EntryKind.WORKOUT,),
    PlanOp.UNSKIP: (EntryKind.WORKOUT,),
    PlanOp.PAIR: (EntryKind.WORKOUT, EntryKind.EVENT),
    PlanOp.UNPAIR: (EntryKind.WORKOUT, EntryKind.EVENT),
}
_INVERSE = {PlanOp.CREATE: PlanOp.DELETE, PlanOp.COPY: PlanOp.DELETE, PlanOp.DELETE: PlanOp.CREATE}
_Key = tuple[EntryKind, str]


class StaleRows(Refusal):
    """Rows have changed since they were read; each id with the entry as it is now, null if it is gone."""

    def __init__(self, rows: Sequence[dict[str, Any]]) -> None:
        super().__init__("The calendar has changed since you read it; nothing was saved.")
        self.rows = rows


@dataclass
class _Run:
    """The state of a batch while its operations run, one after the other."""

    plans: Plans
    author: Author
    rights: Rights
    before: dict[_Key, PlanRow]
    after: dict[_Key, PlanRow | None] = field(default_factory=dict)
    ops: dict[_Key, tuple[int, PlanOp]] = field(default_factory=dict)
    results: list[_Key] = field(default_factory=list)
    conflicts: dict[_Key, None] = field(default_factory=dict)
    warnings: list[dict[str, Any]] = field(default_factory=list)

    @cached_property
    def athlete_of(self) -> Callable[[str], targets.PlannedAthlete]:
        """The people for whom workouts are planned, each read once."""
        return cache(partial(targets.PlannedAthlete, self.plans, today=self.author.today))

    def changes(self) -> list[PlanChange]:
        changes = []
        for key, row in self.after.items():
            before = self.before.get(key)
            if before is None or row is None or before.content() != row.content():
                place, op = self.ops[key]
                changes.append(PlanChange(place, op, before, row))
        return changes


def run(store: Store, author: Author, batch: PlanBatch, *, idempotency_key: str | None) -> bytes:
    """Do a batch; returns the reply as JSON. Raises a `Refusal`."""
    count = len(batch.operations)
    operations = [
        _checked(_of_caller(operation, author), count, place)
        for place, operation in enumerate(batch.operations)
    ]
    people = {each for operation in operations for each in _people_of(operation)}
    for operation in operations:
        entries.parse_ahead(operation.value or PlanValue())
    changed = set[str]()
    with store.reading_plans() if batch.dry_run else store.changing_plans(changed) as plans:
        rights = Rights(plans, author.user_id, author.today)
        if batch.dry_run:
            return _reply_to(_done(plans, author, rights, operations, people), None)
        plans.lock({*people, author.user_id})
        digest = hashlib.sha256(orjson.dumps(batch.to_wire(), option=orjson.OPT_SORT_KEYS)).hexdigest()
        earlier = sent_before(plans, author, idempotency_key, digest)
        if earlier is not None:
            return _reply_again(plans, rights, earlier)
        state = _done(plans, author, rights, operations, people)
        stored = StoredBatch(
            id=new_id("bat", author.user_id),
            author_id=author.user_id,
            idempotency_key=idempotency_key,
            digest=digest,
            results=[(kind, _owner(state, kind, entry_id), entry_id) for kind, entry_id in state.results],
            warnings=state.warnings,
        )
        changes = write(plans, stored, author, state.changes(), source=batch.source)
        changed |= {change.row.user_id for change in changes}
        state.after |= {change.key: change.after for change in changes}
        return _reply_to(state, stored.id)


def _people_of(operation: PlanOperation) -> set[str]:
    target = None if operation.value is None else operation.value.user_id
    return {operation.user_id} if target is None else {operation.user_id, target}


def sent_before(plans: Plans, author: Author, key: str | None, digest: str) -> StoredBatch | None:
    """The batch that was sent with this key; raises `Conflict` if it was another one."""
    sent = None if key is None else plans.batch_of_key(author.user_id, key)
    if sent is not None and sent.digest != digest:
        raise Conflict("This Idempotency-Key was used for another batch.")
    return sent


def _done(
    plans: Plans, author: Author, rights: Rights, operations: Sequence[PlanOperation], people: Iterable[str]
) -> _Run:
    """The state after all operations; nothing is written. Raises a `Refusal`."""
    _check_people(rights, operations, people)
    named = [(each.kind, each.user_id, each.id) for each in operations if each.id is not None]
    state = _Run(plans, author, rights, plans.rows(named))
    for place, operation in enumerate(operations):
        with naming(len(operations), place):
            _do(state, place, operation)
    if state.conflicts:
        raise StaleRows(_current(plans, rights, state.conflicts))
    warnings = warnings_about(plans, rights, state.changes(), state.after)
    state.warnings = [warning.to_wire() for warning in warnings]
    return state


def _reply_to(state: _Run, batch_id: str | None) -> bytes:
    rows = [state.after.get(key, state.before.get(key)) for key in state.results]
    return _reply(state.plans, state.rights, batch_id, rows, state.warnings)


def undo(
    store: Store,
    author: Author,
    batch_id: str,
    *,
    force: bool,
    user_id: str | None = None,
    idempotency_key: str | None = None,
) -> bytes:
    """Bring back what was before a batch, of one calendar or of all, as a new batch; returns the reply as JSON.

    Rows that are as before already, such as those of one calendar that was undone by itself, are left out, unless all are.
    Raises a `Refusal`.
    """
    changed = set[str]()
    with store.changing_plans(changed) as plans:
        rights = Rights(plans, author.user_id, author.today)
        done = plans.batch(batch_id)
        people = set() if done is None else {user_id for _kind, user_id, _id in done.results}
        is_readable = done is not None and (
            done.author_id == author.user_id or any(map(rights.may_read_calendar, people))
        )
        if done is None or not is_readable:
            raise NoSuchRow(NO_BATCH)
        plans.lock({*people, author.user_id})
        user_id = author.user_id if user_id == "me" else user_id
        digest = hashlib.sha256(orjson.dumps(["undo", batch_id, force, user_id])).hexdigest()
        earlier = sent_before(plans, author, idempotency_key, digest)
        if earlier is not None:
            return _reply_again(plans, rights, earlier)
        made = [change for change in plans.changes_of(done) if user_id in {None, change.row.user_id}]
        if user_id is not None and not made:
            raise NoSuchRow(NO_BATCH)
        now = plans.rows((change.row.kind, change.row.user_id, change.row.id) for change in made)
        changes, stale = _taking_back(rights, made, now, is_author=done.author_id == author.user_id)
        conflicts = _current(plans, rights, stale)
        if stale and not force:
            raise StaleRows(conflicts)
        stored = StoredBatch(
            id=new_id("bat", author.user_id),
            author_id=author.user_id,
            idempotency_key=idempotency_key,
            digest=digest,
            results=[(change.row.kind, change.row.user_id, change.row.id) for change in changes],
            warnings=(),
            reply={"conflicts": stale},
        )
        changes = write(plans, stored, author, changes, undo_of=done.id)
        changed |= {change.row.user_id for change in changes}
        return _reply(plans, rights, stored.id, [change.after for change in changes], [], conflicts)


def _taking_back(
    rights: Rights, made: Sequence[PlanChange], now: Mapping[_Key, PlanRow], *, is_author: bool
) -> tuple[list[PlanChange], list[_Key]]:
    """The changes that undo these, and the rows that have changed since. Raises `NoSuchRow`, `NotAllowed`."""
    changes, stale = list[PlanChange](), list[_Key]()
    left = [change for change in made if _content(now.get(change.key)) != _content(change.before)]
    for change in left or made:
        row = now.get(change.key)
        # Also a row that was hidden since: a conflict would name it.
        if not rights.may_read(row or change.row):
            raise NoSuchRow(NO_BATCH)
        if _content(row) != _content(change.after):
            stale.append(change.key)
            continue
        if not may_undo(rights, change, is_author=is_author):
            raise NotAllowed("You may not undo this batch: it changed entries that you may not write.")
        changes.append(PlanChange(change.place, _INVERSE.get(change.op, change.op), row, change.before))
    return changes, stale


def _of_caller(operation: PlanOperation, author: Author) -> PlanOperation:
    """The operation with the caller's id instead of `me`."""
    if operation.user_id == "me":
        operation = operation.model_copy(update={"user_id": author.user_id})
    if operation.value is not None and operation.value.user_id == "me":
        value = operation.value.model_copy(update={"user_id": author.user_id})
        operation = operation.model_copy(update={"value": value})
    return operation


@contextmanager
def naming(count: int, place: int, what: str = "Operation") -> Iterator[None]:
    """Name the operation in the text of a refusal."""
    try:
        yield
    except Refusal as refusal:
        text = str(refusal).rstrip(".")
        if count > 1:
            text = f"{what} {place + 1} of {count}: {text}"
        elif ":" not in text.partition(" ")[0]:  # a field keeps its name
            text = text[:1].upper() + text[1:]
        raise type(refusal)(f"{text}.") from None


def _checked(operation: PlanOperation, count: int, place: int) -> PlanOperation:
    """The operation if it has what its kind of change needs. Raises `InvalidRequest`, `PreconditionRequired`."""
    op, given = operation.op, set() if operation.value is None else operation.value.model_fields_set
    with naming(count, place):
        if (op is PlanOp.CREATE) != (operation.id is None):
            raise InvalidRequest(f"{op} {'takes no' if op is PlanOp.CREATE else 'needs an'} id")
        if op not in {PlanOp.CREATE, PlanOp.COPY} and operation.if_match is None:
            raise PreconditionRequired(f"{op} needs the entry's etag as ifMatch")
        allowed = _FIELDS_OF_OP.get(op, entries.fields_of(operation.kind) | {"workspace_id"})
        if given - allowed:
            names = ", ".join(sorted(PlanValue.model_fields[name].alias or name for name in given - allowed))
            raise InvalidRequest(f"{op} of a {operation.kind} has no {names}")
        value = operation.value or PlanValue()
        if op in {PlanOp.MOVE, PlanOp.COPY} and value.date is None:
            raise InvalidRequest(f"{op} needs value.date")
        if op is PlanOp.PAIR and bool(value.activity_id) == _is_automatic(value):
            raise InvalidRequest('pair needs value.activityId, or value.pairing {"mode": "auto"}')
        if op is PlanOp.UPDATE and "workspace_id" in given:
            raise InvalidRequest("an entry stays in its workspace")
        if op is PlanOp.SKIP and lines_of(value.reason) is None:
            raise InvalidRequest("skip needs value.reason")
        return operation


def _is_automatic(value: PlanValue) -> bool:
    """Whether `pair` takes the choice of a person back."""
    return value.pairing is not None and value.pairing.mode is PairingMode.AUTO


def _check_people(rights: Rights, operations: Sequence[PlanOperation], people: Iterable[str]) -> None:
    unknown = {user_id for user_id in people if not rights.may_read_calendar(user_id)}
    for place, operation in enumerate(operations):
        target = operation.value.user_id if operation.value else None
        if operation.user_id in unknown or target in unknown:
            with naming(len(operations), place):
                raise NoSuchRow(_NO_USER)


def _do(state: _Run, place: int, operation: PlanOperation) -> None:
    if operation.op is PlanOp.CREATE:
        value = operation.value or PlanValue()
        _check_pairing(state, operation.user_id, value)
        new = entries.created(
            operation.kind,
            operation.user_id,
            value,
            creator_id=state.author.user_id,
            workspace_id=state.rights.workspace_of(operation.user_id, value.workspace_id),
        )
        _put(state, place, operation, new)
        return
    key = operation.kind, operation.id or ""
    before = _readable(state, operation)
    is_stale = operation.if_match is not None and (
        before is None or operation.if_match.strip('"') != etag_of(before)
    )
    if before is None or is_stale:
        state.conflicts[key] = None
        return
    row: PlanRow | None = state.after.get(key, before)
    if row is None:
        raise InvalidRequest("the batch deletes this entry before")
    if operation.op not in state.rights.allowed(row):
        raise NotAllowed(_why_not(row, operation.op, state))
    _put(state, place, operation, _changed(state, row, operation))


def _readable(state: _Run, operation: PlanOperation) -> PlanRow | None:
    """The row as it was before the batch; None if it was deleted since it was read. Raises `NoSuchRow`."""
    entry_id = operation.id or ""
    row = state.before.get((operation.kind, entry_id))
    if (
        row is None
        and operation.if_match is not None
        and state.plans.was_deleted(operation.user_id, entry_id)
    ):
        return None
    if row is None or not state.rights.may_read(row):
        raise NoSuchRow(_NO_ROW)
    return row


def _changed(state: _Run, row: PlanRow, operation: PlanOperation) -> PlanRow | None:
    """The row after the operation; None for a deletion, a new row for a copy."""
    value, author_id = operation.value or PlanValue(), state.author.user_id
    if operation.op is PlanOp.DELETE:
        return None
    if operation.op is PlanOp.UPDATE:
        _check_pairing(state, row.user_id, value)
        return entries.updated(row, value)
    if operation.op in {PlanOp.SKIP, PlanOp.UNSKIP}:
        return entries.skipped(row, lines_of(value.reason), author_id)
    if operation.op in {PlanOp.PAIR, PlanOp.UNPAIR}:
        if value.activity_id is not None:
            _check_activity(state, row.user_id, value.activity_id)
        return entries.paired(row, value.activity_id, is_automatic=_is_automatic(value))
    assert value.date is not None
    if operation.op is PlanOp.MOVE:
        return entries.moved(row, value.date)
    user_id = value.user_id or row.user_id
    workspace_id = state.rights.workspace_of(user_id, value.workspace_id)
    return entries.copied(row, value.date, user_id=user_id, creator_id=author_id, workspace_id=workspace_id)


def _put(state: _Run, place: int, operation: PlanOperation, row: PlanRow | None) -> None:
    key = (operation.kind, operation.id or "") if row is None else (row.kind, row.id)
    if row is not None and operation.op in {PlanOp.CREATE, PlanOp.UPDATE}:
        _check_threshold(state, operation, row)
    state.after[key] = row
    state.ops.setdefault(key, (place, operation.op))
    state.results.append(key)


def _check_threshold(state: _Run, operation: PlanOperation, row: PlanRow) -> None:
    """Raise `InvalidRequest` for a new text in % LTHR of an athlete without a threshold heart rate; a copy may wait for it."""
    text = row.entry.get("text")
    is_new = operation.value is not None and "text" in operation.value.model_fields_set
    is_draft = operation.value is not None and operation.value.is_draft
    if is_new and text is not None and targets.uses_threshold(text) and not is_draft:
        sport = Sport(orjson.loads(row.body)["sport"])
        check_threshold(text, sport, state.athlete_of(row.user_id), row.day)


def _check_pairing(state: _Run, user_id: str, value: PlanValue) -> None:
    if value.pairing is not None and value.pairing.activity_id:
        _check_activity(state, user_id, value.pairing.activity_id)


def _check_activity(state: _Run, user_id: str, activity_id: str) -> None:
    if not state.plans.has_activity(user_id, activity_id):
        raise InvalidRequest("the athlete has no such session")


def _why_not(row: PlanRow, op: PlanOp, state: _Run) -> str:
    kinds = _KINDS_OF_OP.get(op, tuple(EntryKind))
    if row.kind not in kinds:
        return f"{op} is for {' and '.join(f'{kind}s' for kind in kinds)} only"
    if op in {PlanOp.SKIP, PlanOp.UNSKIP} and (op is PlanOp.SKIP) is ("skipped" in row.entry):
        return f"this workout is {'skipped already' if op is PlanOp.SKIP else 'not skipped'}"
    if row.user_id == state.author.user_id:
        if op is PlanOp.MOVE and row.entry.get("isLocked"):
            return "the coach has locked this workout; ask them to move it"
        return f"this entry is your coach's: you may not {op} it"
    return f"this entry belongs to another workspace: you may not {op} it"


def warnings_about(
    plans: Plans, rights: Rights, changes: Sequence[PlanChange], after: Mapping[_Key, PlanRow | None]
) -> list[PlanWarning]:
    """Warnings about the days of new and moved workouts; `after` has all rows that the batch names, None if deleted."""
    planned = [
        (change.place, change.after)
        for change in changes
        if change.after is not None and (change.before is None or change.before.day != change.after.day)
    ]
    days = defaultdict[str, list[date]](list)
    for _place, row in planned:
        days[row.user_id].append(row.day)
    written = defaultdict[str, list[PlanRow]](list)
    for row in filter(None, after.values()):
        written[row.user_id].append(row)
    rows = {
        user_id: [
            row
            for row in (*_unwritten(plans, user_id, planned_days, after), *written[user_id])
            if rights.may_read(row)
        ]
        for user_id, planned_days in days.items()
    }
    availability = {
        user_id: [
            Availability.from_wire({**orjson.loads(setting.body), "setBy": None, "etag": ""})
            for setting in plans.settings(SettingKind.AVAILABILITY, user_id)
        ]
        for user_id in days
    }
    return day_warnings.warnings_of(planned, rows, availability)


def _unwritten(
    plans: Plans, user_id: str, days: Sequence[date], after: Mapping[_Key, PlanRow | None]
) -> Iterator[PlanRow]:
    """The rows around these days that the batch leaves as they are."""
    rows = plans.between(user_id, *day_warnings.around(days))
    return (row for row in rows if (row.kind, row.id) not in after)


def _owner(state: _Run, kind: EntryKind, entry_id: str) -> str:
    row = state.after.get((kind, entry_id)) or state.before[kind, entry_id]
    return row.user_id


def write(
    plans: Plans,
    stored: StoredBatch,
    author: Author,
    changes: Sequence[PlanChange],
    *,
    source: str | None = None,
    undo_of: str | None = None,
) -> list[PlanChange]:
    """Write the batch and its rows; returns the changes with the author, the time and the batch in their rows."""
    who = {"by": author.user_id, "at": int(author.now_s), "batch": stored.id}
    made = [
        change if change.after is None else change._replace(after=replace(change.after, changed=who))
        for change in changes
    ]
    plans.write(made)
    stamp = BatchStamp(
        batch_id=stored.id,
        author_id=author.user_id,
        source=source,
        undo_of=undo_of,
        created_at=max(int(author.now_s * 1e6), plans.newest_change({each.row.user_id for each in made}) + 1),
    )
    plans.add_batch(stored, stamp, made)
    return made


def may_undo(rights: Rights, change: PlanChange, *, is_author: bool) -> bool:
    """Whether the caller may take back a change that they may read; athletes also their move of a coach's workout."""
    is_own = is_author and change.row.user_id == rights.caller_id
    return is_own or (
        rights.may_write(change.row) and (change.before is None or rights.may_write(change.before))
    )


def _content(row: PlanRow | None) -> bytes | None:
    return None if row is None else row.content()


def _current(plans: Plans, rights: Rights, keys: Iterable[_Key]) -> list[dict[str, Any]]:
    """Rows that have changed, each as it is now; null for one that is gone or that the caller may not see."""
    ids = [entry_id for _kind, entry_id in keys]
    now = plans.find_all(ids)
    rows = {
        entry_id: row if (row := now.get(entry_id)) is not None and rights.may_read(row) else None
        for entry_id in ids
    }
    write = replies(plans, rights, [row for row in rows.values() if row is not None])
    return [
        {"id": entry_id, "entry": None if row is None else write.reply(row)} for entry_id, row in rows.items()
    ]


def _reply_again(plans: Plans, rights: Rights, done: StoredBatch) -> bytes:
    """The reply of a batch that is done, with the entries as they are now."""
    now = plans.rows((EntryKind(kind), user_id, entry_id) for kind, user_id, entry_id in done.results)
    rows = [now.get((EntryKind(kind), entry_id)) for kind, _user_id, entry_id in done.results]
    left = [(EntryKind(kind), entry_id) for kind, entry_id in (done.reply or {}).get("conflicts", ())]
    return _reply(plans, rights, done.id, rows, done.warnings, _current(plans, rights, left))


def _reply(
    plans: Plans,
    rights: Rights,
    batch_id: str | None,
    rows: Sequence[PlanRow | None],
    warnings: Sequence[Any],
    conflicts: Sequence[Any] = (),
) -> bytes:
    write = replies(plans, rights, [row for row in rows if row is not None])
    body = {
        "id": batch_id,
        "entries": [None if row is None or not rights.may_read(row) else write.reply(row) for row in rows],
        "warnings": warnings,
        "conflicts": conflicts,
    }
    return orjson.dumps(body)


def replies(plans: Plans, rights: Rights, rows: Sequence[PlanRow]) -> EntryReplies:
    """Writes these rows as entries, with names and values read once."""
    people = set().union(*(entries.people_in(row) for row in rows))
    athlete_of = cache(partial(targets.PlannedAthlete, plans, today=rights.today))
    return EntryReplies(rights, plans.names(people), athlete_of)
