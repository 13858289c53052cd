"""What is done on a machine, in a gym or on a mat."""

from coachboard.models.enums import StepLabel, TrainingStimulus
from coachboard_demo.workouts import Step, Workout, cool, off, on, times, warm


def row_pieces(_minutes: float) -> Workout:
    # Sit up and drink, then paddle.
    sets = times(3, on(0.94, 1.0, 720), Step(StepLabel.REST, 0.0, 0.0, 60), off(180))
    return Workout("3 x 12 min rate 24", TrainingStimulus.THRESHOLD, (warm(), sets, cool()), None, 8)


def gym(minutes: float) -> Workout:
    sets = times(round(minutes / 4), on(0.5, 0.75, 60), Step(StepLabel.REST, 0.1, 0.2, 150))
    return Workout(
        "Strength",
        None,
        (Step(StepLabel.WARM_UP, 0.3, 0.4, 480), sets),
        "Squat, hinge, push, pull.",
        6,
        practice="strength",
    )


def mobility(_minutes: float) -> Workout:
    return Workout(
        "Yoga",
        TrainingStimulus.RECOVERY,
        (Step(StepLabel.ACTIVE, 0.08, 0.2, 1800),),
        None,
        1,
        practice="yoga",
    )
