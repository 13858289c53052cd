"""Invitation: the page of the link in an invitation e-mail; works without a key.

Order: the code, the workspace with role and inviter, the account that accepts it.
"""

from coachboard.pages import invitation
from coachboard.ui.frame import shell

shell.open_public_page("Invitation")

code = invitation.read_code()
offer = invitation.draw_offer(code)
invitation.draw_acceptance(code, offer)
