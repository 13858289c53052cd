"""The sections of the workspaces page, in the order of the page."""

from coachboard.views.workspaces.form import ask, draw_send, pick_workspace
from coachboard.views.workspaces.memberships import draw_memberships, draw_readers
from coachboard.views.workspaces.sent import draw_ledger, draw_sent

__all__ = [
    "ask",
    "draw_ledger",
    "draw_memberships",
    "draw_readers",
    "draw_send",
    "draw_sent",
    "pick_workspace",
]
