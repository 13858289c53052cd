"""A planned workout in words: short ways, targets with one end, a W′ that is hardly drawn on."""

from dataclasses import replace

import pytest

from coachboard.execution.capacities import Capacities, Reference
from coachboard.execution.structure import FlatStep, Target
from coachboard.pages import workout_outlook
from coachboard.ui.frame.formats import METRIC, System, Units
from coachboard.wire.enums import MetricSource, MetricSport, StepLabel
from coachboard.wire.metrics import MetricType

KNOWN = {MetricType.CRITICAL_POWER: 250.0, MetricType.W_PRIME: 20_000.0}


def step(*, seconds=None, metres=None, watts=None):
    target = None if watts is None else Target(watts, watts)
    return FlatStep(0, (), StepLabel.ACTIVE, None, None, seconds, metres, target, None, None, None)


KNOWN_REFERENCES = {
    metric: Reference(value, None, next(iter(MetricSource)), next(iter(MetricSport)))
    for metric, value in KNOWN.items()
}


def verdict(watts):
    return workout_outlook.verdict([step(seconds=60, watts=watts)], Capacities(KNOWN_REFERENCES), None)


@pytest.mark.parametrize(
    ("metres", "sport", "says"),
    [
        (400, "running", "400 m"),
        (50, "swimming", "50 m"),
        (1500, "swimming", "1,500 m"),
        (3000, "running", "3.00 km"),
    ],
)
def test_distances_of_a_track_and_a_pool_are_in_metres(metres, sport, says):
    assert workout_outlook.length(step(metres=metres), None, sport, units=METRIC) == says


def test_a_short_way_in_miles_stays_one():
    assert (
        workout_outlook.length(step(metres=400), None, "running", units=Units(System.IMPERIAL)) == "0.25 mi"
    )


@pytest.mark.parametrize(
    ("target", "says"),
    [
        (Target(0, 2.0), "8:20 /km or slower"),
        (Target(None, 2.0), "8:20 /km or slower"),
        (Target(4.0, None), "4:10 /km or faster"),
        (Target(2.0, 4.0), "8:20–4:10 /km"),
        (None, "–"),
    ],
)
def test_a_pace_with_one_end_says_on_which_side_it_lies(target, says):
    assert workout_outlook.speed(target, "running", units=METRIC) == says


def test_a_workout_below_critical_power_does_not_fall_to_all_of_it():
    assert verdict(200) == "Feasible: W′ barely used (critical power 250 W, W′ 20.0 kJ)."


def test_repetitions_that_fit_come_first_and_the_lowest_is_named_by_its_number():
    """It read "W′ drops to 51 % in step 10, active 5/5; all 5 repetitions fit"."""
    series = [
        replace(step(seconds=60, watts=watts), index=at, repeats=((at // 2 + 1, 3),), label=label)
        for at, (watts, label) in enumerate([(300, StepLabel.ACTIVE), (150, StepLabel.REST)] * 3)
    ]
    capacities = Capacities(KNOWN_REFERENCES)

    says = workout_outlook.verdict(series, capacities, None)
    assert says.startswith("Feasible: all 3 repetitions fit; W′ is lowest in repetition 3 of 3, at ")
    pause = [
        replace(one, power_w=Target(*(300 if one.label is StepLabel.REST else 150,) * 2)) for one in series
    ]
    assert "W′ is lowest in step 6, rest 3/3, at " in workout_outlook.verdict(pause, capacities, None)
    # A series of a longer plan: its third step is not the third repetition of the plan.
    apart = [replace(one, repeats=tuple((turn, 9) for turn, _ in one.repeats)) for one in series]
    assert "W′ is lowest in step 5, active 3/9, at " in workout_outlook.verdict(apart, capacities, None)


def test_a_workout_above_it_names_the_step():
    assert verdict(350).startswith("Feasible: W′ drops to 70 % in step 1, ")
