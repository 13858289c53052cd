"""The comments on the session and on its plan, folded while there are none."""

from coachboard.pages import comments
from coachboard.pages.activity.data import ActivityData
from coachboard.ui.frame.page import Page


def draw_comments(page: Page, data: ActivityData) -> None:
    """The comments below the headline; nothing for a service without them."""
    if not page.client.planning.has_comments():
        return
    planned = data.match.planned if data.match else None
    comments.draw_folded(
        page, entry_id=planned.id if planned else "", activity_id=data.activity.id, key="activity.comments"
    )
