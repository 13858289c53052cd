"""A dashboard over the fortnight of `tests/training.py`, one process for all tests of a file."""

import pytest

import training
from browser.journeys import seed_fortnight
from running import dashboard_process


@pytest.fixture(scope="module")
def fortnight(chromium, tmp_path_factory):
    """A fresh process that takes the fortnight's last day as today; its address. `chromium` first: it may skip."""
    folder = tmp_path_factory.mktemp("fortnight")
    seed_fortnight(folder)
    with dashboard_process(folder, COACHBOARD_TODAY=training.TODAY.isoformat()) as address:
        yield address
