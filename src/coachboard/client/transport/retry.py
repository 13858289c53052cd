"""One fetch: wait for the rate limit, send, repeat after a fault that passes, wait after a 429.

Only requests that do no harm twice are repeated. `Context` holds the parts that all readers of a client share.
"""

import copy
import logging
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import TypeVar

import stamina
from stamina.instrumentation import RetryDetails, get_on_retry_hooks, set_on_retry_hooks

from coachboard.client.concurrency import Memo, Patience, SingleFlight, Threads
from coachboard.client.errors import (
    NotFound,
    RateLimited,
    ServiceError,
    Unauthorized,
    UnexpectedStatus,
    Unreachable,
    UnreadableResponse,
    Untrusted,
)
from coachboard.client.options import Options
from coachboard.client.resources import Request
from coachboard.client.transport.http import Http
from coachboard.client.transport.rate_limit import Priority, RateLimit, Taken, Want
from coachboard.client.transport.reply_limits import Room

_LOGGER = logging.getLogger(__name__)

T = TypeVar("T")

_DISK_FULL = 507
"""A second attempt finds no more room than the first one."""
ATTEMPTS = 4
PATIENT_ATTEMPTS = 7
"""Five to six seconds in all: a service that restarts is up again."""
DEADLINE_S = 20.0
FIRST_WAIT_S = 0.1
MAX_WAIT_S = 2.0
JITTER_S = 0.2

BUDGET_REASON = "the service's request limit"

TROUBLE = (Unreachable, UnexpectedStatus, UnreadableResponse)
"""Errors of the service as a whole, not of the requested resource."""

REFUSALS = (Unauthorized, NotFound)
"""Replies that forbid to show cached data. A 400 says only that the request was wrong."""

KEY_CHECK_S = 45.0
"""After this time without a request, the next read checks in the background whether the key is still valid."""

REFUSAL_REST_S = 15.0
"""How long a refused key is not tried again."""

FAILURE_REST_S = 15.0
"""How long a failed fetch is not tried again while cached data can be shown."""

_MAX_FAILURES = 10_000


class FetchedElsewhere(Exception):  # noqa: N818 (never shown)
    """Another process made the same fetch: read the cache again."""


