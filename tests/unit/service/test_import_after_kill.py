"""An import that is killed continues: each session is there once, and no file that nothing names."""

import pytest

from soak import import_kills


@pytest.mark.slow
@pytest.mark.parametrize("way", import_kills.WAYS)
def test_a_killed_import_ends_as_one_without_a_kill(way):
    assert import_kills.imports_row(way, 2).failures == ()
