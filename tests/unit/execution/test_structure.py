"""Planned workouts unrolled, their targets resolved and their duration estimated."""

import math

import pytest

from coachboard.execution.structure import (
    MOST_STEPS,
    References,
    Target,
    estimated_duration_s,
    step_duration_s,
    unroll,
)
from coachboard.wire.enums import LapIntensity, StepLabel
from coachboard.wire.prescriptions import StructureIntensity, StructureRepetition, StructureStep

_NOTHING = dict.fromkeys(
    (
        "service_intensity", "zone", "from_power", "from_heart_rate", "min_power", "max_power",
        "min_power_threshold_percentage", "max_power_threshold_percentage", "min_heart_rate", "max_heart_rate",
        "min_max_heart_rate_percentage", "max_max_heart_rate_percentage", "min_cadence", "max_cadence",
    )
)  # fmt: skip


def step(length=None, label=StepLabel.ACTIVE, **intensity):
    return StructureStep(
        type="step",
        label=label,
        intensity=StructureIntensity(**{**_NOTHING, **intensity}),
        length=length or {"type": "duration", "duration": 60},
    )


def times(count, *steps):
    return StructureRepetition(type="repetition", n_repetitions=count, steps=steps)


def test_nested_repeats_come_in_the_order_in_which_they_are_done():
    hard, easy, rest = step(), step(label=StepLabel.INTRA_RECOVERY), step(label=StepLabel.REST)

    steps = unroll([step(label=StepLabel.WARM_UP), times(2, times(3, hard, easy), rest)])

    assert len(steps) == 1 + 2 * (3 * 2 + 1)
    assert [s.index for s in steps] == list(range(15))
    assert steps[1].repeats == ((1, 2), (1, 3))
    assert steps[13].repeats == ((2, 2), (3, 3))
    assert steps[14].repeats == ((2, 2),)
    assert steps[14].label is StepLabel.REST


def test_targets_are_absolute_else_resolved_from_percent():
    known = References(critical_power_w=250, max_heart_rate_bpm=190, critical_speed_mps=4.0)
    both = step(min_power=200, max_power=220, min_power_threshold_percentage=90)
    percent = step(
        min_power_threshold_percentage=90, max_power_threshold_percentage=105,
        min_max_heart_rate_percentage=80, max_max_heart_rate_percentage=None, min_cadence=90,
        min_speed_threshold_percentage=95, max_speed_threshold_percentage=100,
    )  # fmt: skip

    first, second = unroll([both, percent], known)

    assert first.power_w == Target(200, 220)
    assert second.power_w == Target(225, 262.5)
    assert second.heart_rate_bpm == Target(152, None)
    assert second.speed_mps == Target(pytest.approx(3.8), 4.0)
    assert second.cadence_rpm == Target(90, None)
    assert second.intensity is LapIntensity.THRESHOLD


def test_percent_without_reference_stays_open():
    (found,) = unroll([step(min_power_threshold_percentage=90)])

    assert (found.power_w, found.intensity) == (None, None)


def test_intensity_is_the_service_s_own_before_a_band():
    known = References(critical_power_w=250, critical_speed_mps=4)
    given = step(service_intensity=LapIntensity.VO2MAX, min_power=100)
    by_speed = step(min_speed=4.0, max_speed=4.04)

    assert [s.intensity for s in unroll([given, by_speed], known)] == [
        LapIntensity.VO2MAX,
        LapIntensity.THRESHOLD,
    ]


def test_duration_counts_free_steps_as_assumed_and_distance_by_speed():
    steps = [
        step(),
        step({"type": "free"}),
        times(2, step({"type": "distance", "distance": 1000}, min_speed=4)),
    ]

    assert estimated_duration_s(steps, free_duration_s=300) == 60 + 300 + 2 * 250
    assert estimated_duration_s(steps) == 60 + 600 + 500
    assert math.isnan(estimated_duration_s(None))


def test_distance_without_target_takes_the_speed_given():
    (found,) = unroll([step({"type": "distance", "distance": 1000})])

    assert step_duration_s(found, speed_mps=5) == 200
    assert found.is_free is False


def test_repetitions_that_explode_or_hold_nothing_end():
    million = times(1_000_000, times(1_000_000, step()))
    empty = times(10**12, times(10**12))

    assert len(unroll([million])) == MOST_STEPS
    assert unroll([empty, times(0, step())]) == []
    assert unroll(None) == []


def test_middle_of_a_target_is_between_its_ends():
    assert [Target(100, 200).middle, Target(100, None).middle, Target(None, None).middle] == [150, 100, None]
