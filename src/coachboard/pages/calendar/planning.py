"""Changes of the plan on the calendar: each gesture is one batch of the planning API, and one line that says what it did."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from types import MappingProxyType
from typing import Any

from coachboard.client.errors import BadRequest, NotFound, ServiceError, Unreachable
from coachboard.client.planning import PlanConflict, Planning
from coachboard.pages.calendar import library
from coachboard.pages.calendar.data import CalendarData
from coachboard.plain_text import plain
from coachboard.ui.frame import formats, state
from coachboard.ui.frame.page import Page
from coachboard.ui.widgets.calendar_grid import Change, GridItem, News, PlanControls
from coachboard.wire.base import plausible_day
from coachboard.wire.library import LibraryWorkout
from coachboard.wire.planning import BatchReply, EntryKind, PlanEntry, PlanOp, PlanOperation

SOURCE = "Calendar"
NEW_ENTRIES = (
    ("workout", "Workout"),
    ("note", "Note"),
    ("event", "Event or race"),
    ("day-off", "Day off"),
    ("illness", "Illness"),
    ("travel", "Travel"),
)
_DAYS_A_WEEK = 7
_MOST_DAYS = 3_660
_STATE = "calendar.plan"
_WRITTEN = "calendar.written"
_SAVED_WEEK = "calendar.saved_week"
EDITED = "edit"
"""URL parameter of the entry in the editor."""
TARGET = "target"
"""URL parameter of the week, and of the athlete of a lane, whose target is set."""
_UNDONE = "Undone: "


class Refused(Exception):  # noqa: N818 (what happened)
    """A change that cannot be a batch; its text says why."""


@dataclass(frozen=True, slots=True)
class CopiedWeek:
    """The entries of a copied week, which another week can paste."""

    title: str
    start: date
    entries: tuple[PlanEntry, ...]


@dataclass(frozen=True, slots=True)
class PlanState:
    """The writes of this session: the last answered change, its news, batches that can be undone, newest last."""

    answered: int = 0
    news: News | None = None
    batches: tuple[tuple[str, str], ...] = ()  # id and text
    clipboard: CopiedWeek | None = None


def current() -> PlanState:
    """The state of this session."""
    plan_state = state.get(_STATE)
    return plan_state if isinstance(plan_state, PlanState) else PlanState()


def take_saved_week() -> tuple[str, date] | None:
    """The athlete and the first day of a week that is to become a plan, once."""
    week: tuple[str, date] | None = state.get(_SAVED_WEEK)
    state.forget(_SAVED_WEEK)
    return week


def is_written() -> bool:
    """Whether the page has to load its data again."""
    return state.get(_WRITTEN) is not None


def mark_written(user_ids: Iterable[str] = ()) -> None:
    """Have the page load these athletes again; without ids all of them."""
    state.put(_WRITTEN, frozenset(user_ids))


def take_written() -> frozenset[str] | None:
    """The athletes whose plan was written since the last call, empty for all of them; None if nothing was written."""
    written: frozenset[str] | None = state.get(_WRITTEN)
    state.forget(_WRITTEN)
    return written


def for_grid(
    data: CalendarData,
    shelf: Sequence[tuple[str, Sequence[GridItem]]] | None = None,
    *,
    has_targets: bool = False,
    has_plans: bool = False,
) -> PlanControls | None:
    """The controls of the grid, with the folders of the open library, and those of the features that the service has.

    None without a planning API.
    """
    if not data.can_plan:
        return None
    plan = current()
    return PlanControls(
        kinds=NEW_ENTRIES,
        answered=plan.answered,
        news=plan.news,
        undo=plan.batches[-1][0] if plan.batches else "",
        clipboard=plan.clipboard.title if plan.clipboard else "",
        library=shelf,
        has_plans=has_plans,
        has_targets=has_targets,
    )


def gestures_of(entry: PlanEntry) -> str:
    """The gestures of the grid that the user may make with an entry."""
    names = {PlanOp.MOVE: "move", PlanOp.DELETE: "delete"}
    return " ".join(name for op, name in names.items() if op in entry.allowed)


def remarks_of(entry: PlanEntry, *, today: date) -> list[str]:
    """The facts of an entry that its object does not hold, in words."""
    is_hidden = entry.visible_from is not None and entry.visible_from > today
    is_moved = entry.original_date not in {None, entry.date}
    remarks = (
        f"priority {entry.priority}" if entry.priority else "",
        "draft" if entry.is_draft else "",
        f"skipped: {plain(entry.skipped.reason, longest=80)}" if entry.skipped else "",
        f"moved from {day_words(entry.original_date)}" if is_moved else "",
        "locked" if entry.is_locked else "",
        f"hidden until {day_words(entry.visible_from)}" if is_hidden else "",
        "private" if entry.is_private else "",
    )
    return [remark for remark in remarks if remark]


def day_words(day: date | None) -> str:
    """`Thu 5 Mar`; empty without a day."""
    return f"{day:%a} {day.day} {day:%b}" if day else ""


# Gestures as operations.


@dataclass(frozen=True, slots=True)
class NamedBatch:
    """A batch, and what it does in words."""

    operations: tuple[PlanOperation, ...]
    text: str


def gesture_of(change: Change, data: CalendarData, clipboard: CopiedWeek | None) -> NamedBatch:
    """The batch of a reported change. Raises `Refused` if nothing of it can be done."""
    makers: Mapping[str, Callable[[], NamedBatch]] = {
        "move": lambda: _move(change, data),
        "delete": lambda: _delete(_named(change, data), "Deleted"),
        "week shift": lambda: _shift(change, data),
        "week clear": lambda: _delete(_open_workouts(change, data), "Deleted"),
        "week paste": lambda: _paste(change, clipboard),
    }
    name = f"{change.get('act')} {change['what']}" if "what" in change else str(change.get("act"))
    if name not in makers:
        raise Refused("This change is unknown. Reload the page.")
    return makers[name]()


def _named(change: Change, data: CalendarData) -> list[PlanEntry]:
    entries = data.entries
    ids = change.get("ids")
    return [entries[name] for name in ids if name in entries] if isinstance(ids, list) else []


def _move(change: Change, data: CalendarData) -> NamedBatch:
    moved, days = _named(change, data), _days(change)
    users = {athlete.user_id for athlete in data.athletes}
    user = change.get("user") if change.get("user") in users and len(moved) == 1 else None
    if not moved:
        raise Refused("The entry is gone. The calendar shows the current plan.")
    # Another athlete gets a copy: a plan of theirs is no longer a plan of the first.
    if change.get("isCopy") or user not in {None, moved[0].user_id, _shown_as(moved[0], data)}:
        copies = tuple(_copy(entry, _shifted(entry.date, days), user) for entry in moved)
        return NamedBatch(copies, f"Copied {_titles(moved)} to {_target(moved, days)}")
    movable = [entry for entry in moved if PlanOp.MOVE in entry.allowed]
    if not movable:
        raise Refused(f"{_titles(moved)} is locked: only a coach of its workspace moves it.")
    return NamedBatch(_moves(movable, days), f"Moved {_titles(movable)} to {_target(movable, days)}")


def _shown_as(entry: PlanEntry, data: CalendarData) -> str:
    """The athlete's id on the page, which is `me` for the user."""
    return next(athlete.user_id for athlete in data.athletes if entry.id in (athlete.entries or {}))


