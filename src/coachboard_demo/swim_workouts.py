"""The sessions of swimmers, in metres: as many as the time allows."""

from coachboard.models.enums import StepLabel, TrainingStimulus
from coachboard_demo.workouts import Part, Repeat, Step, Workout, times

_METRES_A_MINUTE = 45.0  # rests, drills and talks at the wall included


def _swim(title: str, stimulus: TrainingStimulus, *parts: Part, rpe: int = 5) -> Workout:
    return Workout(title, stimulus, parts, None, rpe)


def _metres(label: StepLabel, low: float, high: float, metres: int, stroke: str | None = "freestyle") -> Step:
    return Step(label, low, high, metres=metres, stroke=stroke)


def _rest(seconds: int) -> Step:
    return Step(StepLabel.REST, 0.0, 0.1, seconds, stroke=None)


def _warm_up(metres: int, low: float, high: float) -> tuple[Part, ...]:
    """Easy lengths, drills or legs alone, and some faster ones."""
    return (
        _metres(StepLabel.WARM_UP, low, high, metres - 200, "mixed"),
        _rest(30),
        times(2, _metres(StepLabel.WARM_UP, low, high, 50, "drill"), _rest(15)),
        times(4, _metres(StepLabel.WARM_UP, high, 1.04, 25), _rest(12)),
    )


def _count(minutes: float, *, besides_m: int, each_m: int, fewest: int, most: int) -> int:
    """How many repetitions fill the time."""
    return min(most, max(fewest, round((minutes * _METRES_A_MINUTE - besides_m) / each_m)))


def _besides(minutes: float, metres: int) -> tuple[Part, ...]:
    """What a long session has besides its main set, 400 m each: legs alone and fast 50s, arms alone, some at ease."""
    left = round((minutes * _METRES_A_MINUTE - metres) / 400)
    return tuple(_KINDS[at % len(_KINDS)] for at in range(left))


_KINDS: tuple[Part, ...] = (
    Repeat(
        1,
        (
            times(4, _metres(StepLabel.ACTIVE, 0.75, 0.85, 50, "drill"), _rest(15)),
            times(4, _metres(StepLabel.ACTIVE, 1.02, 1.1, 50), _rest(35)),
        ),
    ),
    times(1, _metres(StepLabel.ACTIVE, 0.82, 0.88, 400, "mixed"), _rest(30)),
    times(2, _metres(StepLabel.ACTIVE, 0.88, 0.94, 200), _rest(20)),
)


def css(minutes: float) -> Workout:
    count = _count(minutes, besides_m=600, each_m=100, fewest=8, most=24)
    besides, first = _besides(minutes, 600 + 100 * count), count // 2
    return _swim(
        f"CSS {count} x 100 m",
        TrainingStimulus.THRESHOLD,
        *_warm_up(400, 0.8, 0.86),
        times(first, _metres(StepLabel.ACTIVE, 0.97, 1.01, 100), _rest(10)),
        *besides[:1],
        times(count - first, _metres(StepLabel.ACTIVE, 0.99, 1.04, 100), _rest(20)),
        *besides[1:],
        _metres(StepLabel.COOL_DOWN, 0.72, 0.8, 200, "backstroke"),
        rpe=7,
    )


def swim_endurance(minutes: float) -> Workout:
    count = _count(minutes, besides_m=300, each_m=400, fewest=4, most=14)
    main = times(count, _metres(StepLabel.ACTIVE, 0.88, 0.93, 400), _rest(30))
    return _swim(
        "Endurance 400s",
        TrainingStimulus.AEROBIC,
        *_warm_up(300, 0.8, 0.86),
        main,
        rpe=5,
    )


def technique(minutes: float) -> Workout:
    count = _count(minutes, besides_m=500, each_m=200, fewest=3, most=8)
    strokes: tuple[Part, ...] = tuple(
        times(count, _metres(StepLabel.ACTIVE, 0.85, 0.92, 50, stroke), _rest(20))
        for stroke in ("drill", "backstroke", "breaststroke", "freestyle")
    )
    return _swim(
        "Technique",
        TrainingStimulus.AEROBIC,
        *_warm_up(300, 0.78, 0.84),
        *strokes,
        *_besides(minutes, 500 + 200 * count),
        _metres(StepLabel.COOL_DOWN, 0.75, 0.8, 200),
        rpe=3,
    )


def swim_sprints(minutes: float) -> Workout:
    main = times(
        3,
        times(6, Step(StepLabel.MAXIMUM, 1.12, 1.18, metres=50), _rest(40)),
        _metres(StepLabel.INTRA_RECOVERY, 0.7, 0.78, 100, "backstroke"),
    )
    return _swim(
        "Sprint 18 x 50 m",
        TrainingStimulus.ANAEROBIC,
        *_warm_up(500, 0.8, 0.86),
        main,
        *_besides(minutes, 1900),
        _metres(StepLabel.COOL_DOWN, 0.72, 0.8, 200),
        rpe=8,
    )


def medley(minutes: float) -> Workout:
    count = _count(minutes, besides_m=600, each_m=200, fewest=5, most=10)
    main = times(
        count,
        *(
            _metres(StepLabel.ACTIVE, 0.92, 0.97, 50, s)
            for s in ("butterfly", "backstroke", "breaststroke", "freestyle")
        ),
        _rest(40),
    )
    return _swim(
        f"Medley {count} x 200 m",
        TrainingStimulus.VO2MAX,
        *_warm_up(400, 0.8, 0.86),
        main,
        *_besides(minutes, 600 + 200 * count),
        _metres(StepLabel.COOL_DOWN, 0.72, 0.8, 200),
        rpe=7,
    )
