"""Requests and replies under `/plan/v1` (`docs/planning-api.md`); no part of the interface.

An entry wraps one object of the interface: a planned workout, a note or an event. Every write is a batch of operations.
"""

import datetime as dt
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field

from coachboard.wire.base import Day, Index, Number, Text, TimeOfDay, Timestamp, Wire, YesNo
from coachboard.wire.enums import (
    Gender,
    InvitedRole,
    NoteType,
    Sport,
    SubSport,
    TrainingStimulus,
    WorkspaceRole,
    ZonesType,
)
from coachboard.wire.errors import ErrorBody
from coachboard.wire.plans import Event, Note
from coachboard.wire.prescriptions import StructureElement, TrainingPrescription

VERSION = "1"

MOST_OPERATIONS = 5_000
"""Operations of one batch."""
MOST_TEXT = 20_000
"""Characters of the text of a workout."""


class EntryKind(StrEnum):
    """The kinds of entries of a calendar."""

    WORKOUT = "workout"
    NOTE = "note"
    EVENT = "event"


class PlanOp(StrEnum):
    """The kinds of operations of a batch."""

    CREATE = "create"
    UPDATE = "update"
    MOVE = "move"
    COPY = "copy"
    DELETE = "delete"
    PAIR = "pair"
    UNPAIR = "unpair"
    SKIP = "skip"
    UNSKIP = "unskip"


class EventPriority(StrEnum):
    """How much an event counts in the season."""

    A = "A"
    B = "B"
    C = "C"


class PairingMode(StrEnum):
    """Who decides which session belongs to an entry: `auto` the dashboard, `manual` a person, `none` no session does."""

    AUTO = "auto"
    MANUAL = "manual"
    NONE = "none"


class PlanFeatures(Wire):
    """The features of the planning API that the service has: `entries`, `batches`, `parse` and later ones."""

    version: Text
    features: tuple[Text, ...]


class Person(Wire):
    """A person who wrote something; `name` is the id where the person has no name."""

    id: Text
    name: Text


class Pairing(Wire):
    """The session of an entry; `activity_id` is null unless the mode is `manual`."""

    mode: PairingMode
    activity_id: Text | None = None


class Skipped(Wire):
    """An excused absence."""

    reason: Text
    by: Person | None


class EntryOrigin(Wire):
    """The plan that wrote an entry, which of its entries it is, and in which version."""

    plan_id: Text
    entry_id: Text
    version: Index


class PlanEntry(Wire):
    """An entry of a calendar; of `prescription`, `note` and `event` the kind's own has a value.

    A field that the kind does not have is null or false. `created_by` is null for entries of imports and generators.
    `allowed` has the operations that the caller may do with the entry.
    """

    id: Text
    kind: EntryKind
    user_id: Text
    workspace_id: Text | None
    prescription: TrainingPrescription | None
    note: Note | None
    event: Event | None
    text: Text | None
    is_draft: YesNo
    original_date: Day | None
    visible_from: Day | None
    is_private: YesNo
    end_date: Day | None
    priority: EventPriority | None
    is_locked: YesNo
    skipped: Skipped | None
    pairing: Pairing | None
    plan: EntryOrigin | None
    created_by: Person | None
    updated_by: Person | None
    updated_at: Timestamp | None
    batch_id: Text | None
    etag: Text
    allowed: tuple[PlanOp, ...]

    @property
    def date(self) -> dt.date:
        """The first day."""
        row = self.prescription or self.note or self.event
        assert row is not None
        return row.date

    @property
    def title(self) -> str:
        """The title of a workout or a note, the name of an event."""
        if self.event is not None:
            return self.event.name
        row = self.prescription or self.note
        assert row is not None
        return row.title

    @property
    def is_repeatable(self) -> bool:
        """Whether another week or athlete may have the entry too: not a race, an illness or a journey."""
        if self.note is not None:
            return self.note.type not in {NoteType.MEDICAL, NoteType.AVAILABILITY}
        return self.kind is EntryKind.WORKOUT


