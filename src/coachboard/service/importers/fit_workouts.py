"""Planned workouts in FIT files: the flat list of steps with its backward repeats becomes a tree."""

from coachboard.plain_text import lines_of, name_of
from coachboard.service.importers import sports
from coachboard.service.importers.fit_messages import FIT_EPOCH_S, FitMessages, Message, text_of
from coachboard.service.importers.recording import PlannedRepetition, StepTarget, Workout, WorkoutStep

_MOST_REPEATS = 1000
_OFFSETS = {"power": 1000, "heart rate": 100}
_MOST = {"power": 1000, "heart rate": 230}
"""More watts or beats than a zone of a person ends at, so the offset must be in them."""

_QUANTITIES = {"heart_rate": "heart rate", "power": "power", "cadence": "cadence", "speed": "speed"}
_UNTITLED = "Workout"

Element = WorkoutStep | PlannedRepetition


def read_workouts(messages: FitMessages) -> tuple[Workout, ...]:
    """The workout of a file, none where it has no steps; an activity's file holds the one that was followed."""
    steps = sorted(messages.of("workout_step"), key=lambda step: _whole(step.get("message_index")) or 0)
    if not steps:
        return ()
    workout = next(iter(messages.of("workout")), {})
    schedule = next(iter(messages.of("schedule")), {})
    day = schedule.get("scheduled_time")
    return (
        Workout(
            title=name_of(text_of(workout.get("wkt_name"))) or _UNTITLED,
            sport=sports.fit_sport(workout.get("sport")),
            sub_sport=sports.fit_sub_sport(workout.get("sub_sport")),
            steps=tuple(_tree(steps)),
            notes=lines_of(text_of(workout.get("wkt_description"))),
            day_s=float(day) + FIT_EPOCH_S if isinstance(day, (int, float)) else None,
        ),
    )


def _tree(steps: list[Message]) -> list[Element]:
    """A repeat step names the first step it goes back to: all since then move into it, whatever their depth."""
    done: list[tuple[int, Element]] = []
    for step in steps:
        index = _whole(step.get("message_index")) or 0
        kind = str(step.get("duration_type", "open"))
        if not kind.startswith("repeat_until"):
            done.append((index, _step(step)))
            continue
        first = _whole(step.get("duration_step", step.get("duration_value"))) or 0
        inner = [element for start, element in done if start >= first]
        done = [(start, element) for start, element in done if start < first]
        if inner:
            done.append((first, PlannedRepetition(_repeats(kind, step), tuple(inner))))
    return [element for _, element in done]


def _repeats(kind: str, step: Message) -> int:
    # Only the count is a number of rounds; "until 20 min are over" is written down as one round.
    if kind != "repeat_until_steps_cmplt":
        return 1
    count = _whole(step.get("repeat_steps", step.get("target_value"))) or 1
    return min(max(count, 1), _MOST_REPEATS)


def _step(step: Message) -> WorkoutStep:
    kind, length = _length(step)
    intensity = step.get("intensity")
    return WorkoutStep(intensity if isinstance(intensity, str) else None, kind, length, _target(step))


def _length(step: Message) -> tuple[str, float | None]:
    kind = step.get("duration_type")
    value = step.get("duration_value")
    if kind in ("time", "time_only", "repetition_time"):
        seconds = step.get("duration_time", value / 1000 if isinstance(value, (int, float)) else None)
        return _positive("duration", seconds)
    if kind == "distance":
        metres = step.get("duration_distance", value / 100 if isinstance(value, (int, float)) else None)
        return _positive("distance", metres)
    return "free", None


def _positive(kind: str, length: object) -> tuple[str, float | None]:
    return (kind, float(length)) if isinstance(length, (int, float)) and length > 0 else ("free", None)


def _target(step: Message) -> StepTarget:
    kind = str(step.get("target_type", "open"))
    quantity = next((ours for theirs, ours in _QUANTITIES.items() if kind.startswith(theirs)), "open")
    if quantity == "open":
        return StepTarget("open")
    zone = _whole(step.get("target_value"))
    low, high = (_custom(step, kind, end) for end in ("low", "high"))
    if zone:
        return StepTarget(quantity, str(zone), *_zone_bounds(quantity, low, high))
    if low is None and high is None:
        return StepTarget("open")
    return _custom_target(quantity, low, high)


def _custom(step: Message, kind: str, end: str) -> float | None:
    sub_field = step.get(f"custom_target_{kind}_{end}")
    value = step.get(f"custom_target_value_{end}") if sub_field is None else sub_field
    if not isinstance(value, (int, float)):
        return None
    return value / 1000 if kind.startswith("speed") and sub_field is None else float(value)


def _custom_target(quantity: str, low: float | None, high: float | None) -> StepTarget:
    """FIT's convention: up to 1000 W or 100 bpm means percent, more means the unit on top of that."""
    offset = _OFFSETS.get(quantity)
    if offset is None:
        return StepTarget(quantity, None, low, high)
    if max(low or 0, high or 0) <= offset:
        return StepTarget(quantity, None, low, high, is_percent=True)
    return StepTarget(quantity, None, _less(low, offset), _less(high, offset))


def _zone_bounds(quantity: str, low: float | None, high: float | None) -> tuple[float | None, float | None]:
    """A zone's bounds beside it: in units, by Garmin without the offset (o06 of the recordings), by others with."""
    offset = _OFFSETS.get(quantity)
    if offset is None or max(low or 0, high or 0) <= _MOST[quantity]:
        return low, high
    return _less(low, offset), _less(high, offset)


def _less(value: float | None, offset: int) -> float | None:
    return value if value is None else max(value - offset, 0.0)


def _whole(value: object) -> int | None:
    # A message index carries flags above its low 12 bits.
    return int(value) & 0xFFF if isinstance(value, int) and not isinstance(value, bool) else None
