"""Requests and replies under `/own/v1` (`docs/own-data-api.md`); no part of the interface."""

from typing import Annotated

from pydantic import Field

from coachboard.wire.base import Day, Index, LocalTimestamp, Number, Text, Timestamp, Wire, YesNo
from coachboard.wire.body import Metric
from coachboard.wire.enums import MetricSource, MetricSport, Sport, SubSport, WorkspaceRole
from coachboard.wire.metrics import MetricType
from coachboard.wire.prescriptions import TrainingPrescription

VERSION = "1"


class Features(Wire):
    """The features of the API that the service has."""

    version: Text
    features: tuple[Text, ...]
    max_upload_bytes: Index


class Changes(Wire):
    """The stamp of the data that the caller reads, and the people whose data changed after the stamp asked about.

    `plans` has those of them of whom planned workouts, notes and events alone have changed.
    """

    stamp: Text
    changed: tuple[Text, ...]
    plans: tuple[Text, ...] = ()


class MailState(Wire):
    """Why invitation mails are not sent at present, with the name of the setting; null if nothing is known to fail."""

    fault: Text | None


class ReceivedFile(Wire):
    """A file that an import received and has not finished."""

    name: Text
    size: Index
    has_columns: YesNo = False


class ReportLine(Wire):
    """The result of one file: imported, known, same session, skipped or failed."""

    name: Text
    outcome: Text
    activity_ids: tuple[Text, ...]
    prescription_ids: tuple[Text, ...]
    nights: Index
    values: Index
    notes: tuple[Text, ...]


class Counts(Wire):
    """Files by their result; `repaired` files are among the imported ones."""

    imported: Index
    known: Index
    repaired: Index
    skipped: Index
    rejected: Index


class Job(Wire):
    """Work in the background; `done` of `total` files or sessions are finished."""

    id: Text
    kind: Text
    state: Text
    created_at: Timestamp
    finished_at: Timestamp | None
    done: Index
    total: Index | None
    current: Text | None
    error: Text | None


class ImportJob(Job):
    """An import; `received` has the files that wait for its start, `report` a page of its `report_lines`."""

    counts: Counts
    received: tuple[ReceivedFile, ...]
    report: tuple[ReportLine, ...]
    report_lines: Index = 0


class NewImport(Wire):
    """A request for an import; `day` is for planned workouts without a date, `again` reads known files again."""

    day: Day | None = None
    again: YesNo = False


class StartImport(Wire):
    """The columns of CSV files, by file name: header to quantity. Files that it does not name use the proposals.

    `others` is the number of files of a folder that the sender left out.
    """

    columns: dict[Text, dict[Text, Text]] | None = None
    others: Index = 0


class CsvColumn(Wire):
    """A column of a CSV file, the quantity that it probably holds, and its first values."""

    header: Text
    proposal: Text | None
    samples: tuple[Text, ...]


class Preview(Wire):
    """The columns of a CSV file before it is imported, and the quantities to choose from."""

    name: Text
    columns: tuple[CsvColumn, ...]
    quantities: tuple[Text, ...]
    rows: Index


class OwnActivity(Wire):
    """An activity as its owner may change it; `etag` changes with it."""

    id: Text
    name: Text | None
    description: Text | None
    sport: Sport | None
    sub_sport: SubSport | None
    rpe: Number | None
    feeling: Number | None
    started_at: Timestamp | None
    started_at_local: LocalTimestamp | None = None
    utc_offset: Number | None = None
    total_duration: Number | None = None
    distance: Number | None = None
    recorded_at: Timestamp | None = None
    by_hand: YesNo = False
    corrected: tuple[Text, ...]
    deleted_at: Timestamp | None
    files: Index
    file_name: Text | None = None
    etag: Text


UtcOffset = Annotated[Number, Field(ge=-840, le=840, multiple_of=15)]
"""Minutes that local time is ahead of UTC; no place is further, and all are whole quarters of an hour."""


LONGEST_BY_HAND_S = 86_400
"""A stage race is several sessions. [s]."""
DurationByHand = Annotated[Number, Field(gt=0, le=LONGEST_BY_HAND_S)]


