"""A client of the real service, with a fortnight of one athlete."""

import pytest

import squad
import training
from coachboard.client import Client


@pytest.fixture
def client(squad_store, squad_service, tmp_path):
    training.seed(squad_store, squad.ANA)
    with Client(squad_service, squad.COACH_KEY, cache_url=f"sqlite:///{tmp_path / 'cache.db'}") as client:
        yield client
