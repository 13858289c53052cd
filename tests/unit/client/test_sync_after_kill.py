"""A sync that is killed leaves whole lists and values, and the next one completes them."""

import pytest

from soak import sync_kills


@pytest.mark.slow
def test_the_next_sync_completes_the_cache_of_a_killed_one():
    assert sync_kills.syncs_row(2).failures == ()
