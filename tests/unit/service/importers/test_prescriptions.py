"""Planned workouts as prescriptions: targets in units and in percent, totals, classification."""

from datetime import date

import pytest

from coachboard.service.importers.athlete import AthleteValues
from coachboard.service.importers.prescriptions import prescription_of
from coachboard.service.importers.recording import PlannedRepetition, StepTarget, Workout, WorkoutStep
from coachboard.wire.enums import IntensitySourceKind, LapIntensity, Sport, StepLabel, ZonesType

ATHLETE = AthleteValues(critical_power_w=250, max_heart_rate_bpm=190, critical_speed_mps=4)
OPEN = StepTarget("open")


def step(kind="duration", length=60.0, *, target=OPEN, intensity="active"):
    return WorkoutStep(intensity, kind, length, target)


def planned(*steps, athlete=ATHLETE, sport=Sport.CYCLING):
    workout = Workout("Test", sport, None, steps, notes="Easy")
    return prescription_of(workout, prescription_id="tpr_1", day=date(2026, 5, 4), athlete=athlete)


def intensity_of_step(target, athlete=ATHLETE):
    return planned(step(target=target), athlete=athlete).structure[0].intensity


def test_structure_nests_and_totals_count_repetitions():
    inner = PlannedRepetition(4, (step(length=180.0), step(length=60.0, intensity="recovery")))
    row = planned(
        step(length=600.0, intensity="warmup"),
        PlannedRepetition(2, (inner, step(length=300.0, intensity="rest"))),
    )
    warm_up, outer = row.structure

    assert row.duration == 600 + 2 * (4 * 240 + 300)
    assert row.distance is None
    assert warm_up.label is StepLabel.WARM_UP
    assert (outer.n_repetitions, outer.steps[0].n_repetitions) == (2, 4)
    assert [found.label for found in outer.steps[0].steps] == [StepLabel.ACTIVE, StepLabel.INTRA_RECOVERY]
    assert outer.steps[1].label is StepLabel.REST


def test_lengths_in_metres_and_open_ones():
    row = planned(step("distance", 400.0), step("distance", 600.0))
    mixed = planned(step("distance", 400.0), step("free", None))

    assert (row.distance, row.duration) == (1000, None)
    assert [found.length.type for found in mixed.structure] == ["distance", "free"]
    assert mixed.distance is None


def test_a_workout_without_a_sport_is_generic():
    assert planned(step(), sport=None).sport is Sport.GENERIC


def test_watts_are_put_beside_percent_of_critical_power():
    absolute = intensity_of_step(StepTarget("power", None, 300, 310))

    assert (absolute.from_power, absolute.min_power, absolute.max_power) == (
        IntensitySourceKind.ABSOLUTE,
        300,
        310,
    )
    assert (absolute.min_power_threshold_percentage, absolute.max_power_threshold_percentage) == (120, 124)
    assert absolute.service_intensity is LapIntensity.VO2MAX


def test_percent_is_put_beside_watts_where_the_reference_is_known():
    target = StepTarget("power", None, 90, 100, is_percent=True)
    known, unknown = intensity_of_step(target), intensity_of_step(target, AthleteValues())

    assert (known.from_power, known.min_power, known.max_power) == (IntensitySourceKind.METRIC, 225, 250)
    assert (unknown.min_power, unknown.min_power_threshold_percentage) == (None, 90)


def test_a_zone_keeps_its_name():
    zone = intensity_of_step(StepTarget("power", "5"))

    assert (zone.from_power, zone.zone, zone.min_power, zone.service_intensity) == (
        IntensitySourceKind.ZONE,
        "5",
        None,
        None,
    )


def test_heart_rate_cadence_and_speed_have_their_own_fields():
    heart_rate = intensity_of_step(StepTarget("heart rate", None, 133, 152))
    cadence = intensity_of_step(StepTarget("cadence", None, 90, 110))
    speed = intensity_of_step(StepTarget("speed", None, 3.6, 4.0))

    assert heart_rate.from_heart_rate is IntensitySourceKind.ABSOLUTE
    assert (heart_rate.min_max_heart_rate_percentage, heart_rate.max_max_heart_rate_percentage) == (70, 80)
    assert (cadence.min_cadence, cadence.max_cadence, cadence.from_power) == (90, 110, None)
    assert (speed.from_speed, speed.min_speed, speed.max_speed_threshold_percentage) == ("absolute", 3.6, 100)
    assert "fromSpeed" not in cadence.to_wire()


@pytest.mark.parametrize(
    ("targets", "expected"),
    [
        (
            [StepTarget("power", "2"), StepTarget("power", "3"), StepTarget("heart rate", "2")],
            ZonesType.POWER,
        ),
        ([StepTarget("heart rate", "2")], ZonesType.HEART_RATE),
        ([StepTarget("speed", None, 3, 4)], ZonesType.SPEED),
        ([OPEN, StepTarget("cadence", None, 80, 90)], None),
    ],
)
def test_the_zones_are_those_of_most_steps(targets, expected):
    assert planned(*(step(target=target) for target in targets)).zones_type is expected


def test_an_open_workout_may_be_empty():
    row = planned(step("free", None))

    assert (row.duration, row.description, row.zones_type) == (None, "Easy", None)
