"""The sections of the activity page, in reading order."""

from coachboard.views.activity.analysis import draw_analysis
from coachboard.views.activity.effort import draw_effort
from coachboard.views.activity.files import draw_export
from coachboard.views.activity.headline import draw_headline, draw_legs
from coachboard.views.activity.opening import open_session

__all__ = ["draw_analysis", "draw_effort", "draw_export", "draw_headline", "draw_legs", "open_session"]
