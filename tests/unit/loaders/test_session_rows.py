"""The service compares single rows, the pages whole lists: both have the same values of a session and of a plan."""

from dataclasses import fields
from datetime import UTC, date, datetime

import pytest

import rides
from coachboard.client import Result
from coachboard.execution.sessions import done_of, planned_of
from coachboard.loaders.done_and_planned import plans_of, sessions_of
from coachboard.wire.enums import RaceType, Sport, TrainingStimulus
from training import prescription
from unit.execution.test_structure import step

NOW = datetime(2026, 3, 12, tzinfo=UTC)
TIMES = {"moving_duration": 2880, "effective_duration": 3600, "total_duration": 3700}
SESSIONS = {
    "ride": {"distance": 30_000.0, "work": 700.0, **TIMES},
    "swim with rests": {"sport": Sport.SWIMMING, "distance": 3_000.0, **TIMES},
    "speed alone": {"average_speed": 3.0, **TIMES},
    "no moving time": {"effective_duration": 3600},
    "race": {"race_type": next(iter(RaceType)), **TIMES},
    "race by its stimulus": {"training_stimulus": TrainingStimulus.RACE},
    "leg": {"group_id": "grp_1", "sport": None},
    "no local start": {"started_at_local": None},
}
METRES = step({"type": "distance", "distance": 400})
PLANS = {
    "stated": {"duration": 3600, "distance": 20_000, "work": 800},
    "nothing stated": {"duration": 0, "structure": (step(), step())},
    "by distance": {"duration": None, "structure": (METRES, METRES)},
    "no steps": {"duration": None},
}


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_has_the_same_values_as_a_row_and_in_a_list(name):
    session = rides.activity(**SESSIONS[name])
    (listed,) = sessions_of(Result((session,), NOW), None)

    assert values_of(done_of(session)) == values_of(listed)


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_has_the_same_values_as_a_row_and_in_a_list(name):
    plan = prescription("Plan", date(2026, 3, 12), **PLANS[name])
    (listed,) = plans_of(Result((plan,), NOW), ())

    assert values_of(planned_of(plan)) == values_of(listed)


def values_of(part):
    """All fields as text, because NaN equals nothing; the load of a session is of the pages alone."""
    named = {field.name: getattr(part, field.name) for field in fields(part)}
    return {
        name: repr(float(value)) if isinstance(value, float | int) else repr(value)
        for name, value in named.items()
        if name not in {"volume", "load_method"}
    }


def test_a_session_without_a_time_has_no_day():
    bare = rides.activity(started_at=None, started_at_local=None)

    assert done_of(bare) is None
    assert sessions_of(Result((bare,), NOW), None) == ()
