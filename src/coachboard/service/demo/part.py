"""Which of a person's rows are written at one go: what a roster opens with comes before what lies further back."""

from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

RECENT_DAYS = 371
"""A year and a week: the longest list that a roster reads goes back for 364 days."""


class Part(StrEnum):
    """A part of somebody's rows; the same rows whether they are written in parts or at one go."""

    WHOLE = "whole"
    RECENT = "recent"
    EARLIER = "earlier"

    def holds(self, day: date, today: date) -> bool:
        """Whether what is of that day belongs to the part."""
        return self is Part.WHOLE or (day >= recent_from(today)) == (self is Part.RECENT)


def recent_from(today: date) -> date:
    """The first day of what is written first."""
    return today - timedelta(days=RECENT_DAYS)


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
