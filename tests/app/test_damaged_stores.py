"""Pages after damage to the cache and to the dashboard's database: the earlier data and a message."""

import pytest

from soak import damage

CASES = {"the client's cache": ["rows of other types"], "dashboard.db": ["a folder in its place"]}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("store", "kind"),
    [(store, kind) for store, kinds in CASES.items() for kind in kinds],
)
def test_pages_go_on_after_damage(store, kind):
    assert damage.row(store, kind).failures == ()
