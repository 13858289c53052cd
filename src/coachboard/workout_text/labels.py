"""Labels of steps that follow from their place: the recoveries inside a repeat."""

from collections.abc import Iterator, Sequence

from coachboard.wire.enums import LapIntensity
from coachboard.wire.prescriptions import (
    StructureElement,
    StructureIntensity,
    StructureRepetition,
    StructureStep,
)

_EASY = frozenset({None, LapIntensity.RECOVERY, LapIntensity.AEROBIC, LapIntensity.TEMPO})
_TARGETS = (
    ("min_power_threshold_percentage", "max_power_threshold_percentage"),
    ("min_power", "max_power"),
    ("min_speed_threshold_percentage", "max_speed_threshold_percentage"),
    ("min_speed", "max_speed"),
    ("min_max_heart_rate_percentage", "max_max_heart_rate_percentage"),
    ("min_heart_rate", "max_heart_rate"),
)


def steps_in_order(elements: Sequence[StructureElement]) -> Iterator[StructureStep]:
    """Each step once, in the order in which it is written."""
    for element in elements:
        if isinstance(element, StructureRepetition):
            yield from steps_in_order(element.steps)
        else:
            yield element


def recoveries(
    elements: Sequence[StructureElement], *, turns: int = 1, is_repeated: bool = False
) -> list[bool]:
    """Whether each step is a recovery by its place.

    Parameters
    ----------
    elements : sequence of StructureElement
        A workout, or the steps of a repetition.
    turns : int
        How often they are done in a row: the last step of a turn is followed by the first of the next.
    is_repeated : bool
        Whether they are inside a repetition; outside no step is a recovery by its place.

    Returns
    -------
    list of bool
        One for each step, in the order of `steps_in_order`: True if the steps before and after it are harder and it
        is below threshold. A step without a target is easier than one with a target.
    """
    marks: list[bool] = []
    for place, element in enumerate(elements):
        if isinstance(element, StructureRepetition):
            marks += recoveries(element.steps, turns=int(element.n_repetitions), is_repeated=True)
            continue
        before = _neighbour(elements, place - 1, turns, -1)
        after = _neighbour(elements, place + 1, turns, 0)
        marks.append(
            is_repeated
            and before is not None
            and after is not None
            and element.intensity.service_intensity in _EASY
            and _is_easier(element.intensity, before.intensity)
            and _is_easier(element.intensity, after.intensity)
        )
    return marks


def _neighbour(
    elements: Sequence[StructureElement], place: int, turns: int, end: int
) -> StructureStep | None:
    """The step nearest to that place: the last (-1) of the element before, the first (0) of the element after."""
    if turns == 1 and not 0 <= place < len(elements):
        return None
    inside = list(steps_in_order([elements[place % len(elements)]]))
    return inside[end] if inside else None


def _is_easier(step: StructureIntensity, other: StructureIntensity) -> bool:
    """By the first quantity that both have; without any target a step is easier than with one."""
    own, others = _middles(step), _middles(other)
    shared = next((name for name in own if name in others), None)
    if shared is not None:
        return own[shared] < others[shared]
    return not own and bool(others)


def _middles(wish: StructureIntensity) -> dict[str, float]:
    middles: dict[str, float] = {}
    for low_name, high_name in _TARGETS:
        ends = [end for end in (getattr(wish, low_name), getattr(wish, high_name)) if end is not None]
        if ends:
            middles[low_name] = sum(ends) / len(ends)
    return middles
