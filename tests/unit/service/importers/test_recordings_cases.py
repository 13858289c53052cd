"""Real recordings that are hard each in its own way."""

from dataclasses import replace

import numpy as np
import pytest

from coachboard.execution.pool_lengths import pool_length_m, swum
from coachboard.formulas.session.mean_maximal import DURATIONS
from coachboard.formulas.session.part_measures import device_spans
from coachboard.formulas.session.selection import summarize
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.loaders.power_curves import curve_of
from coachboard.pages.activity.efficiency import heart_rate_against_output
from coachboard.pages.activity.session_parts import Part, parts_of
from coachboard.service.importers.athlete import AthleteValues
from coachboard.service.importers.errors import ImportLimits
from coachboard.service.importers.reading import read_recording
from coachboard.service.importers.recording import StepTarget
from coachboard.service.importers.same_session import is_same_session
from coachboard.service.importers.summary import Identity, read_activity
from coachboard.wire.enums import Gender, LapIntensity, Sport, StrokeType, SubSport
from session_data import data_of
from unit.service.importers.conftest import ORACLE_ATHLETE

pytestmark = pytest.mark.recordings


def test_o01_has_classified_laps_over_the_whole_ride(read_file):
    """The laps are found from power: contiguous, from the first record to the last, not the device's 11."""
    activity = read_file("o01").activities[0].activity

    assert activity.laps[0].started_at_index == 0
    assert activity.laps[-1].ended_at_index == 21394
    for earlier, later in zip(activity.laps, activity.laps[1:], strict=False):
        assert later.started_at_index == earlier.ended_at_index + 1
        assert later.intensity is not earlier.intensity or later.characteristic is not earlier.characteristic
    work = [lap.work_before for lap in activity.laps]
    assert work == sorted(work)
    assert work[0] == 0


def test_o01_balance_is_the_left_sides_share(read_file):
    balance = read_file("o01").activities[0].streams.columns["leftRightBalance"]

    # GoldenCheetah: 50.096.
    assert np.nanmean(balance) == pytest.approx(50.1, abs=0.2)


def test_o04_and_o05_are_the_same_ride(read_file):
    fit, gpx = (read_file(name).activities[0].activity for name in ("o04", "o05"))

    assert is_same_session(fit, gpx)
    assert gpx.sport is Sport.CYCLING
    assert gpx.distance == pytest.approx(fit.distance, rel=0.001)
    assert gpx.normalized_power == fit.normalized_power
    assert gpx.moving_duration == pytest.approx(fit.moving_duration, rel=0.01)


def test_o06_holds_the_workout_that_was_followed(read_file):
    read = read_file("o06")
    (workout,) = read.recording.workouts

    assert workout.title == "HIIT 20 X 0:30/0:15"
    assert [getattr(step, "count", None) for step in workout.steps] == [
        None, None, None, None, None, 10, None, 10, None, None,
    ]  # fmt: skip
    assert read.activities[0].activity.sub_sport is SubSport.INDOOR_CYCLING
    assert {lap.intensity for lap in read.activities[0].activity.laps} & {
        LapIntensity.VO2MAX,
        LapIntensity.ANAEROBIC,
        LapIntensity.NEUROMUSCULAR,
    }


def test_o08_and_o09_have_core_and_skin_temperature(read_file):
    karoo, watch = (read_file(name).activities[0].streams.columns for name in ("o08", "o09"))

    assert 36 < np.nanmin(karoo["coreTemperature"]) < np.nanmax(karoo["coreTemperature"]) < 40
    assert 25 < np.nanmean(karoo["skinTemperature"]) < 38
    assert 36 < np.nanmean(watch["coreTemperature"]) < 38
    assert "heatStrainIndex" in watch
    assert len(karoo["grade"]) == 4314


def test_o10_takes_power_from_stryd_and_dynamics_from_the_watch(read_file):
    read = read_file("o10")
    columns, activity = read.activities[0].streams.columns, read.activities[0].activity

    assert np.nanmean(columns["power"]) == pytest.approx(251.73, abs=0.01)
    assert 240 < np.nanmean(columns["groundContactTime"]) < 300  # ms
    assert 60 < np.nanmean(columns["verticalOscillation"]) < 100  # mm, not Stryd's cm
    assert 1000 < np.nanmean(columns["stepLength"]) < 1400  # mm
    assert activity.average_running_cadence == pytest.approx(79, abs=1)
    assert activity.average_cadence is None
    assert activity.laps == ()


