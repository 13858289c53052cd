"""The sessions of each sport's practice, as nested steps of relative effort (1 = critical power, critical speed)."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from coachboard.models.enums import StepLabel, TrainingStimulus

_WARM, _ACTIVE, _BETWEEN = StepLabel.WARM_UP, StepLabel.ACTIVE, StepLabel.INTRA_RECOVERY
_REST, _COOL, _ALL_OUT = StepLabel.REST, StepLabel.COOL_DOWN, StepLabel.MAXIMUM


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


@dataclass(frozen=True, slots=True)
class Workout:
    """A session as a coach writes it."""

    title: str
    stimulus: TrainingStimulus | None
    parts: tuple[Part, ...]
    description: str | None = None
    rpe: int = 4
    practice: str | None = None  # where it is not the slot's own
    label: str = ""  # what the laps of an even session are called


def unrolled(parts: tuple[Part, ...]) -> Iterator[Step]:
    """The steps in the order they are done."""
    for part in parts:
        if isinstance(part, Step):
            yield part
        else:
            for _ in range(part.times):
                yield from unrolled(part.parts)


def _warm(minutes: int = 15) -> Step:
    return Step(_WARM, 0.5, 0.65, minutes * 60)


def _cool(minutes: int = 10) -> Step:
    return Step(_COOL, 0.4, 0.55, minutes * 60)


def _on(low: float, high: float, seconds: int, *, cadence: tuple[int, int] | None = None) -> Step:
    return Step(_ACTIVE, low, high, seconds, cadence=cadence)


def _off(seconds: int, low: float = 0.42, high: float = 0.52) -> Step:
    return Step(_BETWEEN, low, high, seconds)


def _rest_of(minutes: float, used_s: int) -> Step:
    return _on(0.56, 0.68, max(300, round((minutes * 60 - used_s) / 300) * 300))


def _sets(times: int, *parts: Part) -> Repeat:
    return Repeat(times, parts)


def _endurance(minutes: float) -> Workout:
    return Workout(
        "Endurance", TrainingStimulus.AEROBIC, (_on(0.58, 0.7, round(minutes / 5) * 300),), "Steady, nose breathing.", 3
    )


def _long(minutes: float) -> Workout:
    main = _on(0.6, 0.72, round((minutes - 25) / 5) * 300)
    return Workout("Long endurance", TrainingStimulus.DURABILITY, (_warm(), main, _cool()), "Eat early and often.", 5)


def _recovery(minutes: float) -> Workout:
    seconds = round(min(minutes, 60) / 5) * 300
    return Workout("Recovery", TrainingStimulus.RECOVERY, (Step(_ACTIVE, 0.38, 0.52, seconds),), None, 2, label="recovery")


def _tempo(minutes: float) -> Workout:
    sets = _sets(3, _on(0.8, 0.88, 900), _off(300))
    return Workout("Tempo 3 x 15 min", TrainingStimulus.TEMPO, (_warm(), sets, _rest_of(minutes, 4800), _cool()), None, 6)


def _sweet_spot(minutes: float) -> Workout:
    sets = _sets(2, _on(0.88, 0.94, 1200), _off(300))
    return Workout("Sweet spot 2 x 20 min", TrainingStimulus.THRESHOLD, (_warm(), sets, _cool()), "Seated.", 7)


def _threshold(minutes: float) -> Workout:
    sets = _sets(4 if minutes > 75 else 3, _on(0.95, 1.02, 480), _off(240))
    return Workout("Threshold 8 min", TrainingStimulus.THRESHOLD, (_warm(), sets, _cool()), "Even power, last one best.", 8)


def _over_unders(minutes: float) -> Workout:
    inner = _sets(4, _on(0.9, 0.94, 120), _on(1.05, 1.1, 60))
    sets = _sets(3, inner, _off(300))
    return Workout("Over-unders 3 x 12 min", TrainingStimulus.LACTATE_CLEARANCE, (_warm(), sets, _cool()), None, 8)


def _vo2max(minutes: float) -> Workout:
    sets = _sets(5, _on(1.08, 1.16, 240), _off(240))
    return Workout("VO2max 5 x 4 min", TrainingStimulus.VO2MAX, (_warm(20), sets, _cool()), "Breathe hard from minute two.", 9)


def _short_intervals(minutes: float) -> Workout:
    inner = _sets(10, _on(1.2, 1.3, 30), _off(15, 0.5, 0.55))
    sets = _sets(3, inner, _off(300))
    return Workout("30/15 three sets of ten", TrainingStimulus.VO2MAX, (_warm(20), sets, _cool()), "Rønnestad.", 9)


def _anaerobic(minutes: float) -> Workout:
    sets = _sets(6, _on(1.45, 1.7, 60), Step(_REST, 0.0, 0.35, 60), _off(180))
    return Workout("Anaerobic 6 x 1 min", TrainingStimulus.ANAEROBIC, (_warm(20), sets, _rest_of(minutes, 3700), _cool()), None, 9)


def _sprints(minutes: float) -> Workout:
    sets = _sets(8, Step(_ALL_OUT, 2.4, 3.6, 10, cadence=(105, 125)), _off(230))
    return Workout("Sprints 8 x 10 s", TrainingStimulus.NEUROMUSCULAR, (_warm(20), sets, _rest_of(minutes, 3700), _cool()), "Full rest.", 6)


def _low_cadence(minutes: float) -> Workout:
    sets = _sets(5, _on(0.82, 0.92, 360, cadence=(50, 60)), _off(240))
    return Workout("Torque 5 x 6 min", TrainingStimulus.TEMPO, (_warm(), sets, _cool()), "50 to 60 rpm, quiet upper body.", 6)


def _high_cadence(minutes: float) -> Workout:
    sets = _sets(6, _on(0.65, 0.72, 180, cadence=(108, 116)), _off(120))
    return Workout("Spin-ups", TrainingStimulus.AEROBIC, (_warm(), sets, _rest_of(minutes, 3300), _cool()), None, 4)


def _openers(minutes: float) -> Workout:
    sets = _sets(3, _on(1.05, 1.15, 60), _off(120))
    free = Step(_COOL, 0.42, 0.55)
    return Workout("Openers", TrainingStimulus.ACTIVATION, (_warm(), sets, _sets(2, _on(1.8, 2.2, 15), _off(165)), free), "Legs awake, head quiet.", 4)


def _fitness_test(minutes: float) -> Workout:
    parts = (
        _warm(20),
        Step(_ALL_OUT, 1.28, 1.36, 180), _off(1500, 0.45, 0.55),
        Step(_ALL_OUT, 1.06, 1.11, 720), _cool(15),
    )  # fmt: skip
    return Workout("Test 3 and 12 min", TrainingStimulus.TEST, parts, "All out, paced. Same road, same bottle.", 10)


def _progressive(minutes: float) -> Workout:
    parts = (_warm(10), _on(0.7, 0.74, 1200), _on(0.78, 0.82, 1200), _on(0.88, 0.92, 900), _cool())
    return Workout("Progressive", TrainingStimulus.TEMPO, parts, None, 6, label="progressive")


def _heat(minutes: float) -> Workout:
    parts = (_warm(10), _on(0.55, 0.62, 2700), _cool(5))
    return Workout("Heat session", TrainingStimulus.HEAT, parts, "Trainer, no fan. Stop at 38.8 °C core.", 5, practice="trainer")


def _group(minutes: float) -> Workout:
    seconds = round(minutes / 5) * 300
    return Workout("Group ride", None, (_on(0.6, 0.78, seconds),), None, 6, practice="bunch", label="dynamic")


def _free_ride(minutes: float) -> Workout:
    parts = (Step(_WARM, 0.5, 0.62), _on(0.62, 0.72, round((minutes - 20) / 5) * 300), Step(_COOL, 0.42, 0.52))
    return Workout("Endurance by feel", TrainingStimulus.AEROBIC, parts, "Warm up as long as you need.", 3)


def _easy_run(minutes: float) -> Workout:
    return Workout("Easy run", TrainingStimulus.AEROBIC, (_on(0.7, 0.78, round(minutes / 5) * 300),), "Conversation pace.", 3)


def _long_run(minutes: float) -> Workout:
    parts = (_on(0.7, 0.78, round((minutes - 20) / 5) * 300), _on(0.82, 0.87, 1200))
    return Workout("Long run", TrainingStimulus.DURABILITY, parts, "Last twenty minutes a little faster.", 6)


def _run_tempo(minutes: float) -> Workout:
    sets = _sets(3, _on(0.9, 0.95, 600), _off(120, 0.6, 0.68))
    return Workout("Tempo run 3 x 10 min", TrainingStimulus.THRESHOLD, (Step(_WARM, 0.66, 0.74, 900), sets, Step(_COOL, 0.62, 0.7, 600)), None, 7)


def _run_reps(minutes: float) -> Workout:
    sets = _sets(6, Step(_ACTIVE, 1.0, 1.04, metres=1000), _off(150, 0.0, 0.5))
    return Workout("6 x 1000 m", TrainingStimulus.VO2MAX, (Step(_WARM, 0.66, 0.74, 900), sets, Step(_COOL, 0.62, 0.7)), "Track or flat road.", 8, practice="track")


def _run_short(minutes: float) -> Workout:
    sets = _sets(2, _sets(6, Step(_ACTIVE, 1.1, 1.16, metres=400), _off(75, 0.0, 0.45)), Step(_REST, 0.0, 0.2, 240))
    return Workout("2 x 6 x 400 m", TrainingStimulus.ANAEROBIC, (Step(_WARM, 0.66, 0.74, 1200), sets, Step(_COOL, 0.6, 0.7, 600)), None, 9, practice="track")


def _hills(minutes: float) -> Workout:
    sets = _sets(10, _on(1.12, 1.22, 60), _off(105, 0.45, 0.58))
    return Workout("Hills 10 x 1 min", TrainingStimulus.VO2MAX, (Step(_WARM, 0.66, 0.74, 1200), sets, Step(_COOL, 0.6, 0.7, 600)), None, 8)


def _strides(minutes: float) -> Workout:
    sets = _sets(6, Step(_ALL_OUT, 1.25, 1.4, 20), _off(70, 0.4, 0.6))
    return Workout("Easy with strides", TrainingStimulus.NEUROMUSCULAR, (_on(0.7, 0.78, max(1200, round((minutes - 12) / 5) * 300)), sets), None, 4)


def _swim(title: str, stimulus: TrainingStimulus, *parts: Part, rpe: int = 5) -> Workout:
    return Workout(title, stimulus, parts, None, rpe)


def _metres(label: StepLabel, low: float, high: float, metres: int, stroke: str | None = "freestyle") -> Step:
    return Step(label, low, high, metres=metres, stroke=stroke)


def _swim_rest(seconds: int) -> Step:
    return Step(_REST, 0.0, 0.1, seconds, stroke=None)


def _css(minutes: float) -> Workout:
    main = _sets(12, _metres(_ACTIVE, 0.98, 1.02, 100), _swim_rest(15))
    return _swim("CSS 12 x 100 m", TrainingStimulus.THRESHOLD, _metres(_WARM, 0.8, 0.86, 400), main, _metres(_COOL, 0.72, 0.8, 200, "backstroke"), rpe=7)


def _swim_endurance(minutes: float) -> Workout:
    main = _sets(max(4, round(minutes / 8)), _metres(_ACTIVE, 0.88, 0.93, 400), _swim_rest(30))
    return _swim("Endurance 400s", TrainingStimulus.AEROBIC, _metres(_WARM, 0.8, 0.86, 300, "mixed"), main, rpe=5)


def _technique(minutes: float) -> Workout:
    strokes: tuple[Part, ...] = tuple(
        _sets(3, _metres(_ACTIVE, 0.85, 0.92, 50, stroke), _swim_rest(20)) for stroke in ("drill", "backstroke", "breaststroke", "freestyle")
    )
    return _swim("Technique", TrainingStimulus.AEROBIC, _metres(_WARM, 0.78, 0.84, 300), *strokes, _metres(_COOL, 0.75, 0.8, 200), rpe=3)


def _swim_sprints(minutes: float) -> Workout:
    main = _sets(3, _sets(6, Step(_ALL_OUT, 1.12, 1.18, metres=50), _swim_rest(40)), _metres(_BETWEEN, 0.7, 0.78, 100, "backstroke"))
    return _swim("Sprint 18 x 50 m", TrainingStimulus.ANAEROBIC, _metres(_WARM, 0.8, 0.86, 500), main, _metres(_COOL, 0.72, 0.8, 200), rpe=8)


def _medley(minutes: float) -> Workout:
    main = _sets(6, *(_metres(_ACTIVE, 0.92, 0.97, 50, s) for s in ("butterfly", "backstroke", "breaststroke", "freestyle")), _swim_rest(40))
    return _swim("Medley 6 x 200 m", TrainingStimulus.VO2MAX, _metres(_WARM, 0.8, 0.86, 400), main, _metres(_COOL, 0.72, 0.8, 200), rpe=7)


def _row_pieces(minutes: float) -> Workout:
    sets = _sets(3, _on(0.94, 1.0, 720), _off(240))
    return Workout("3 x 12 min rate 24", TrainingStimulus.THRESHOLD, (_warm(), sets, _cool()), None, 8)


def _gym(minutes: float) -> Workout:
    sets = _sets(round(minutes / 4), _on(0.5, 0.75, 60), Step(_REST, 0.1, 0.2, 150))
    return Workout("Strength", None, (Step(_WARM, 0.3, 0.4, 480), sets), "Squat, hinge, push, pull.", 6, practice="strength")


def _mobility(minutes: float) -> Workout:
    return Workout("Yoga", TrainingStimulus.RECOVERY, (Step(_ACTIVE, 0.08, 0.2, 1800),), None, 1, practice="yoga")


CATALOGUE: Mapping[str, Callable[[float], Workout]] = {
    "endurance": _endurance, "long": _long, "recovery": _recovery, "tempo": _tempo, "sweet spot": _sweet_spot,
    "threshold": _threshold, "over-unders": _over_unders, "vo2max": _vo2max, "30/15": _short_intervals,
    "anaerobic": _anaerobic, "sprints": _sprints, "low cadence": _low_cadence, "high cadence": _high_cadence,
    "openers": _openers, "test": _fitness_test, "progressive": _progressive, "heat": _heat, "group": _group,
    "by feel": _free_ride, "easy run": _easy_run, "long run": _long_run, "run tempo": _run_tempo,
    "run reps": _run_reps, "run short": _run_short, "hills": _hills, "strides": _strides, "css": _css,
    "swim endurance": _swim_endurance, "technique": _technique, "swim sprints": _swim_sprints, "medley": _medley,
    "row pieces": _row_pieces, "gym": _gym, "mobility": _mobility,
}  # fmt: skip
