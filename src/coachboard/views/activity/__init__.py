"""The sections of the activity page, in reading order."""

from coachboard.views.activity.analyses import draw_analyses
from coachboard.views.activity.corrections import draw_corrections
from coachboard.views.activity.headline import draw_headline, draw_legs
from coachboard.views.activity.missing_load import draw_missing_load
from coachboard.views.activity.opening import open_session, pick_athlete
from coachboard.views.activity.streams_section import draw_streams_section

__all__ = [
    "draw_analyses",
    "draw_corrections",
    "draw_headline",
    "draw_legs",
    "draw_missing_load",
    "draw_streams_section",
    "open_session",
    "pick_athlete",
]