def test_o11_has_exertion_and_feeling(read_file):
    activity = read_file("o11").activities[0].activity

    assert (activity.rpe, activity.feeling) == (4, 3)


def test_o14_has_heart_rate_out_of_separate_messages(read_file):
    read = read_file("o14")
    activity, streams = read.activities[0].activity, read.activities[0].streams
    swum = [length for length in activity.lengths if length.average_speed]
    is_active = [length.is_active for length in read.recording.legs[0].lengths]

    assert np.isfinite(streams.columns["heartRate"]).mean() > 0.9
    assert activity.average_heart_rate == 142
    assert activity.sub_sport is SubSport.LAP_SWIMMING
    assert (len(is_active), sum(is_active), len(swum)) == (166, 114, 110)  # four are drills without a speed
    # Average speed times duration is the pool, 25 yd.
    assert np.median([length.average_speed * length.duration for length in swum]) == pytest.approx(
        22.86, abs=0.3
    )


def test_o15_takes_the_time_of_its_records_from_the_lengths(read_file):
    read = read_file("o15")
    activity, streams = read.activities[0].activity, read.activities[0].streams
    active = [length for length in activity.lengths if length.stroke_count]

    assert len(streams) == 67 + 10  # one more for the end of each length before a rest, and of the last
    assert not np.isnat(streams.timestamps).any()
    assert all(length.ended_at_index == length.started_at_index for length in activity.lengths)
    assert len(active) == 60
    assert {length.stroke_type for length in active} == {StrokeType.FREESTYLE}


def test_o16_has_heart_rate(read_file):
    streams = read_file("o16").activities[0].streams

    assert np.nanmean(streams.columns["heartRate"]) == pytest.approx(138, abs=2)


def test_o17_is_five_legs_in_order_although_their_summaries_come_first(read_file):
    read = read_file("o17")

    assert read.recording.is_multisport
    assert [leg.activity.sport for leg in read.activities] == [
        Sport.SWIMMING, Sport.TRANSITION, Sport.CYCLING, Sport.TRANSITION, Sport.RUNNING,
    ]  # fmt: skip
    assert [len(leg.activity.provider_laps) for leg in read.activities] == [3, 2, 2, 1, 3]
    assert read.activities[0].activity.average_speed == 0.76  # the file also has 65.535, the invalid value


@pytest.mark.slow
def test_o18_measures_power_with_pedals_on_the_bike_and_stryd_on_the_run(read_file):
    read = read_file("o18")
    bike, run = read.activities[2], read.activities[4]

    assert bike.activity.average_power == pytest.approx(136, abs=1)
    assert 100 < run.activity.average_power < 250
    assert [len(leg.activity.provider_laps) for leg in read.activities] == [39, 1, 36, 1, 35]
    # The device's own balance, which it writes in kJ.
    assert 5_000 < np.nanmax(bike.streams.columns["wPrimeBalance"]) < 50_000


def test_o19_has_no_distance_and_no_laps(read_file):
    activity = read_file("o19").activities[0].activity

    assert activity.sub_sport is SubSport.STRENGTH_TRAINING
    assert not activity.distance
    assert activity.provider_laps == ()


def test_o20_reads_the_ergometers_developer_fields(read_file):
    activity = read_file("o20").activities[0].activity

    assert activity.average_power == pytest.approx(367.7, abs=0.5)
    assert activity.distance == pytest.approx(6163)
    assert 25 < activity.average_cadence < 40  # strokes, not the watch's guess of 8


def test_o21_counts_time_between_rare_records(read_file):
    activity = read_file("o21").activities[0].activity

    # GoldenCheetah says 16,029 s.
    assert activity.moving_duration == pytest.approx(16_029, rel=0.05)


def test_o24_keeps_the_records_before_the_damage_and_reports_it(read_file):
    read = read_file("o24")

    assert len(read.recording.problems) == 3
    assert "damaged" in read.recording.problems[0]
    assert read.activities[0].activity.distance == pytest.approx(11_274.04)
    assert read.activities[0].activity.moving_duration is None


