"""People: the athletes of a caller, profiles, memberships, invitations ("User", "UserProfile", "WorkspaceInvitation")."""

from typing import Annotated

from coachboard.wire.base import Day, NotNull, Number, Text, Timestamp, Wire, YesNo
from coachboard.wire.enums import (
    DataOnboardingStatus,
    Gender,
    InvitedRole,
    MetricSource,
    MetricSport,
    WorkspaceRole,
)
from coachboard.wire.metrics import MetricType


class UserMetricReadiness(Wire):
    """Which of the service's performance models are available."""

    has_service_cycling_critical_power: YesNo
    has_service_running_critical_power: YesNo
    has_service_running_critical_speed: YesNo


class User(Wire):
    """An athlete as listed."""

    id: Text
    first_name: Text | None
    last_name: Text | None
    date_of_birth: Day | None
    gender: Gender | None
    height: Number | None
    data_onboarding_status: DataOnboardingStatus
    user_metric_readiness: UserMetricReadiness | None

    @property
    def full_name(self) -> str:
        """First and last name; the id of a user without either."""
        return " ".join(part for part in (self.first_name, self.last_name) if part) or self.id


class LatestMetric(Wire):
    """The latest value of one metric in one sport; its unit is that of its type."""

    sport: MetricSport
    type: MetricType
    source: MetricSource | None
    value: Number


class WorkspaceMembership(Wire):
    """A workspace and the caller's role in it."""

    id: Text
    name: Text
    slug: Text
    role: WorkspaceRole


class UserProfile(User):
    """A user with their latest metrics; workspaces on the caller's own profile alone."""

    latest_metrics: tuple[LatestMetric, ...]
    workspaces: Annotated[tuple[WorkspaceMembership, ...] | None, NotNull] = None


class CreateWorkspaceInvitation(Wire):
    """A request to invite an address; spec: not shown: all names but sendInvitationEmail, and its default."""

    email: Text
    role: InvitedRole
    send_invitation_email: YesNo = False


class WorkspaceInvitation(Wire):
    """A pending invitation; spec: not shown: all names, only that a code and an expiry exist."""

    id: Text
    workspace_id: Text
    email: Text
    role: InvitedRole
    code: Text
    expires_at: Timestamp
