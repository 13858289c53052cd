"""Input and output of the store other than the models of the wire."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from coachboard.wire.activities import Activity
from coachboard.wire.base import Number
from coachboard.wire.body import Metric, Sleep
from coachboard.wire.enums import DataOnboardingStatus, Gender, InvitedRole, WorkspaceRole
from coachboard.wire.plans import Note
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard.wire.streams import ActivityStreams
from coachboard.wire.users import UserMetricReadiness


@dataclass(frozen=True, slots=True, kw_only=True)
class NewUser:
    """A person to add; without an id one is generated."""

    first_name: str | None = None
    last_name: str | None = None
    date_of_birth: date | None = None
    gender: Gender | None = None
    height: Number | None = None  # cm
    data_onboarding_status: DataOnboardingStatus = DataOnboardingStatus.DONE
    user_metric_readiness: UserMetricReadiness | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class NewNote:
    """A note, its author, and the day until which only the author sees it."""

    note: Note
    creator_id: str
    hidden_until: date | None = None


@dataclass(frozen=True, slots=True)
class StreamRecipe:
    """Input of a maker (named in `create_app`), which makes an activity's streams at the first request."""

    activity_id: str
    maker: str
    recipe: bytes


DEMO_MAKER = "demo"
"""The maker of the demo squad: the store has its recipes and its version under this name."""


@dataclass(frozen=True, slots=True)
class Maker:
    """A program that writes rows and recipes: its name, its version and its arguments as JSON."""

    name: str
    version: str
    arguments: str


@dataclass(frozen=True, slots=True)
class StoredStreams:
    """An activity's owner with its streams as zstd JSON, or their recipe, or neither."""

    user_id: str
    body: bytes | None
    recipe: StreamRecipe | None


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """An imported device file: the digest of its bytes and its activities."""

    digest: str  # SHA-256, hexadecimal
    user_id: str
    file_name: str
    activity_ids: tuple[str, ...]
    imported_at: datetime


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key without its text, which is not stored."""

    id: str
    user_id: str
    label: str
    created_at: datetime
    revoked_at: datetime | None
    expires_at: datetime | None
    last_used_at: datetime | None = None
    made_by: str | None = None


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request: the key's owner and the athletes they coach."""

    key_id: str
    user_id: str
    athletes: frozenset[str]
    expires_at: datetime | None = None  # of the key
    number: int = 0  # of the owner, read before the athletes

    def may_read(self, user_id: str) -> bool:
        """Whether the data belong to the caller or one of their athletes."""
        return user_id == self.user_id or user_id in self.athletes


@dataclass(frozen=True, slots=True)
class Workspace:
    id: str
    name: str
    slug: str


@dataclass(frozen=True, slots=True)
class Member:
    workspace_id: str
    user_id: str
    role: WorkspaceRole
    name: str | None = None
    joined_at: datetime | None = None  # null for a member of an earlier version


@dataclass(frozen=True, slots=True)
class PendingInvitation:
    """The request for an invitation; `address` is the email with case folded."""

    workspace_id: str
    email: str
    address: str
    role: InvitedRole
    now: datetime
    expires_at: datetime
    invited_by: str | None = None


class InvitationState(StrEnum):
    PENDING = "pending"
    USED = "used"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class StoredInvitation:
    """An invitation without its code, which is not stored."""

    id: str
    workspace: Workspace
    email: str
    role: WorkspaceRole
    inviter: str | None  # a name
    expires_at: datetime
    state: InvitationState


@dataclass(frozen=True, slots=True)
class Membership:
    """A person's role in a workspace, and who may read the person's data because of it: names and roles."""

    workspace: Workspace
    role: WorkspaceRole
    readers: tuple[tuple[str, WorkspaceRole], ...]


Part = tuple[str, int]
"""A leg of a stored file: the file's digest and the leg's index."""


@dataclass(frozen=True, slots=True)
class ImportedActivity:
    """An activity with its streams, its legs and the references of its load."""

    activity: Activity
    streams: ActivityStreams | None
    parts: tuple[Part, ...]
    athlete: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedRows:
    """The rows of one file, written in one transaction; `import_id` is the job."""

    import_id: str | None = None
    activities: tuple[ImportedActivity, ...] = ()
    prescriptions: tuple[TrainingPrescription, ...] = ()
    sleeps: tuple[Sleep, ...] = ()
    removed_sleeps: tuple[str, ...] = ()
    metrics: tuple[Metric, ...] = ()
    recording: ImportedFile | None = None


@dataclass(frozen=True, slots=True)
class StoredActivity:
    """An activity as its owner may change it."""

    id: str
    user_id: str
    body: bytes
    parts: tuple[Part, ...]
    corrections: dict[str, Any]
    athlete: str | None
    deleted_at: datetime | None


class JobKind(StrEnum):
    IMPORT = "import"
    RECOMPUTE = "recompute"


class JobState(StrEnum):
    RECEIVING = "receiving"
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    UNDONE = "undone"


@dataclass(frozen=True, slots=True)
class ActivityChange:
    """A change of an activity as it was read: the recording read again, if there is one, and further columns."""

    seen: StoredActivity
    read: ImportedActivity | None
    columns: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredJob:
    """A background job of a person; `done` of `total` files or sessions are finished."""

    id: str
    user_id: str
    kind: JobKind
    state: JobState
    arguments: dict[str, Any]
    created_at: datetime
    finished_at: datetime | None = None
    done: int = 0
    total: int | None = None
    current: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class JobFile:
    """A line of an import's report."""

    name: str
    place: int
    outcome: str
    report: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ReportOutcomes:
    """Lines of a report by outcome, the repaired among the imported ones, and the skipped files, of which a line has many."""

    lines: Mapping[str, int]
    repaired: int
    skipped: int


@dataclass(frozen=True, slots=True)
class QueuedMail:
    """A mail that waits to be sent."""

    id: str
    recipient: str
    message: bytes
