"""The athlete page: where the athlete stands, what is next, the season, its weeks and its sessions."""

from coachboard.views.athlete.days import draw_ahead, draw_last
from coachboard.views.athlete.headline import draw_headline, draw_profile, load
from coachboard.views.athlete.season import draw_curves, draw_load, draw_weeks
from coachboard.views.athlete.sessions import draw_sessions

__all__ = [
    "draw_ahead",
    "draw_curves",
    "draw_headline",
    "draw_last",
    "draw_load",
    "draw_profile",
    "draw_sessions",
    "draw_weeks",
    "load",
]