def _moves(entries: Iterable[PlanEntry], days: int) -> tuple[PlanOperation, ...]:
    return tuple(Planning.operation(entry, PlanOp.MOVE, date=_shifted(entry.date, days)) for entry in entries)


def _copy(entry: PlanEntry, day: date, user_id: str | None) -> PlanOperation:
    target = {} if user_id is None else {"user_id": user_id}
    return Planning.operation(entry, PlanOp.COPY, date=day, **target)


def _delete(entries: Sequence[PlanEntry], verb: str) -> NamedBatch:
    gone = [entry for entry in entries if PlanOp.DELETE in entry.allowed]
    if not gone:
        raise Refused("Nothing to delete: no planned workout of this week is open.")
    return NamedBatch(
        tuple(Planning.operation(entry, PlanOp.DELETE) for entry in gone), f"{verb} {_titles(gone)}"
    )


def _shift(change: Change, data: CalendarData) -> NamedBatch:
    days = _days(change)
    moved = [entry for entry in _open_workouts(change, data) if PlanOp.MOVE in entry.allowed]
    if not moved or not days:
        raise Refused("Nothing to shift: no planned workout of this week is open.")
    way = "later" if days > 0 else "earlier"
    return NamedBatch(_moves(moved, days), f"Moved {_titles(moved)} {formats.count(abs(days), 'day')} {way}")


def addition(workout: LibraryWorkout, change: Change, data: CalendarData, *, own_id: str) -> NamedBatch:
    """The batch that plans a workout of the library. Raises `Refused`."""
    try:
        day = plausible_day(str(change.get("date")))
    except ValueError:
        raise Refused("That day is outside the calendar.") from None
    users = [athlete.user_id for athlete in data.athletes]
    if not change.get("isForAll"):
        users = [str(change.get("user")) if change.get("user") in users else users[0]]
    operations = tuple(
        Planning.create(
            own_id if user_id == state.OWN else user_id,
            EntryKind.WORKOUT, date=day, **library.entry_fields(workout),
        )
        for user_id in users
    )  # fmt: skip
    who = f" for {formats.count(len(users), 'athlete')}" if change.get("isForAll") else ""
    return NamedBatch(operations, f"Added {plain(workout.title, longest=60)} to {day_words(day)}{who}")


