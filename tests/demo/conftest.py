"""A squad made once for all tests of the demo data."""

from datetime import date

import pytest

from coachboard.service.store import Store
from coachboard_demo.people import Size
from demo_database import make_demo

TODAY = date(2026, 3, 18)
YEARS = 0.32


@pytest.fixture(scope="session")
def today():
    return TODAY


@pytest.fixture(scope="session")
def demo_store(tmp_path_factory):
    """The default squad as `coachboard demo` makes it, with four months of data."""
    store = Store.open(f"sqlite:///{tmp_path_factory.mktemp('squad') / 'squad.db'}")
    make_demo(store, Size(TODAY, years=YEARS))
    yield store
    store.close()
