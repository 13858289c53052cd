"""The cached, rate-limited, typed client of the service, its errors, and the models of the rows: its public interface."""

from coachboard.client.client import Client
from coachboard.client.decode import Invitation
from coachboard.client.errors import (
    BadRequest,
    EditConflict,
    NotFound,
    RateLimited,
    RowProblem,
    ServiceError,
    TimedOut,
    Unauthorized,
    UnexpectedStatus,
    Unreachable,
    UnreadableResponse,
    Untrusted,
)
from coachboard.client.options import Options
from coachboard.client.result import Result
from coachboard.client.waiting import Progress, Waiting
from coachboard.wire.activities import Activity, Climb, Lap, Length, ProviderLap
from coachboard.wire.body import Metric, Sleep
from coachboard.wire.plans import Event, Note
from coachboard.wire.prescriptions import (
    StructureIntensity,
    StructureRepetition,
    StructureStep,
    TrainingPrescription,
)
from coachboard.wire.streams import ActivityStreams
from coachboard.wire.users import (
    CreateWorkspaceInvitation,
    LatestMetric,
    User,
    UserProfile,
    WorkspaceMembership,
)

__all__ = [
    "Activity",
    "ActivityStreams",
    "BadRequest",
    "Client",
    "Climb",
    "CreateWorkspaceInvitation",
    "EditConflict",
    "Event",
    "Invitation",
    "Lap",
    "LatestMetric",
    "Length",
    "Metric",
    "NotFound",
    "Note",
    "Options",
    "Progress",
    "ProviderLap",
    "RateLimited",
    "Result",
    "RowProblem",
    "ServiceError",
    "Sleep",
    "StructureIntensity",
    "StructureRepetition",
    "StructureStep",
    "TimedOut",
    "TrainingPrescription",
    "Unauthorized",
    "UnexpectedStatus",
    "Unreachable",
    "UnreadableResponse",
    "Untrusted",
    "User",
    "UserProfile",
    "Waiting",
    "WorkspaceMembership",
]
