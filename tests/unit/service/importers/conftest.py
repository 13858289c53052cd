"""A store with one person, and the folder of real recordings, each file read once in a session of tests."""

import json
import os
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from coachboard.service.importers.athlete import AthleteValues
from coachboard.service.importers.errors import ImportLimits
from coachboard.service.importers.reading import read_recording
from coachboard.service.importers.recording import Recording
from coachboard.service.importers.summary import Identity, ReadActivity, read_activity
from coachboard.service.store import NewUser, Store
from databases import empty_database

BESIDE_CHECKOUT = Path(__file__).parents[5] / "shared" / "recordings"
ORACLE_ATHLETE = AthleteValues(
    critical_power_w=250, w_prime_j=20_000, max_heart_rate_bpm=190, resting_heart_rate_bpm=50, weight_kg=75
)
"""The parameters under which the oracles were computed."""


@dataclass(frozen=True)
class ReadFile:
    recording: Recording
    activities: list[ReadActivity]
    oracle: dict[str, Any]


@pytest.fixture(scope="session")
def recordings_folder() -> Path:
    folder = Path(os.environ.get("COACHBOARD_RECORDINGS", BESIDE_CHECKOUT))
    if not (folder / "oracles.json").exists():
        pytest.skip(f"no recordings in {folder}")
    return folder


@pytest.fixture(scope="session")
def read_file(recordings_folder: Path) -> Callable[[str], ReadFile]:
    """Reads a recording by the beginning of its name."""
    oracles = json.loads((recordings_folder / "oracles.json").read_text())["files"]

    @cache
    def read(start: str) -> ReadFile:
        (name,) = [name for name in oracles if name.startswith(start)]
        recording = read_recording((recordings_folder / name).read_bytes(), ImportLimits())
        activities = [
            read_activity(
                leg,
                Identity(id=f"act_{place}", utc_offset_min=recording.utc_offset_min),
                lambda sport, day: ORACLE_ATHLETE,
            )
            for place, leg in enumerate(recording.legs)
        ]
        return ReadFile(recording, activities, oracles[name])

    return read


@pytest.fixture
def store(tmp_path, migrated):
    with empty_database("sqlite", tmp_path, migrated("sqlite")) as url, closing(Store.open(url)) as store:
        store.add_user(NewUser(id="usr_a"))
        yield store
