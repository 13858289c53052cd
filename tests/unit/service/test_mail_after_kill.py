"""A service that is killed right after its reply sends the mail at the next start, once."""

import pytest

from soak.kills import invited_with_kills

pytestmark = pytest.mark.slow


def test_each_mail_is_sent_once_although_the_service_was_killed(tmp_path):
    wanted, found = invited_with_kills(tmp_path, 2)

    assert len(wanted) == 2
    assert found == dict.fromkeys(wanted, 1)
