"""One fetch: wait for the budget, send, repeat what is worth it, honour a 429."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from coachboard.client.acceptance import Acceptance
from coachboard.client.budget import Budget, Priority, Taken, Want
from coachboard.client.errors import (
    RateLimited,
    ServiceError,
    UnexpectedStatus,
    Unreachable,
    UnreadableResponse,
)
from coachboard.client.http import Http, Request
from coachboard.client.retry import never_left, repeated
from coachboard.client.waiting import Patience

T = TypeVar("T")

BUDGET_REASON = "the service's request limit"

TROUBLE = (Unreachable, UnexpectedStatus, UnreadableResponse)
"""What ails the service as a whole, and not the one thing that was asked for."""


class FetchedElsewhere(Exception):  # noqa: N818 (a turn of events, never shown)
    """Another process was fetching the same and is done: look again."""


class Fetcher:
    """Sends requests within the budget; safe for many threads."""

    def __init__(
        self, http: Http, budget: Budget, acceptance: Acceptance, patience: Patience, *, patience_s: float
    ) -> None:
        self._http = http
        self._budget = budget
        self._acceptance = acceptance
        self._patience = patience
        self._patience_s = patience_s
        self._trouble: ServiceError | None = None
        self._was_waited_for = False  # and did not come back: the next ones wait no longer than others do

    @property
    def trouble(self) -> ServiceError | None:
        """What the last fetch failed of; None since the service answered again."""
        return self._trouble

    def fetch(self, request: Request, want: Want, read: Callable[[bytes], T]) -> T:
        """What `read` makes of the body; it may raise `ServiceError` as sending does.

        Raises `FetchedElsewhere` where the want's claim was another's.
        """
        is_patient = want.is_needed and want.priority is Priority.PERSON and not self._was_waited_for
        once = partial(self._once, request, want, read)
        try:
            value = once() if self._is_vain(want) else repeated(once, is_patient=is_patient)
        except TROUBLE as error:
            self._trouble = error
            self._was_waited_for = self._was_waited_for or (is_patient and never_left(error))
            raise
        self._trouble, self._was_waited_for = None, False
        return value

    def _is_vain(self, want: Want) -> bool:
        """Whether one attempt is enough: there is something to show, and the last request found nobody."""
        trouble = self._trouble
        return not want.is_needed and trouble is not None and never_left(trouble)

    def done(self, want: Want) -> None:
        """Let others see that the fetch is over, once what came of it is in the cache."""
        if want.claim:
            self._budget.release(want.claim)

    def _once(self, request: Request, want: Want, read: Callable[[bytes], T]) -> T:
        try:
            return read(self._send(request, want))
        except ServiceError:
            self.done(want)  # or the next attempt would wait for this one
            raise

    def _send(self, request: Request, want: Want) -> bytes:
        taken, waited_s = self._wait_for_budget(request, want, 0.0)
        while True:
            try:
                return self._sent(request, taken)
            except RateLimited as error:
                self._budget.hold(want.user_id, error.retry_after_s)
                if request.method != "GET" or waited_s + error.retry_after_s > self._longest(want):
                    raise
                self.done(want)
                taken, waited_s = self._wait_for_budget(request, want, waited_s)

    def _sent(self, request: Request, taken: Taken | None) -> bytes:
        self._acceptance.asked()
        settle = self._budget.landed
        try:
            body = self._http.send(request)
        except ServiceError as error:
            self._acceptance.told(error)
            if isinstance(error, Unreachable) and not error.may_have_arrived:
                settle = self._budget.give_back
            raise
        finally:
            settle(taken)
        self._acceptance.told(None)
        return body

    def _longest(self, want: Want) -> float:
        return 10 * self._patience_s if want.priority is Priority.SYNC else self._patience_s

    def _wait_for_budget(self, request: Request, want: Want, waited_s: float) -> tuple[Taken | None, float]:
        was_claimed = False
        while not (verdict := self._budget.take(want)).is_taken:
            if verdict.is_claimed:
                was_claimed = True
                self._patience.pause(verdict.wait_s)
                continue
            if was_claimed:
                raise FetchedElsewhere
            if waited_s + verdict.wait_s > self._longest(want):
                raise RateLimited(
                    request.method,
                    request.target,
                    retry_after_s=verdict.wait_s,
                    text="request limit reached",
                    may_have_arrived=False,
                )
            self._patience.wait(verdict.wait_s, BUDGET_REASON)
            waited_s += verdict.wait_s
        if was_claimed:
            self.done(want)
            raise FetchedElsewhere
        return verdict.taken, waited_s
