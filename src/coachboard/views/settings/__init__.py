"""The sections of the settings page, in the order of the page."""

from coachboard.views.settings.choices import draw_theme, draw_time_zone, draw_units, draw_week
from coachboard.views.settings.flags import draw_flags
from coachboard.views.settings.formula_sheet import draw_formulas, draw_version
from coachboard.views.settings.service import draw_cache, draw_connection

__all__ = [
    "draw_cache",
    "draw_connection",
    "draw_flags",
    "draw_formulas",
    "draw_theme",
    "draw_time_zone",
    "draw_units",
    "draw_version",
    "draw_week",
]
