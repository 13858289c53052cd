"""Coachboard's own workouts: each can be read and done, has a purpose, and its hardest zone is that of its stimulus."""

import pytest

from coachboard.service.planning.library import built_in
from coachboard.wire.enums import Sport, TrainingStimulus
from coachboard.workout_text.parsing import parse_workout
from coachboard.workout_text.summary import summarize_workout
from coachboard.workout_text.values import DayValues

ATHLETE = DayValues(
    critical_power_w=250,
    w_prime_j=20_000,
    critical_speed_mps=4.2,
    max_heart_rate_bpm=190,
    resting_heart_rate_bpm=48,
    usual_speed_mps=3,
)
HARDEST = {
    TrainingStimulus.RECOVERY: {"aerobic"},
    TrainingStimulus.AEROBIC: {"aerobic", "70 to 80"},
    TrainingStimulus.TEMPO: {"tempo"},
    TrainingStimulus.DURABILITY: {"tempo"},
    TrainingStimulus.THRESHOLD: {"threshold"},
    TrainingStimulus.LACTATE_CLEARANCE: {"vo2max"},
    TrainingStimulus.VO2MAX: {"vo2max"},
    TrainingStimulus.ANAEROBIC: {"anaerobic"},
    TrainingStimulus.NEUROMUSCULAR: {"neuromuscular"},
    TrainingStimulus.ACTIVATION: {"vo2max", "anaerobic"},
}
WORKOUTS = {f"{row.sport} {row.title}": row for row in built_in()}


def summary_of(workout):
    structure = parse_workout(workout.text, workout.sport, ATHLETE).structure
    return summarize_workout(structure, workout.sport, ATHLETE)


def test_there_are_thirty_for_three_sports_with_the_stimuli_of_a_season():
    assert len(built_in()) == len(WORKOUTS) == len({row.id for row in built_in()}) == 30
    by_sport = {sport: [row for row in built_in() if row.sport is sport] for sport in Sport}
    assert {sport: len(rows) for sport, rows in by_sport.items() if rows} == {
        Sport.CYCLING: 14,
        Sport.RUNNING: 11,
        Sport.SWIMMING: 5,
    }
    for sport in (Sport.CYCLING, Sport.RUNNING, Sport.SWIMMING):
        stimuli = {row.training_stimulus for row in by_sport[sport]}
        assert stimuli >= {
            TrainingStimulus.AEROBIC,
            TrainingStimulus.TEMPO,
            TrainingStimulus.THRESHOLD,
            TrainingStimulus.VO2MAX,
            TrainingStimulus.TEST,
        }


@pytest.mark.parametrize("workout", WORKOUTS.values(), ids=WORKOUTS)
def test_each_has_a_purpose_and_a_text_without_errors(workout):
    assert parse_workout(workout.text, workout.sport).errors == ()
    assert not workout.is_draft
    assert 10 <= len(workout.description.split()) <= 40
    assert workout.description.endswith(".")
    assert (workout.folder, workout.is_built_in, workout.workspace_id) == ("Coachboard", True, None)


@pytest.mark.parametrize("workout", WORKOUTS.values(), ids=WORKOUTS)
def test_each_lasts_as_long_as_such_a_workout_does(workout):
    shortest, longest = (28 * 60, 3 * 3600)
    assert shortest <= workout.duration <= longest
    summary = summary_of(workout)
    if workout.sport is not Sport.SWIMMING:  # whose usual speed is another one
        assert summary.seconds == pytest.approx(workout.duration, rel=0.2)
    else:
        assert 1_500 <= workout.distance <= 3_000


@pytest.mark.parametrize("workout", WORKOUTS.values(), ids=WORKOUTS)
def test_the_hardest_zone_is_that_of_the_stimulus(workout):
    zones = [zone.zone for zone in summary_of(workout).zones if zone.seconds]
    if "max" in workout.text:  # an effort without a target
        assert workout.training_stimulus in {TrainingStimulus.TEST, TrainingStimulus.NEUROMUSCULAR}
    else:
        assert zones[-1] in HARDEST[workout.training_stimulus]


@pytest.mark.parametrize("workout", WORKOUTS.values(), ids=WORKOUTS)
def test_a_trained_athlete_can_finish_all_repetitions(workout):
    feasibility = summary_of(workout).feasibility
    if workout.sport is Sport.CYCLING:
        assert feasibility.fitting == feasibility.repetitions
        assert feasibility.lowest_share > 0.2
