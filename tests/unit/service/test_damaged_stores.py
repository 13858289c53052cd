"""Damage to each store, in the short form of `make soak`."""

import pytest

from soak import damage


@pytest.mark.parametrize("kind", damage.SERVICE)
def test_the_services_database_is_refused_in_one_line_or_answers(kind):
    assert damage.row("the service's database", kind).failures == ()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["half a file", "a folder in its place"])
def test_a_damaged_original_is_reported_and_repaired_by_the_next_import(kind):
    assert damage.row("originals", kind).failures == ()
