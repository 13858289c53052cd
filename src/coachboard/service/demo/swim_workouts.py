"""The sessions of swimmers, in metres."""

from coachboard.models.enums import StepLabel, TrainingStimulus
from coachboard.service.demo.workouts import Part, Step, Workout, times


def _swim(title: str, stimulus: TrainingStimulus, *parts: Part, rpe: int = 5) -> Workout:
    return Workout(title, stimulus, parts, None, rpe)


def _metres(label: StepLabel, low: float, high: float, metres: int, stroke: str | None = "freestyle") -> Step:
    return Step(label, low, high, metres=metres, stroke=stroke)


def _rest(seconds: int) -> Step:
    return Step(StepLabel.REST, 0.0, 0.1, seconds, stroke=None)


def css(_minutes: float) -> Workout:
    main = times(12, _metres(StepLabel.ACTIVE, 0.98, 1.02, 100), _rest(15))
    return _swim(
        "CSS 12 x 100 m",
        TrainingStimulus.THRESHOLD,
        _metres(StepLabel.WARM_UP, 0.8, 0.86, 400),
        main,
        _metres(StepLabel.COOL_DOWN, 0.72, 0.8, 200, "backstroke"),
        rpe=7,
    )


def swim_endurance(minutes: float) -> Workout:
    main = times(max(4, round(minutes / 8)), _metres(StepLabel.ACTIVE, 0.88, 0.93, 400), _rest(30))
    return _swim(
        "Endurance 400s",
        TrainingStimulus.AEROBIC,
        _metres(StepLabel.WARM_UP, 0.8, 0.86, 300, "mixed"),
        main,
        rpe=5,
    )


def technique(_minutes: float) -> Workout:
    strokes: tuple[Part, ...] = tuple(
        times(3, _metres(StepLabel.ACTIVE, 0.85, 0.92, 50, stroke), _rest(20))
        for stroke in ("drill", "backstroke", "breaststroke", "freestyle")
    )
    return _swim(
        "Technique",
        TrainingStimulus.AEROBIC,
        _metres(StepLabel.WARM_UP, 0.78, 0.84, 300),
        *strokes,
        _metres(StepLabel.COOL_DOWN, 0.75, 0.8, 200),
        rpe=3,
    )


def swim_sprints(_minutes: float) -> Workout:
    main = times(
        3,
        times(6, Step(StepLabel.MAXIMUM, 1.12, 1.18, metres=50), _rest(40)),
        _metres(StepLabel.INTRA_RECOVERY, 0.7, 0.78, 100, "backstroke"),
    )
    return _swim(
        "Sprint 18 x 50 m",
        TrainingStimulus.ANAEROBIC,
        _metres(StepLabel.WARM_UP, 0.8, 0.86, 500),
        main,
        _metres(StepLabel.COOL_DOWN, 0.72, 0.8, 200),
        rpe=8,
    )


def medley(_minutes: float) -> Workout:
    main = times(
        6,
        *(
            _metres(StepLabel.ACTIVE, 0.92, 0.97, 50, s)
            for s in ("butterfly", "backstroke", "breaststroke", "freestyle")
        ),
        _rest(40),
    )
    return _swim(
        "Medley 6 x 200 m",
        TrainingStimulus.VO2MAX,
        _metres(StepLabel.WARM_UP, 0.8, 0.86, 400),
        main,
        _metres(StepLabel.COOL_DOWN, 0.72, 0.8, 200),
        rpe=7,
    )
