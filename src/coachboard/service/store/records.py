"""What goes into the store and comes out of it, besides the objects of the wire."""

from dataclasses import dataclass
from datetime import date, datetime

from coachboard.models.base import Number
from coachboard.models.enums import DataOnboardingStatus, Gender, InvitedRole, WorkspaceRole
from coachboard.models.plans import Note
from coachboard.models.users import UserMetricReadiness


@dataclass(frozen=True, slots=True, kw_only=True)
class NewUser:
    """A person to be added; without an id one is made."""

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
    """A note, who wrote it, and the day until which nobody else sees it."""

    note: Note
    creator_id: str
    hidden_until: date | None = None


@dataclass(frozen=True, slots=True)
class StreamRecipe:
    """What a maker (named in `create_app`) needs to make an activity's streams when they are first asked for."""

    activity_id: str
    maker: str
    recipe: bytes


DEMO_MAKER = "demo"
"""The maker of the demo squad: the store keeps its recipes and its version under this name."""


@dataclass(frozen=True, slots=True)
class Maker:
    """A program that writes rows and recipes: its name, its version and its arguments as JSON."""

    name: str
    version: str
    told: str


@dataclass(frozen=True, slots=True)
class StoredStreams:
    """An activity's owner with its streams as zstd JSON, or the recipe for them, or neither."""

    user_id: str
    body: bytes | None
    recipe: StreamRecipe | None


@dataclass(frozen=True, slots=True)
class Recording:
    """A device's file that was read already: the digest of its bytes and the activities it became."""

    digest: str  # SHA-256, hexadecimal
    user_id: str
    file_name: str
    activity_ids: tuple[str, ...]
    imported_at: datetime


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as it may be listed: its text is not kept."""

    id: str
    user_id: str
    label: str
    created_at: datetime
    revoked_at: datetime | None
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sent a request: the key's owner and the athletes they coach."""

    key_id: str
    user_id: str
    athletes: frozenset[str]
    expires_at: datetime | None = None  # of the key

    def may_read(self, user_id: str) -> bool:
        """Whether that person's data is the caller's own or that of one of their athletes."""
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


@dataclass(frozen=True, slots=True)
class PendingInvitation:
    """What an invitation is asked for with; `address` is the email with case folded."""

    workspace_id: str
    email: str
    address: str
    role: InvitedRole
    now: datetime
    expires_at: datetime
