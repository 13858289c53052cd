"""Limits of a whole process, in the short form of `make soak`."""

import pytest

from databases import DATABASES
from soak import limits

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kind", DATABASES)
def test_two_processes_on_one_database_share_a_limit(kind):
    assert limits.shared_limit_row(kind).failures == ()


def test_a_hundred_keys_fit_in_one_process():
    assert limits.descriptors_row(100).failures == ()


def test_a_request_line_of_60_mb_is_refused_early():
    assert limits.request_line_row(1).failures == ()


def test_commands_on_a_read_only_disk_end_with_one_line():
    row = limits.read_only_row()
    if not row.runs:
        pytest.skip(row.figures)

    assert row.failures == ()
