"""Whether and how often a request is repeated; the waiting for a budget or a `Retry-After` is `fetching`'s."""

import logging
from collections.abc import Callable
from typing import TypeVar

import stamina
from stamina.instrumentation import RetryDetails, get_on_retry_hooks, set_on_retry_hooks

from coachboard.client.errors import ServiceError, UnexpectedStatus, Unreachable, UnreadableResponse

_LOGGER = logging.getLogger(__name__)

T = TypeVar("T")

ATTEMPTS = 4
PATIENT_ATTEMPTS = 7
"""Five to six seconds in all: within them a service that was stopped is up again."""
DEADLINE_S = 20.0
FIRST_WAIT_S = 0.1
LONGEST_WAIT_S = 2.0
JITTER_S = 0.2


def is_worth_repeating(error: Exception) -> bool:
    """Whether the same request may succeed in a moment, and does no harm if the first one did arrive."""
    if not isinstance(error, ServiceError) or (error.method != "GET" and error.may_have_arrived):
        return False
    if isinstance(error, UnexpectedStatus):
        return error.status is not None and error.status >= 500
    if isinstance(error, UnreadableResponse):
        return error.is_cut
    return isinstance(error, Unreachable)


def never_left(error: Exception) -> bool:
    """Whether there was nobody to take the request, which then costs nothing of the service's limits."""
    return isinstance(error, Unreachable) and not error.may_have_arrived


def repeated(send: Callable[[], T], *, is_patient: bool = False) -> T:
    """Do it, and again with growing pauses where that is worth it; for longer only what never left."""
    try:
        return send()
    except ServiceError as error:
        first = error  # what comes back at once never meets the machinery of repeating, which takes its time
    sent = 0

    def is_to_be_repeated(error: Exception) -> bool:
        return is_worth_repeating(error) and (sent < ATTEMPTS or (is_patient and never_left(error)))

    for attempt in stamina.retry_context(
        on=is_to_be_repeated,
        attempts=PATIENT_ATTEMPTS,
        timeout=DEADLINE_S,
        wait_initial=FIRST_WAIT_S,
        wait_max=LONGEST_WAIT_S,
        wait_jitter=JITTER_S,
    ):
        with attempt:
            sent = attempt.num
            if sent == 1:
                raise first
            return send()
    raise AssertionError("stamina raises the last error")


_others = get_on_retry_hooks()


def _tell(details: RetryDetails) -> None:
    """Log what is repeated and why; stamina's own line names a block of code."""
    if isinstance(details.caused_by, ServiceError):
        _LOGGER.warning(
            "retrying in %.1f s (attempt %d): %s",
            details.wait_for,
            details.retry_num + 1,
            details.caused_by,
        )
        return
    for hook in _others:  # what else is retried in the process is told as before
        hook(details)


set_on_retry_hooks([_tell])
