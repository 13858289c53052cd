"""A line of the access log contains no secret of the address."""

import pytest

from coachboard.service.commands import masked


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        ("/api/users/me", "/api/users/me"),
        (
            "/api/users/me/sleeps?from=2026-11-01&to=2026-11-21",
            "/api/users/me/sleeps?from=2026-11-01&to=2026-11-21",
        ),
        ("/api/users?api_key=abc", "/api/users?***"),
        ("/api/users?abc&from=2026-11-01", "/api/users?***&from=2026-11-01"),
        ("/api/users?from=abc&to=2026-11-01abc", "/api/users?***&***"),
        ("/api/users/cbk_0a-Z_9/notes", "/api/users/***/notes"),
        ("/api/plan/v1/feeds/cbf_0a-Z_9.ics", "/api/plan/v1/feeds/***.ics"),
        ("/api/users?", "/api/users"),
    ],
)
def test_an_address_is_logged_with_its_days_and_nothing_that_may_be_a_key(target, shown):
    assert masked(target) == shown
