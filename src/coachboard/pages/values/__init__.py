"""The sections of the page of an athlete's values, in the order of the page."""

from coachboard.pages.recompute import draw_recompute
from coachboard.pages.values.form import draw_current, draw_form, pick, require
from coachboard.pages.values.hours import draw_hours, draw_zone
from coachboard.pages.values.proposals import draw_proposals

__all__ = [
    "draw_current",
    "draw_form",
    "draw_hours",
    "draw_proposals",
    "draw_recompute",
    "draw_zone",
    "pick",
    "require",
]
