"""The coming week of one athlete as coach and athlete have written it on the calendar, with its history.

The coach changes a workout, leaves a draft, swaps two days, clears a day and hides a workout. The athlete moves a workout of
the swap again, so that undoing the swap is a conflict, and skips another.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import orjson

from coachboard.service.planning import entries
from coachboard.service.store import Store
from coachboard.service.store.plans import BatchStamp, PlanChange, PlanRow, Plans, StoredBatch
from coachboard.wire.base import FIRST_DAY, LAST_DAY
from coachboard.wire.enums import NoteType, Sport, TrainingStimulus
from coachboard.wire.planning import EntryKind, EventPriority, PlanOp, PlanValue
from coachboard_demo.chance import new_id
from coachboard_demo.people import SQUAD_ID, user_id
from coachboard_demo.season_plan import write_plan
from coachboard_demo.size import Size

PLANNED_ATHLETE = "climber"
_SOURCE = "Calendar"
_AHEAD_DAYS = 150
_THRESHOLD = (
    "Warm-up\n- 15m ramp 50-70%\n\nMain set 3x\n- 12m 95-100% 85-95rpm\n- Easy 4m 50%\n\nCool-down\n- 10m 50%"
)
_DRAFT = "Warm-up\n- 20m 60%\n\nClimbs 3x\n- 15m 85-90%, the last 3m standing\n- Easy 6m 50%"
_TEST = "- Warm-up 20m 60%\n- 5m 105%\n- Easy 10m 50%\n- 20m max\n- Cool-down 15m 50%"


@dataclass(frozen=True, slots=True)
class _Batch:
    """The changes that one person made at once, so many days ago."""

    author: str
    days_ago: int
    changes: Sequence[PlanChange]


def write_week(store: Store, size: Size) -> None:
    """Write the entries and their batches in place of those of an earlier attempt."""
    owner, ids = user_id(PLANNED_ATHLETE), _batch_ids(size)
    with store.changing_plans({owner}) as plans:
        plans.forget_batches(ids)
        for batch_id, make in zip(ids, (_notes, _edits, _swap, _answers), strict=True):
            batch = make(plans, owner, size)
            _add(plans, batch_id, batch, size)
        write_plan(plans, size)


def delete_week(store: Store, size: Size) -> None:
    """Delete the entries that no other batch changed since, and the batches."""
    owner, ids = user_id(PLANNED_ATHLETE), _batch_ids(size)
    with store.changing_plans({owner}) as plans:
        rows = plans.between(owner, FIRST_DAY, LAST_DAY)
        written = [row for row in rows if row.changed and row.changed["batch"] in ids]
        plans.write(PlanChange(place, PlanOp.DELETE, row, None) for place, row in enumerate(written))
        plans.forget_batches(ids)


def _batch_ids(size: Size) -> list[str]:
    return [new_id("bat", size.seed, PLANNED_ATHLETE, number) for number in range(4)]


def _add(plans: Plans, batch_id: str, batch: _Batch, size: Size) -> None:
    author, made_s = user_id(batch.author), size.now_s - batch.days_ago * 86_400
    changed = {"by": author, "at": int(made_s), "batch": batch_id}
    changes = [
        change if change.after is None else change._replace(after=replace(change.after, changed=changed))
        for change in batch.changes
    ]
    plans.write(changes)
    results = [(change.row.kind, change.row.user_id, change.row.id) for change in changes]
    stored = StoredBatch(
        id=batch_id, author_id=author, idempotency_key=None, digest="", results=results, warnings=()
    )
    stamp = BatchStamp(
        batch_id=batch_id, author_id=author, source=_SOURCE, undo_of=None, created_at=int(made_s * 1e6)
    )
    plans.add_batch(stored, stamp, changes)


def _notes(_plans: Plans, owner: str, size: Size) -> _Batch:
    """A note for the athlete, a private one, and a workout that the athlete does not see yet."""
    tomorrow, later = size.today + timedelta(days=1), size.today + timedelta(days=8)
    values = (
        (
            EntryKind.NOTE,
            PlanValue(
                date=tomorrow, title="Week of the climbs", type=NoteType.TRAINING, content="Cadence above 80."
            ),
        ),
        (
            EntryKind.NOTE,
            PlanValue(
                date=tomorrow,
                title="Ask about the left knee",
                type=NoteType.OTHER,
                content="She held it after the last hill session.",
                is_private=True,
            ),
        ),
        (
            EntryKind.WORKOUT,
            PlanValue(
                date=later, title="Test without notice", sport=Sport.CYCLING, text=_TEST, visible_from=later,
                training_stimulus=TrainingStimulus.TEST,
            ),
        ),
    )  # fmt: skip
    return _Batch("coach", 4, list(_created(values, owner, "notes")))


def _edits(plans: Plans, owner: str, size: Size) -> _Batch:
    """Another workout on the first day, a draft with an error, a day off in place of a ride, the priority of the race."""
    changed, _, _, _, drafted, cleared = _rides(plans, owner, size)
    emptied = dict.fromkeys(("average_power", "work", "calories", "distance", "elevation_gain"))
    texts = (
        (changed, "Threshold 3 × 12 min", _THRESHOLD, TrainingStimulus.THRESHOLD),
        (drafted, "Race rehearsal on climbs", _DRAFT, TrainingStimulus.TEMPO),
    )
    edits = [
        (ride, PlanValue(title=title, text=text, is_draft=True, training_stimulus=stimulus, description=None, **emptied))
        for ride, title, text, stimulus in texts
    ]  # fmt: skip
    races = [
        row
        for row in plans.between(owner, size.today, size.today + timedelta(days=_AHEAD_DAYS))
        if row.kind is EntryKind.EVENT
    ]
    edits += [(race, PlanValue(priority=_priority(race))) for race in races[:1]]
    day_off = PlanValue(date=cleared.day, title="Day off", type=NoteType.REST_DAY)
    changes = [
        *((PlanOp.UPDATE, row, entries.updated(row, value)) for row, value in edits),
        (PlanOp.DELETE, cleared, None),
    ]
    return _Batch(
        "coach",
        3,
        [
            *(PlanChange(place, op, before, after) for place, (op, before, after) in enumerate(changes)),
            *_created([(EntryKind.NOTE, day_off)], owner, "day off", first_place=len(changes)),
        ],
    )


def _priority(race: PlanRow) -> EventPriority:
    """The priority in the race's name, such as `Puig climb (B race)`."""
    name = orjson.loads(race.body)["name"]
    return next(level for level in EventPriority if f"({level} race)" in name)


