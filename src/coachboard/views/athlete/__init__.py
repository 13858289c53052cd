"""The athlete page: current status, next and last sessions, season, weeks, profile."""

from coachboard.views.athlete.below import draw_below
from coachboard.views.athlete.headline import draw_headline, draw_title, draw_today, load
from coachboard.views.athlete.season import draw_load

__all__ = ["draw_below", "draw_headline", "draw_load", "draw_title", "draw_today", "load"]
