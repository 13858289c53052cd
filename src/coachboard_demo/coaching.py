"""Texts of the coach of the demo: the coming week of an athlete with its history, comments, and a plan of twelve weeks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from coachboard.service.planning import entries
from coachboard.service.store import Store
from coachboard.service.store.comments import StoredComment, Thread
from coachboard.service.store.library import StoredPlan
from coachboard.service.store.plans import BatchStamp, PlanChange, PlanRow, Plans, StoredBatch
from coachboard.wire.base import FIRST_DAY, LAST_DAY
from coachboard.wire.enums import NoteType, Sport, TrainingStimulus
from coachboard.wire.planning import EntryKind, EventPriority, PlanOp, PlanValue
from coachboard_demo.chance import new_id
from coachboard_demo.people import SQUAD_ID, Size, user_id

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
        _forget_comments(plans, size)
        for comment, readers in _comments(plans, owner, size):
            plans.comments.add(comment, dict.fromkeys(readers))


def delete_week(store: Store, size: Size) -> None:
    """Delete the entries that no other batch changed since, and the batches."""
    owner, ids = user_id(PLANNED_ATHLETE), _batch_ids(size)
    with store.changing_plans({owner}) as plans:
        rows = plans.between(owner, FIRST_DAY, LAST_DAY)
        written = [row for row in rows if row.changed and row.changed["batch"] in ids]
        plans.write(PlanChange(place, PlanOp.DELETE, row, None) for place, row in enumerate(written))
        plans.forget_batches(ids)
        _forget_comments(plans, size)


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


# Comments.


def _after(session: dict[str, Any], hours: float) -> float:
    """So many hours after a session, in s since 1970."""
    start = datetime.fromisoformat(session["startedAt"])
    return start.timestamp() + float(session["totalDuration"]) + hours * 3_600


def _comment_ids(size: Size) -> list[str]:
    return [new_id("cmt", size.seed, PLANNED_ATHLETE, number) for number in range(4)]


def _forget_comments(plans: Plans, size: Size) -> None:
    for comment_id in _comment_ids(size):
        plans.comments.remove(comment_id)


def _comments(plans: Plans, owner: str, size: Size) -> Iterator[tuple[StoredComment, set[str]]]:
    """Comments with the people who have not read them: one on a workout, one on a session, and an answered one."""
    rides = _rides(plans, owner, size)
    bodies = [orjson.loads(body) for body in plans.activity_bodies(owner, size.today - timedelta(days=21))]
    if len(bodies) < 2 or not rides:  # a squad of a few days
        return
    *_, earlier, last = sorted(bodies, key=lambda body: body["startedAt"] or "")
    coach, others = user_id("coach"), plans.comments.circle_of(owner) - {owner}
    written = (
        (Thread(activity_id=earlier["id"]), owner, _after(earlier, 1), _FIRST, set[str]()),
        (Thread(activity_id=earlier["id"]), coach, _after(earlier, 3), _ANSWER, {owner}),
        (Thread(activity_id=last["id"]), owner, _after(last, 1), _ON_SESSION, others),
        (Thread(entry_id=rides[0].id), owner, size.now_s, _ON_WORKOUT, others),
    )
    for place, (thread, author, made_s, text, readers) in enumerate(written):
        comment_id, minutes = _comment_ids(size)[place], 10 * (len(written) - place)
        made = datetime.fromtimestamp(min(made_s, size.now_s - 60 * minutes), UTC)
        yield StoredComment(comment_id, owner, thread, author, text, made), readers


_FIRST = "Legs were heavy from the start, and I slept badly. Should I still do the intervals this week?"
_ANSWER = "Do the first one only and stop if the power drops. We talk after it."
_ON_SESSION = "Better than last time. The knee was quiet, also downhill."
_ON_WORKOUT = "95 % or 100 % for the first one? Last time I began too hard and lost the third."


def _created(
    values: Sequence[tuple[EntryKind, PlanValue]], owner: str, name: str, *, first_place: int = 0
) -> Iterator[PlanChange]:
    for place, (kind, value) in enumerate(values, start=first_place):
        row = entries.created(kind, owner, value, creator_id=user_id("coach"), workspace_id=SQUAD_ID)
        row_id = new_id(row.id.partition("_")[0], owner, name, place)
        body = orjson.dumps({**orjson.loads(row.body), "id": row_id})
        yield PlanChange(place, PlanOp.CREATE, None, replace(row, id=row_id, body=body))


_TITLE = "Twelve weeks to a road race"
_PURPOSE = (
    "For a rider with 7 to 10 hours a week. Three blocks of four weeks, each with an easy fourth week; the race is on the last "
    "day. Apply it back from the race."
)
_BLOCKS = (
    (1, "Base: long and steady", "Ride often. Nothing this block should leave you flat the day after."),
    (4, "Easy week", "Half the load. Sleep, eat, and come back hungry."),
    (5, "Build: raise the threshold", "Two hard days a week, the others easy enough to make them count."),
    (8, "Easy week", "Half the load before the last block."),
    (
        9,
        "Race: short and sharp",
        "Above threshold now, with long recoveries. Practise what you eat in the race.",
    ),
    (12, "Race week", "Fresh legs win. Do less than you want to."),
)
_WARM, _COOL = "Warm-up\n- 15m ramp 45-70%", "Cool-down\n- 10m 50%"
_HARD = (
    ("Sprints 6 × 15 s", TrainingStimulus.NEUROMUSCULAR, "6x\n- 15s 160%\n- Easy 3m45s 50%"),
    ("Cadence 5 × 4 min", TrainingStimulus.TEMPO, "5x\n- 4m 80% 100-110rpm\n- Easy 3m 55%"),
    ("Tempo 3 × 12 min", TrainingStimulus.TEMPO, "3x\n- 12m 80-85%\n- Easy 4m 50%"),
    ("Openers 4 × 1 min", TrainingStimulus.NEUROMUSCULAR, "4x\n- 1m 110%\n- Easy 4m 50%"),
    ("Threshold 3 × 10 min", TrainingStimulus.THRESHOLD, "3x\n- 10m 95-98%\n- Easy 5m 50%"),
    ("Threshold 3 × 12 min", TrainingStimulus.THRESHOLD, "3x\n- 12m 95-100%\n- Easy 5m 50%"),
    ("Over-unders 3 × 9 min", TrainingStimulus.THRESHOLD, "3x\n  3x\n  - 2m 95%\n  - 1m 108%\n- Easy 5m 50%"),
    ("Openers 4 × 1 min", TrainingStimulus.NEUROMUSCULAR, "4x\n- 1m 110%\n- Easy 4m 50%"),
    ("VO2max 5 × 3 min", TrainingStimulus.VO2MAX, "5x\n- 3m 112-116%\n- Easy 3m 50%"),
    ("VO2max 6 × 3 min", TrainingStimulus.VO2MAX, "6x\n- 3m 112-116%\n- Easy 3m 50%"),
    ("Attacks 8 × 40 s", TrainingStimulus.ANAEROBIC, "8x\n- 40s 135%\n- Easy 3m20s 50%"),
    ("Openers 3 × 2 min", TrainingStimulus.VO2MAX, "3x\n- 2m 108%\n- Easy 4m 50%"),
)
"""The hard workout of each week: title, stimulus, main set."""
_LONG_H = (2.0, 2.25, 2.5, 1.75, 2.5, 2.75, 3.0, 2.0, 2.75, 3.0, 2.5, 0.75)
"""Hours of the long ride of each week."""


def write_plan(plans: Plans, size: Size) -> None:
    """Write the plan, unless the coach has it already; what the coach changed in it stays."""
    plan_id, coach = new_id("pln", size.seed, "season"), user_id("coach")
    if plans.training.find(plan_id) is not None:
        return
    entries = [
        {"id": new_id("ple", size.seed, place), "lastDay": None, **entry}
        for place, entry in enumerate(_entries())
    ]
    fields = {
        "title": _TITLE,
        "description": _PURPOSE,
        "sport": Sport.CYCLING,
        "days": 7 * len(_HARD),
        "entries": entries,
        "createdBy": coach,
    }
    plans.training.add(StoredPlan(plan_id, coach, None, coach, int(size.now_s) - 9 * 86_400, 1, fields))


def _entries() -> Iterator[dict[str, Any]]:
    """By day: a note where a block begins, the hard day on Tuesday, two easy rides, steady on Saturday, long on Sunday."""
    blocks = {week: (title, text) for week, title, text in _BLOCKS}
    for week, (title, stimulus, main) in enumerate(_HARD, start=1):
        first = 7 * (week - 1)
        if week in blocks:
            note = {"title": blocks[week][0], "content": blocks[week][1], "type": "training"}
            yield {"day": first + 1, "kind": EntryKind.NOTE, "value": note}
        yield _ride(first + 2, title, stimulus, f"{_WARM}\n\nMain set {main}\n\n{_COOL}")
        yield _ride(
            first + 3, "Endurance", TrainingStimulus.AEROBIC, f"- {_minutes(week, 75)}m 60-68% 85-95rpm"
        )
        yield _ride(first + 4, "Easy spin", TrainingStimulus.RECOVERY, "- 45m 45-55% 90-100rpm")
        if week < len(_HARD):
            steady = f"{_WARM}\n\nSteady 2x\n- {_minutes(week, 20)}m 76-82%\n- Easy 5m 50%\n\n{_COOL}"
            yield _ride(first + 6, "Steady tempo", TrainingStimulus.TEMPO, steady)
            hours = _LONG_H[week - 1]
            text = f"- Warm-up 15m 50-60%\n- {round(60 * hours) - 25}m 62-70%\n- Cool-down 10m 50%"
            yield _ride(first + 7, "Long ride", TrainingStimulus.DURABILITY, text)
        else:
            yield _ride(
                first + 6,
                "Legs open",
                TrainingStimulus.NEUROMUSCULAR,
                "- 20m 55-65%\n\n3x\n- 30s 120%\n- Easy 4m 50%",
            )


def _minutes(week: int, usual: int) -> int:
    """Shorter in easy weeks, a little longer from block to block."""
    return usual * 2 // 3 if week in {4, 8, 12} else usual + 2 * (week - 1)


def _ride(day: int, title: str, stimulus: TrainingStimulus, text: str) -> dict[str, Any]:
    value = {"title": title, "sport": Sport.CYCLING, "trainingStimulus": stimulus, "text": text}
    return {"day": day, "kind": EntryKind.WORKOUT, "value": value}
