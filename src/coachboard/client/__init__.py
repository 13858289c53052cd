"""The cached, rate-aware, typed client of the service; what stands here is what may be relied on."""

from coachboard.client.api import Client
from coachboard.client.errors import (
    BadRequest,
    NotFound,
    RateLimited,
    ServiceError,
    TimedOut,
    Unauthorized,
    UnexpectedStatus,
    Unreachable,
    UnreadableResponse,
)
from coachboard.client.fanout import Progress
from coachboard.client.inviting import Invitation
from coachboard.client.options import Options
from coachboard.client.result import Result, RowProblem
from coachboard.client.waiting import Waiting

__all__ = [
    "BadRequest",
    "Client",
    "Invitation",
    "NotFound",
    "Options",
    "Progress",
    "RateLimited",
    "Result",
    "RowProblem",
    "ServiceError",
    "TimedOut",
    "Unauthorized",
    "UnexpectedStatus",
    "Unreachable",
    "UnreadableResponse",
    "Waiting",
]