class PlanValue(Wire):
    """Fields of the object and of its entry; an absent field stays as it is, a null empties it.

    `move` and `copy` read `date`, `copy` also `user_id` and `workspace_id`, `pair` reads `activity_id`, `skip` reads
    `reason`; `create` and `update` read the others. With a `text` the structure, the duration and the distance follow from it; with
    `is_draft` a text with errors is stored without a structure.
    """

    date: Day | None = None
    time: TimeOfDay | None = None
    title: Annotated[Text, Field(max_length=200)] | None = None
    name: Annotated[Text, Field(max_length=200)] | None = None
    description: Annotated[Text, Field(max_length=10_000)] | None = None
    content: Annotated[Text, Field(max_length=10_000)] | None = None
    comment: Annotated[Text, Field(max_length=10_000)] | None = None
    type: NoteType | None = None
    sport: Sport | None = None
    sub_sport: SubSport | None = None
    training_stimulus: TrainingStimulus | None = None
    text: Annotated[Text, Field(max_length=MOST_TEXT)] | None = None
    is_draft: YesNo | None = None
    structure: Annotated[tuple[StructureElement, ...], Field(max_length=200)] | None = None
    zones_type: ZonesType | None = None
    distance: Annotated[Number, Field(ge=0, le=5_000_000)] | None = None
    duration: Annotated[Number, Field(ge=0, le=2_678_400)] | None = None
    free_duration: Annotated[Number, Field(gt=0, le=86_400)] | None = None
    elevation_gain: Annotated[Number, Field(ge=0, le=50_000)] | None = None
    average_power: Annotated[Number, Field(ge=0, le=3_000)] | None = None
    work: Annotated[Number, Field(ge=0, le=100_000)] | None = None
    calories: Annotated[Number, Field(ge=0, le=100_000)] | None = None
    rpe: Annotated[Number, Field(ge=1, le=10)] | None = None
    carb_intake: Annotated[Number, Field(ge=0, le=300)] | None = None
    visible_from: Day | None = None
    is_private: YesNo | None = None
    end_date: Day | None = None
    priority: EventPriority | None = None
    is_locked: YesNo | None = None
    pairing: Pairing | None = None
    activity_id: Text | None = None
    reason: Annotated[Text, Field(max_length=500)] | None = None
    user_id: Text | None = None
    workspace_id: Text | None = None


class PlanOperation(Wire):
    """One change; `id` names the entry (absent for `create`), `if_match` is its etag (not for `create` and `copy`)."""

    op: PlanOp
    kind: EntryKind
    user_id: Text
    id: Text | None = None
    if_match: Text | None = None
    value: PlanValue | None = None


class PlanBatch(Wire):
    """A request to do all operations or none; `source` names the page or program for the history."""

    operations: Annotated[tuple[PlanOperation, ...], Field(min_length=1, max_length=MOST_OPERATIONS)]
    dry_run: YesNo = False
    source: Annotated[Text, Field(max_length=40)] | None = None


class WarningCode(StrEnum):
    """The reasons of warnings about a day that a batch plans."""

    ILL = "ill"
    NOT_AVAILABLE = "notAvailable"
    DAY_OFF = "dayOff"
    HARD_DAYS = "hardDays"
    RACE_SOON = "raceSoon"


class PlanWarning(Wire):
    """A warning about one day of one athlete; it refuses nothing. `operation` is the place in the batch, from 0."""

    operation: Index
    user_id: Text
    date: Day
    code: WarningCode
    text: Text


class ConflictRow(Wire):
    """A row that has changed since the caller read it; `entry` is the row as it is now, null if it was deleted."""

    id: Text
    entry: PlanEntry | None


class StaleRowsBody(ErrorBody):
    """The body of a 412: the rows that have changed since the caller read them, as they are now."""

    current: tuple[ConflictRow, ...]


class ChangedRowBody(ErrorBody):
    """The body of a 412 of one row: the row as it is now, null if it was deleted."""

    current: dict[str, Any] | None


class BatchReply(Wire):
    """The entries as they are now, in the order of the operations, null where one is deleted.

    `id` is null for a dry run. `conflicts` has the rows that a forced undo left as they are.
    """

    id: Text | None
    entries: tuple[PlanEntry | None, ...]
    warnings: tuple[PlanWarning, ...]
    conflicts: tuple[ConflictRow, ...]


class UndoRequest(Wire):
    """A request to undo a batch; `force` leaves rows that changed since and undoes the others.

    With `user_id` it undoes the changes of one calendar.
    """

    force: YesNo = False
    user_id: Text | None = None


class BatchChange(Wire):
    """One entry of a batch in the history; `from_date` is the day before a move, `date` the last day that it had."""

    op: PlanOp
    kind: EntryKind
    id: Text
    title: Text
    date: Day
    from_date: Day | None


class BatchRecord(Wire):
    """A batch in the history of one athlete: who, when, what, from which page; `changes` has the first 20 of `total`.

    `may_undo` is false where a change is hidden from the caller, or of an entry that they may not write.
    """

    id: Text
    created_at: Timestamp
    by: Person | None
    source: Text | None
    undo_of: Text | None
    undone_by: Text | None
    may_undo: YesNo
    total: Index
    changes: tuple[BatchChange, ...]


