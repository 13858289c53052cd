"""The sections of the trends page, in the order of the page."""

from coachboard.pages.trends.look import draw_look
from coachboard.pages.trends.opening import draw_summary, load, pick

__all__ = ["draw_look", "draw_summary", "load", "pick"]
