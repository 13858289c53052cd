"""The sections of the page of plans, in the order of the page."""

from coachboard.pages.plans.applying import draw_applying
from coachboard.pages.plans.device_files import draw_files
from coachboard.pages.plans.listing import draw_settings, pick, pick_view, require
from coachboard.pages.plans.rolling_out import draw_athletes
from coachboard.pages.plans.saving import draw_saving
from coachboard.pages.plans.weeks import draw_weeks

__all__ = [
    "draw_applying",
    "draw_athletes",
    "draw_files",
    "draw_saving",
    "draw_settings",
    "draw_weeks",
    "pick",
    "pick_view",
    "require",
]
