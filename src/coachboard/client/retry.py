"""One fetch: wait for the rate limit, send, repeat after a fault that passes, wait after a 429.

Only requests that do no harm twice are repeated.
"""

import copy
import logging
import time
from collections.abc import Callable, Hashable
from functools import partial
from math import inf
from random import uniform
from typing import TypeVar

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
from coachboard.client.http import Http
from coachboard.client.options import Options
from coachboard.client.pacing import Call, Policy, RateLimit
from coachboard.client.resources import Request
from coachboard.client.waiting import Memo, Patience, Workers

_LOGGER = logging.getLogger(__name__)

T = TypeVar("T")

_DISK_FULL = 507
"""A second attempt finds no more room than the first one."""
ATTEMPTS = 4
PATIENT_ATTEMPTS = 7
"""Of a request that no service took: five to six seconds in all, in which a service that restarts is up again."""
DEADLINE_S = 20.0
LONGEST_WAIT_S = 65.0
"""The longest wait for the rate limit: a little over its window; in the background four times as long."""
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

FAILURE_REST_S = 15.0
"""How long a refused key is not tried again, nor a failed fetch while cached data can be shown."""

_MAX_FAILURES = 10_000
_KEY = "key"  # its failure is the refusal


class Fetcher:
    """Sends the requests of one client within the rate limit; safe for many threads."""

    def __init__(self, http: Http, rate_limit: RateLimit, patience: Patience, options: Options) -> None:
        self.options = options
        self.workers = Workers()
        self._http = http
        self._rate_limit = rate_limit
        self._patience = patience
        self._asked_at = -inf
        self._refusal: Unauthorized | None = None
        self._failures: Memo[tuple[ServiceError, float]] = Memo(_MAX_FAILURES)
        self.trouble: ServiceError | None = None
        """The error of the last fetch; None since the service answered again."""

    def fetch(
        self,
        request: Request,
        read: Callable[[bytes], T],
        *,
        policy: Policy = Policy.INTERACTIVE,
        is_needed: bool = False,
    ) -> T:
        """The result of `read` for the body; raises the errors of sending and of `read`.

        `is_needed`: a page has nothing to show without it, so a longer wait is worth it.
        """
        once = partial(self._once, request, policy, read)
        # The request before has waited for the service in vain: this one does not wait again.
        is_away = self.trouble is not None and was_not_sent(self.trouble)
        unsent_attempts = 1 if is_away else PATIENT_ATTEMPTS if is_needed else ATTEMPTS
        try:
            value = repeated(once, self._patience.pause, unsent_attempts=unsent_attempts)
        except TROUBLE as error:
            self.trouble = error
            raise
        self.trouble = None
        return value

    @property
    def is_key_check_due(self) -> bool:
        """Whether no request has used the key for a while."""
        return not 0 <= self.options.clock() - self._asked_at < KEY_CHECK_S

    def require_key(self, ask: Callable[[], object]) -> None:
        """Raise `Unauthorized` if the service has refused the key, whose cached data must not be shown.

        After a rest, `ask` finds out whether the service still refuses it.
        """
        refusal = self._refusal
        if refusal is None:
            return
        if (failure := self.recent_failure(_KEY)) is not None:
            raise failure
        try:
            ask()
        except Unauthorized:
            raise
        except ServiceError as error:
            raise copy.copy(refusal) from error

    def failed(self, key: Hashable, error: ServiceError) -> None:
        """Note the failure of a fetch."""
        self._failures.put(key, (error, self.options.clock()))

    def recent_failure(self, key: Hashable) -> ServiceError | None:
        """The failure of a fetch a moment ago: show it next to the cached data, and do not fetch again yet.

        A copy: each thread that raised the kept error would write into its traceback.
        """
        error, failed_at = self._failures.get(key) or (None, 0.0)
        return copy.copy(error) if 0 <= self.options.clock() - failed_at < FAILURE_REST_S else None

    def forget_failures(self) -> None:
        """Fetch again at once what failed a moment ago."""
        self._failures.remove_if(lambda _key: True)

    def refresh(self, key: Hashable, fetch: Callable[[], object]) -> ServiceError | None:
        """Fetch in the background and note a failure; returns the failure of a moment ago instead."""
        failure = self.recent_failure(key)
        if failure is None:
            self.workers.later(key, partial(self._refresh, key, fetch))
        return failure

    def _refresh(self, key: Hashable, fetch: Callable[[], object]) -> None:
        try:
            fetch()
        except ServiceError as error:
            self.failed(key, error)
            raise

    def _once(self, request: Request, policy: Policy, read: Callable[[bytes], T]) -> T:
        """Wait until the rate limit has room, and send. A 429 sets a hold: a read waits for its end and is sent again.

        Raises `RateLimited` for a longer wait than the limit of the policy, and for a write after a 429.
        """
        self._patience.require_open()
        if request.is_own_data:  # limits of their own, which count none of these requests
            return self._sent(request, Call(request.user_id, self.options.clock()), read)
        longest_s = LONGEST_WAIT_S * (4 if policy is Policy.BACKGROUND else 1)
        waited_s = 0.0
        while True:
            call_or_wait_s = self._rate_limit.take(request.user_id, policy)
            if isinstance(call_or_wait_s, Call):
                try:
                    return self._sent(request, call_or_wait_s, read)
                except RateLimited as error:
                    self._rate_limit.hold(request.user_id, error.wait_s)
                    if request.method != "GET" or waited_s + error.wait_s > longest_s:
                        raise
                continue
            if waited_s + call_or_wait_s > longest_s:
                raise _limit_reached(request, call_or_wait_s)
            level = logging.WARNING if policy is Policy.INTERACTIVE else logging.INFO
            what = f"{BUDGET_REASON}: {request.method} {request.target}"
            _LOGGER.log(level, "waiting %.1f s for %s", call_or_wait_s, what)
            self._patience.wait(call_or_wait_s, BUDGET_REASON)
            waited_s += call_or_wait_s

    def _sent(self, request: Request, call: Call, read: Callable[[bytes], T]) -> T:
        self._asked_at = self.options.clock()
        settle = self._rate_limit.landed
        try:
            value = self._http.send(request, read)
        except ServiceError as error:
            if isinstance(error, Unauthorized):
                self._refusal = error
                self.failed(_KEY, error)
            if was_not_sent(error):
                settle = self._rate_limit.give_back
            raise
        finally:
            settle(call)
        self._refusal = None
        return value


