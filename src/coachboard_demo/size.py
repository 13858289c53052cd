"""The size of a squad, its last day and its seed: with the program itself, all that its rows depend on."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any

DEFAULT_ATHLETES, DEFAULT_YEARS, DEFAULT_SEED = 24, 1.5, 1
NOON = 12.0


@dataclass(frozen=True, slots=True)
class Size:
    """The number of people, the span of their data and the last day."""

    today: date
    athletes: int = DEFAULT_ATHLETES
    years: float = DEFAULT_YEARS
    seed: int = DEFAULT_SEED
    utc_hour: float = NOON  # the hour of `today` at which sessions and nights end; may be below 0 or above 24

    @property
    def now_s(self) -> float:
        """Seconds since 1970 at which the data end."""
        return datetime.combine(self.today, time(), UTC).timestamp() + self.utc_hour * 3600

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> "Size":
        """The size that was stored as JSON."""
        return cls(**raw | {"today": date.fromisoformat(raw["today"])})


def utc_hour_of(now: datetime, today: date) -> float:
    """The hour of the reader's today that it is now, in UTC."""
    midnight = datetime.combine(today, time(), UTC)
    return round((now - midnight).total_seconds() / 3600, 2)
