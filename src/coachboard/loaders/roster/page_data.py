"""Data of the roster: a row per athlete, loaded while the page is shown; a failed row hides no other."""

import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import inf
from typing import TypeVar

from coachboard.client import Client
from coachboard.client.concurrency import Progress
from coachboard.client.errors import ServiceError
from coachboard.loaders.athlete_today import AthleteToday
from coachboard.loaders.roster.row import RosterRow, load_row
from coachboard.models.users import User

T = TypeVar("T")

FRESH_S = 300.0
"""An older roster is loaded again while the page shows the old one."""
PROBE_S = 0.05
"""Wait this long for the first athlete: a cached one arrives sooner, others need requests."""
LONGEST_HOLD_S = 1.0
RENEWAL_ROUND_S = 10.0
RENEWAL_ROUNDS = 30
"""How often to check rows that refresh: at most for five minutes."""
_RENEWAL_TURN = threading.Lock()
_REST, _LONGEST_REST_S = 3.0, 0.2
"""Squads renew their rows in turn, an athlete at a time, with a rest of three times the length of each turn: with twelve
squads whose rows refresh together, renewals took three quarters of the process's time, and pages waited."""


class RosterPhase(StrEnum):
    """The state of a roster."""

    READING = "reading"
    RENEWING = "renewing"  # complete, with some cached rows that are refreshing
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
    """Loads the rows in its own thread while pages read them; safe for several sessions.

    The first athlete loads alone. If that takes longer than reading the cache, the others wait until the page has drawn
    the names: fifty at once delayed the page by a second.
    """

    def __init__(
        self,
        client: Client,
        users: Sequence[User],
        *,
        day_of: Callable[[str], AthleteToday],
        thresholds: Mapping[str, float],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._clock = clock
        self._started = -inf
        self._users = {user.id: user for user in users}
        self._day_of = day_of
        self._days: dict[str, AthleteToday] = {}
        self._thresholds = dict(thresholds)
        self._lock = threading.RLock()
        self._rows: dict[str, RosterRow] = {}
        self._failed: dict[str, ServiceError] = {}
        self._progress = Progress(0, len(users))
        self._thread: threading.Thread | None = None
        self._all_read = threading.Event()
        self._is_probed = False
        self._is_held = False
        self._go = threading.Event()
        self._fault: Exception | None = None

    def read_again_after(self, age_s: float) -> None:
        """Load all rows again, unless a pass is running or recent; existing rows stay until replaced.

        A complete roster is renewed in the background; with an age of 0 a person waits for the pass.
        """
        with self._lock:
            is_under_way = self._thread is not None and self._thread.is_alive()
            if not is_under_way and self._clock() - self._started >= age_s:
                self._started = self._clock()
                self._fault = None
                is_complete = age_s > 0 and len(self._rows) == len(self._users)
                if not is_complete:
                    self._all_read.clear()
                    self._progress = Progress(0, len(self._users))
                load = self._renew_all if is_complete else self._read_all
                self._thread = threading.Thread(
                    target=self._guarded, args=(load,), name="coachboard-roster", daemon=True
                )
                self._thread.start()

    def wait(self, timeout_s: float) -> None:
        """Wait briefly, so that a cached roster is complete in its first drawing."""
        if self._thread is None:
            return
        if self._go.wait(min(PROBE_S, timeout_s)):
            self._all_read.wait(timeout_s)
        else:
            self._is_held = True

    def go_on(self) -> None:
        """Load the other athletes; the page calls this when it has drawn its first rows."""
        self._go.set()

    def look(self) -> Roster:
        """The rows so far. An error of the loading thread that is no `ServiceError` is raised here, in the page's thread."""
        with self._lock:
            if self._fault is not None:
                raise self._fault
            known = self._rows.keys() | self._failed.keys()
            return Roster(
                rows=dict(self._rows),
                failed=dict(self._failed),
                waiting=tuple(user_id for user_id in self._users if user_id not in known),
                progress=self._progress,
                phase=self._phase(),
            )

    @property
    def days(self) -> dict[str, AthleteToday]:
        """The athlete's date with which each row was computed, by athlete."""
        with self._lock:
            return dict(self._days)

    def _phase(self) -> RosterPhase:
        if self._thread is None or not self._thread.is_alive():
            return RosterPhase.WHOLE
        return RosterPhase.RENEWING if self._all_read.is_set() else RosterPhase.READING

    def _guarded(self, load: Callable[[], None]) -> None:
        try:
            load()
        except Exception as fault:  # noqa: BLE001 (handed to the page's thread, which raises it)
            with self._lock:
                self._fault = fault
        finally:
            self._all_read.set()

    def _read_all(self) -> None:
        for user_id, outcome in self._client.each_user(self._ask, self._users, on_progress=self._heard):
            self._take(user_id, outcome)
        self._all_read.set()
        with self._lock:
            old = [user_id for user_id, row in self._rows.items() if row.is_stale]
        self._renew(old)

    def _renew_all(self) -> None:
        self._renew(self._replaced(self._users))

    def _renew(self, old: Collection[str]) -> None:
        """Replace cached rows by refreshed ones."""
        for _ in range(RENEWAL_ROUNDS):
            if not old:
                return
            self._client.is_settled(RENEWAL_ROUND_S)
            old = self._replaced(old)

    def _replaced(self, ids: Iterable[str]) -> list[str]:
        """Replace these rows together and return the athletes whose data still refresh, whose rows stay.

        Each change of the roster makes each session draw its table again.
        """
        found: dict[str, RosterRow | ServiceError] = {}
        for user_id in ids:
            with _RENEWAL_TURN:
                started = time.monotonic()
                found.update(self._client.each_user(self._ask, [user_id]))
                time.sleep(min(_REST * (time.monotonic() - started), _LONGEST_REST_S))
        old = [user_id for user_id, row in found.items() if isinstance(row, RosterRow) and row.is_stale]
        with self._lock:
            for user_id in found.keys() - set(old):
                self._take(user_id, found[user_id])
        return old

    def _ask(self, user_id: str) -> RosterRow:
        with self._lock:
            is_probe, self._is_probed = not self._is_probed, True
        if not is_probe:
            self._go.wait(LONGEST_HOLD_S)
        try:
            day = self._days[user_id] = self._day_of(user_id)
            return load_row(self._client, self._users[user_id], today=day.day, thresholds=self._thresholds)
        finally:
            if not self._is_held:
                self._go.set()

    def _take(self, user_id: str, outcome: RosterRow | ServiceError) -> None:
        with self._lock:
            if isinstance(outcome, ServiceError):
                self._failed[user_id] = outcome
                self._rows.pop(user_id, None)
            else:
                self._rows[user_id] = outcome
                self._failed.pop(user_id, None)

    def _heard(self, progress: Progress) -> None:
        with self._lock:
            self._progress = progress
