"""What a client can be told besides the service and the key; clock, sleep and today are handed in for tests."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime

from coachboard.client.http import READ_TIMEOUT_S
from coachboard.settings import Settings


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a client.

    `strict` raises where a row is not of the interface instead of setting it aside. `sleep` of None waits in a
    way that closing the client ends.
    """

    timeout_s: float = READ_TIMEOUT_S
    cache_max_mb: int = 2_000
    strict: bool = False
    today: date | None = None
    clock: Callable[[], float] = time.time
    sleep: Callable[[float], None] | None = None
    patience_s: float = 65.0  # the longest wait for the budget: a little over its window

    @classmethod
    def of(cls, settings: Settings) -> "Options":
        return cls(timeout_s=settings.timeout_s, cache_max_mb=settings.cache_max_mb, today=settings.today)

    def day(self) -> int:
        """Today, as an ordinal."""
        today = self.today or datetime.fromtimestamp(self.clock(), UTC).date()
        return today.toordinal()
