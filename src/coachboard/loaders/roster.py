"""The roster: one row an athlete, filled while the page is already shown; one failure hides nobody."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import inf
from typing import Protocol, TypeVar

from coachboard.client.errors import ServiceError
from coachboard.client.fanout import Progress
from coachboard.loaders.athlete_day import AthleteDay
from coachboard.loaders.gathering import Lists
from coachboard.loaders.roster_row import RosterRow, load_row
from coachboard.models.users import User

T = TypeVar("T")

FRESH_S = 300.0
"""A roster older than this is read again behind what is shown."""
PROBE_S = 0.05
"""A first athlete whom the client knows is there sooner; whoever is not has to be asked for."""
LONGEST_HOLD_S = 1.0
RENEWAL_ROUND_S = 10.0
RENEWAL_ROUNDS = 30
"""How often rows that are being fetched anew are looked at again: five minutes at most."""


class Phase(StrEnum):
    """How far a roster is."""

    READING = "reading"
    RENEWING = "renewing"  # all is there, some of it last known and being fetched anew
    WHOLE = "whole"


class RosterSource(Lists, Protocol):
    """What the roster asks of the client."""

    def each_user(
        self,
        ask: Callable[[str], T],
        user_ids: Iterable[str],
        *,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Iterator[tuple[str, T | ServiceError]]: ...
    def is_settled(self, timeout_s: float = ...) -> bool: ...


@dataclass(frozen=True, slots=True, eq=False)
class Roster:
    """What of the roster is known at a moment, in the order of the athletes asked for."""

    rows: Mapping[str, RosterRow]
    failed: Mapping[str, ServiceError]
    waiting: tuple[str, ...]
    progress: Progress
    phase: Phase

    @property
    def is_filling(self) -> bool:
        """Whether rows are still to come for the first time in this reading."""
        return self.phase is Phase.READING


class RosterFill:
    """Fills the rows in a thread of its own while pages look at what is there; safe for several sessions.

    The first athlete goes ahead alone. Where that takes longer than reading what is known, the others wait until the
    page has drawn the names: fifty at once held the page up for a second.
    """

    def __init__(
        self,
        client: RosterSource,
        users: Sequence[User],
        *,
        day_of: Callable[[str], AthleteDay],
        thresholds: Mapping[str, float],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._clock = clock
        self._started = -inf
        self._users = {user.id: user for user in users}
        self._day_of = day_of
        self._days: dict[str, AthleteDay] = {}
        self._thresholds = dict(thresholds)
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
        """Read everybody, unless that is under way or was done lately; rows that are there stay meanwhile."""
        with self._lock:
            is_under_way = self._thread is not None and self._thread.is_alive()
            if not is_under_way and self._clock() - self._started >= age_s:
                self._started = self._clock()
                self._fault = None
                self._all_read.clear()
                self._progress = Progress(0, len(self._users))
                self._thread = threading.Thread(target=self._fill, name="coachboard-roster", daemon=True)
                self._thread.start()

    def wait(self, timeout_s: float) -> None:
        """Give the filling a moment, so that a warm roster is whole when it is first drawn."""
        if self._thread is None:
            return
        if self._go.wait(min(PROBE_S, timeout_s)):
            self._all_read.wait(timeout_s)
        else:
            self._is_held = True

    def go_on(self) -> None:
        """The page has drawn what there is; the others may be read."""
        self._go.set()

    def look(self) -> Roster:
        """What is there now; a fault that is none of the service's is raised here, in the page's thread."""
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
    def days(self) -> dict[str, AthleteDay]:
        """The day of each athlete by which their row was computed."""
        with self._lock:
            return dict(self._days)

    def _phase(self) -> Phase:
        if self._thread is None or not self._thread.is_alive():
            return Phase.WHOLE
        return Phase.RENEWING if self._all_read.is_set() else Phase.READING

    def _fill(self) -> None:
        try:
            self._read(self._users)
            self._all_read.set()
            self._renew()
        except Exception as fault:  # noqa: BLE001 (handed to the page's thread, which raises it)
            with self._lock:
                self._fault = fault
        finally:
            self._all_read.set()

    def _read(self, ids: Iterable[str]) -> None:
        for user_id, outcome in self._client.each_user(self._ask, ids, on_progress=self._heard):
            self._take(user_id, outcome)

    def _renew(self) -> None:
        """Put what is fetched anew in the place of what was last known, as it comes."""
        for _ in range(RENEWAL_ROUNDS):
            with self._lock:
                old = [user_id for user_id, row in self._rows.items() if row.is_stale]
            if not old:
                return
            self._client.is_settled(RENEWAL_ROUND_S)
            self._read(old)

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