class KeyStatus:
    """Whether the service accepts the key: cached data of a revoked key must not be shown."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._asked_at = -inf
        self._refused: tuple[Unauthorized, float] | None = None

    def asked(self) -> None:
        """Note that a request was sent."""
        self._asked_at = self._clock()

    def answered(self, error: ServiceError | None) -> None:
        """Note the reply: None is a reply without an error."""
        self.asked()
        if error is None:
            self._refused = None
        elif isinstance(error, Unauthorized):
            self._refused = (error, self._clock())

    @property
    def is_due(self) -> bool:
        """Whether the key should be checked, because no request of the last minutes has used it."""
        return not 0 <= self._clock() - self._asked_at < KEY_CHECK_S

    def require(self, ask: Callable[[], object]) -> None:
        """Raise `Unauthorized` if the key was refused; after a rest, `ask` finds out whether it still is."""
        if self._refused is None:
            return
        refusal, refused_at = self._refused
        if 0 <= self._clock() - refused_at < REFUSAL_REST_S:
            raise copy.copy(refusal)  # threads that raise the same error would write into one traceback
        try:
            ask()
        except Unauthorized:
            raise
        except ServiceError as error:
            raise copy.copy(refusal) from error


class Fetcher:
    """Sends requests within the rate limit; safe for many threads."""

    def __init__(
        self,
        http: Http,
        rate_limit: RateLimit,
        key_status: KeyStatus,
        patience: Patience,
        *,
        patience_s: float,
    ) -> None:
        self._http = http
        self._rate_limit = rate_limit
        self._key_status = key_status
        self._patience = patience
        self._patience_s = patience_s
        self._trouble: ServiceError | None = None
        self._was_patient = False  # in vain: the next reads wait no longer than others

    @property
    def trouble(self) -> ServiceError | None:
        """The error of the last fetch; None since the service answered again."""
        return self._trouble

    def fetch(self, request: Request, want: Want, read: Callable[[bytes], T]) -> T:
        """The result of `read` for the body; raises the errors of sending and of `read`.

        Raises `FetchedElsewhere` if another process had the claim of the want.
        """
        is_patient = want.is_needed and want.priority is Priority.PERSON and not self._was_patient
        once = partial(self._once, request, want, read)
        try:
            value = once() if self._is_vain(want) else repeated(once, is_patient=is_patient)
        except TROUBLE as error:
            self._trouble = error
            self._was_patient = self._was_patient or (is_patient and was_not_sent(error))
            raise
        self._trouble, self._was_patient = None, False
        return value

    def done(self, want: Want) -> None:
        """Release the claim of the fetch, once its result is in the cache."""
        if want.claim:
            self._rate_limit.release(want.claim)

    def _is_vain(self, want: Want) -> bool:
        """Whether one attempt is enough: cached data can be shown, and the last request reached no service."""
        trouble = self._trouble
        return not want.is_needed and trouble is not None and was_not_sent(trouble)

    def _once(self, request: Request, want: Want, read: Callable[[bytes], T]) -> T:
        self._patience.require_open()
        try:
            with Room(self._patience_s) as room:
                return read(self._send(request, want, room))
        except ServiceError:
            self.done(want)  # or the next attempt waits for this one
            raise

    def _send(self, request: Request, want: Want, room: Room) -> bytes:
        taken, waited_s = self._wait_for_rate_limit(request, want, 0.0)
        while True:
            try:
                return self._sent(request, taken, room)
            except RateLimited as error:
                self._rate_limit.hold(want.user_id, error.wait_s)
                if request.method != "GET" or waited_s + error.wait_s > self._max_wait_s(want):
                    raise
                self.done(want)
                taken, waited_s = self._wait_for_rate_limit(request, want, waited_s)

    def _sent(self, request: Request, taken: Taken | None, room: Room) -> bytes:
        self._key_status.asked()
        settle = self._rate_limit.landed
        try:
            body = self._http.send(request, room)
        except ServiceError as error:
            self._key_status.answered(error)
            if was_not_sent(error):
                settle = self._rate_limit.give_back
            raise
        finally:
            settle(taken)
        self._key_status.answered(None)
        return body

    def _max_wait_s(self, want: Want) -> float:
        return (
            10 * self._patience_s if want.priority in {Priority.SYNC, Priority.BACKLOG} else self._patience_s
        )

    def _wait_for_rate_limit(
        self, request: Request, want: Want, waited_s: float
    ) -> tuple[Taken | None, float]:
        was_claimed = False
        while not (verdict := self._rate_limit.take(want)).is_taken:
            if verdict.is_claimed:
                was_claimed = True
                self._patience.pause(verdict.wait_s)
                continue
            if was_claimed:
                raise FetchedElsewhere
            if waited_s + verdict.wait_s > self._max_wait_s(want):
                raise RateLimited(
                    request.method,
                    request.target,
                    retry_after_s=verdict.wait_s,
                    text="request limit reached",
                    may_have_arrived=False,
                )
            level = logging.WARNING if want.priority is Priority.PERSON else logging.INFO
            what = f"{BUDGET_REASON}: {request.method} {request.target}"
            _LOGGER.log(level, "waiting %.1f s for %s", verdict.wait_s, what)
            self._patience.wait(verdict.wait_s, BUDGET_REASON)
            waited_s += verdict.wait_s
        if was_claimed:
            self.done(want)
            raise FetchedElsewhere
        return verdict.taken, waited_s


def is_worth_repeating(error: Exception) -> bool:
    """Whether the same request may succeed in a moment, and does no harm if the first one arrived."""
    if not isinstance(error, ServiceError) or (error.method != "GET" and error.may_have_arrived):
        return False
    if isinstance(error, UnexpectedStatus):
        return error.status is not None and error.status >= 500 and error.status != _DISK_FULL
    if isinstance(error, UnreadableResponse):
        return error.is_cut
    return isinstance(error, Unreachable) and not isinstance(error, Untrusted)


def was_not_sent(error: Exception) -> bool:
    """Whether no service took the request; such a request does not count for the rate limit."""
    return isinstance(error, Unreachable) and not error.may_have_arrived


def repeated(send: Callable[[], T], *, is_patient: bool = False) -> T:
    """Send, and repeat with growing pauses while `is_worth_repeating`; more attempts if no service took the request."""
    sent = 0

    def is_repeated(error: Exception) -> bool:
        return is_worth_repeating(error) and (sent < ATTEMPTS or (is_patient and was_not_sent(error)))

    for attempt in stamina.retry_context(
        on=is_repeated,
        attempts=PATIENT_ATTEMPTS,
        timeout=DEADLINE_S,
        wait_initial=FIRST_WAIT_S,
        wait_max=MAX_WAIT_S,
        wait_jitter=JITTER_S,
    ):
        with attempt:
            sent = attempt.num
            return send()
    raise AssertionError("stamina raises the last error")


_OTHER_HOOKS = get_on_retry_hooks()


def _log_retry(details: RetryDetails) -> None:
    """Log the request and the error; stamina would log the name of a code block."""
    if not isinstance(details.caused_by, ServiceError):
        for hook in _OTHER_HOOKS:
            hook(details)
        return
    attempt = details.retry_num + 1
    _LOGGER.warning("retrying in %.1f s (attempt %d): %s", details.wait_for, attempt, details.caused_by)


set_on_retry_hooks([_log_retry])


@dataclass(frozen=True, slots=True)
class Context:
    """The parts of one client that its readers share."""

    scope: str  # the service with the key, as in the cache
    fetcher: Fetcher
    threads: Threads
    flights: SingleFlight
    options: Options
    grew: Callable[[int], None]  # called with the bytes that were written to the cache
    failures: Memo[tuple[ServiceError, float]] = field(default_factory=lambda: Memo(_MAX_FAILURES))

    def failed(self, key: Hashable, error: ServiceError) -> None:
        """Note the failure of a fetch."""
        self.failures.put(key, (error, self.options.clock()))

    def recent_failure(self, key: Hashable) -> ServiceError | None:
        """The failure of a fetch a moment ago: show it next to the cached data, and do not fetch again yet."""
        error, failed_at = self.failures.get(key) or (None, 0.0)
        return error if 0 <= self.options.clock() - failed_at < FAILURE_REST_S else None

    def refresh(self, key: Hashable, fetch: Callable[[], object]) -> None:
        """Fetch in the background, and note a failure."""
        self.threads.later(key, partial(self._refresh, key, fetch))

    def _refresh(self, key: Hashable, fetch: Callable[[], object]) -> None:
        try:
            fetch()
        except ServiceError as error:
            self.failed(key, error)
            raise
