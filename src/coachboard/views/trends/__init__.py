"""The sections of the trends page, in the order of the page."""

from coachboard.views.trends.look import draw_look
from coachboard.views.trends.opening import draw_summary, load, pick

__all__ = ["draw_look", "draw_summary", "load", "pick"]
