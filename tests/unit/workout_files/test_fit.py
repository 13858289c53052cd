"""FIT workouts, read back by two independent decoders."""

from datetime import date

import fitdecode
import pytest
from fit_tool.fit_file import FitFile
from fit_tool.profile.messages.workout_message import WorkoutMessage
from fit_tool.profile.messages.workout_step_message import WorkoutStepMessage

from coachboard.service.importers.errors import ImportLimits
from coachboard.service.importers.fit_messages import read_messages
from coachboard.service.importers.fit_workouts import read_workouts
from coachboard.wire.enums import Sport, SubSport
from coachboard.workout_files.formats import WorkoutFormat, workout_file
from coachboard.workout_files.workout import loss_words
from unit.workout_files.workouts import INTERVALS, NOBODY, typed


def _file(workout):
    return workout_file(workout, WorkoutFormat.FIT)


def _decoded(content):
    """The messages by name, each as its raw and named values, as `fitdecode` reads them."""
    messages = {}
    with fitdecode.FitReader(content, check_crc=fitdecode.CrcCheck.RAISE) as frames:
        for frame in frames:
            if isinstance(frame, fitdecode.FitDataMessage):
                values = {field.name: field.value for field in frame.fields if field.value is not None}
                messages.setdefault(frame.name, []).append(values)
    return messages


def _steps(workout):
    return _decoded(_file(workout).content)["workout_step"]


def _range(step, prefix="custom_target_power"):
    return step[f"{prefix}_low"], step[f"{prefix}_high"]


def test_watts_percent_and_heart_rates_have_the_offsets_of_the_format():
    known, unknown = _steps(typed(INTERVALS)), _steps(typed(INTERVALS, references=NOBODY))

    assert _range(known[0]) == (125 + 1000, 150 + 1000)
    assert _range(unknown[0]) == (50, 60)
    for steps in (known, unknown):
        assert _range(steps[7]) == (220 + 1000, 220 + 1000)
        assert _range(steps[6], "custom_target_heart_rate") == (145 + 100, 155 + 100)
    assert _range(_steps(typed("- 30m 70-80% HR", Sport.RUNNING))[0], "custom_target_heart_rate") == (
        233,
        252,
    )
    assert _range(_steps(typed("- 30m 70-80% HR", Sport.RUNNING, NOBODY))[0], "custom_target_heart_rate") == (
        70,
        80,
    )


def test_nested_repeats_name_the_step_they_go_back_to():
    steps = _steps(typed(INTERVALS))
    repeats = {
        step["message_index"]: (step["duration_step"], step["repeat_steps"])
        for step in steps
        if step["duration_type"] == "repeat_until_steps_cmplt"
    }

    assert [step["message_index"] for step in steps] == list(range(9))
    assert repeats == {3: (2, 4), 5: (1, 3)}


def test_a_second_decoder_reads_the_same():
    messages = [record.message for record in FitFile.from_bytes(_file(typed(INTERVALS)).content).records]
    (workout,) = [message for message in messages if isinstance(message, WorkoutMessage)]
    steps = [message for message in messages if isinstance(message, WorkoutStepMessage)]

    assert (workout.workout_name, workout.num_valid_steps, len(steps)) == ("Over-unders", 9, 9)
    assert (steps[0].custom_target_power_low, steps[0].custom_target_power_high) == (1125, 1150)
    assert steps[1].duration_time == 720
    assert (steps[5].duration_step, steps[5].target_repeat_steps) == (1, 3)
    assert steps[0].notes == "Spin up"


def test_our_importer_reads_the_tree_again():
    (workout,) = read_workouts(read_messages(_file(typed(INTERVALS)).content, ImportLimits()))
    series = workout.steps[1]

    assert (workout.title, workout.sport, len(workout.steps)) == ("Over-unders", Sport.CYCLING, 5)
    assert (series.count, series.steps[1].count) == (3, 4)
    assert (series.steps[0].target.low, series.steps[0].target.high) == (238, 250)


