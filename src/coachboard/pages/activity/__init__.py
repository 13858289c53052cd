"""The sections of the activity page, in reading order."""

from coachboard.pages.activity.analyses import draw_analyses
from coachboard.pages.activity.comments import draw_comments
from coachboard.pages.activity.corrections import draw_corrections
from coachboard.pages.activity.headline import draw_headline, draw_legs
from coachboard.pages.activity.missing_load import draw_missing_load
from coachboard.pages.activity.opening import open_session, pick_athlete
from coachboard.pages.activity.streams_section import draw_streams_section

__all__ = [
    "draw_analyses",
    "draw_comments",
    "draw_corrections",
    "draw_headline",
    "draw_legs",
    "draw_missing_load",
    "draw_streams_section",
    "open_session",
    "pick_athlete",
]