def _paste(change: Change, clipboard: CopiedWeek | None) -> NamedBatch:
    if clipboard is None:
        raise Refused("Copy a week first.")
    days = (_start(change) - clipboard.start).days
    copies = tuple(_copy(entry, _shifted(entry.date, days), None) for entry in clipboard.entries)
    return NamedBatch(copies, f"Pasted {formats.count(len(copies), 'entry', 'entries')} of {clipboard.title}")


def copied_week(change: Change, data: CalendarData) -> CopiedWeek:
    """The entries of a week for the clipboard. Raises `Refused` for an empty week."""
    start = _start(change)
    copied = tuple(entry for entry in _of_week(change, data) if entry.is_repeatable)
    if not copied:
        raise Refused("Nothing to copy: the week has no planned workouts or notes.")
    return CopiedWeek(f"{_short(start)} to {_short(start + timedelta(days=6))}", start, copied)


def _of_week(change: Change, data: CalendarData) -> list[PlanEntry]:
    """The entries of the week, of all athletes or of the lane's."""
    start, user = _start(change), change.get("user")
    return [
        entry
        for athlete in data.athletes
        if user in {"", athlete.user_id}
        for entry in (athlete.entries or {}).values()
        if start <= entry.date < start + timedelta(days=_DAYS_A_WEEK)
    ]


def _open_workouts(change: Change, data: CalendarData) -> list[PlanEntry]:
    """The planned workouts of the week without a session; races and notes stay on their days."""
    done = set[str]().union(*(athlete.done_ids for athlete in data.athletes))
    return [
        entry
        for entry in _of_week(change, data)
        if entry.kind is EntryKind.WORKOUT and entry.id not in done and entry.skipped is None
    ]


def _short(day: date) -> str:
    return f"{day.day} {day:%b}"


def _start(change: Change) -> date:
    try:
        return plausible_day(str(change.get("date")))
    except ValueError:
        raise Refused("This week is unknown. Reload the page.") from None


def _days(change: Change) -> int:
    days = change.get("days")
    if not isinstance(days, int) or abs(days) > _MOST_DAYS:
        raise Refused("Enter a number of days, such as 2 or −7.")
    return days


def _shifted(day: date, days: int) -> date:
    try:
        return plausible_day((day + timedelta(days=days)).isoformat())
    except (ValueError, OverflowError):
        raise Refused("That day is outside the calendar.") from None


def _titles(entries: Sequence[PlanEntry]) -> str:
    if len(entries) == 1:
        return plain(entries[0].title, longest=60) or "the entry"
    kinds = {entry.kind for entry in entries}
    return (
        formats.count(len(entries), "workout") if kinds == {EntryKind.WORKOUT} else f"{len(entries)} entries"
    )


def _target(entries: Sequence[PlanEntry], days: int) -> str:
    return day_words(_shifted(entries[0].date, days))


# Carrying out.


def carry_out(page: Page, data: CalendarData, changes: Iterable[Mapping[str, Any]]) -> None:
    """Do the reported changes in order, each once; the news tells what was done or why not."""
    for change in changes:
        number = change.get("number")
        if isinstance(number, int) and number > current().answered:
            _carry_out(page, data, change, number)


def _carry_out(page: Page, data: CalendarData, change: Change, number: int) -> None:
    plan = replace(current(), answered=number)
    user = str(change.get("user") or data.athletes[0].user_id)
    match change.get("act"), change.get("what"):
        case "new", what:
            state.set_param(EDITED, f"new.{what}.{change.get('date')}.{user}")
        case "week", "plan":
            with suppress(Refused):
                state.put(_SAVED_WEEK, (user, _start(change)))
        case "week", "target":
            state.set_param(TARGET, f"{change.get('date')}.{change.get('user')}".removesuffix("."))
        case "week", "copy":
            plan = _with_week(plan, change, data)
        case _:
            plan = _written(page, data, change, plan, user)
    state.put(_STATE, plan)


def _written(page: Page, data: CalendarData, change: Change, plan: PlanState, user: str) -> PlanState:
    """The state after a write of the plan, or after its refusal."""
    try:
        plan, users = _outcome(page, data, change, plan)
    except (Refused, ServiceError) as error:
        is_for_one = change.get("act") == "add" and not change.get("isForAll")
        if is_for_one and isinstance(error, BadRequest) and "workspaceId" in error.words:
            # The athlete is in two of the coach's workspaces: the editor asks for one.
            state.set_param(EDITED, f"new.{change.get('id')}.{change.get('date')}.{user}")
            return plan
        text = refusal(error) if isinstance(error, ServiceError) else str(error)
        plan, users = replace(plan, news=News(plan.answered, text, is_refused=True)), frozenset()
    mark_written(users)
    return plan