class ActivityPatch(Wire):
    """A correction; a field that is absent stays as it is. A null of `startedAtLocal` returns to the recorded start.

    Only a session that was entered by hand has `totalDuration` and `distance` to change.
    """

    name: Annotated[Text, Field(max_length=500)] | None = None
    description: Annotated[Text, Field(max_length=10_000)] | None = None
    sport: Sport | None = None
    sub_sport: SubSport | None = None
    rpe: Annotated[Number, Field(ge=1, le=10)] | None = None
    feeling: Annotated[Number, Field(ge=1, le=5)] | None = None
    started_at_local: LocalTimestamp | None = None
    utc_offset: UtcOffset | None = None
    total_duration: DurationByHand | None = None
    distance: Annotated[Number, Field(ge=0, le=5_000_000)] | None = None


class NewActivity(Wire):
    """A session that its athlete enters by hand."""

    started_at_local: LocalTimestamp
    utc_offset: UtcOffset
    sport: Sport
    sub_sport: SubSport | None = None
    name: Annotated[Text, Field(max_length=500)] | None = None
    description: Annotated[Text, Field(max_length=10_000)] | None = None
    total_duration: DurationByHand | None = None
    distance: Annotated[Number, Field(ge=0, le=5_000_000)] | None = None
    rpe: Annotated[Number, Field(ge=1, le=10)] | None = None
    feeling: Annotated[Number, Field(ge=1, le=5)] | None = None


class OwnPrescription(Wire):
    """An imported planned workout with the tag that a change of it must carry."""

    prescription: TrainingPrescription
    etag: Text


class PrescriptionPatch(Wire):
    """Another day or name of a planned workout; a field that is absent stays as it is."""

    date: Day | None = None
    title: Annotated[Text, Field(max_length=200)] | None = None


class JoinRequest(Wire):
    """The second half of a session."""

    activity_id: Text


class OwnMetric(Wire):
    """A value with the tag that a change of it must carry."""

    metric: Metric
    etag: Text


class MetricInput(Wire):
    """A value to be set, in the usual unit of its type."""

    type: MetricType
    value: Number
    date: Day
    sport: MetricSport = MetricSport.GLOBAL
    source: MetricSource = MetricSource.USER


class SavedMetric(Wire):
    """A saved value, and the job that recomputes the sessions that it affects; null on deletion."""

    saved: OwnMetric | None
    recompute: Job


ShortText = Annotated[Text, Field(min_length=1, max_length=100)]
"""A name or a label that a person types."""


class InvitationCode(Wire):
    """A request that names an invitation; in the body, because logs and histories contain addresses."""

    code: Annotated[Text, Field(min_length=1, max_length=200)]


class InvitationOffer(Wire):
    """A pending invitation as the invited person sees it."""

    workspace_id: Text
    workspace: Text
    role: WorkspaceRole
    inviter: Text | None
    expires_at: Timestamp


class AcceptInvitation(InvitationCode):
    """A request to accept: without a key it creates a person, and `firstName` is required."""

    first_name: ShortText | None = None
    last_name: ShortText | None = None
    date_of_birth: Day | None = None


class AcceptedInvitation(Wire):
    """The membership; `key` is the key of a new person, which no later reply contains."""

    user_id: Text
    workspace_id: Text
    workspace: Text
    role: WorkspaceRole
    key: Text | None


class OwnKey(Wire):
    """A key of the caller without its text; `last_used_at` is up to an hour old, `made_by` the id of another key."""

    id: Text
    label: Text
    created_at: Timestamp
    last_used_at: Timestamp | None
    expires_at: Timestamp | None
    made_by: Text | None = None
    is_current: YesNo


class NewKey(Wire):
    """A request for a key; it ends with the key that creates it, or earlier."""

    label: ShortText
    expires_in_days: Annotated[Index, Field(ge=1, le=36_525)] | None = None


class KeyLabel(Wire):
    """A new name of a key."""

    label: ShortText


class CreatedKey(Wire):
    """A new key with its text, which no later reply contains."""

    key: Text
    row: OwnKey


class Reader(Wire):
    """A person who may read the caller's data."""

    name: Text
    role: WorkspaceRole


class OwnMembership(Wire):
    """A workspace of the caller; `readers` may read the caller's data because of it."""

    workspace_id: Text
    workspace: Text
    role: WorkspaceRole
    readers: tuple[Reader, ...]
