"""People who read pages of one process for a while; `make soak` runs fifty for half an hour."""

import pytest

from soak.people import people

pytestmark = pytest.mark.slow


def test_people_read_pages_without_a_fault():
    *minutes, whole = people(5, 0.5)

    assert whole.failures == ()
    assert whole.runs  # the number depends on the load of the machine
    assert len(minutes) == 1