def test_o25_is_read_by_the_second_decoder(read_file):
    read = read_file("o25")

    assert read.activities[0].streams.columns["heartRate"].size == 755
    assert any("clock" in problem for problem in read.recording.problems)
    assert read.activities[0].activity.started_at_local is None


def test_o26_reads_laps_and_power_of_a_tcx_file(read_file):
    activity = read_file("o26").activities[0].activity

    assert activity.sport is Sport.CYCLING
    assert len(activity.provider_laps) == 5
    assert activity.distance == pytest.approx(668, abs=1)
    assert activity.total_duration == 127
    assert activity.calories == 12
    assert activity.max_power == 434


def test_o27_keeps_the_points_with_a_time(read_file):
    read = read_file("o27")

    assert len(read.activities[0].streams) == 513
    assert read.activities[0].activity.sport is None
    assert read.activities[0].activity.total_duration == pytest.approx(13_381, abs=3)
    assert read.recording.problems == ("358 of 871 points have no usable time and were ignored",)


def test_o22_is_a_workout_with_a_repeat(read_file):
    (workout,) = read_file("o22").recording.workouts
    warm_up, repeat, cool_down = workout.steps

    assert workout.title == "Example 2"
    assert warm_up.target == StepTarget("heart rate", "2")
    assert (repeat.count, [step.length for step in repeat.steps]) == (3, [500, 500])
    assert [step.target for step in repeat.steps] == [StepTarget("power", "5"), StepTarget("power", "3")]
    assert (cool_down.length_kind, cool_down.intensity) == ("free", "cooldown")


def test_o23_is_a_workout_in_watts_and_percent(read_file):
    (workout,) = read_file("o23").recording.workouts

    assert [step.target for step in workout.steps] == [
        StepTarget("heart rate", None, 50, 60, is_percent=True),
        StepTarget("power", None, 300, 310),
        StepTarget("power", None, 260, 270),
        StepTarget("power", None, 220, 230),
    ]


def test_o24_has_no_score_of_the_fraction_that_was_recorded(read_file):
    """The records end after 315 of 3,558 s: by these alone the run would be neuromuscular."""
    runner = replace(ORACLE_ATHLETE, critical_speed_mps=4.0)
    (leg,) = read_file("o24").recording.legs
    activity = read_activity(leg, Identity(id="act_1"), lambda sport, day: runner).activity

    assert (activity.volume, activity.intensity, activity.training_stimulus) == (None, None, None)
    assert activity.distance == pytest.approx(11_274, abs=1)


def test_o19_has_no_distance_and_no_speed(read_file):
    activity = read_file("o19").activities[0].activity

    assert (activity.distance, activity.average_speed) == (None, None)


def test_o12_decouples_by_grade_adjusted_speed_and_o07_not_at_all(read_file):
    """By plain speed o12 lost 11.8 %, and o07, a ride without power, 4.4 % of nothing."""
    run, ride = (read_file(name).activities[0] for name in ("o12", "o07"))
    found = heart_rate_against_output(data_of(run.activity, run.streams))

    assert found.is_adjusted
    assert found.decoupling.loss_pct == pytest.approx(10.6, abs=0.1)
    assert heart_rate_against_output(data_of(ride.activity, ride.streams)) is None


@pytest.mark.parametrize("name", ["o14", "o15"])
def test_the_distance_of_a_pool_begins_at_0_and_rests_at_the_wall(read_file, name):
    read = read_file(name)
    leg, activity = read.recording.legs[0], read.activities[0].activity
    distance = read.activities[0].streams.columns["distance"]

    assert (distance[0], distance[-1]) == (0, pytest.approx(activity.distance, abs=0.01))
    for length, device in zip(activity.lengths, leg.lengths, strict=True):
        if not device.is_active and length.duration > 5:
            assert distance[length.ended_at_index] - distance[length.started_at_index] == 0


