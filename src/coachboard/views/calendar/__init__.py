"""The sections of the planning calendar, in reading order."""

from coachboard.views.calendar.below_grid import draw_below
from coachboard.views.calendar.opening import draw_days, load, pick

__all__ = ["draw_below", "draw_days", "load", "pick"]
