"""People: the athletes of a caller, profiles, memberships ("User", "UserProfile")."""

from typing import Annotated

from coachboard.models.base import Day, NotNull, Number, Wire
from coachboard.models.enums import (
    DataOnboardingStatus,
    Gender,
    MetricSource,
    MetricSport,
    MetricType,
    WorkspaceRole,
)


class UserMetricReadiness(Wire):
    """Which of the service's performance models are available."""

    has_service_cycling_critical_power: bool
    has_service_running_critical_power: bool
    has_service_running_critical_speed: bool


class User(Wire):
    """An athlete as listed."""

    id: str
    first_name: str | None
    last_name: str | None
    date_of_birth: Day | None
    gender: Gender | None
    height: Number | None  # cm
    data_onboarding_status: DataOnboardingStatus
    user_metric_readiness: UserMetricReadiness | None


class LatestMetric(Wire):
    """The latest value of one metric in one sport; its unit is that of `metrics.UNITS`."""

    sport: MetricSport
    type: MetricType
    source: MetricSource | None
    value: Number


class WorkspaceMembership(Wire):
    """A workspace and the caller's role in it."""

    id: str
    name: str
    slug: str
    role: WorkspaceRole


class UserProfile(User):
    """A user with their latest metrics; workspaces on the caller's own profile alone."""

    latest_metrics: tuple[LatestMetric, ...]
    workspaces: Annotated[tuple[WorkspaceMembership, ...], NotNull] | None = None
