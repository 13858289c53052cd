"""Planned workouts: nesting, lengths and the conventions of their targets."""

import pytest

from coachboard.service.importers.errors import ImportLimits
from coachboard.service.importers.fit import read_fit
from coachboard.service.importers.recording import PlannedRepetition, StepTarget, WorkoutStep
from coachboard.wire.enums import Sport, SubSport
from unit.service.importers.fit_files import START, fit_file


def read_steps(*steps, **workout):
    rows = [("WORKOUT_STEP", {"message_index": place, **step}) for place, step in enumerate(steps)]
    data = fit_file(("WORKOUT", {"wkt_name": "Test", **workout}), *rows, kind="workout")
    (found,) = read_fit(data, ImportLimits()).workouts
    return found


def minutes(count, **more):
    return {"duration_type": "time", "duration_value": count * 60_000, "intensity": "active", **more}


def repeat(first, count, kind="repeat_until_steps_cmplt"):
    return {"duration_type": kind, "duration_value": first, "target_value": count}


def test_repeats_nest_to_any_depth():
    workout = read_steps(
        minutes(10, intensity="warmup"),
        minutes(3),
        minutes(1, intensity="recovery"),
        repeat(1, 4),
        minutes(5, intensity="rest"),
        repeat(1, 2),
        minutes(10, intensity="cooldown"),
        sport="running",
        sub_sport="track",
    )
    warm_up, outer, cool_down = workout.steps

    assert (workout.title, workout.sport, workout.sub_sport) == ("Test", Sport.RUNNING, SubSport.TRACK)
    assert isinstance(outer, PlannedRepetition)
    assert (outer.count, len(outer.steps)) == (2, 2)
    inner, rest = outer.steps
    assert isinstance(inner, PlannedRepetition)
    assert (inner.count, [step.length for step in inner.steps]) == (4, [180, 60])
    assert (rest.intensity, warm_up.length, cool_down.length) == ("rest", 600, 600)


@pytest.mark.parametrize(
    ("step", "kind", "length"),
    [
        ({"duration_type": "time", "duration_value": 90_000}, "duration", 90),
        ({"duration_type": "distance", "duration_value": 40_000}, "distance", 400),
        ({"duration_type": "open"}, "free", None),
        ({"duration_type": "hr_less_than", "duration_value": 225}, "free", None),
        ({"duration_type": "time", "duration_value": 0}, "free", None),
        ({}, "free", None),
    ],
)
def test_lengths_are_times_distances_or_left_to_the_athlete(step, kind, length):
    (found,) = read_steps({"intensity": "active", **step}).steps

    assert (found.length_kind, found.length) == (kind, length)


def custom(kind, low, high, zone=0):
    return {
        "target_type": kind,
        "target_value": zone,
        "custom_target_value_low": low,
        "custom_target_value_high": high,
    }


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (custom("power", 1300, 1310), StepTarget("power", None, 300, 310)),
        (custom("power", 90, 105), StepTarget("power", None, 90, 105, is_percent=True)),
        (custom("power_3s", 136, 186, zone=2), StepTarget("power", "2", 136, 186)),
        (custom("power", 1136, 1186, zone=2), StepTarget("power", "2", 136, 186)),
        (custom("heart_rate", 240, 260), StepTarget("heart rate", None, 140, 160)),
        (custom("heart_rate", 50, 60), StepTarget("heart rate", None, 50, 60, is_percent=True)),
        (custom("heart_rate", 140, 160, zone=3), StepTarget("heart rate", "3", 140, 160)),
        (custom("cadence", 90, 110), StepTarget("cadence", None, 90, 110)),
        (custom("speed", 3500, 4000), StepTarget("speed", None, 3.5, 4.0)),
        ({"target_type": "power", "target_value": 5}, StepTarget("power", "5")),
        ({"target_type": "open"}, StepTarget("open")),
        ({"target_type": "grade", "target_value": 1}, StepTarget("open")),
        ({"target_type": "power"}, StepTarget("open")),
        ({}, StepTarget("open")),
    ],
)
def test_targets_are_zones_units_or_percent(target, expected):
    (step,) = read_steps(minutes(1, **target)).steps

    assert isinstance(step, WorkoutStep)
    assert step.target == expected


def test_a_repeat_until_something_else_is_one_round_and_an_empty_one_is_nothing():
    until = read_steps(minutes(1), repeat(0, 600, kind="repeat_until_time"))
    empty = read_steps(repeat(5, 3), minutes(1))

    assert until.steps[0].count == 1
    assert len(empty.steps) == 1


def test_a_workout_without_a_name_or_sport_is_still_one():
    data = fit_file(
        ("WORKOUT_STEP", {"message_index": 0, **minutes(5)}), ("SCHEDULE", {"scheduled_time": START})
    )
    (workout,) = read_fit(data, ImportLimits()).workouts

    assert (workout.title, workout.sport) == ("Workout", None)
    assert workout.day_s == START.timestamp()
