"""The sections of the planning calendar, in reading order."""

from coachboard.views.calendar.opening import draw_days, load, pick
from coachboard.views.calendar.season import draw_below

__all__ = ["draw_below", "draw_days", "load", "pick"]
