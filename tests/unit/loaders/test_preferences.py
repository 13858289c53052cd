"""Preferences belong to one reader, and an unreadable one falls back to its default."""

import json
from dataclasses import replace

import pytest

from coachboard.loaders.local_store import PREFERENCES, open_store
from coachboard.loaders.preferences import (
    Preferences,
    change_preferences,
    load_preferences,
)


@pytest.fixture
def engine(tmp_path):
    engine = open_store(f"sqlite:///{tmp_path / 'cache.db'}")
    yield engine
    engine.dispose()


CHOSEN = Preferences(
    "imperial", {"swimming": "metric"}, 6, "Asia/Tokyo", "friel", {"hrv_low": 1.5}, {"wke_1": ("usr_1",)}
)


def test_only_their_owner_loads_saved_preferences(engine):
    change_preferences(engine, "one", lambda _: CHOSEN)
    change_preferences(engine, "one", lambda _: CHOSEN)

    assert load_preferences(engine, "one") == CHOSEN
    assert load_preferences(engine, "other") == Preferences()


def test_a_change_starts_from_the_stored_preferences_and_keeps_the_others(engine):
    """A page that was drawn while the store was down knows nothing of the choices."""
    change_preferences(engine, "one", lambda _: CHOSEN)

    change_preferences(engine, "one", lambda kept: replace(kept, first_weekday=0))

    assert load_preferences(engine, "one") == replace(CHOSEN, first_weekday=0)


@pytest.mark.parametrize(
    "body",
    [
        [],
        {"system": "furlongs", "first_weekday": 9, "system_by_sport": [], "flag_thresholds": {"x": "high"}},
        {"system_by_sport": {"running": "cubits"}},
        {"time_zone": "../../etc/passwd"},
        {"time_zone": 3},
        {"pace_zones": "metric"},
        {"pace_zones": ["friel"]},
        {
            "flag_thresholds": {
                "hrv_low": 1e300,
                "no_session": -3,
                "form_low": 10,
                "sleep_short": float("nan"),
            }
        },
        {"flag_thresholds": {"no_such_rule": 1}},
        {"workspace_athletes": {"wke_1": "usr_1"}},
    ],
)
def test_the_unreadable_counts_as_the_default(engine, body):
    with engine.begin() as connection:
        connection.execute(PREFERENCES.insert().values(owner="one", body=json.dumps(body)))

    assert load_preferences(engine, "one") == Preferences()


def test_a_change_of_this_process_shows_at_once_and_that_of_another_one_after_a_second(engine, monkeypatch):
    second = 100.0
    monkeypatch.setattr("coachboard.loaders.preferences.time.monotonic", lambda: second)
    assert load_preferences(engine, "one") == Preferences()

    change_preferences(engine, "one", lambda _: CHOSEN)
    assert load_preferences(engine, "one") == CHOSEN

    with engine.begin() as other:
        other.execute(PREFERENCES.delete())
    assert load_preferences(engine, "one") == CHOSEN
    second += 1
    assert load_preferences(engine, "one") == Preferences()
