"""Texts of a page that waits for the service."""

import pytest

from coachboard.client.retry import BUDGET_REASON
from coachboard.client.waiting import ANSWER_REASON, Waiting
from coachboard.ui.frame.status import _wait_words


@pytest.mark.parametrize(
    ("waiting", "says"),
    [
        (Waiting(0.3, BUDGET_REASON), "Waiting for the service's request limit: 1 s left."),
        (Waiting(41.6, BUDGET_REASON), "Waiting for the service's request limit: 42 s left."),
        (Waiting(None, ANSWER_REASON, 0.25, "users"), ""),
        (
            Waiting(None, ANSWER_REASON, 0.5, "users"),
            "Waiting for the service about your athletes, 1 s so far.",
        ),
        (
            Waiting(None, ANSWER_REASON, 8.2, "sleeps"),
            "Waiting for the service about nights, 8 s so far.",
        ),
        (Waiting(None, ANSWER_REASON, 8.2, "unheard of"), "Waiting for the service, 8 s so far."),
    ],
)
def test_a_wait_is_shown_with_its_end_or_its_reason(waiting, says):
    plain = _wait_words(waiting).replace("\N{NO-BREAK SPACE}", " ").replace("\\", "")  # as Markdown shows it

    assert plain == says
