"""The sections of the activity page, in reading order."""

from coachboard.views.activity.analysis import draw_closer_look
from coachboard.views.activity.effort import draw_effort
from coachboard.views.activity.headline import draw_headline, draw_legs
from coachboard.views.activity.opening import open_session, pick_athlete

__all__ = ["draw_closer_look", "draw_effort", "draw_headline", "draw_legs", "open_session", "pick_athlete"]
