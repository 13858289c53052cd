"""Browsers that sign in and out with three keys see nothing of another key; `make soak` runs twelve for ten minutes."""

import pytest

from soak.browsers import browsers

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_browsers_on_three_keys_see_their_own_data_only():
    (row,) = browsers(3, 0.5)

    assert row.failures == ()
    assert row.runs >= 5
