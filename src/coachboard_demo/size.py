"""How large a squad, up to which day, by which seed: with the program itself, all that its rows depend on."""

from dataclasses import dataclass
from datetime import date
from typing import Any

DEFAULT_ATHLETES, DEFAULT_YEARS, DEFAULT_SEED = 24, 1.5, 1


@dataclass(frozen=True, slots=True)
class Size:
    """How much to make."""

    today: date
    athletes: int = DEFAULT_ATHLETES
    years: float = DEFAULT_YEARS
    seed: int = DEFAULT_SEED

    @classmethod
    def told(cls, raw: dict[str, Any]) -> "Size":
        """The size that was written down as JSON."""
        return cls(**raw | {"today": date.fromisoformat(raw["today"])})
