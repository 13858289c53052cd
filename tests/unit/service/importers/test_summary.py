"""The fields of an activity: the source of each figure, and fields that stay null."""

from datetime import UTC, date, datetime

import numpy as np
import pytest

import rides
from coachboard.service.importers.athlete import AthleteValues
from coachboard.service.importers.errors import FileTooLarge
from coachboard.service.importers.laps import climbs
from coachboard.service.importers.recording import DeviceLap, DeviceLength, TimeSpan
from coachboard.service.importers.summary import Identity, read_activity
from coachboard.wire.enums import Gender, Sport, StrokeType, TrainingStimulus
from unit.service.importers.legs import START_S, leg

ATHLETE = AthleteValues(
    critical_power_w=250,
    w_prime_j=20_000,
    critical_speed_mps=4,
    max_heart_rate_bpm=190,
    resting_heart_rate_bpm=50,
    weight_kg=70,
    gender=Gender.MALE,
)


HEART_ALONE = AthleteValues(max_heart_rate_bpm=190, resting_heart_rate_bpm=50, gender=Gender.MALE)


def read(made, *, athlete=ATHLETE, offset=None):
    return read_activity(
        made, Identity(id="act_1", utc_offset_min=offset), lambda sport, day: athlete
    ).activity


def test_nothing_recorded_is_null():
    activity = read(leg(0))
    fields = activity.to_wire()

    assert activity.started_at == datetime.fromtimestamp(START_S, UTC)
    assert {name for name, value in fields.items() if value not in (None, [])} == {
        "id",
        "startedAt",
        "effectiveDuration",
        "totalDuration",
    }


def test_records_of_two_decades_are_refused_with_a_reason():
    """Seen from a changed byte: one record of 2006 before those of 2026."""
    with pytest.raises(FileTooLarge, match="more than 30 days"):
        read(leg(times=[0, 631_152_001, 631_152_002, 631_152_004], power=200))


def test_local_time_follows_the_files_offset_else_the_place():
    place = {"positionLat": 46.5, "positionLong": 8.0}

    assert read(leg(5, **place), offset=-300).started_at_local.hour == 1
    assert read(leg(5, **place)).utc_offset == 120
    assert read(leg(0, figures={"start_latitude": 51.0, "start_longitude": 0.0})).utc_offset == 60
    assert read(leg(2, positionLat=[46.5, np.nan], positionLong=[np.nan, 8.0])).utc_offset is None
    assert read(leg(0, figures={"start_latitude": 0.0, "start_longitude": 0.0})).utc_offset is None
    assert read(leg(0, figures={"start_latitude": 51.0})).started_at_local is None


def test_metrics_are_looked_up_on_the_local_day():
    asked = []

    def athlete_on(sport, day):
        asked.append((sport, day))
        return AthleteValues()

    read_activity(leg(5, sport=Sport.RUNNING), Identity(id="act_1", utc_offset_min=-420), athlete_on)

    assert asked == [(Sport.RUNNING, date(2026, 5, 3))]


def test_the_devices_figures_go_first_but_not_for_power():
    figures = {
        "distance": 1000.0,
        "average_heart_rate": 151.0,
        "elevation_gain": 12.0,
        "normalized_power": 999.0,
        "average_power": 999.0,
    }
    made = leg(60, distance=np.arange(60) * 10, heartRate=150, altitude=500, power=200, figures=figures)
    activity = read(made)

    assert (activity.distance, activity.average_heart_rate, activity.elevation_gain) == (1000, 151, 12)
    assert (activity.average_power, activity.normalized_power, activity.work) == (200, 200, 12)


def test_a_devices_zero_gives_way_to_the_values_of_the_records():
    made = leg(60, distance=np.arange(60) * 10.0, figures={"distance": 0.0, "average_speed": 0.0})
    activity = read(made)

    assert activity.distance == 590
    assert activity.average_speed == pytest.approx(590 / 60, abs=0.01)


def test_without_power_records_the_devices_figures_count():
    activity = read(leg(0, figures={"average_power": 210.0, "work": 500.5}))

    assert (activity.average_power, activity.work, activity.max_power) == (210, 500.5, None)


def test_cadence_on_foot_is_strides_and_elsewhere_cadence():
    run, ride = (read(leg(60, cadence=85.5, sport=sport)) for sport in (Sport.RUNNING, Sport.CYCLING))

    assert (run.average_running_cadence, run.max_running_cadence, run.average_cadence) == (85.5, 85.5, None)
    assert (ride.average_cadence, ride.max_cadence, ride.average_running_cadence) == (85.5, 85.5, None)


