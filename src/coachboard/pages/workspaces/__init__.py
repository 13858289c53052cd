"""The sections of the workspaces page, in the order of the page."""

from coachboard.pages.workspaces.invite import ask, draw_send
from coachboard.pages.workspaces.memberships import draw_memberships, draw_readers
from coachboard.pages.workspaces.people import draw_open_invitations, draw_people
from coachboard.pages.workspaces.sent import draw_ledger, draw_sent

__all__ = [
    "ask",
    "draw_ledger",
    "draw_memberships",
    "draw_open_invitations",
    "draw_people",
    "draw_readers",
    "draw_send",
    "draw_sent",
]