def _limit_reached(request: Request, wait_s: float) -> RateLimited:
    text = "request limit reached"
    return RateLimited(
        request.method, request.target, retry_after_s=wait_s, text=text, may_have_arrived=False
    )


def is_worth_repeating(error: ServiceError) -> bool:
    """Whether the same request may succeed in a moment, and does no harm if the first one arrived."""
    if error.method != "GET" and error.may_have_arrived:
        return False
    if isinstance(error, UnexpectedStatus):
        return error.status is not None and error.status >= 500 and error.status != _DISK_FULL
    if isinstance(error, UnreadableResponse):
        return error.is_cut
    return isinstance(error, Unreachable) and not isinstance(error, Untrusted)


def was_not_sent(error: Exception) -> bool:
    """Whether no service took the request; such a request does not count for the rate limit."""
    return isinstance(error, Unreachable) and not error.may_have_arrived


def repeated(send: Callable[[], T], pause: Callable[[float], None], *, unsent_attempts: int) -> T:
    """Send, and repeat with growing pauses while `is_worth_repeating`; raises the last error.

    There are `ATTEMPTS`, and `unsent_attempts` where no service took the request.
    """
    give_up_at = time.monotonic() + DEADLINE_S
    attempt = 0
    while True:
        attempt += 1
        try:
            return send()
        except ServiceError as error:
            attempts = unsent_attempts if was_not_sent(error) else ATTEMPTS
            if attempt >= attempts or not is_worth_repeating(error) or time.monotonic() > give_up_at:
                raise
            wait_s = min(FIRST_WAIT_S * 2 ** (attempt - 1), MAX_WAIT_S) + uniform(0, JITTER_S)  # noqa: S311 (no secret)
            _LOGGER.warning("retrying in %.1f s (attempt %d): %s", wait_s, attempt + 1, error)
        pause(wait_s)
