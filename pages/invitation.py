"""Invitation: the page of the link in an invitation e-mail; works without a key.

Order: the code, the workspace with role and inviter, the account that accepts it.
"""

from coachboard.views import invitation
from coachboard.views.frame import shell

shell.open_public_page("Invitation")

code = invitation.read_code()
offer = invitation.draw_offer(code)
invitation.draw_acceptance(code, offer)
