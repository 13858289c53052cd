"""Data of the roster: a row per athlete, loaded while the page is shown; a failed row hides no other."""

import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
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
"""How often to check rows that refresh; each check waits at most `RENEWAL_ROUND_S`."""
RENEWAL_PACE_S = 0.4
"""The pause before each athlete of a renewal: their five lists take 42 ms of processor time.

Without the pause, 400 people on one roster waited 0.43 s (p95 of ten seconds) while its rows were renewed.
"""
RENEWAL_PASS_S = 60.0
"""The longest sum of these pauses: lists are old again after 120 s."""
_RENEWALS: "set[RosterFill]" = set()
"""The rosters of all clients whose athletes are asked for in turn."""
_RENEWAL_TURN = threading.Lock()
_REST, _LONGEST_REST_S = 3.0, 10.0
"""Squads read their renewed rows in turn, with a rest of three times the length of each turn: with twelve squads whose
rows refresh together, renewals took three quarters of the process's time, and pages waited."""
_HANDOVER_S = 0.001
"""Between two turns of one squad: without it, the lock is not given to a squad that waits."""


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
    """Loads the rows in its own thread while pages read them; safe for several sessions.

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
        self._lock = threading.Lock()
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

        A complete roster that was just seen is renewed in the background. A person waits for the rows of an older one,
        which may be hours old, for rows that could not be refreshed, and after "Try again" (an age of 0).
        """
        with self._lock:
            is_under_way = self._thread is not None and self._thread.is_alive()
            old_s = self._clock() - self._started
            if not is_under_way and old_s >= age_s:
                self._started = self._clock()
                self._fault = None
                is_complete = len(self._rows) == len(self._users)
                has_errors = any(row.error is not None for row in self._rows.values())
                is_waited_for = old_s >= 2 * age_s or not is_complete or has_errors
                if is_waited_for:
                    self._all_read.clear()
                    self._progress = Progress(0, len(self._users))
                load = self._read_all if is_waited_for else self._renew_all
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
            self._take({user_id: outcome})
        self._all_read.set()
        with self._lock:
            old = [user_id for user_id, row in self._rows.items() if row.is_incomplete]
        self._renew(old, self._ask_at_once)

    def _renew_all(self) -> None:
        """Renew a complete roster: its rows stay until refreshed ones have come."""
        found: dict[str, _Outcome] = {}
        _RENEWALS.add(self)
        try:
            for user_id in self._users:
                self._client.pause(renewal_pause_s(len(self._users), squads=len(_RENEWALS)))
                found.update(self._client.each_user(self._ask, [user_id]))
        finally:
            _RENEWALS.discard(self)
        old = _still_old(found)
        self._take({user_id: outcome for user_id, outcome in found.items() if user_id not in old})
        self._renew(old, self._ask_together)

    def _renew(
        self, old: Collection[str], ask: "Callable[[Collection[str]], Mapping[str, _Outcome]]"
    ) -> None:
        """Replace cached rows by refreshed ones."""
        for _ in range(RENEWAL_ROUNDS):
            if not old:
                return
            self._client.is_settled(RENEWAL_ROUND_S)
            old = _still_old(ask(old))

    def _ask_at_once(self, ids: Collection[str]) -> "Mapping[str, _Outcome]":
        """Replace each row as it arrives: a person waits for them."""
        found: dict[str, _Outcome] = {}
        with _RENEWAL_TURN:
            started = time.monotonic()
            for user_id, outcome in self._client.each_user(self._ask, ids):
                self._take({user_id: outcome})
                found[user_id] = outcome
            _rest_after(started)
        return found

    def _ask_together(self, ids: Collection[str]) -> "Mapping[str, _Outcome]":
        """Replace the rows all at once: each change makes each session draw its table again."""
        found: dict[str, _Outcome] = {}
        for user_id in ids:
            with _RENEWAL_TURN:
                started = time.monotonic()
                found.update(self._client.each_user(self._ask, [user_id]))
                _rest_after(started)
            time.sleep(_HANDOVER_S)
        self._take(found)
        return found

    def _ask(self, user_id: str) -> tuple[RosterRow, AthleteToday]:
        with self._lock:
            is_probe, self._is_probed = not self._is_probed, True
        if not is_probe:
            self._go.wait(LONGEST_HOLD_S)
        try:
            day = self._day_of(user_id)
            with self._lock:
                before = self._rows.get(user_id), self._newest.get(user_id)
            row = load_row(
                self._client,
                self._users[user_id],
                today=day.day,
                thresholds=self._thresholds,
                before=before,
            )
            if not row.is_stale:
                self._newest[user_id] = row
            return row, day
        finally:
            if not self._is_held:
                self._go.set()

    def _take(self, found: "Mapping[str, _Outcome]") -> None:
        with self._lock:
            for user_id, outcome in found.items():
                if isinstance(outcome, ServiceError):
                    self._failed[user_id] = outcome
                    self._rows.pop(user_id, None)
                else:
                    self._rows[user_id], self._days[user_id] = outcome
                    self._failed.pop(user_id, None)

    def _heard(self, progress: Progress) -> None:
        with self._lock:
            self._progress = progress


_Outcome = tuple[RosterRow, AthleteToday] | ServiceError


def renewal_pause_s(athletes: int, *, squads: int) -> float:
    """The pause before each athlete of a squad, in seconds: squads that renew their rows together share the pace."""
    return min(RENEWAL_PACE_S * squads, RENEWAL_PASS_S / athletes)


def _rest_after(started: float) -> None:
    time.sleep(min(_REST * (time.monotonic() - started), _LONGEST_REST_S))


def _still_old(found: Mapping[str, _Outcome]) -> list[str]:
    """The athletes whose rows are not complete: lists refresh, or sessions wait for their score."""
    return [
        user_id
        for user_id, outcome in found.items()
        if not isinstance(outcome, ServiceError) and outcome[0].is_incomplete
    ]