class WorkoutLoad(Wire):
    """The load of a planned workout for its athlete; `id` names the entry."""

    id: Text
    load: Number


class WorkoutScore(Wire):
    """How much of a planned workout its session shows, as on the pages; `id` names the entry.

    `extra` is what was done beyond the plan, where totals were compared. A figure is null where nothing can be compared, and
    the steps where the workout has no work steps or the session no samples.
    """

    id: Text
    activity_id: Text
    is_likely_match: YesNo
    mark: Text | None
    score: Number | None
    extra: Number | None
    compared_by: Text | None
    work_steps: Index | None
    done_steps: Number | None


class PlannedValues(Wire):
    """The athlete's values that the figures of a planned workout follow, for one sport and day; null where unknown.

    In W, J, m/s and bpm; the usual speed is the median of the sessions of 90 days.
    """

    critical_power: Number | None
    w_prime: Number | None
    critical_speed: Number | None
    max_heart_rate: Number | None
    resting_heart_rate: Number | None
    threshold_heart_rate: Number | None
    usual_speed: Number | None
    gender: Gender | None


class ParseRequest(Wire):
    """A text of a workout for an athlete; percentages follow the athlete's values on `date`, today without one."""

    user_id: Text
    sport: Sport
    text: Annotated[Text, Field(max_length=MOST_TEXT)]
    date: Day | None = None
    free_duration: Annotated[Number, Field(gt=0, le=86_400)] | None = None


class TextProblem(Wire):
    """An error in a text: line and column from 1, a sentence, and what to write instead if that is clear."""

    line: Index
    column: Index
    text: Text
    proposal: Text | None


class ZoneSeconds(Wire):
    """Planned time in one zone."""

    zone: Text
    seconds: Number


class ParsedText(Wire):
    """The workout of a text: seconds, metres, load, time by zone, and the lowest W' balance; null where unknown."""

    structure: tuple[StructureElement, ...] | None
    zones_type: ZonesType | None
    duration: Number | None
    distance: Number | None
    load: Number | None
    zones: tuple[ZoneSeconds, ...]
    lowest_w_balance: Number | None
    repetitions: Index
    fitting: Index
    errors: tuple[TextProblem, ...]


class NewFeed(Wire):
    """A subscription of one person's calendar (`user_id`) or of the athletes of a workspace: one of the two.

    With `group` of those athletes of the workspace who are in the group at each read. With `busy_only` its entries have their times alone.
    """

    user_id: Text | None = None
    workspace_id: Text | None = None
    group: Text | None = None
    busy_only: YesNo = False


class Feed(Wire):
    """A subscription; `path` is its secret address below that of the service, in the reply that makes or renews it only."""

    id: Text
    user_id: Text | None
    workspace_id: Text | None
    group: Text | None = None
    busy_only: YesNo
    created_at: Timestamp
    etag: Text
    path: Text | None


class PlanProfile(Wire):
    """The time zone of a person, an IANA name; without it the times of a subscription have no zone."""

    time_zone: Text | None
    etag: Text


class ProfilePatch(Wire):
    """Another time zone, or none."""

    time_zone: Text | None


class WorkspaceMember(Wire):
    """A person of a workspace; `roles` and `may_remove` are what the caller may do with their membership."""

    user_id: Text
    name: Text
    role: WorkspaceRole
    joined_at: Timestamp | None
    roles: tuple[WorkspaceRole, ...]
    may_remove: YesNo
    etag: Text


class MemberPatch(Wire):
    """Another role for a member."""

    role: WorkspaceRole


class InvitedPerson(Wire):
    """An invitation that was not used; `code` is in the reply that corrects it only."""

    id: Text
    email: Text
    role: InvitedRole
    inviter: Text | None
    expires_at: Timestamp
    is_expired: YesNo
    etag: Text
    code: Text | None


class InvitationPatch(Wire):
    """A correction of an invitation: another address makes another code, so that the wrong one cannot use it."""

    email: Text | None = None
    role: InvitedRole | None = None
    send_invitation_email: YesNo = False


class IntervalsConnection(Wire):
    """The caller's account at intervals.icu; without `api_key` the stored one stays."""

    athlete_id: Annotated[Text, Field(max_length=20)]
    api_key: Annotated[Text, Field(max_length=200)] | None = None
    days: Annotated[Index, Field(ge=1, le=84)] = 14


class IntervalsState(Wire):
    """The connected account without its key, and its last push; all null without one."""

    athlete_id: Text | None
    days: Index | None
    pushed_at: Timestamp | None
    count: Index
    error: Text | None
    is_waiting: YesNo