@pytest.mark.parametrize("name", ["o14", "o15"])
def test_repetitions_of_o14_and_o15_are_the_laps_that_the_swimmer_pressed(read_file, name):
    """Both pools have 25 yd; the laps of o14 hold repetitions and rests in turn."""
    read = read_file(name).activities[0]
    data = data_of(read.activity, read.streams)
    found = parts_of(data, Part.REPETITIONS).table
    laps = parts_of(data, Part.DEVICE).table
    swum = laps[laps["distance_m"] > 0]

    assert pool_length_m(read.activity) == pytest.approx(22.86)
    assert abs(len(found) - len(swum)) <= 1
    assert (found["distance_m"] / 22.86 % 1).max() < 1e-6
    assert found["distance_m"].sum() == pytest.approx(read.activity.distance, rel=0.01)


def test_o14_and_o15_have_the_load_of_all_their_lengths(recordings_folder):
    """Only samples with a speed counted: 1.7 and 8.0."""
    athlete = AthleteValues(critical_speed_mps=1.2)
    volumes = {}
    for name in ("o14", "o15"):
        (file,) = recordings_folder.glob(f"{name}_*")
        (leg,) = read_recording(file.read_bytes(), ImportLimits()).legs
        volumes[name] = read_activity(leg, Identity(id="act_1"), lambda sport, day: athlete).activity.volume

    assert volumes["o14"] == pytest.approx(38, rel=0.06)
    assert volumes["o15"] == pytest.approx(21, rel=0.08)


def test_o15_lap_2_ends_where_lap_3_begins(read_file):
    laps = read_file("o15").activities[0].activity.provider_laps

    assert laps[1].ended_at == laps[2].started_at


def test_o26_counts_the_points_at_lap_edges_once(read_file):
    read = read_file("o26")

    assert len(read.activities[0].streams) == 96
    assert (np.diff(read.recording.legs[0].times_s) > 0).all()


def test_each_device_lap_of_a_pool_swim_has_the_distance_of_its_own_lengths(read_file):
    """The lengths of o15 run 9 to 22 s behind its timer: five laps of four lengths had 68.6 m, and a rest 22.9 m."""
    read = read_file("o15").activities[0]
    streams = SessionStreams.from_streams(read.streams, swum=swum(read.activity))
    spans = device_spans(read.activity, streams)

    found = [summarize(streams, streams.between(start, end)).distance_m for start, end in spans]

    assert found == pytest.approx([457.2] + [91.44] * 10, abs=0.1)


@pytest.mark.parametrize("name", ["o14", "o15"])
def test_a_pool_swim_moves_during_its_lengths_alone(read_file, name):
    """The pages counted the rests of o14 as moving: 4,373 s instead of 2,763 s."""
    read = read_file(name).activities[0]
    streams = SessionStreams.from_streams(read.streams, swum=swum(read.activity))

    moving_s = summarize(streams, slice(None)).active_s

    assert moving_s == pytest.approx(float(read.activity.moving_duration), rel=0.02)


def test_o20_best_20_minutes_hold_its_lost_seconds(read_file):
    """With lost seconds as 0 W they were 354 W, below the mean of the whole session."""
    activity, streams = (getattr(read_file("o20").activities[0], name) for name in ("activity", "streams"))
    curve = curve_of(SessionStreams.from_streams(streams), "power")
    best = float(curve[DURATIONS.index(1_200)])

    assert best == pytest.approx(368, abs=0.5)
    assert best >= activity.average_power


def test_o19_has_the_load_of_its_whole_time(read_file):
    """It has 927 records in 1,858 s: counted as 1 s each, they made a load of 3.0."""
    man = AthleteValues(max_heart_rate_bpm=190, resting_heart_rate_bpm=50, gender=Gender.MALE)
    (leg,) = read_file("o19").recording.legs
    activity = read_activity(leg, Identity(id="act_1"), lambda sport, day: man).activity

    assert activity.volume == pytest.approx(6.0, abs=0.05)


def test_o20_has_the_same_work_in_headline_and_selection(read_file):
    """The headline had 604 kJ and the selection 629 kJ."""
    read = read_file("o20").activities[0]
    selected = summarize(SessionStreams.from_streams(read.streams), slice(None))

    assert selected.work_kj == pytest.approx(read.activity.work, abs=0.01)
    assert read.activity.work == pytest.approx(629, abs=0.5)
