"""Workouts: nested steps of relative effort (1 = critical power, critical speed), and the table of them.

The table has the names that the menus of the season use; each workout is written for so many minutes.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from coachboard.wire.enums import StepLabel, TrainingStimulus


@dataclass(frozen=True, slots=True)
class Step:
    """One step; without seconds and metres it is as long as the athlete likes."""

    label: StepLabel
    low: float
    high: float
    seconds: int = 0
    metres: int = 0
    cadence: tuple[int, int] | None = None
    stroke: str | None = "freestyle"


@dataclass(frozen=True, slots=True)
class Repeat:
    """Steps done several times over."""

    times: int
    parts: tuple["Step | Repeat", ...]


Part = Step | Repeat


@dataclass(frozen=True, slots=True, eq=False)
class WorkoutPlan:
    """A session as a coach writes it; compared by identity, as `workout` returns each only once."""

    title: str
    stimulus: TrainingStimulus | None
    parts: tuple[Part, ...]
    description: str | None = None
    rpe: int = 4
    practice: str = ""  # the way to train; in the table only where a slot's own does not suit
    label: str = ""  # the name of the laps of an even session


@lru_cache(maxsize=4096)
def steps_of(workout: WorkoutPlan) -> tuple[Step, ...]:
    """The steps in the order they are done."""
    return tuple(_unrolled(workout.parts))


def _unrolled(parts: tuple[Part, ...]) -> Iterator[Step]:
    for part in parts:
        if isinstance(part, Step):
            yield part
        else:
            for _ in range(part.times):
                yield from _unrolled(part.parts)


def warm(minutes: int = 15, low: float = 0.5, high: float = 0.65) -> Step:
    return Step(StepLabel.WARM_UP, low, high, minutes * 60)


def cool(minutes: int = 10, low: float = 0.4, high: float = 0.55) -> Step:
    return Step(StepLabel.COOL_DOWN, low, high, minutes * 60)


def on(
    low: float, high: float, seconds: int = 0, *, metres: int = 0, cadence: tuple[int, int] | None = None
) -> Step:
    return Step(StepLabel.ACTIVE, low, high, seconds, metres, cadence)


def hard(low: float, high: float, seconds: int) -> Step:
    return Step(StepLabel.MAXIMUM, low, high, seconds)


def off(seconds: int, low: float = 0.42, high: float = 0.52) -> Step:
    return Step(StepLabel.INTRA_RECOVERY, low, high, seconds)


def rest(seconds: int, low: float = 0.0, high: float = 0.0) -> Step:
    return Step(StepLabel.REST, low, high, seconds, stroke=None)


def fives(minutes: float) -> int:
    """Seconds of so many minutes, in steps of five minutes."""
    return round(minutes / 5) * 300


def times(count: int, *parts: Part) -> Repeat:
    return Repeat(count, parts)


_T = TrainingStimulus
_FREE_COOL, _RUN_WARM, _RUN_COOL = (0.42, 0.55), (0.66, 0.74), (0.6, 0.7)

_RIDES: Mapping[str, Callable[[float], WorkoutPlan]] = {
    "endurance": lambda m: WorkoutPlan("Endurance", _T.AEROBIC, (on(0.58, 0.7, fives(m)),), "Steady, nose breathing.", 3),
    "long": lambda m: WorkoutPlan(
        "Long endurance", _T.DURABILITY, (warm(), on(0.6, 0.72, fives(m - 25)), cool()), "Eat early and often.", 5
    ),
    "recovery": lambda m: WorkoutPlan("Recovery", _T.RECOVERY, (on(0.38, 0.52, fives(min(m, 60))),), None, 2, label="recovery"),
    "tempo": lambda _: WorkoutPlan(
        "Tempo 3 x 15 min", _T.TEMPO, (warm(), times(3, on(0.8, 0.88, 900), off(300)), cool()), None, 6
    ),
    "sweet spot": lambda _: WorkoutPlan(
        "Sweet spot 2 x 20 min", _T.THRESHOLD, (warm(), times(2, on(0.88, 0.94, 1200), off(300)), cool()), "Even pressure.", 7
    ),
    "threshold": lambda m: WorkoutPlan(
        "Threshold 8 min", _T.THRESHOLD, (warm(), times(4 if m > 75 else 3, on(0.95, 1.02, 480), off(240)), cool()),
        "Even power, last one best.", 8,
    ),
    "over-unders": lambda _: WorkoutPlan(
        "Over-unders 3 x 12 min", _T.LACTATE_CLEARANCE,
        (warm(), times(3, times(4, on(0.9, 0.94, 120), on(1.05, 1.1, 60)), off(300)), cool()), None, 8,
    ),
    "vo2max": lambda _: WorkoutPlan(
        "VO2max 5 x 4 min", _T.VO2MAX, (warm(20), times(5, on(1.08, 1.16, 240), off(240)), cool()),
        "Breathe hard from minute two.", 9,
    ),
    "30/15": lambda _: WorkoutPlan(
        "30/15 three sets of ten", _T.VO2MAX,
        (warm(20), times(3, times(10, on(1.2, 1.3, 30), off(15, 0.5, 0.55)), off(300)), cool()), "Rønnestad.", 9,
    ),
    "anaerobic": lambda _: WorkoutPlan(
        "Anaerobic 6 x 1 min", _T.ANAEROBIC,
        (warm(20), times(6, on(1.45, 1.7, 60), rest(60, 0.0, 0.35), off(180)), cool()), None, 9,
    ),
    "sprints": lambda _: WorkoutPlan(
        "Sprints 8 x 10 s", _T.NEUROMUSCULAR,
        (warm(20), times(8, hard(2.4, 3.6, 10), off(230)), cool()), "Full rest.", 6,
    ),
    "low cadence": lambda _: WorkoutPlan(
        "Torque 5 x 6 min", _T.TEMPO, (warm(), times(5, on(0.82, 0.92, 360, cadence=(50, 60)), off(240)), cool()),
        "50 to 60 rpm, quiet upper body.", 6,
    ),
    "openers": lambda _: WorkoutPlan(
        "Openers", _T.ACTIVATION,
        (warm(), times(3, on(1.05, 1.15, 60), off(120)), times(2, on(1.8, 2.2, 15), off(165)), cool(0, *_FREE_COOL)),
        "Legs awake, head quiet.", 4,
    ),
    "test": lambda _: WorkoutPlan(
        "Test 3 and 12 min", _T.TEST,
        (warm(20), hard(1.28, 1.36, 180), off(1500, 0.45, 0.55), hard(1.06, 1.11, 720), cool(15)),
        "All out, paced. Same place, same bottle.", 10,
    ),
    "progressive": lambda _: WorkoutPlan(
        "Progressive", _T.TEMPO, (warm(10), on(0.7, 0.74, 1200), on(0.78, 0.82, 1200), on(0.88, 0.92, 900), cool()), None, 6,
        label="progressive",
    ),
    "group": lambda m: WorkoutPlan("Group ride", _T.AEROBIC, (on(0.6, 0.78, fives(m)),), None, 6, practice="bunch", label="dynamic"),
    "by feel": lambda m: WorkoutPlan(
        "Endurance by feel", _T.AEROBIC, (warm(0, 0.5, 0.62), on(0.62, 0.72, fives(m - 20)), cool(0, *_FREE_COOL)),
        "Warm up as long as you need.", 3,
    ),
}  # fmt: skip

_RUNS: Mapping[str, Callable[[float], WorkoutPlan]] = {
    "easy run": lambda m: WorkoutPlan("Easy run", _T.AEROBIC, (on(0.7, 0.78, fives(m)),), "Conversation pace.", 3),
    "long run": lambda m: WorkoutPlan(
        "Long run", _T.DURABILITY, (on(0.7, 0.78, fives(m - 20)), on(0.82, 0.87, 1200)), "Last twenty minutes a little faster.", 6
    ),
    "run tempo": lambda _: WorkoutPlan(
        "Tempo run 3 x 10 min", _T.THRESHOLD,
        (warm(15, *_RUN_WARM), times(3, on(0.9, 0.95, 600), off(120, 0.6, 0.68)), cool(10, *_RUN_COOL)), None, 7,
    ),
    "run reps": lambda _: WorkoutPlan(
        "6 x 1000 m", _T.VO2MAX,
        (warm(15, *_RUN_WARM), times(6, on(1.0, 1.04, metres=1000), off(150, 0.3, 0.44)), cool(0, *_RUN_COOL)),
        "Track or flat road.", 8, practice="track",
    ),
    "run short": lambda _: WorkoutPlan(
        "2 x 6 x 400 m", _T.ANAEROBIC,
        (
            warm(20, *_RUN_WARM), times(2, times(6, on(1.1, 1.16, metres=400), off(75, 0.26, 0.42)), rest(240, 0.0, 0.2)),
            cool(10, *_RUN_COOL),
        ),
        None, 9, practice="track",
    ),
    "hills": lambda _: WorkoutPlan(
        "Hills 10 x 1 min", _T.VO2MAX,
        (warm(20, *_RUN_WARM), times(10, on(1.12, 1.22, 60), off(105, 0.45, 0.58)), cool(10, *_RUN_COOL)), None, 8,
    ),
    "strides": lambda m: WorkoutPlan(
        "Easy with strides", _T.NEUROMUSCULAR,
        (on(0.7, 0.78, max(1200, fives(m - 12))), times(6, hard(1.25, 1.4, 20), off(70, 0.4, 0.6))), None, 4,
    ),
}  # fmt: skip

_OTHERS: Mapping[str, Callable[[float], WorkoutPlan]] = {
    "row pieces": lambda _: WorkoutPlan(
        "3 x 12 min rate 24", _T.THRESHOLD, (warm(), times(3, on(0.94, 1.0, 720), rest(60), off(180)), cool()), None, 8
    ),
    "gym": lambda m: WorkoutPlan(
        "Strength", None, (warm(8, 0.3, 0.4), times(round(m / 4), on(0.5, 0.75, 60), rest(150, 0.1, 0.2))),
        "Squat, hinge, push, pull.", 6, practice="strength",
    ),
    "mobility": lambda _: WorkoutPlan("Yoga", _T.RECOVERY, (on(0.08, 0.2, 1800),), None, 1, practice="yoga"),
}  # fmt: skip

_METRES_A_MINUTE = 45.0  # swum, with rests and talks at the wall


def _metres(
    low: float, high: float, metres: int, stroke: str = "freestyle", label: StepLabel = StepLabel.ACTIVE
) -> Step:
    return Step(label, low, high, metres=metres, stroke=stroke)


_WET_WARM = (_metres(0.8, 0.86, 400, "mixed", StepLabel.WARM_UP), rest(30))
_WET_COOL = _metres(0.72, 0.8, 200, "backstroke", StepLabel.COOL_DOWN)
_EASY_LENGTHS = _metres(0.7, 0.78, 100, "backstroke", StepLabel.INTRA_RECOVERY)
_FAST_LENGTHS = times(6, _metres(1.12, 1.18, 50, label=StepLabel.MAXIMUM), rest(40))
_STROKES = ("butterfly", "backstroke", "breaststroke", "freestyle")


def _swim(
    title: str, stimulus: TrainingStimulus, rpe: int, metres: int, *parts: Part
) -> Callable[[float], WorkoutPlan]:
    """A warm-up, parts of so many metres as often as they fill the time, and a cool-down."""

    def for_minutes(minutes: float) -> WorkoutPlan:
        count = max(2, round((minutes * _METRES_A_MINUTE - 600) / metres))
        return WorkoutPlan(
            title.format(count), stimulus, (*_WET_WARM, times(count, *parts), _WET_COOL), rpe=rpe
        )

    return for_minutes


_SWIMS: Mapping[str, Callable[[float], WorkoutPlan]] = {
    "css": _swim("CSS {} x 100 m", _T.THRESHOLD, 7, 100, _metres(0.97, 1.02, 100), rest(15)),
    "swim endurance": _swim("Endurance {} x 400 m", _T.AEROBIC, 5, 400, _metres(0.88, 0.93, 400), rest(30)),
    "technique": _swim("Technique {} x 100 m", _T.AEROBIC, 3, 100, _metres(0.85, 0.92, 50, "drill"), rest(20), _metres(0.85, 0.92, 50), rest(20)),
    "swim sprints": _swim("Sprints {} x 6 x 50 m", _T.ANAEROBIC, 8, 400, _FAST_LENGTHS, _EASY_LENGTHS),
    "medley": _swim("Medley {} x 200 m", _T.VO2MAX, 7, 200, *(_metres(0.92, 0.97, 50, each) for each in _STROKES), rest(40)),
}  # fmt: skip

CATALOGUE: Mapping[str, Callable[[float], WorkoutPlan]] = {**_RIDES, **_RUNS, **_OTHERS, **_SWIMS}


@lru_cache(maxsize=8192)
def workout(name: str, minutes: int, practice: str = "") -> WorkoutPlan:
    """The workout of that name for about so many minutes, on its practice or that one; the same object for all callers."""
    found = CATALOGUE[name](minutes)
    return found if found.practice else replace(found, practice=practice)