def test_heights_need_a_plausible_altitude():
    good = read(leg(600, altitude=500 + np.arange(600) / 10, distance=np.arange(600) * 5.0))
    bad = read(leg(600, altitude=np.resize([500.0, 900.0], 600), distance=np.arange(600) * 5.0))

    assert good.elevation_gain == pytest.approx(60, abs=3)
    assert (good.min_elevation, good.max_elevation) == (500, 559.9)
    assert (bad.elevation_gain, bad.max_elevation) == (None, None)


@pytest.mark.parametrize(
    ("rpe", "feeling", "expected"), [(4.0, 3.0, (4, 3)), (0.0, 0.0, (None, None)), (11.0, 6.0, (None, None))]
)
def test_exertion_and_feeling_stay_on_their_scales(rpe, feeling, expected):
    activity = read(leg(0, figures={"rpe": rpe, "feeling": feeling}))

    assert (activity.rpe, activity.feeling) == expected


def test_load_comes_from_power_first():
    activity = read(leg(3600, power=250, heartRate=150, sport=Sport.CYCLING))

    assert (activity.volume, activity.intensity) == (100, 70)
    assert activity.training_stimulus is TrainingStimulus.THRESHOLD


def test_load_comes_from_speed_where_there_is_no_power():
    flat = read(leg(3600, speed=4.0, sport=Sport.RUNNING))
    uphill = read(
        leg(
            3600,
            speed=4.0,
            distance=np.arange(3600) * 4.0,
            altitude=np.arange(3600) * 0.2,
            sport=Sport.RUNNING,
        )
    )
    swim = read(leg(3600, speed=4.0, sport=Sport.SWIMMING))

    assert flat.volume == swim.volume == 100
    assert uphill.volume > 120
    assert flat.training_stimulus is TrainingStimulus.THRESHOLD


def test_load_comes_from_heart_rate_where_there_is_no_speed():
    activity = read(leg(3600, heartRate=rides.beats(3600, 0.89 * 190), sport=Sport.ROWING))

    assert activity.volume == pytest.approx(100, abs=0.1)
    assert activity.training_stimulus is None


def test_load_of_a_dead_power_meter_comes_from_pace_and_its_figures_are_null():
    figures = {"average_power": 0.0, "max_power": 0.0, "work": 0.0}
    activity = read(leg(3600, power=0.0, speed=4.0, sport=Sport.RUNNING, figures=figures))

    assert activity.volume == pytest.approx(100)
    assert activity.training_stimulus is TrainingStimulus.THRESHOLD
    assert (activity.average_power, activity.normalized_power, activity.work) == (None, None, None)
    assert activity.laps == ()


def test_load_of_a_trainer_without_wheel_sensor_comes_from_heart_rate():
    made = leg(3600, power=0.0, speed=0.0, distance=0.0, heartRate=rides.beats(3600, 0.89 * 190))
    activity = read(made, athlete=ATHLETE)

    assert activity.volume == pytest.approx(100, abs=0.1)
    assert (activity.average_speed, activity.distance, activity.moving_duration) == (None, None, 3600)


def test_zeros_of_a_device_without_the_sensor_are_null():
    figures = {"distance": 0.0, "average_speed": 0.0, "max_speed": 0.0}
    activity = read(leg(60, heartRate=rides.beats(60), sport=Sport.TRAINING, figures=figures))

    assert (activity.distance, activity.average_speed, activity.max_speed) == (None, None, None)


def test_a_stuck_heart_rate_is_no_load_and_no_average():
    figures = {"average_heart_rate": 150.0, "max_heart_rate": 150.0}
    activity = read(leg(3600, heartRate=150.0, sport=Sport.ROWING, figures=figures), athlete=HEART_ALONE)

    assert (activity.volume, activity.average_heart_rate, activity.max_heart_rate) == (None, None, None)


@pytest.mark.parametrize(("recorded_s", "is_known"), [(1_700, False), (1_900, True)])
@pytest.mark.parametrize("column", ["power", "speed"])
def test_less_than_half_of_a_session_has_no_load_and_no_stimulus(column, recorded_s, is_known):
    values = np.where(np.arange(3_600) < recorded_s, 4.0 if column == "speed" else 250.0, np.nan)

    fields = read(leg(3_600, **{column: values}, sport=Sport.RUNNING))

    assert (fields.volume is not None, fields.training_stimulus is not None) == (is_known, is_known)


def test_records_of_less_than_half_of_a_session_have_no_load():
    """o24: 315 of 3,558 s would call the session neuromuscular."""
    made = leg(300, speed=4.0, sport=Sport.RUNNING, figures={"effective_duration": 3_558.0})

    assert (read(made).volume, read(made).training_stimulus) == (None, None)


def test_load_comes_from_exertion_where_nothing_else_is_known():
    activity = read(leg(0, figures={"rpe": 7.0, "effective_duration": 3600.0}), athlete=AthleteValues())

    assert (activity.volume, activity.intensity) == (100, 70)


