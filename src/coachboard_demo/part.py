"""Which of a person's rows are written at one go: what a roster opens with comes before all else."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

FIRST_DAYS: Mapping[str, int | None] = {
    "activities": 371,
    "prescriptions": 105,
    "sleeps": 105,
    "notes": None,
    "events": None,
}
"""How far back of each kind of rows a roster reads, and a week more; None: all, as they are few.

Metrics are not among them: a roster shows none, and a profile has the newest of each however old.
"""


class Part(StrEnum):
    """A part of somebody's rows; the same rows whether they are written in parts or at one go."""

    WHOLE = "whole"
    FIRST = "first"
    REST = "rest"

    def holds(self, kind: str, day: date, today: date) -> bool:
        """Whether a row of that kind and day belongs to the part."""
        return self is Part.WHOLE or comes_first(kind, day, today) == (self is Part.FIRST)


def comes_first(kind: str, since: date | None, today: date) -> bool:
    """Whether all rows of that kind since a day are written first; without a day all there are."""
    if kind not in FIRST_DAYS:
        return False
    days = FIRST_DAYS[kind]
    return days is None or (since is not None and since >= today - timedelta(days=days))


@dataclass(frozen=True, slots=True)
class Task:
    """The rows of one person, all or a part of them."""

    number: int  # the person's place in the squad
    part: Part = Part.WHOLE

    def __str__(self) -> str:
        return f"{self.number} {self.part}"

    @classmethod
    def told(cls, text: str) -> "Task":
        """The task that was written as text."""
        number, part = text.split()
        return cls(int(number), Part(part))
