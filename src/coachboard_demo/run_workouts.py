"""The sessions of runners."""

from coachboard.models.enums import StepLabel, TrainingStimulus
from coachboard_demo.workouts import Step, Workout, off, on, times

_STRIDES = times(3, Step(StepLabel.MAXIMUM, 1.2, 1.35, 20), off(70, 0.3, 0.45))  # before fast repetitions


def easy_run(minutes: float) -> Workout:
    return Workout(
        "Easy run",
        TrainingStimulus.AEROBIC,
        (on(0.7, 0.78, round(minutes / 5) * 300),),
        "Conversation pace.",
        3,
    )


def long_run(minutes: float) -> Workout:
    parts = (on(0.7, 0.78, round((minutes - 20) / 5) * 300), on(0.82, 0.87, 1200))
    return Workout("Long run", TrainingStimulus.DURABILITY, parts, "Last twenty minutes a little faster.", 6)


def run_tempo(_minutes: float) -> Workout:
    sets = times(3, on(0.9, 0.95, 600), off(120, 0.6, 0.68))
    return Workout(
        "Tempo run 3 x 10 min",
        TrainingStimulus.THRESHOLD,
        (Step(StepLabel.WARM_UP, 0.66, 0.74, 900), sets, Step(StepLabel.COOL_DOWN, 0.62, 0.7, 600)),
        None,
        7,
    )


def run_reps(_minutes: float) -> Workout:
    sets = times(6, Step(StepLabel.ACTIVE, 1.0, 1.04, metres=1000), off(150, 0.3, 0.44))
    return Workout(
        "6 x 1000 m",
        TrainingStimulus.VO2MAX,
        (Step(StepLabel.WARM_UP, 0.66, 0.74, 900), _STRIDES, sets, Step(StepLabel.COOL_DOWN, 0.62, 0.7)),
        "Track or flat road.",
        8,
        practice="track",
    )


def run_short(_minutes: float) -> Workout:
    sets = times(
        2,
        times(6, Step(StepLabel.ACTIVE, 1.1, 1.16, metres=400), off(75, 0.26, 0.42)),
        Step(StepLabel.REST, 0.0, 0.2, 240),
    )
    return Workout(
        "2 x 6 x 400 m",
        TrainingStimulus.ANAEROBIC,
        (Step(StepLabel.WARM_UP, 0.66, 0.74, 1200), sets, Step(StepLabel.COOL_DOWN, 0.6, 0.7, 600)),
        None,
        9,
        practice="track",
    )


def hills(_minutes: float) -> Workout:
    sets = times(10, on(1.12, 1.22, 60), off(105, 0.45, 0.58))
    return Workout(
        "Hills 10 x 1 min",
        TrainingStimulus.VO2MAX,
        (Step(StepLabel.WARM_UP, 0.66, 0.74, 1200), sets, Step(StepLabel.COOL_DOWN, 0.6, 0.7, 600)),
        None,
        8,
    )


def strides(minutes: float) -> Workout:
    sets = times(6, Step(StepLabel.MAXIMUM, 1.25, 1.4, 20), off(70, 0.4, 0.6))
    return Workout(
        "Easy with strides",
        TrainingStimulus.NEUROMUSCULAR,
        (on(0.7, 0.78, max(1200, round((minutes - 12) / 5) * 300)), sets),
        None,
        4,
    )
