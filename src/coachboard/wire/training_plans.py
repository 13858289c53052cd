"""Plans of several weeks under `/plan/v1/plans`: entries by day number, applied to the calendars of athletes.

Days count from 1. A plan has no dates: an anchor gives the first day, the last one, or a race on the last one.
"""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from coachboard.wire.base import Day, Index, Text, Timestamp, Wire, YesNo
from coachboard.wire.enums import Sport
from coachboard.wire.errors import ErrorBody
from coachboard.wire.planning import EntryKind, Person, PlanValue, PlanWarning

MOST_DAYS = 366
"""Days of a plan."""
MOST_ENTRIES = 1_000
"""Entries of a plan."""
MOST_ATHLETES = 200
"""Athletes of one application."""
MOST_ADDED = 10_000
"""Entries that one application adds."""

_PlanDay = Annotated[int, Field(strict=True, ge=1, le=MOST_DAYS)]


class TrainingPlanEntry(Wire):
    """A workout, a note or an event on a day of the plan; `value` as in a batch, without dates.

    `last_day` ends a span of a note or an event. `id` is absent for a new entry; one that stays keeps its id, so that a
    roll-out finds it on the calendars.
    """

    id: Text | None = None
    day: _PlanDay
    last_day: _PlanDay | None = None
    kind: EntryKind
    value: PlanValue


class TrainingPlanInput(Wire):
    """A plan as it is sent: private without a workspace, else for the coaches of that workspace."""

    title: Annotated[Text, Field(min_length=1, max_length=200)]
    description: Annotated[Text, Field(max_length=10_000)] | None = None
    sport: Sport | None = None
    workspace_id: Text | None = None
    days: _PlanDay
    entries: Annotated[tuple[TrainingPlanEntry, ...], Field(max_length=MOST_ENTRIES)] = ()


class TrainingPlanRow(Wire):
    """A plan in the list; `version` counts its changes."""

    id: Text
    title: Text
    description: Text | None
    sport: Sport | None
    workspace_id: Text | None
    days: Index
    workouts: Index
    version: Index
    changed_by: Person
    changed_at: Timestamp
    etag: Text


class TrainingPlan(TrainingPlanRow):
    """A plan with its entries, by day."""

    entries: tuple[TrainingPlanEntry, ...]


class StalePlanBody(ErrorBody):
    """The body of a 412: the plan as it is now, null if it was deleted."""

    current: TrainingPlan | None


class ConflictRule(StrEnum):
    """The treatment of a day that has a planned workout already.

    `keep` adds beside it, `replace` deletes it unless it is done, `skip` leaves the day of the plan out.
    """

    KEEP = "keep"
    REPLACE = "replace"
    SKIP = "skip"


class PlanAnchor(Wire):
    """The place of a plan on a calendar: its first day, its last day, or a race on its last day; one of the three."""

    start: Day | None = None
    end: Day | None = None
    event_id: Text | None = None


class AnchoredAthlete(Wire):
    """An athlete who gets a plan; `workspace_id` as in a batch, for a coach who shares two workspaces with them."""

    user_id: Text
    anchor: PlanAnchor
    workspace_id: Text | None = None


class ApplyRequest(Wire):
    """A request to write a plan on calendars, as one batch."""

    athletes: Annotated[tuple[AnchoredAthlete, ...], Field(min_length=1, max_length=MOST_ATHLETES)]
    conflicts: ConflictRule = ConflictRule.KEEP
    dry_run: YesNo = False


class RollOutRequest(Wire):
    """A request to bring the calendars that have a plan to its current version, as one batch; all of them without `user_ids`."""

    user_ids: Annotated[tuple[Text, ...], Field(max_length=MOST_ATHLETES)] | None = None
    dry_run: YesNo = False


class ClashReason(StrEnum):
    """Why an entry of a calendar matters to a plan.

    `planned` and `done` are workouts on a day of the plan. A roll-out leaves entries that were `changed` or `deleted` on the
    calendar, or are `done`, as they are.
    """

    PLANNED = "planned"
    DONE = "done"
    CHANGED = "changed"
    DELETED = "deleted"


class PlanClash(Wire):
    """An entry of a calendar that a plan meets."""

    date: Day
    title: Text
    reason: ClashReason


class AthleteOutcome(Wire):
    """The changes of one calendar by a plan; `past` counts the entries before today, which are left out.

    `batch_id` is the batch that applied the plan; null in a dry run of it. `earlier` has the first days of earlier
    applications of the plan that the calendar still has; empty for a roll-out.
    """

    user_id: Text
    batch_id: Text | None
    first_day: Day
    last_day: Day
    added: Index
    changed: Index
    deleted: Index
    past: Index
    left_out: Index
    clashes: tuple[PlanClash, ...]
    earlier: tuple[Day, ...]
    warnings: tuple[PlanWarning, ...]


class PlanOutcome(Wire):
    """The changes of an application or a roll-out; `id` is its batch, null for a dry run or if nothing changed."""

    id: Text | None
    athletes: tuple[AthleteOutcome, ...]