def test_load_is_unknown_without_references():
    activity = read(leg(60, power=200, speed=4.0, heartRate=150), athlete=AthleteValues())

    assert (activity.volume, activity.intensity, activity.training_stimulus) == (None, None, None)


RIDE = leg(
    1800,
    sport=Sport.CYCLING,
    power=np.where((np.arange(1800) // 300) % 2 == 1, 320.0, 150.0),
    cadence=90,
    heartRate=140,
    speed=5,
    temperature=20,
    distance=np.arange(1800) * 5.0,
    altitude=500 + np.clip(np.arange(1800) - 600, 0, 800) * 0.3,
)


def test_a_ride_has_laps_and_climbs_with_their_figures():
    activity = read(RIDE)
    hard = [lap for lap in activity.laps if lap.average_power > 300]
    (climb,) = activity.climbs

    assert len(activity.laps) == 6
    assert (hard[0].started_at_index, hard[0].ended_at_index, hard[0].duration) == (300, 599, 300)
    assert hard[0].work_before == 45
    assert hard[0].average_torque == pytest.approx(320 / (2 * np.pi * 1.5), abs=0.01)
    assert (hard[0].distance, hard[0].average_cadence, hard[0].average_temperature) == (1500, 90, 20)
    assert climb.elevation_gain == pytest.approx(240, abs=5)
    assert climb.average_grade == pytest.approx(6, abs=0.2)
    assert climb.average_power_per_kilo == pytest.approx(climb.average_power / 70, abs=0.01)
    assert climb.max_grade >= climb.average_grade - 0.1


def test_a_climb_without_a_grade_is_at_most_as_steep_as_its_mean():
    (climb,) = climbs(RIDE, AthleteValues(), None)

    assert climb.max_grade == climb.average_grade


def test_only_rides_have_laps_and_climbs():
    run = leg(1800, sport=Sport.RUNNING, **RIDE.columns)

    assert read(run).laps == read(run).climbs == ()


def test_without_a_critical_power_a_ride_has_no_laps_and_without_weight_no_watts_per_kilo():
    activity = read(RIDE, athlete=AthleteValues())

    assert activity.laps == ()
    assert activity.climbs[0].average_power_per_kilo is None
    assert activity.climbs[0].average_power is not None


def test_recorded_torque_goes_before_the_computed_one():
    activity = read(leg(600, sport=Sport.CYCLING, power=200, cadence=90, torque=33))

    assert activity.laps[0].average_torque == 33


def test_laps_of_a_device_that_writes_rarely_span_its_records():
    made = leg(450, step_s=4, sport=Sport.CYCLING, power=np.where(np.arange(450) < 225, 150.0, 320.0))
    activity = read(made)

    assert [(lap.started_at_index, lap.ended_at_index) for lap in activity.laps] == [(0, 224), (225, 449)]
    assert activity.laps[0].duration == 900


def test_device_laps_and_lengths_are_kept():
    span = TimeSpan(START_S + 10.2, START_S + 34.9)
    lengths = (DeviceLength(span, True, StrokeType.FREESTYLE, 1.0, 28, 12),)
    made = leg(
        60,
        sport=Sport.SWIMMING,
        heartRate=np.arange(60) + 100,
        laps=(DeviceLap(span, "rest", "manual"),),
        lengths=lengths,
    )
    activity = read(made)
    (lap,), (length,) = activity.provider_laps, activity.lengths

    assert (lap.intensity, lap.lap_trigger, lap.started_at.second, lap.ended_at.second) == (
        "rest",
        "manual",
        10,
        34,
    )
    assert (length.started_at_index, length.ended_at_index) == (10, 34)
    assert (length.duration, length.stroke_count, length.average_cadence) == (24.7, 12, 28)
    assert (length.average_heart_rate, length.max_heart_rate) == (122, 134)


def test_lengths_without_records_point_to_the_start():
    lengths = (DeviceLength(TimeSpan(START_S, START_S + 30), True, None, None, None, None),) * 2
    activity = read(leg(0, sport=Sport.SWIMMING, lengths=lengths))

    assert [(length.started_at_index, length.ended_at_index) for length in activity.lengths] == [(0, 0)] * 2


@pytest.mark.parametrize(("recorded_s", "is_known"), [(1, False), (1_700, False), (1_900, True)])
def test_heart_rate_of_a_fraction_of_a_session_is_no_load(recorded_s, is_known):
    """A strap that sent one value in a swim would make it a session without load."""
    beats = np.where(np.arange(3_600) < recorded_s, rides.beats(3_600, 150), np.nan)

    fields = read(leg(3_600, heartRate=beats, sport=Sport.SWIMMING), athlete=HEART_ALONE)

    assert (fields.volume is not None, fields.intensity is not None) == (is_known, is_known)
    assert fields.average_heart_rate == pytest.approx(150, abs=1)
