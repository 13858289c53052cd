"""A row for each athlete of the squad, loaded while a page is shown; a failed row hides no other."""

import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from math import inf
from typing import TypeVar

from coachboard.client import Client
from coachboard.client.errors import ServiceError
from coachboard.client.waiting import Progress
from coachboard.loaders.athlete_today import AthleteToday, athlete_today
from coachboard.loaders.roster_row import RosterRow, load_row
from coachboard.ui.frame import connection
from coachboard.ui.frame.page import Page
from coachboard.wire.users import User

T = TypeVar("T")

FRESH_S = 300.0
"""An older roster is loaded again while the page shows the old one."""
PROBE_S = 0.05
"""Wait this long for the first athlete: a cached one arrives sooner, others need requests."""
LONGEST_HOLD_S = 1.0
RENEWAL_ROUND_S = 10.0
RENEWAL_ROUNDS = 30
"""How often to check rows that refresh; each check waits at most `RENEWAL_ROUND_S`."""


class RosterPhase(StrEnum):
    """The state of a roster."""

    READING = "reading"
    RENEWING = "renewing"  # complete, while rows are renewed
    WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class Roster:
    """The roster's rows so far, in the order of the athletes."""

    rows: Mapping[str, RosterRow]
    failed: Mapping[str, ServiceError]
    waiting: tuple[str, ...]
    progress: Progress
    phase: RosterPhase

    @property
    def is_filling(self) -> bool:
        """Whether rows of this pass are still loading."""
        return self.phase is RosterPhase.READING