def _swap(plans: Plans, owner: str, size: Size) -> _Batch:
    _, first, second, *_ = _rides(plans, owner, size)
    moves = ((first, second.day), (second, first.day))
    changes = [
        PlanChange(place, PlanOp.MOVE, row, entries.moved(row, day)) for place, (row, day) in enumerate(moves)
    ]
    return _Batch("coach", 2, changes)


def _answers(plans: Plans, owner: str, size: Size) -> _Batch:
    """The athlete's answer: what the swap brought to the third day goes to the fourth, whose own ride is skipped."""
    _, _, swapped, skipped, *_ = _rides(plans, owner, size)
    reason = "Exam in the evening. The other ride fits in the morning."
    changes = [
        PlanChange(0, PlanOp.MOVE, swapped, entries.moved(swapped, skipped.day)),
        PlanChange(1, PlanOp.SKIP, skipped, entries.skipped(skipped, reason, owner)),
    ]
    return _Batch(PLANNED_ATHLETE, 1, changes)


def _rides(plans: Plans, owner: str, size: Size) -> list[PlanRow]:
    """The rides of the next seven days in their order."""
    rows = plans.between(owner, size.today + timedelta(days=1), size.today + timedelta(days=7))
    return [
        row
        for row in rows
        if row.kind is EntryKind.WORKOUT and orjson.loads(row.body)["sport"] == Sport.CYCLING
    ]


def _created(
    values: Sequence[tuple[EntryKind, PlanValue]], owner: str, name: str, *, first_place: int = 0
) -> Iterator[PlanChange]:
    for place, (kind, value) in enumerate(values, start=first_place):
        row = entries.created(kind, owner, value, creator_id=user_id("coach"), workspace_id=SQUAD_ID)
        row_id = new_id(row.id.partition("_")[0], owner, name, place)
        body = orjson.dumps({**orjson.loads(row.body), "id": row_id})
        yield PlanChange(place, PlanOp.CREATE, None, replace(row, id=row_id, body=body))
