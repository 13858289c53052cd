"""A plan on the calendars of athletes: applied, and rolled out again after an edit; each time one batch with one undo.

Each entry of a calendar that a plan wrote holds in `plan` the plan, the entry of the plan and its digest, the batch that
applied the plan and the one that wrote the row last, and a digest of the row as it was written. So a roll-out knows what
changed in the plan and what a person changed on the calendar.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, NamedTuple

import orjson

from coachboard.service.api.errors import InvalidRequest
from coachboard.service.ids import is_id, new_id
from coachboard.service.planning import batches, entries
from coachboard.service.planning.rights import Author, Rights
from coachboard.service.store import Store
from coachboard.service.store.library import PlanUse, StoredPlan
from coachboard.service.store.plans import PlanChange, PlanRow, Plans, StoredBatch
from coachboard.wire.base import FIRST_DAY, LAST_DAY
from coachboard.wire.planning import EntryKind, PlanOp, PlanValue
from coachboard.wire.training_plans import (
    MOST_ADDED,
    AnchoredAthlete,
    ApplyRequest,
    AthleteOutcome,
    ClashReason,
    ConflictRule,
    PlanClash,
    PlanOutcome,
    RollOutRequest,
)

_FIRST_OF_TEMPLATE = date(2001, 1, 1)
_REACH = timedelta(days=366)
"""How far from the days of a plan a roll-out looks for entries that were moved."""


def template_of(entry: Mapping[str, Any]) -> PlanRow:
    """The row of an entry of a plan, with the days of the plan from 1 January 2001. Raises `InvalidRequest`."""
    day = _FIRST_OF_TEMPLATE + timedelta(days=entry["day"] - 1)
    value = {**entry["value"], "date": day.isoformat()}
    if entry["lastDay"] is not None:
        value["endDate"] = (_FIRST_OF_TEMPLATE + timedelta(days=entry["lastDay"] - 1)).isoformat()
    kind = EntryKind(entry["kind"])
    # A private note needs a workspace; each copy gets its own.
    return entries.created(kind, "", PlanValue.from_wire(value), creator_id="", workspace_id="wke")


def _templates_of(plan: StoredPlan) -> dict[str, tuple[PlanRow, str]]:
    return {each["id"]: (template_of(each), _digest(each)) for each in plan.fields["entries"]}


@dataclass
class _Application:
    """The state of an application or a roll-out while the calendars are worked on, one after the other."""

    plans: Plans
    author: Author
    rights: Rights
    plan: StoredPlan
    templates: Mapping[str, tuple[PlanRow, str]]  # by the id of an entry of the plan, with its digest
    is_dry: bool
    batch_id: str = field(init=False)
    changes: list[PlanChange] = field(default_factory=list)
    after: dict[tuple[EntryKind, str], PlanRow | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.batch_id = new_id("bat", self.author.user_id)

    @property
    def days(self) -> int:
        return int(self.plan.fields["days"])

    def change(self, op: PlanOp, before: PlanRow | None, after: PlanRow | None) -> None:
        change = PlanChange(len(self.changes), op, before, after)
        self.changes.append(change)
        self.after[change.key] = after

    def planned(self, entry_id: str, use: PlanUse, workspace_id: str | None) -> PlanRow:
        """The row of an entry of the plan on a calendar."""
        template, digest = self.templates[entry_id]
        day = use.first_day + (template.day - _FIRST_OF_TEMPLATE)
        row = entries.copied(
            template,
            day,
            user_id=use.user_id,
            creator_id=self.author.user_id,
            workspace_id=workspace_id,
        )
        return self.marked(row, entry_id, digest, use)

    def may_add_to(self, user_id: str, workspace_id: str | None) -> bool:
        """Whether the author may write entries of that workspace, or of none, on a calendar that they may read."""
        if workspace_id is None:
            return user_id == self.author.user_id
        return workspace_id in self.rights.led.get(user_id, frozenset())

    def marked(self, row: PlanRow, entry_id: str, digest: str, use: PlanUse) -> PlanRow:
        """The row as one that the plan has just written."""
        plan = {
            "planId": self.plan.id,
            "entryId": entry_id,
            "version": self.plan.version,
            "entryDigest": digest,
            "rowDigest": _row_digest(row),
            "appliedBy": use.batch_id,
            "writtenBy": self.batch_id,
        }
        return entries.planned_by(row, plan)

    def is_done(self, row: PlanRow) -> bool:
        """Whether a workout is paired, or there is a session of its sport on its day; a day to come has none."""
        body = orjson.loads(row.body)
        if row.kind is EntryKind.NOTE or row.day > self.author.today:
            return row.kind is not EntryKind.NOTE and body["activityId"] is not None
        return body["activityId"] is not None or body["sport"] in self._sports_today(row.user_id)

    def _sports_today(self, user_id: str) -> set[str]:
        bodies = self.plans.activity_bodies(user_id, self.author.today)
        return {orjson.loads(body)["sport"] for body in bodies}


def apply(
    store: Store,
    author: Author,
    find: Callable[[Plans, Rights], StoredPlan],
    asked: ApplyRequest,
    *,
    idempotency_key: str | None,
) -> bytes:
    """Write a plan on calendars as one batch; returns the reply as JSON. Raises a `Refusal`."""
    athletes = [
        athlete.model_copy(update={"user_id": _caller_or(athlete.user_id, author)})
        for athlete in asked.athletes
    ]
    repeated = [user_id for user_id, count in Counter(each.user_id for each in athletes).items() if count > 1]
    if repeated:
        raise InvalidRequest(f"athletes: {repeated[0]} is named twice.")
    people = {athlete.user_id for athlete in athletes}

    def work(run: _Application) -> tuple[list[AthleteOutcome], list[PlanUse]]:
        if len(athletes) * len(run.templates) > MOST_ADDED:
            text = f"{len(athletes)} athletes with {len(run.templates)} entries each: at most {MOST_ADDED:,} entries at once."
            raise InvalidRequest(f"athletes: {text}")
        outcomes, uses, earlier = [], [], _earlier_uses(run, people)
        for place, athlete in enumerate(athletes):
            with batches.naming(len(athletes), place, "Athlete"):
                use = PlanUse(athlete.user_id, run.batch_id, _first_day(run, athlete))
                outcome = _applied(run, athlete, use, asked.conflicts)
                outcomes.append(outcome.model_copy(update={"earlier": tuple(earlier[athlete.user_id])}))
            uses.append(use)
        return outcomes, uses

    return _commit(store, author, find, _KeyedRequest(asked, people, idempotency_key), work)


def roll_out(
    store: Store,
    author: Author,
    find: Callable[[Plans, Rights], StoredPlan],
    asked: RollOutRequest,
    *,
    idempotency_key: str | None,
) -> bytes:
    """Bring the calendars that have a plan to its version of now as one batch; returns the reply as JSON. Raises a `Refusal`."""
    chosen = None if asked.user_ids is None else {_caller_or(each, author) for each in asked.user_ids}

    def work(run: _Application) -> tuple[list[AthleteOutcome], list[PlanUse]]:
        uses = [
            use
            for use in run.plans.training.uses_of(run.plan.id)
            if run.rights.may_read_calendar(use.user_id) and (chosen is None or use.user_id in chosen)
        ]
        return list(_rolled_out(run, sorted(uses, key=lambda use: (use.first_day, use.user_id)))), []

    return _commit(store, author, find, _KeyedRequest(asked, chosen or set(), idempotency_key), work)


class _KeyedRequest(NamedTuple):
    """A request, the athletes that it names, and its key, with which it is done once."""

    body: ApplyRequest | RollOutRequest
    people: set[str]
    idempotency_key: str | None


_Work = Callable[[_Application], tuple[list[AthleteOutcome], list[PlanUse]]]


def _commit(
    store: Store,
    author: Author,
    find: Callable[[Plans, Rights], StoredPlan],
    asked: _KeyedRequest,
    work: _Work,
) -> bytes:
    """Do the work in one transaction and write its changes as one batch; a dry run writes nothing."""
    changed = set[str]()
    with store.reading_plans() as plans:
        seen = find(plans, Rights(plans, author.user_id, author.today))
    # Before the transaction, for which other writers wait: the texts of a plan may take minutes to read.
    templates = _templates_of(seen)
    with store.reading_plans() if asked.body.dry_run else store.changing_plans(changed) as plans:
        rights = Rights(plans, author.user_id, author.today)
        for user_id in asked.people:
            rights.person(user_id)
        plan = find(plans, rights)
        digest = _digest([plan.id, asked.body.to_wire()])
        if plan != seen:
            templates = _templates_of(plan)
        run = _Application(plans, author, rights, plan, templates, asked.body.dry_run)
        if run.is_dry:
            outcomes, _uses = work(run)
            return orjson.dumps(PlanOutcome(id=None, athletes=_with_warnings(run, outcomes)).to_wire())
        locked = asked.people or {use.user_id for use in plans.training.uses_of(plan.id)}
        plans.lock({*locked, author.user_id})
        earlier = batches.sent_before(plans, author, asked.idempotency_key, digest)
        if earlier is not None:
            return orjson.dumps(earlier.reply)
        outcomes, uses = work(run)
        reply = PlanOutcome(
            id=run.batch_id if run.changes else None, athletes=_with_warnings(run, outcomes)
        ).to_wire()
        if run.changes:
            stored = StoredBatch(
                id=run.batch_id,
                author_id=author.user_id,
                idempotency_key=asked.idempotency_key,
                digest=digest,
                results=[(each.row.kind, each.row.user_id, each.row.id) for each in run.changes],
                warnings=(),
                reply=reply,
            )
            # Athletes and other coaches read the history; they do not read the title of a private plan.
            source = "Plan" if plan.workspace_id is None else f"Plan {plan.fields['title']}"[:40]
            made = batches.write(plans, stored, author, run.changes, source=source)
            plans.training.add_uses(plan.id, uses)
            changed |= {change.row.user_id for change in made}
        return orjson.dumps(reply)


def _with_warnings(run: _Application, outcomes: Sequence[AthleteOutcome]) -> tuple[AthleteOutcome, ...]:
    warnings = defaultdict[str, list[Any]](list)
    for warning in batches.warnings_about(run.plans, run.rights, run.changes, run.after):
        warnings[warning.user_id].append(warning)
    return tuple(
        outcome.model_copy(update={"warnings": tuple(warnings[outcome.user_id])}) for outcome in outcomes
    )


# Applying.


def _first_day(run: _Application, athlete: AnchoredAthlete) -> date:
    """The first day of the plan on a calendar. Raises `InvalidRequest`."""
    anchor = athlete.anchor
    if sum(each is not None for each in (anchor.start, anchor.end, anchor.event_id)) != 1:
        raise InvalidRequest("anchor: send start, end or eventId, one of the three")
    last = anchor.end
    if anchor.event_id is not None:
        event = run.plans.find(anchor.event_id) if is_id(anchor.event_id) else None
        is_theirs = event is not None and event.user_id == athlete.user_id and run.rights.may_read(event)
        if event is None or event.kind is not EntryKind.EVENT or not is_theirs:
            raise InvalidRequest("anchor: the athlete has no such event")
        last = event.day
    length = timedelta(days=run.days - 1)
    if anchor.start is not None:
        is_inside = anchor.start <= LAST_DAY - length
    else:
        assert last is not None
        is_inside = last >= FIRST_DAY + length
    if not is_inside:
        raise InvalidRequest(f"anchor: the plan would not be within {FIRST_DAY} to {LAST_DAY}")
    return anchor.start or (last or LAST_DAY) - length


def _earlier_uses(run: _Application, people: set[str]) -> dict[str, list[date]]:
    """The first days of earlier applications of the plan of which a calendar still has an entry."""
    uses = [use for use in run.plans.training.uses_of(run.plan.id) if use.user_id in people]
    days = defaultdict[str, list[date]](list)
    rows = _rows_of(run, uses, is_locking=False)
    for use in sorted(uses, key=lambda use: use.first_day):
        if any(run.rights.may_read(row) for row in rows[use.user_id, use.batch_id].values()):
            days[use.user_id].append(use.first_day)
    return days


def _applied(run: _Application, athlete: AnchoredAthlete, use: PlanUse, rule: ConflictRule) -> AthleteOutcome:
    """Add the entries of the plan from today on, with what the rule says about days that have a workout."""
    of_plan = run.plan.workspace_id
    is_shared = of_plan in run.rights.led.get(athlete.user_id, frozenset())
    named = athlete.workspace_id or (of_plan if is_shared else None)
    workspace_id = run.rights.workspace_of(athlete.user_id, named)
    last = use.first_day + timedelta(days=run.days - 1)
    there = defaultdict[date, list[PlanRow]](list)
    for row in run.rights.rows(use.user_id, max(use.first_day, run.author.today), last):
        if row.kind is EntryKind.WORKOUT and "skipped" not in row.entry:
            there[row.day].append(row)
    rows = [run.planned(entry_id, use, workspace_id) for entry_id in run.templates]
    coming = [row for row in rows if row.day >= run.author.today]
    met = {row.day for row in coming if row.kind is EntryKind.WORKOUT} & there.keys()
    clashes, deleted = [], 0
    for old in (row for day in sorted(met) for row in there[day]):
        reason = ClashReason.DONE if run.is_done(old) else ClashReason.PLANNED
        clashes.append(_clash(old, reason))
        if rule is ConflictRule.REPLACE and reason is ClashReason.PLANNED and run.rights.may_write(old):
            run.change(PlanOp.DELETE, old, None)
            deleted += 1
    added = [row for row in coming if rule is not ConflictRule.SKIP or row.day not in met]
    for row in added:
        run.change(PlanOp.CREATE, None, row)
    return AthleteOutcome(
        user_id=use.user_id,
        batch_id=None if run.is_dry else use.batch_id,
        first_day=use.first_day,
        last_day=last,
        added=len(added),
        changed=0,
        deleted=deleted,
        past=len(rows) - len(coming),
        left_out=len(coming) - len(added),
        clashes=tuple(clashes),
        earlier=(),
        warnings=(),
    )


# Rolling out.


def _rows_of(
    run: _Application, uses: Sequence[PlanUse], *, is_locking: bool
) -> dict[tuple[str, str], dict[str, PlanRow]]:
    """The rows that the plan wrote, by the athlete and the batch of the application, then by the entry of the plan."""
    written = defaultdict[tuple[str, str], dict[str, PlanRow]](dict)
    if uses:
        start = max(min(use.first_day for use in uses) - _REACH, FIRST_DAY)
        end = min(max(use.first_day for use in uses) + timedelta(days=run.days) + _REACH, LAST_DAY)
        for row in run.plans.rows_of_plan(
            run.plan.id, {use.user_id for use in uses}, start, end, is_locking=is_locking
        ):
            written[row.user_id, row.entry["plan"]["appliedBy"]][row.entry["plan"]["entryId"]] = row
    return written


def _rolled_out(run: _Application, uses: Sequence[PlanUse]) -> Iterator[AthleteOutcome]:
    """The calendars that still have an entry of the plan."""
    if not uses:
        return
    people, written = {use.user_id for use in uses}, _rows_of(run, uses, is_locking=not run.is_dry)
    deleted = defaultdict[tuple[str, str], dict[str, PlanRow]](dict)
    for row, batch_id in run.plans.deleted_of_plan(run.plan.id, people):
        of_use = deleted[row.user_id, row.entry["plan"]["appliedBy"]]
        if batch_id == row.entry["plan"]["writtenBy"]:
            of_use.pop(
                row.entry["plan"]["entryId"], None
            )  # an undo of the plan, not a decision about the entry
        else:
            of_use[row.entry["plan"]["entryId"]] = row
    for use in uses:
        rows = written[use.user_id, use.batch_id]
        # The others are of a workspace that the caller leads no more, or of the caller's coach.
        if rows and run.may_add_to(use.user_id, next(iter(rows.values())).workspace_id):
            yield _brought_up(run, use, rows, deleted[use.user_id, use.batch_id])


def _brought_up(
    run: _Application, use: PlanUse, rows: Mapping[str, PlanRow], deleted: Mapping[str, PlanRow]
) -> AthleteOutcome:
    """Add, change and delete what the plan has otherwise now, except what a person changed, and days before today."""
    counts, clashes = Counter[str](), list[PlanClash]()
    workspace_id = next(iter(rows.values())).workspace_id
    today = run.author.today
    for entry_id, (_template, digest) in run.templates.items():
        old = rows.get(entry_id)
        last_written = old or deleted.get(entry_id)
        if last_written is not None and last_written.entry["plan"]["entryDigest"] == digest:
            continue
        new = run.planned(entry_id, use, workspace_id)
        if new.day < today or (old is not None and old.day < today):
            counts["past"] += 1
        elif reason := _why_kept(run, old, last_written):
            assert last_written is not None
            clashes.append(_clash(last_written, reason))
        elif old is None:
            run.change(PlanOp.CREATE, None, new)
            counts["added"] += 1
        else:
            new = entries.with_identity_of(entries.without_plan(new), old)
            run.change(PlanOp.UPDATE, old, run.marked(new, entry_id, digest, use))
            counts["changed"] += 1
    for old in (row for entry_id, row in rows.items() if entry_id not in run.templates and row.day >= today):
        if reason := _why_kept(run, old, old):
            clashes.append(_clash(old, reason))
        else:
            run.change(PlanOp.DELETE, old, None)
            counts["deleted"] += 1
    return AthleteOutcome(
        user_id=use.user_id,
        batch_id=use.batch_id,
        first_day=use.first_day,
        last_day=use.first_day + timedelta(days=run.days - 1),
        added=counts["added"],
        changed=counts["changed"],
        deleted=counts["deleted"],
        past=counts["past"],
        left_out=len(clashes),
        clashes=tuple(sorted(clashes, key=lambda clash: clash.date)),
        earlier=(),
        warnings=(),
    )


def _why_kept(run: _Application, row: PlanRow | None, last_written: PlanRow | None) -> ClashReason | None:
    """Why a roll-out leaves an entry as it is; None for one that it changes, or that is not there yet."""
    if row is None:
        return None if last_written is None else ClashReason.DELETED
    if row.entry["plan"]["rowDigest"] != _row_digest(row) or not run.rights.may_write(row):
        return ClashReason.CHANGED
    return ClashReason.DONE if run.is_done(row) else None


def _clash(row: PlanRow, reason: ClashReason) -> PlanClash:
    return PlanClash(date=row.day, title=row.title, reason=reason)


def _row_digest(row: PlanRow) -> str:
    """Equal for rows that differ in nothing but the plan that they are of."""
    return hashlib.sha256(entries.without_plan(row).content()).hexdigest()[:20]


def _digest(value: object) -> str:
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()[:40]


def _caller_or(user_id: str, author: Author) -> str:
    return author.user_id if user_id == "me" else user_id