class RosterFill:
    """Loads the rows in a worker while pages read them; safe for several sessions: the worker alone writes rows.

    The first athlete loads alone. If that takes longer than reading the cache, the others wait until the page has drawn
    the names: fifty at once delayed the page by a second.

    `newest` holds the newest row of each athlete. The rosters of a key share it, because a new or changed athlete makes a
    new roster.
    """

    def __init__(
        self,
        client: Client,
        users: Sequence[User],
        *,
        day_of: Callable[[str], AthleteToday],
        thresholds: Mapping[str, float],
        newest: dict[str, RosterRow] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._clock = clock
        self._started = -inf
        self._users = {user.id: user for user in users}
        self._day_of = day_of
        self._days: dict[str, AthleteToday] = {}
        self._thresholds = dict(thresholds)
        self._newest = {} if newest is None else newest
        for user_id in self._newest.keys() - self._users.keys():
            self._newest.pop(user_id, None)
        self._rows: dict[str, RosterRow] = {}
        self._failed: dict[str, ServiceError] = {}
        self._progress = Progress(0, len(users))
        self._worker = ThreadPoolExecutor(1, "coachboard-roster")
        self._reading: Future[None] | None = None
        self._renewing: Future[None] | None = None
        self._is_probed = False
        self._is_held = False
        self._go = threading.Event()

    def read_again_after(self, age_s: float) -> None:
        """Load all rows again, unless a pass is running or recent; existing rows stay until replaced.

        A complete roster that was just seen is renewed in the background. A person waits for the rows of an older one,
        which may be hours old, for rows that could not be refreshed, and after "Try again" (an age of 0).
        """
        old_s = self._clock() - self._started
        if self._phase() is RosterPhase.WHOLE and old_s >= age_s:
            self._started = self._clock()
            rows = dict(self._rows)
            is_complete = len(rows) == len(self._users)
            has_errors = any(row.error is not None for row in rows.values())
            is_waited_for = old_s >= 2 * age_s or not is_complete or has_errors
            if is_waited_for:
                self._progress = Progress(0, len(self._users))
                self._reading = self._worker.submit(self._read_all)
                self._renewing = self._worker.submit(self._renew_incomplete)
            else:
                self._reading, self._renewing = None, self._worker.submit(self._renew_all)

    def wait(self, timeout_s: float) -> None:
        """Wait briefly, so that a cached roster is complete in its first drawing."""
        reading = self._reading
        if reading is None:
            return
        if self._go.wait(min(PROBE_S, timeout_s)):
            wait([reading], timeout_s)
        else:
            self._is_held = True

    def go_on(self) -> None:
        """Load the other athletes; the page calls this when it has drawn its first rows."""
        self._go.set()

    def look(self) -> Roster:
        """The rows so far. An error of the worker that is no `ServiceError` is raised here, in the page's thread."""
        for work in (self._reading, self._renewing):
            if work is not None and work.done():
                work.result()
        phase, rows, failed = self._phase(), dict(self._rows), dict(self._failed)
        return Roster(
            rows=rows,
            failed=failed,
            waiting=tuple(user_id for user_id in self._users if user_id not in rows | failed),
            progress=self._progress,
            phase=phase,
        )

    @property
    def days(self) -> dict[str, AthleteToday]:
        """The athlete's date with which each row was computed, by athlete."""
        return dict(self._days)

    def _phase(self) -> RosterPhase:
        if self._reading is not None and not self._reading.done():
            return RosterPhase.READING
        is_over = self._renewing is None or self._renewing.done()
        return RosterPhase.WHOLE if is_over else RosterPhase.RENEWING

    def _read_all(self) -> None:
        """Read each row; sessions are scored afterwards, else their samples take the requests that the last rows need."""
        ask = partial(self._ask, may_score=False)
        for user_id, outcome in self._client.pool.each(ask, self._users, on_progress=self._heard):
            self._take({user_id: outcome})

    def _renew_incomplete(self) -> None:
        """Renew the rows that were read from old data."""
        old = [user_id for user_id, row in self._rows.items() if row.is_incomplete]
        self._renew(old, is_waited_for=True)

    def _renew_all(self) -> None:
        """Renew a complete roster: its rows stay until refreshed ones have come."""
        outcomes = self._ask_in_turn(self._users)
        old = _still_old(outcomes)
        self._take({user_id: outcome for user_id, outcome in outcomes.items() if user_id not in old})
        self._renew(old, is_waited_for=False)

    def _renew(self, old: Collection[str], *, is_waited_for: bool) -> None:
        """Replace cached rows by refreshed ones: each as it arrives if a person waits for them, else all at once.

        Each change makes each session draw its table again.
        """
        for _ in range(RENEWAL_ROUNDS):
            if not old:
                return
            self._client.is_settled(RENEWAL_ROUND_S)
            outcomes: dict[str, _Outcome] = {}
            if is_waited_for:
                for user_id, outcome in self._client.pool.each(self._ask, old):
                    self._take({user_id: outcome})
                    outcomes[user_id] = outcome
            else:
                outcomes = self._ask_in_turn(old)
                self._take(outcomes)
            old = _still_old(outcomes)

    def _ask_in_turn(self, ids: Collection[str]) -> "dict[str, _Outcome]":
        """One athlete after the other: pages keep the processor while nobody waits for the rows."""
        outcomes: dict[str, _Outcome] = {}
        for user_id in ids:
            outcomes.update(self._client.pool.each(self._ask, [user_id]))
        return outcomes

    def _ask(self, user_id: str, *, may_score: bool = True) -> tuple[RosterRow, AthleteToday]:
        is_probe, self._is_probed = not self._is_probed, True
        if not is_probe:
            self._go.wait(LONGEST_HOLD_S)
        try:
            day = self._day_of(user_id)
            row = load_row(
                self._client,
                self._users[user_id],
                today=day.day,
                thresholds=self._thresholds,
                before=(self._rows.get(user_id), self._newest.get(user_id)),
                may_score=may_score,
            )
            if not row.is_stale:
                self._newest[user_id] = row
            return row, day
        finally:
            if not self._is_held:
                self._go.set()

    def _take(self, outcomes: "Mapping[str, _Outcome]") -> None:
        for user_id, outcome in outcomes.items():
            if isinstance(outcome, ServiceError):
                self._failed[user_id] = outcome
                self._rows.pop(user_id, None)
            else:
                row, self._days[user_id] = outcome
                self._rows[user_id] = row
                self._failed.pop(user_id, None)

    def _heard(self, progress: Progress) -> None:
        self._progress = progress


_Outcome = tuple[RosterRow, AthleteToday] | ServiceError


def _still_old(outcomes: Mapping[str, _Outcome]) -> list[str]:
    """The athletes whose rows are not complete: lists refresh, or sessions wait for their score."""
    return [
        user_id
        for user_id, outcome in outcomes.items()
        if not isinstance(outcome, ServiceError) and outcome[0].is_incomplete
    ]


def squad_rows(page: Page) -> RosterFill:
    """The rows of the page's athletes, shared by the pages that need them; loading starts in the background."""
    thresholds = tuple(sorted(page.preferences.flag_thresholds.items()))
    users = tuple(athlete.user for athlete in page.athletes)
    client, clock = page.client, page.clock
    newest: dict[str, RosterRow] = connection.shared(client, "newest roster rows", dict)

    def make() -> RosterFill:
        return RosterFill(
            client,
            users,
            day_of=lambda user_id: athlete_today(client, user_id, clock),
            thresholds=dict(thresholds),
            newest=newest,
        )

    # The rows hold the client: in Streamlit's cache they kept it for an hour, 300 MB after twelve people had left.
    fill = connection.shared(client, ("roster", page.today, thresholds, users), make)
    fill.read_again_after(FRESH_S)
    return fill
