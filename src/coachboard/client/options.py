"""The options of a client. Tests pass in the clock, the sleep, today's date and the HTTP transport."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from coachboard.settings import Settings

if TYPE_CHECKING:
    import httpx

READ_TIMEOUT_S = 15.0


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a client.

    A `sleep` of None waits in a way that closing the client ends. A `transport` replaces the connections of httpx.
    `follows_changes` asks the Coachboard service before reads whose data changed, so that an import is visible at once;
    another service is asked once in ten minutes whether it knows.
    """

    timeout_s: float = READ_TIMEOUT_S
    cache_max_mb: int = 2_000
    follows_changes: bool = False
    today: date | None = None
    clock: Callable[[], float] = time.time
    sleep: Callable[[float], None] | None = None
    transport: "httpx.BaseTransport | None" = None

    @classmethod
    def of(cls, settings: Settings) -> "Options":
        return cls(
            timeout_s=settings.timeout_s,
            cache_max_mb=settings.cache_max_mb,
            today=settings.today,
            follows_changes=True,
        )

    def day(self) -> date:
        """Today."""
        return self.today or datetime.fromtimestamp(self.clock(), UTC).date()