def test_lengths_cues_kinds_and_the_second_target():
    steps = _steps(typed(INTERVALS))

    assert [step.get("intensity") for step in steps if "intensity" in step] == [
        "warmup", "active", "active", "recovery", "active", "active", "cooldown",
    ]  # fmt: skip
    assert (steps[0]["duration_time"], steps[0]["notes"], steps[4]["notes"]) == (900, "Spin up", "Easy")
    assert steps[1]["secondary_target_type"] == "cadence"
    assert _range(steps[1], "secondary_custom_target_cadence") == (85, 95)
    assert (steps[8]["duration_type"], _range(steps[8])) == ("open", (1100, 1100))


def test_a_swim_by_distance_is_a_pool_swim_with_speeds_and_rests():
    steps = _steps(swim := typed("8x\n- 50mtr 90% Pace\n- Rest 20s intensity=rest", Sport.SWIMMING))
    (workout,) = _decoded(_file(swim).content)["workout"]

    assert (workout["sport"], workout["sub_sport"]) == ("swimming", "lap_swimming")
    assert (steps[0]["duration_type"], steps[0]["duration_distance"]) == ("distance", 50)
    assert _range(steps[0], "custom_target_speed") == (3.6, 3.6)
    assert (steps[1]["intensity"], steps[1]["duration_time"], steps[2]["repeat_steps"]) == ("rest", 20, 8)


def test_names_of_sports_are_those_of_the_profile():
    (workout,) = _decoded(
        _file(typed("- 1h 60%", Sport.E_BIKING, sub_sport=SubSport.E_BIKE_FITNESS)).content
    )["workout"]

    assert (workout["sport"], workout["sub_sport"]) == ("e_biking", "e_bike_fitness")


@pytest.mark.parametrize("title", ["A title that is much longer than fifteen characters", "Ä🚴" * 100])
def test_a_name_is_cut_where_the_format_ends_and_nowhere_else(title):
    file = _file(typed("- 1h 60%", title=title, description="é" * 600))
    (workout,) = _decoded(file.content)["workout"]

    name = workout["wkt_name"]
    assert name == title or (name.endswith("…") and title.startswith(name[:-1]) and len(name.encode()) > 248)
    assert len(workout["wkt_description"].encode()) <= 254
    assert loss_words(file.losses) == ["the end of long texts"]


@pytest.mark.parametrize(
    ("changes", "length"),
    [
        ({"duration": 5400}, ("time", 5400.0)),
        ({"distance": 10_000}, ("distance", 10_000.0)),
        ({}, ("open", None)),
        ({"structure": ()}, ("open", None)),
    ],
)
def test_a_workout_without_steps_is_one_step_of_the_planned_length(changes, length):
    file = _file(typed("", average_power=180, **{"structure": None, **changes}))
    (step,) = _decoded(file.content)["workout_step"]

    assert (step["duration_type"], step.get(f"duration_{length[0]}")) == length
    assert _range(step) == (1180, 1180)
    assert loss_words(file.losses) == ["a workout without steps: one step of the planned length"]


def test_losses_have_the_number_of_their_steps():
    file = _file(typed("- 1h 60% 140-150bpm 90rpm\n- 5m 60%"))
    speeds = _file(typed("3x\n- 1km 100% Pace", Sport.RUNNING, NOBODY))
    above = _file(typed("- 30m 105% HR", Sport.RUNNING, NOBODY))

    assert loss_words(file.losses) == ["a third target of a step (1 step)"]
    assert loss_words(speeds.losses) == ["percent of a value that is unknown (1 step)"]
    assert loss_words(above.losses) == ["percent of maximum heart rate above 100: 100 (1 step)"]


def test_equal_workouts_give_equal_bytes():
    assert _file(typed(INTERVALS)).content == _file(typed(INTERVALS)).content
    assert _file(typed(INTERVALS)).content != _file(typed(INTERVALS, date=date(2026, 5, 5))).content
