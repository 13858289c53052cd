"""The athlete page: where the athlete stands, what is next, the season, its weeks and its sessions."""

from coachboard.views.athlete.headline import draw_headline, draw_profile, draw_today, load
from coachboard.views.athlete.season import draw_curves, draw_load, draw_weeks
from coachboard.views.athlete.sessions import draw_sessions

__all__ = [
    "draw_curves",
    "draw_headline",
    "draw_load",
    "draw_profile",
    "draw_sessions",
    "draw_today",
    "draw_weeks",
    "load",
]