def _with_week(plan: PlanState, change: Change, data: CalendarData) -> PlanState:
    try:
        clipboard = copied_week(change, data)
    except Refused as error:
        return replace(plan, news=News(plan.answered, str(error), is_refused=True))
    text = f"Copied {formats.count(len(clipboard.entries), 'entry', 'entries')}. Paste from the menu of another week."
    return replace(plan, clipboard=clipboard, news=News(plan.answered, text))


def _outcome(
    page: Page, data: CalendarData, change: Change, plan: PlanState
) -> tuple[PlanState, frozenset[str]]:
    """The state after a change, and the athletes whose plan it wrote."""
    number = plan.answered
    if change.get("act") == "undo":
        return _undo(page, str(change.get("batch")), plan)
    if change.get("act") == "add":
        workout = page.client.planning.workout(str(change.get("id")))
        gesture = addition(workout, change, data, own_id=page.profile.id)
    else:
        gesture = gesture_of(change, data, plan.clipboard)
    key = f"{page.fingerprint[:16]}-{number}"
    reply = page.client.planning.batch(gesture.operations, source=SOURCE, idempotency_key=key)
    return _with_batch(plan, reply, gesture.text), written_by(gesture.operations)


def written_by(operations: Iterable[PlanOperation]) -> frozenset[str]:
    """The athletes whose calendars the operations write."""
    targets = {op.value.user_id for op in operations if op.value is not None and op.value.user_id}
    return frozenset({op.user_id for op in operations} | targets)


def _with_batch(plan: PlanState, reply: BatchReply, text: str) -> PlanState:
    assert reply.id is not None
    warned = " ".join(dict.fromkeys(warning.text for warning in reply.warnings[:2]))
    news = News(plan.answered, f"{text}. {warned}".strip() if warned else text, undo=reply.id)
    others = [
        batch for batch in plan.batches if batch[0] != reply.id
    ]  # a batch that was sent twice is done once
    return replace(plan, news=news, batches=(*others, (reply.id, text)))


def tell(text: str, *, number: int) -> None:
    """Tell the user of a change that is no batch."""
    answered = max(number, current().answered)
    state.put(_STATE, replace(current(), answered=answered, news=News(answered, text)))


def note_batch(reply: BatchReply, text: str, *, number: int) -> None:
    """Tell the grid of a batch that another part of the page sent."""
    state.put(_STATE, _with_batch(replace(current(), answered=max(number, current().answered)), reply, text))


def _undo(page: Page, batch_id: str, plan: PlanState) -> tuple[PlanState, frozenset[str]]:
    """Bring back the plan before a batch; a second attempt after a lost reply is the same undo."""
    key = f"{page.fingerprint[:16]}-undo-{batch_id}"
    reply = page.client.planning.undo(batch_id, idempotency_key=key)
    users = {entry.user_id for entry in reply.entries if entry is not None}
    text = dict(plan.batches).get(batch_id, "the change")
    left = tuple(batch for batch in plan.batches if batch[0] != batch_id)
    lower = text[:1].lower() + text[1:]
    news = News(plan.answered, f"{_UNDONE}{lower}")
    # A deleted entry does not name its athlete.
    return replace(plan, batches=left, news=news), frozenset() if None in reply.entries else frozenset(users)


def undo_record(page: Page, batch_id: str, *, force: bool) -> None:
    """Undo a batch of the history. Raises `ServiceError`."""
    page.client.planning.undo(batch_id, force=force)
    plan = current()
    state.put(_STATE, replace(plan, batches=tuple(batch for batch in plan.batches if batch[0] != batch_id)))
    mark_written()


def refusal(error: ServiceError, labels: Mapping[str, str] = MappingProxyType({})) -> str:
    """Why the service refused a change, and what is true now, as one line.

    `labels` has the label of each field on the page, by its name on the wire.
    """
    if isinstance(error, PlanConflict):
        changed = [row.entry for row in error.rows if row.entry is not None]
        if not changed:
            return "Not saved: the entry was deleted meanwhile. The calendar shows the current plan."
        by = changed[0].updated_by
        who = f" by {plain(by.name, longest=60)}" if by else ""
        return (
            f"Not saved: {_titles(changed)} was changed{who} meanwhile. The calendar shows the current plan."
        )
    if isinstance(error, NotFound):
        return "Not saved: the entry is gone. The calendar shows the current plan."
    if isinstance(error, Unreachable) and error.may_have_arrived:
        return "No answer from the service: perhaps saved. Look at the calendar before you try again."
    if isinstance(error, Unreachable):
        return "Not saved: the service does not answer. The plan is as before; try again."
    words = plain(error.words, longest=300) or "the service refused it. The plan is as before."
    name, colon, rest = words.partition(": ")
    return f"Not saved: {labels.get(name, name)}{colon}{rest}"
