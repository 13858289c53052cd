"""Figures of workouts, computed by hand."""

import pytest

from coachboard.wire.enums import LapIntensity, Sport, StepLabel, ZonesType
from coachboard.workout_text.parsing import parse_workout
from coachboard.workout_text.summary import summarize_workout
from coachboard.workout_text.values import DayValues

RIDER = DayValues(critical_power_w=250, w_prime_j=20_000)
RUNNER = DayValues(critical_speed_mps=4.0, usual_speed_mps=2.5)
NOBODY = DayValues()
RIDE, RUN, SWIM = Sport.CYCLING, Sport.RUNNING, Sport.SWIMMING


def summary_of(text, sport=RIDE, values=RIDER, **given):
    workout = parse_workout(text, sport, values)
    assert workout.errors == ()
    return summarize_workout(workout.structure, sport, values, **given)


@pytest.mark.parametrize(
    ("text", "sport", "values", "seconds", "metres", "load"),
    [
        ("- 1h 100%", RIDE, RIDER, 3600, None, 100),
        ("- 30m 250w\n- 30m 250w", RIDE, RIDER, 3600, None, 100),
        ("- 1h 60%", RIDE, RIDER, 3600, None, 36),
        ("- 30m", RIDE, RIDER, 1800, None, None),  # no target
        ("- 1h 100%", RIDE, NOBODY, 3600, None, None),
        (
            "- 30m 100%\n- 30m 150bpm",
            RIDE,
            RIDER,
            3600,
            None,
            pytest.approx(75.15, abs=0.1),
        ),  # aerobic at 60 %
        ("- 1h 100% Pace", RUN, RUNNER, 3600, 14_400, 100),
        ("- 1h 50% Pace", RUN, RUNNER, 3600, 7200, 25),
        ("- 1h 50% Pace", SWIM, RUNNER, 3600, 7200, 12.5),  # the cube of the speed
        ("- 12km 4:10/km Pace", RUN, RUNNER, 3000, 12_000, pytest.approx(83.33, abs=0.01)),
        ("- 10km", RUN, RUNNER, 4000, 10_000, None),
        ("- 10km", RUN, NOBODY, None, 10_000, None),
        ("10x\n- 100mtr 1:40/100m Pace\n- rest 20s", SWIM, NOBODY, 1200, 1000, None),
        ("- 1km 100% Pace\n- 2m", RUN, RUNNER, 370, None, pytest.approx(8.14, abs=0.01)),
        ("- press lap", RIDE, RIDER, 600, None, None),
    ],
)
def test_time_distance_and_load(text, sport, values, seconds, metres, load):
    summary = summary_of(text, sport, values)

    assert (summary.seconds, summary.metres) == (seconds, metres)
    assert summary.load == (pytest.approx(load, abs=0.01) if isinstance(load, float | int) else load)


def test_a_free_step_has_the_length_that_the_workout_states():
    assert summary_of("- press lap", free_duration_s=120.0).seconds == 120


def test_load_by_heart_rate_needs_the_resting_and_the_maximum_heart_rate():
    values = DayValues(max_heart_rate_bpm=190, resting_heart_rate_bpm=60)

    assert summary_of("- 1h 89% HR", values=values).load == pytest.approx(100, abs=1)
    assert summary_of("- 1h 89% HR", values=DayValues(max_heart_rate_bpm=190)).load is None


def test_time_in_the_zones_of_the_pages():
    zones = summary_of("- 10m 60%\n- 5m 95-105%\n- 1m 150%").zones

    assert {zone.zone: zone.seconds for zone in zones if zone.seconds} == {
        "aerobic": 600,
        "threshold": 300,
        "anaerobic": 60,
    }
    assert summary_of("- 10m 60%", values=NOBODY).zones == ()


def test_lowest_w_balance_and_the_repetitions_that_fit():
    fits = summary_of("- 2m 400w")
    empties = summary_of("5x\n- 2m 350w\n- 10s 50%")

    assert fits.lowest_w_balance_j == 2000
    assert (empties.feasibility.fitting, empties.feasibility.repetitions) == (1, 5)
    assert summary_of("- 2m 400w", values=DayValues(critical_power_w=250)).lowest_w_balance_j is None


def test_the_profile_has_a_row_for_each_step():
    summary = summary_of("Warm-up\n- 10m 50-60%\n\n2x\n- 1m 120%\n- 1m")

    assert summary.profile == (
        (0, 600, 125, 150, LapIntensity.AEROBIC, StepLabel.WARM_UP),
        (600, 660, 300, 300, LapIntensity.VO2MAX, StepLabel.ACTIVE),
        (660, 720, None, None, None, StepLabel.INTRA_RECOVERY),
        (720, 780, 300, 300, LapIntensity.VO2MAX, StepLabel.ACTIVE),
        (780, 840, None, None, None, StepLabel.INTRA_RECOVERY),
    )
    assert (summary.unit, summary.quantity) == ("W", ZonesType.POWER)


def test_the_profile_is_in_percent_without_the_value_of_the_athlete():
    summary = summary_of("- 10m 50-60%\n- 1m 300w", values=NOBODY)

    assert summary.unit == "%"
    assert [row[2:4] for row in summary.profile] == [(50, 60), (None, None)]


def test_a_workout_without_steps_has_no_figures():
    summary = summarize_workout((), RIDE, RIDER)

    assert (summary.seconds, summary.load, summary.profile, summary.unit) == (None, None, (), "")


def test_a_workout_beyond_the_limit_is_drawn_without_time():
    summary = summarize_workout(parse_workout("80x\n- 1h 80%", RIDE, RIDER).structure, RIDE, RIDER)

    assert (summary.seconds, summary.load, summary.lowest_w_balance_j, len(summary.profile)) == (
        None,
        None,
        None,
        80,
    )
