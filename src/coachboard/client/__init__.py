"""The cached, rate-limited, typed client of the service. The names of this module are its public interface."""

from coachboard.client.client import Client
from coachboard.client.concurrency import Progress, Waiting
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
from coachboard.client.parsing.decode import Invitation
from coachboard.client.result import Result

__all__ = [
    "BadRequest",
    "Client",
    "EditConflict",
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
    "Untrusted",
    "Waiting",
]
