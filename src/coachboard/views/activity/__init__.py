"""The sections of the activity page, in reading order."""

from coachboard.views.activity.analyses import draw_closer_look
from coachboard.views.activity.corrections import draw_corrections
from coachboard.views.activity.headline import draw_headline, draw_legs
from coachboard.views.activity.missing_load import draw_missing_load
from coachboard.views.activity.opening import open_session, pick_athlete
from coachboard.views.activity.streams_section import draw_effort

__all__ = [
    "draw_closer_look",
    "draw_corrections",
    "draw_effort",
    "draw_headline",
    "draw_legs",
    "draw_missing_load",
    "open_session",
    "pick_athlete",
]
