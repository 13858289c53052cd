"""Write the structure of a workout as its text, and in a few words."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from coachboard.execution.structure import estimated_duration_s
from coachboard.wire.enums import IntensitySourceKind, Sport, StepLabel, ZonesType
from coachboard.wire.prescriptions import (
    DistanceLength,
    DurationLength,
    StructureElement,
    StructureIntensity,
    StructureRepetition,
    StructureStep,
)
from coachboard.workout_text.labels import recoveries
from coachboard.workout_text.parsing import MOST_RAMP_STEPS, TypedWorkout, ramp_parts
from coachboard.workout_text.tokens import METRES, TextTarget, pace_speed, tidy
from coachboard.workout_text.values import ZONE_LIMITS

_FLAGS = {
    StepLabel.REST: "intensity=rest",
    StepLabel.INTRA_RECOVERY: "intensity=recovery",
    StepLabel.ACTIVE: "intensity=active",
    StepLabel.WARM_UP: "intensity=warmup",
    StepLabel.COOL_DOWN: "intensity=cooldown",
    StepLabel.MAXIMUM: "max",
}
_INDENT = "  "
_TITLES = {StepLabel.WARM_UP: "Warm-up", StepLabel.COOL_DOWN: "Cool-down"}
_FIELDS = (
    (ZonesType.POWER, "from_power", "power", "power_threshold_percentage", "%", "w"),
    (ZonesType.HEART_RATE, "from_heart_rate", "heart_rate", "max_heart_rate_percentage", "% HR", "bpm"),
    (ZonesType.SPEED, "from_speed", "speed", "speed_threshold_percentage", "% Pace", "m/s"),
)


def write_workout(structure: Sequence[StructureElement], sport: Sport) -> str:
    r"""The text of a structure: `parse_workout` of it returns the same structure.

    Parameters
    ----------
    structure : sequence of StructureElement
        Of a parsed text, or of a prescription that has no text.
    sport : Sport
        Paces are written for 100 m in a swim, else for 1 km, where that gives whole seconds.

    Returns
    -------
    str
        Steps, repeats and targets; percent where the target is in percent. Cues and titles are not part of a
        structure. A target with an open end is written as its other end.

    Examples
    --------
    >>> from coachboard.workout_text.parsing import parse_workout
    >>> text = "warmup\n-15min 60–50%\n\nHard 3 X\n- 720s 95-100%\n  4x\n  - 15s 120%\n- Easy 4m 50%"
    >>> print(write_workout(parse_workout(text, Sport.CYCLING).structure, Sport.CYCLING))
    Warm-up
    - 15m 50-60%
    <BLANKLINE>
    3x
    - 12m 95-100%
      4x
      - 15s 120%
    - 4m 50%
    """
    marks = iter(recoveries(structure))
    blocks = []
    for title, elements in groupby(structure, key=_title):
        if title is None:
            blocks += [_lines([element], marks, sport) for element in elements]
        else:
            lines = _lines(list(elements), marks, sport, is_titled=bool(title))
            blocks.append([title, *lines] if title else lines)
    return "\n\n".join("\n".join(lines) for lines in blocks if lines)


def _title(element: StructureElement) -> str | None:
    """The title of a top-level step, empty if it needs none; None for a repetition, which is a block of its own."""
    return _TITLES.get(element.label, "") if isinstance(element, StructureStep) else None


def _lines(
    elements: Sequence[StructureElement],
    marks: Iterator[bool],
    sport: Sport,
    *,
    depth: int = 0,
    is_titled: bool = False,
) -> list[str]:
    """The lines of these elements; the steps of a repetition have its indentation, a repetition inside two spaces more."""
    lines: list[str] = []
    place = 0
    while place < len(elements):
        element = elements[place]
        if isinstance(element, StructureRepetition):
            steps = _lines(element.steps, marks, sport, depth=depth + 1)
            if steps:
                lines += [_INDENT * depth + f"{element.n_repetitions}x", *steps]
            place += 1
            continue
        run = _ramp_at(elements, place) or [element]
        is_recovery, *_ = [next(marks) for _ in run]
        label = "" if is_titled else _label(element.label, is_recovery=is_recovery, is_ramp=len(run) > 1)
        words = " ".join(filter(None, ("-", *_words(run, sport), label)))
        lines.append(_INDENT * max(depth - 1, 0) + words)
        place += len(run)
    return lines


def _label(label: StepLabel, *, is_recovery: bool, is_ramp: bool) -> str:
    by_place = StepLabel.INTRA_RECOVERY if is_recovery and not is_ramp else StepLabel.ACTIVE
    return "" if label is by_place else _FLAGS[label]


def _words(run: Sequence[StructureStep], sport: Sport) -> Iterator[str]:
    """Length, targets and cadence; of several steps as a ramp."""
    first, last = run[0], run[-1]
    yield _length(first, len(run))
    own, ends = _targets(first.intensity), _targets(last.intensity)
    for quantity, target in own.items():
        if len(run) > 1 and ends[quantity] != target:
            rising = ends[quantity].low >= target.low
            low, high = (target.low, ends[quantity].high) if rising else (target.high, ends[quantity].low)
            yield "ramp " + _target(TextTarget(quantity, target.unit, low, high), sport)
        else:
            yield _target(target, sport)
    if (cadence := _ends(first.intensity, "cadence")) is not None:
        yield f"{_range(*cadence)}rpm"


def _length(step: StructureStep, count: int) -> str:
    if isinstance(step.length, DurationLength):
        return _time(tidy(float(step.length.duration) * count))
    return _distance(float(step.length.distance)) if isinstance(step.length, DistanceLength) else "press lap"


def _time(seconds: float) -> str:
    """`1h2m30s`; seconds alone if they have decimals."""
    if seconds != int(seconds):
        return f"{seconds:g}s" if seconds < 10_000 else f"{seconds:.2f}s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "h"), (minutes, "m"), (rest, "s"))
    return "".join(f"{number}{unit}" for number, unit in parts if number) or "0s"


def _distance(metres: float) -> str:
    """In the first unit in which it has few digits."""
    units = ("km", "mtr", "yd", "mi") if metres >= 1000 else ("mtr", "yd", "mi")
    for unit in units:
        text = f"{metres / METRES[unit]:.{1 if unit == 'km' else 0}f}".removesuffix(".0")
        if tidy(float(text) * METRES[unit], 3) == metres:
            return f"{text}{unit}"
    return f"{_plain(metres)}mtr"


def _targets(wish: StructureIntensity) -> dict[ZonesType, TextTarget]:
    """The targets in percent, where the source is a zone or a metric and there is a percent; else in units."""
    targets: dict[ZonesType, TextTarget] = {}
    for quantity, source, absolute, percentage, percent_unit, unit in _FIELDS:
        percent, value = _ends(wish, percentage), _ends(wish, absolute)
        if percent is not None and (
            value is None or getattr(wish, source) is not IntensitySourceKind.ABSOLUTE
        ):
            is_zone = getattr(wish, source) is IntensitySourceKind.ZONE
            zone = _zone(quantity, *percent) if is_zone else None
            targets[quantity] = TextTarget(quantity, percent_unit, *percent, zone)
        elif value is not None:
            targets[quantity] = TextTarget(quantity, unit, *value)
    return targets


def _ends(wish: StructureIntensity, name: str) -> tuple[float, float] | None:
    ends = [end for end in (getattr(wish, f"min_{name}"), getattr(wish, f"max_{name}")) if end is not None]
    return (min(ends), max(ends)) if ends else None


def _zone(quantity: ZonesType, low: float, high: float) -> str | None:
    limits = ZONE_LIMITS[quantity]
    if low not in limits or high not in limits or low >= high:
        return None
    first, last = limits.index(low) + 1, limits.index(high)
    return f"Z{first}" if first == last else f"Z{first}-Z{last}"


def _target(target: TextTarget, sport: Sport) -> str:
    if target.zone is not None:
        return f"{target.zone}{target.unit.removeprefix('%')}"
    if target.unit == "m/s":
        return _pace(target.low, target.high, sport)
    return f"{_range(target.low, target.high)}{target.unit}"


def _range(low: float, high: float) -> str:
    return _plain(low) if low == high else f"{_plain(low)}-{_plain(high)}"


def _plain(number: float) -> str:
    """Without an exponent and without needless zeros."""
    return f"{number:.3f}".rstrip("0").rstrip(".")


def _pace(low: float, high: float, sport: Sport) -> str:
    """In the unit and with the decimals that give the same speeds again."""
    units = ("100m", "km", "mi", "100yd") if sport is Sport.SWIMMING else ("km", "mi", "100m", "100yd")
    for digits in (0, 1, 2, 3):
        for unit in units:
            paces = [_minutes(METRES[unit] / speed, digits) for speed in (low, high)]
            if [pace_speed(pace, unit) for pace in paces] == [low, high]:
                return f"{'-'.join(dict.fromkeys(paces))}/{unit} Pace"
    return f"{'-'.join(dict.fromkeys(_minutes(METRES[units[0]] / speed, 3) for speed in (low, high)))}/{units[0]} Pace"


def _minutes(seconds: float, digits: int) -> str:
    minutes, rest = divmod(round(seconds, digits), 60)
    return f"{int(minutes)}:{rest:0{3 + digits if digits else 2}.{digits}f}"


def _ramp_at(elements: Sequence[StructureElement], place: int) -> list[StructureStep] | None:
    """The steps from a place on that are a ramp, as many as possible; None if there is no ramp."""
    run: list[StructureStep] = []
    for element in elements[place : place + MOST_RAMP_STEPS]:
        if not isinstance(element, StructureStep) or (run and not _is_next(run[-1], element)):
            break
        run.append(element)
    for count in range(len(run), 1, -1):
        if _is_ramp(run[:count]):
            return run[:count]
    return None


def _is_next(step: StructureStep, other: StructureStep) -> bool:
    return (
        step.label is other.label and step.length == other.length and isinstance(step.length, DurationLength)
    )


def _is_ramp(run: Sequence[StructureStep]) -> bool:
    """Whether the text of a ramp gives these steps again: one target changes, all else is the same."""
    assert isinstance(run[0].length, DurationLength)
    targets = [_targets(step.intensity) for step in run]
    first, last = targets[0], targets[-1]
    if any(each.keys() != first.keys() for each in targets):
        return False
    changing = [quantity for quantity in first if any(each[quantity] != first[quantity] for each in targets)]
    cadences = {_ends(step.intensity, "cadence") for step in run}
    if len(changing) != 1 or len(cadences) != 1 or any(each[changing[0]].zone for each in targets):
        return False
    quantity = changing[0]
    rising = last[quantity].low >= first[quantity].low
    low, high = (
        (first[quantity].low, last[quantity].high) if rising else (first[quantity].high, last[quantity].low)
    )
    whole = DurationLength(type="duration", duration=tidy(float(run[0].length.duration) * len(run)))
    parts = ramp_parts(whole, TextTarget(quantity, first[quantity].unit, low, high))
    return [(piece, sorted((part.low, part.high))) for piece, part in parts] == [
        (step.length, [each[quantity].low, each[quantity].high])
        for step, each in zip(run, targets, strict=True)
    ]


_PLAIN_TITLE = re.compile(r"(warm|cool|rest|recover|easy|main|set\b)", re.IGNORECASE)
"""Titles of parts that every workout has."""
_PAUSES = frozenset({StepLabel.REST, StepLabel.INTRA_RECOVERY})


def proposed_title(workout: TypedWorkout) -> str:
    r"""A title for a workout that has none: its first title that is no "Main set", and its longest repeat.

    Parameters
    ----------
    workout : TypedWorkout
        A parsed text.

    Returns
    -------
    str
        Empty for a text with errors, and for one without a repeat and without such a title.

    Examples
    --------
    >>> from coachboard.workout_text.parsing import parse_workout
    >>> for text in ("Main set 3x\n- 12m 95%\n- Easy 4m 50%", "Hills 6x\n- 90s 110%\n- 2m 50%", "Openers\n- 1h 60%"):
    ...     print(proposed_title(parse_workout(text, Sport.CYCLING)))
    3 × 12 min
    Hills 6 × 1:30 min
    Openers
    """
    if workout.errors:
        return ""
    title = next((words for words in workout.titles if not _PLAIN_TITLE.match(words)), "")
    repeats = [part for part in workout.structure if isinstance(part, StructureRepetition)]
    longest = max(repeats, key=lambda part: estimated_duration_s([part]), default=None)
    return " ".join(filter(None, (title, _repeat_words(longest) if longest else "")))


def _repeat_words(repeat: StructureRepetition) -> str:
    """`3 × 12 min` by its longest step that is no pause; empty if none has a length."""
    steps = [part for part in repeat.steps if isinstance(part, StructureStep) and part.label not in _PAUSES]
    longest = max(steps, key=lambda step: estimated_duration_s([step]), default=None)
    inner = next((part for part in repeat.steps if isinstance(part, StructureRepetition)), None)
    words = _length_words(longest) if longest else _repeat_words(inner) if inner else ""
    return f"{repeat.n_repetitions:g} × {words}" if words else ""


def _length_words(step: StructureStep) -> str:
    if isinstance(step.length, DistanceLength):
        metres = float(step.length.distance)
        return f"{metres:g} m" if metres < 1000 else f"{metres / 1000:g} km"
    if not isinstance(step.length, DurationLength):
        return ""
    minutes, seconds = divmod(round(step.length.duration), 60)
    if not minutes:
        return f"{seconds} s"
    return f"{minutes}:{seconds:02} min" if seconds else f"{minutes} min"
