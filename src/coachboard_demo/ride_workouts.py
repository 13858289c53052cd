"""The sessions of riders, and of rowers and skiers who train like them."""

from coachboard.models.enums import StepLabel, TrainingStimulus
from coachboard_demo.workouts import Step, Workout, cool, off, on, rest_of, times, warm


def endurance(minutes: float) -> Workout:
    return Workout(
        "Endurance",
        TrainingStimulus.AEROBIC,
        (on(0.58, 0.7, round(minutes / 5) * 300),),
        "Steady, nose breathing.",
        3,
    )


def long(minutes: float) -> Workout:
    main = on(0.6, 0.72, round((minutes - 25) / 5) * 300)
    return Workout(
        "Long endurance", TrainingStimulus.DURABILITY, (warm(), main, cool()), "Eat early and often.", 5
    )


def recovery(minutes: float) -> Workout:
    seconds = round(min(minutes, 60) / 5) * 300
    return Workout(
        "Recovery",
        TrainingStimulus.RECOVERY,
        (Step(StepLabel.ACTIVE, 0.38, 0.52, seconds),),
        None,
        2,
        label="recovery",
    )


def tempo(minutes: float) -> Workout:
    sets = times(3, on(0.8, 0.88, 900), off(300))
    return Workout(
        "Tempo 3 x 15 min", TrainingStimulus.TEMPO, (warm(), sets, rest_of(minutes, 4800), cool()), None, 6
    )


def sweet_spot(_minutes: float) -> Workout:
    sets = times(2, on(0.88, 0.94, 1200), off(300))
    return Workout(
        "Sweet spot 2 x 20 min", TrainingStimulus.THRESHOLD, (warm(), sets, cool()), "Even pressure.", 7
    )


def threshold(minutes: float) -> Workout:
    sets = times(4 if minutes > 75 else 3, on(0.95, 1.02, 480), off(240))
    return Workout(
        "Threshold 8 min",
        TrainingStimulus.THRESHOLD,
        (warm(), sets, cool()),
        "Even power, last one best.",
        8,
    )


def over_unders(_minutes: float) -> Workout:
    inner = times(4, on(0.9, 0.94, 120), on(1.05, 1.1, 60))
    sets = times(3, inner, off(300))
    return Workout(
        "Over-unders 3 x 12 min", TrainingStimulus.LACTATE_CLEARANCE, (warm(), sets, cool()), None, 8
    )


def vo2max(_minutes: float) -> Workout:
    sets = times(5, on(1.08, 1.16, 240), off(240))
    return Workout(
        "VO2max 5 x 4 min",
        TrainingStimulus.VO2MAX,
        (warm(20), sets, cool()),
        "Breathe hard from minute two.",
        9,
    )


def short_intervals(_minutes: float) -> Workout:
    inner = times(10, on(1.2, 1.3, 30), off(15, 0.5, 0.55))
    sets = times(3, inner, off(300))
    return Workout(
        "30/15 three sets of ten", TrainingStimulus.VO2MAX, (warm(20), sets, cool()), "Rønnestad.", 9
    )


def anaerobic(minutes: float) -> Workout:
    sets = times(6, on(1.45, 1.7, 60), Step(StepLabel.REST, 0.0, 0.35, 60), off(180))
    return Workout(
        "Anaerobic 6 x 1 min",
        TrainingStimulus.ANAEROBIC,
        (warm(20), sets, rest_of(minutes, 3700), cool()),
        None,
        9,
    )


def sprints(minutes: float) -> Workout:
    sets = times(8, Step(StepLabel.MAXIMUM, 2.4, 3.6, 10, cadence=(105, 125)), off(230))
    return Workout(
        "Sprints 8 x 10 s",
        TrainingStimulus.NEUROMUSCULAR,
        (warm(20), sets, rest_of(minutes, 3700), cool()),
        "Full rest.",
        6,
    )


def low_cadence(_minutes: float) -> Workout:
    sets = times(5, on(0.82, 0.92, 360, cadence=(50, 60)), off(240))
    return Workout(
        "Torque 5 x 6 min",
        TrainingStimulus.TEMPO,
        (warm(), sets, cool()),
        "50 to 60 rpm, quiet upper body.",
        6,
    )


def high_cadence(minutes: float) -> Workout:
    sets = times(6, on(0.65, 0.72, 180, cadence=(108, 116)), off(120))
    return Workout(
        "Spin-ups", TrainingStimulus.AEROBIC, (warm(), sets, rest_of(minutes, 3300), cool()), None, 4
    )


def openers(_minutes: float) -> Workout:
    sets = times(3, on(1.05, 1.15, 60), off(120))
    free = Step(StepLabel.COOL_DOWN, 0.42, 0.55)
    return Workout(
        "Openers",
        TrainingStimulus.ACTIVATION,
        (warm(), sets, times(2, on(1.8, 2.2, 15), off(165)), free),
        "Legs awake, head quiet.",
        4,
    )


def fitness_test(_minutes: float) -> Workout:
    parts = (
        warm(20),
        Step(StepLabel.MAXIMUM, 1.28, 1.36, 180), off(1500, 0.45, 0.55),
        Step(StepLabel.MAXIMUM, 1.06, 1.11, 720), cool(15),
    )  # fmt: skip
    return Workout(
        "Test 3 and 12 min", TrainingStimulus.TEST, parts, "All out, paced. Same place, same bottle.", 10
    )


def progressive(_minutes: float) -> Workout:
    parts = (warm(10), on(0.7, 0.74, 1200), on(0.78, 0.82, 1200), on(0.88, 0.92, 900), cool())
    return Workout("Progressive", TrainingStimulus.TEMPO, parts, None, 6, label="progressive")


def heat(_minutes: float) -> Workout:
    parts = (warm(10), on(0.55, 0.62, 2700), cool(5))
    return Workout(
        "Heat session",
        TrainingStimulus.HEAT,
        parts,
        "Trainer, no fan. Stop at 38.8 °C core.",
        5,
        practice="trainer",
    )


def group(minutes: float) -> Workout:
    seconds = round(minutes / 5) * 300
    return Workout("Group ride", None, (on(0.6, 0.78, seconds),), None, 6, practice="bunch", label="dynamic")


def free_ride(minutes: float) -> Workout:
    parts = (
        Step(StepLabel.WARM_UP, 0.5, 0.62),
        on(0.62, 0.72, round((minutes - 20) / 5) * 300),
        Step(StepLabel.COOL_DOWN, 0.42, 0.52),
    )
    return Workout("Endurance by feel", TrainingStimulus.AEROBIC, parts, "Warm up as long as you need.", 3)
