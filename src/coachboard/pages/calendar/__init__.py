"""The sections of the planning calendar, in reading order."""

from coachboard.pages.calendar.below import draw_below
from coachboard.pages.calendar.choice import pick
from coachboard.pages.calendar.days import draw_days, load

__all__ = ["draw_below", "draw_days", "load", "pick"]
