"""The sections of the page of the reader's own values, in the order of the page."""

from coachboard.views.values.form import draw_current, draw_form, require
from coachboard.views.values.proposals import draw_proposals
from coachboard.views.values.recompute import draw_recompute

__all__ = ["draw_current", "draw_form", "draw_proposals", "draw_recompute", "require"]
