"""A sync that is killed leaves whole lists and values, and the next one completes them."""

import pytest

from soak import sync_kills


@pytest.mark.slow
@pytest.mark.parametrize("way", sync_kills.WAYS)
def test_the_next_sync_completes_the_cache_of_a_killed_one(way):
    assert sync_kills.syncs_row(way, 2).failures == ()
