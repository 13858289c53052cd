"""The list of sent invitations shows the reason of a refused one."""

from datetime import UTC, datetime

import pytest

from coachboard.pages.workspaces import sent
from coachboard.pages.workspaces.ledger import Entry, SendOutcome


@pytest.mark.parametrize(
    "says",
    ["The service rejected the request: Unknown role.", "The service rejected the request: Unknown role"],
)
def test_a_reason_ends_with_one_full_stop_whether_the_service_wrote_one_or_not(says):
    entry = Entry(
        token="t",
        sent_at=datetime(2026, 3, 6, tzinfo=UTC),
        sent_by="me",
        workspace_id="wke_1",
        workspace_name="Squad",
        email="a@example.org",
        role="athlete",
        with_mail=False,
        outcome=SendOutcome.FAILED,
        says=says,
    )

    assert sent.next_step(entry) == (
        "The service rejected the request\\: Unknown role. "
        "The data service rejected the invitation. Correct the cause above, then send again."
    )
