"""Parse the text of a workout: blocks by indentation, steps with targets, every error with its place."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from coachboard.execution.structure import MOST_STEPS, estimated_duration_s
from coachboard.formulas.session.zones import SPEED_BANDS, intensity_of
from coachboard.wire.enums import IntensitySourceKind, LapIntensity, Sport, StepLabel, ZonesType
from coachboard.wire.planning import MOST_TEXT, TextProblem
from coachboard.wire.prescriptions import (
    DistanceLength,
    DurationLength,
    FreeLength,
    StepLength,
    StructureElement,
    StructureIntensity,
    StructureRepetition,
    StructureStep,
)
from coachboard.workout_text.labels import recoveries, steps_in_order
from coachboard.workout_text.tokens import (
    CadenceRange,
    Keyword,
    Misread,
    Repeats,
    TextTarget,
    Token,
    plain,
    tidy,
    tokens_of,
)
from coachboard.workout_text.values import LONGEST_WORKOUT_S, MOST_NESTED, DayValues

MOST_RAMP_STEPS = 10
RECOVERY_PCT = 55.0
"""Below this share of critical power or speed a recovery or cool-down has the intensity `recovery`. [%]"""
_WORDS_OF_LABELS = (
    ("warm", StepLabel.WARM_UP),
    ("cool", StepLabel.COOL_DOWN),
    ("rest", StepLabel.REST),
    ("recover", StepLabel.INTRA_RECOVERY),
    ("easy", StepLabel.INTRA_RECOVERY),
)


@dataclass(frozen=True, slots=True)
class TypedWorkout:
    """The structure of a text, with the cue of each step in the order of the text, and all errors.

    With errors the structure has the steps that could be read, for a drawing; it is not to be stored.
    """

    structure: tuple[StructureElement, ...]
    cues: tuple[str, ...]
    errors: tuple[TextProblem, ...]
    titles: tuple[str, ...] = ()  # of the headers, in the order of the text

    @property
    def zones_type(self) -> ZonesType | None:
        """The quantity of most targets."""
        counts = Counter(
            quantity for step in steps_in_order(self.structure) for quantity in quantities_of(step.intensity)
        )
        return counts.most_common(1)[0][0] if counts else None


def quantities_of(wish: StructureIntensity) -> list[ZonesType]:
    """The quantities in which a step has a target."""
    sources = {
        ZonesType.POWER: wish.from_power,
        ZonesType.HEART_RATE: wish.from_heart_rate,
        ZonesType.SPEED: wish.from_speed,
    }
    return [quantity for quantity, source in sources.items() if source is not None]


def in_words(problem: TextProblem) -> str:
    """An error as a sentence with its place.

    Examples
    --------
    >>> in_words(TextProblem(line=2, column=3, text='"30h" is longer than a step can be.', proposal="from 1s to 24h"))
    'Line 2, column 3: "30h" is longer than a step can be. Write from 1s to 24h.'
    """
    advice = f" Write {problem.proposal}." if problem.proposal else ""
    return f"Line {problem.line}, column {problem.column}: {problem.text}{advice}"


def parse_workout(text: str, sport: Sport, values: DayValues | None = None) -> TypedWorkout:
    r"""The structure of a typed workout.

    Parameters
    ----------
    text : str
        Lines with titles, repeats and steps; the grammar is in `docs/workout-text.md`.
    sport : Sport
        In a swim there is no power, and `400m` is an error.
    values : DayValues, optional
        The athlete's values. A target in percent keeps its percent and gets its value in W, bpm or m/s too;
        without the athlete's value the percent alone. Only a percent of threshold heart rate needs its value.

    Returns
    -------
    TypedWorkout
        With all errors, in the order of the text.

    Notes
    -----
    Grammar: that of intervals.icu, with nesting by indentation. `write_workout` writes a structure back.

    *Worked example*: `3x`, below it `- 12m 95-100%` and `- 4m 50%`, with a critical power of 250 W: three repetitions of
    720 s at 238 to 250 W, and 240 s at 125 W as intra-recovery.

    Examples
    --------
    >>> workout = parse_workout("3x\n- 12m 95-100%\n- 4m 50%", Sport.CYCLING, DayValues(critical_power_w=250))
    >>> (series,) = workout.structure
    >>> series.n_repetitions, [str(step.label) for step in series.steps]
    (3, ['active', 'intra-recovery'])
    >>> series.steps[0].intensity.min_power, series.steps[0].intensity.max_power
    (238, 250)
    >>> [in_words(error) for error in parse_workout("- 400m Z2 Pace", Sport.SWIMMING).errors]
    ['Line 1, column 3: "400m" is minutes, or metres? Write 400mtr or 400min.']
    """
    return _Parser(sport, values or DayValues()).parse(text)


class _Leaf(NamedTuple):
    """A step of the structure, its label if the text decides it, and its cue."""

    step: StructureStep
    label: StepLabel | None
    is_easy_word: bool
    cue: str


@dataclass(slots=True)
class _Section:
    """A header with the steps below it; the whole text is the outermost."""

    indent: int
    line: int
    column: int = 1
    title: str = ""
    repeats: int | None = None
    body: int | None = None  # indentation of its first step
    parts: list["_Leaf | _Section"] = field(default_factory=list)


class _StepTokens(NamedTuple):
    """The tokens of a step by their kind."""

    lengths: list[tuple[Token, StepLength]]
    targets: list[tuple[Token, TextTarget]]
    cadences: list[tuple[Token, CadenceRange]]
    labels: list[tuple[Token, StepLabel]]
    keywords: list[tuple[Token, Keyword]]
    words: list[str]


def _of_kind(tokens: Sequence[Token], *kinds: type) -> list[tuple[Token, Any]]:
    return [(token, token.value) for token in tokens if isinstance(token.value, kinds)]


class _Parser:
    """Reads the lines of one text; collects its errors."""

    def __init__(self, sport: Sport, values: DayValues) -> None:
        self.sport = sport
        self.values = values
        self.errors: list[TextProblem] = []
        self.line = 0

    def fault(self, column: int, text: str, proposal: str, *, line: int | None = None) -> None:
        self.errors.append(TextProblem(line=line or self.line, column=column, text=text, proposal=proposal))

    def parse(self, text: str) -> TypedWorkout:
        if len(text) > MOST_TEXT:
            self.line = 1
            self.fault(1, f"The text has {len(text)} characters.", f"at most {MOST_TEXT}")
            return TypedWorkout((), (), tuple(self.errors))
        root = _Section(-1, 1)
        stack = [root]
        for self.line, line in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
            body = plain(line)
            if not body.strip():
                del stack[1:]
            elif body.lstrip()[0] in "-*•":
                self._add_step(line, body, stack)
            else:
                self._add_header(line, body, stack)
        return self._finished(root)

    def _add_header(self, line: str, body: str, stack: list[_Section]) -> None:
        indent, start = _indentation(line, body)
        while len(stack) > 1 and (stack[-1].indent >= indent or (stack[-1].body or 0) > indent):
            stack.pop()
        section = _Section(indent, self.line, start + 1)
        words = []
        for token in tokens_of(body[start:], self.sport, first_column=start + 1):
            if isinstance(token.value, Repeats):
                if section.repeats is not None:
                    self.fault(token.column, "A header has one repeat.", "a header for each repeat")
                section.repeats = token.value.count
            elif isinstance(token.value, Misread) and token.value.like == "repeat":
                self.fault(token.column, token.value.reason, token.value.proposal)
                break  # the rest of the line is of the step that the proposal names
            elif _is_of_a_step(token):
                self.fault(
                    token.column,
                    f'"{token.text}" is no part of a title: a step begins with -.',
                    f"- {body[start:].strip()}",
                )
                break
            else:
                words.append(token.text)
        section.title = " ".join(words)
        if sum(each.repeats is not None for each in [*stack, section]) > MOST_NESTED:
            self.fault(start + 1, "The repeats are nested too deeply.", f"at most {MOST_NESTED} levels")
            section.repeats = None
        stack[-1].parts.append(section)
        stack.append(section)

    def _add_step(self, line: str, body: str, stack: list[_Section]) -> None:
        indent, start = _indentation(line, body)
        while len(stack) > 1 and (stack[-1].indent > indent or (stack[-1].body or 0) > indent):
            stack.pop()
        if stack[-1].body is None:
            stack[-1].body = indent
        dash = start + 1
        start += 1
        pieces = self._pieces(list(tokens_of(body[start:], self.sport, first_column=start + 1)))
        length = self._length(pieces, dash)
        for extra, name in ((pieces.cadences, "cadence"), (pieces.labels, "flag")):
            for token, _ in extra[1:]:
                self.fault(
                    token.column, f'A step has one {name}; "{token.text}" is the second.', "a second step"
                )
        targets = self._targets(pieces)
        cue = " ".join(pieces.words)
        label, is_easy_word = _label(pieces, cue, stack)
        ramps = [token for token, keyword in pieces.keywords if keyword is Keyword.RAMP]
        cadence = pieces.cadences[0][1] if pieces.cadences else None
        if length is None:
            return
        if ramps:
            steps = self._ramp(ramps[0], length, targets, cadence)
            label = label or StepLabel.ACTIVE
        else:
            steps = [self._step(length, list(targets.values()), cadence)]
        for number, step in enumerate(steps):
            stack[-1].parts.append(_Leaf(step, label, is_easy_word, cue if number == 0 else ""))

    def _pieces(self, tokens: Sequence[Token]) -> _StepTokens:
        for token in tokens:
            if isinstance(token.value, Misread):
                self.fault(token.column, token.value.reason, token.value.proposal)
            elif isinstance(token.value, Repeats):
                text = f'"{token.text}" repeats the steps below it and is no part of a step.'
                self.fault(token.column, text, f'"{token.value.count}x" in a line above, without -')
        return _StepTokens(
            lengths=_of_kind(tokens, DurationLength, DistanceLength, FreeLength),
            targets=_of_kind(tokens, TextTarget),
            cadences=_of_kind(tokens, CadenceRange),
            labels=_of_kind(tokens, StepLabel),
            keywords=_of_kind(tokens, Keyword),
            words=[token.text for token in tokens if token.value is None],
        )

    def _length(self, pieces: _StepTokens, dash: int) -> StepLength | None:
        for token, _ in pieces.lengths[1:]:
            self.fault(token.column, f'A step has one length; "{token.text}" is the second.', "a second step")
        if not pieces.lengths:
            if not any(error.line == self.line for error in self.errors):
                self.fault(dash, "A step needs a length.", "a time (10m), a distance (400mtr) or press lap")
            return None
        return pieces.lengths[0][1]

    def _targets(self, pieces: _StepTokens) -> dict[ZonesType, tuple[Token, TextTarget]]:
        targets: dict[ZonesType, tuple[Token, TextTarget]] = {}
        free = [token for token, keyword in pieces.keywords if keyword is Keyword.FREERIDE]
        names = {ZonesType.POWER: "power", ZonesType.HEART_RATE: "heart rate", ZonesType.SPEED: "speed"}
        for token, target in pieces.targets:
            if target.quantity in targets:
                text = f'A step has one target of {names[target.quantity]}; "{token.text}" is the second.'
                self.fault(token.column, text, "one range (75-90%) or a second step")
            elif free:
                self.fault(
                    token.column, f'A freeride has no target; "{token.text}" is one.', "one of the two"
                )
            elif target.unit == "% LTHR" and self.values.threshold_heart_rate_bpm is None:
                text = f'"{token.text}" needs the threshold heart rate of the athlete, which is not set.'
                self.fault(token.column, text, "a target in bpm, or set the threshold heart rate")
            else:
                targets[target.quantity] = token, target
        return targets

    def _ramp(
        self,
        ramp: Token,
        length: StepLength,
        targets: dict[ZonesType, tuple[Token, TextTarget]],
        cadence: CadenceRange | None,
    ) -> list[StructureStep]:
        ranges = [(token, target) for token, target in targets.values() if target.low != target.high]
        if not isinstance(length, DurationLength) or not ranges:
            self.fault(ramp.column, "A ramp needs a time and a range.", "10m ramp 60-40%")
            return [self._step(length, list(targets.values()), cadence)]
        chosen = min(ranges, key=lambda pair: (pair[0].column < ramp.column, pair[0].column))
        rest = [pair for pair in targets.values() if pair is not chosen and pair[1] is not chosen[1]]
        return [
            self._step(piece, [*rest, (chosen[0], part)], cadence)
            for piece, part in ramp_parts(length, chosen[1])
        ]

    def _step(
        self, length: StepLength, targets: Sequence[tuple[Token, TextTarget]], cadence: CadenceRange | None
    ) -> StructureStep:
        fields: dict[str, object] = {}
        bands: dict[ZonesType, LapIntensity | None] = {}
        for _, target in sorted(targets, key=lambda pair: list(ZonesType).index(pair[1].quantity)):
            fields |= _fields(target, self.values)
            bands[target.quantity] = _band(target, self.values)
        zones = [target.zone for _, target in targets if target.zone is not None]
        band = bands.get(ZonesType.POWER) or bands.get(ZonesType.SPEED)
        intensity = StructureIntensity.model_validate(
            dict.fromkeys(_REQUIRED)
            | fields
            | {
                "service_intensity": band,
                "zone": zones[0] if zones else None,
                "min_cadence": cadence.low if cadence else None,
                "max_cadence": cadence.high if cadence else None,
            }
        )
        return StructureStep(type="step", label=StepLabel.ACTIVE, intensity=intensity, length=length)

    def _finished(self, root: _Section) -> TypedWorkout:
        leaves = list(_leaves(root))
        self._check_repeats(root)
        structure = _elements(root)
        labels = [
            leaf.label or (StepLabel.INTRA_RECOVERY if is_recovery else StepLabel.ACTIVE)
            for leaf, is_recovery in zip(leaves, recoveries(structure), strict=True)
        ]
        work = {label for label in labels if label in {StepLabel.ACTIVE, StepLabel.MAXIMUM}}
        if not work:  # nothing to recover from: an easy session
            labels = [
                StepLabel.ACTIVE if leaf.is_easy_word and label is StepLabel.INTRA_RECOVERY else label
                for leaf, label in zip(leaves, labels, strict=True)
            ]
        structure = _labelled(structure, iter(labels))
        self._check_size(structure)
        errors = sorted(self.errors, key=lambda error: (error.line, error.column))
        titles = tuple(filter(None, _titles(root)))
        return TypedWorkout(structure, tuple(leaf.cue for leaf in leaves), tuple(errors), titles)

    def _check_repeats(self, section: _Section) -> None:
        if section.repeats is not None and not any(_leaves(section)):
            if not any(error.line > section.line for error in self.errors):
                text = f'"{section.repeats}x" has no steps below it.'
                self.fault(section.column, text, "a step below it: - 10m 90%", line=section.line)
            section.repeats = None
        for part in section.parts:
            if isinstance(part, _Section):
                self._check_repeats(part)

    def _check_size(self, structure: tuple[StructureElement, ...]) -> None:
        self.line = 1
        steps = _count(structure)
        if steps > MOST_STEPS:
            self.fault(1, f"The workout has {steps} steps with all repeats.", f"at most {MOST_STEPS}")
        elif estimated_duration_s(structure, references=self.values.references) > LONGEST_WORKOUT_S:
            self.fault(1, "The workout is too long.", f"at most {LONGEST_WORKOUT_S / 3600:g} h in all")


def ramp_parts(length: DurationLength, target: TextTarget) -> list[tuple[DurationLength, TextTarget]]:
    """The equal steps of a ramp, each with the range from its start to its end value, in the order of the ramp."""
    count = min(MOST_RAMP_STEPS, math.ceil(length.duration / 60))
    piece = DurationLength(type="duration", duration=tidy(length.duration / count))
    digits = 6 if target.unit == "m/s" else 2
    ends = [
        tidy(target.low + (target.high - target.low) * number / count, digits) for number in range(count + 1)
    ]
    return [
        (piece, TextTarget(target.quantity, target.unit, low, high, target.zone if count == 1 else None))
        for low, high in pairwise(ends)
    ]


_REQUIRED = tuple(name for name, info in StructureIntensity.model_fields.items() if info.is_required())
_NAMES = {
    ZonesType.POWER: ("from_power", "power", "power_threshold_percentage"),
    ZonesType.HEART_RATE: ("from_heart_rate", "heart_rate", "max_heart_rate_percentage"),
    ZonesType.SPEED: ("from_speed", "speed", "speed_threshold_percentage"),
}


def _fields(target: TextTarget, values: DayValues) -> dict[str, object]:
    """The fields of a target; its percent, and its value in units if the athlete's is known."""
    source, absolute, percentage = _NAMES[target.quantity]
    low, high = sorted((target.low, target.high))
    if target.unit == "% LTHR":
        threshold = values.threshold_heart_rate_bpm or math.nan
        if math.isnan(threshold):
            return {source: IntensitySourceKind.ABSOLUTE}
        low, high = (tidy(percent / 100 * threshold, 0) for percent in (low, high))
    if target.unit in {"w", "bpm", "% LTHR", "m/s"}:
        # The interface has no source "threshold heart rate": its bpm are absolute.
        return {source: IntensitySourceKind.ABSOLUTE, f"min_{absolute}": low, f"max_{absolute}": high}
    fields: dict[str, object] = {
        source: IntensitySourceKind.ZONE if target.zone else IntensitySourceKind.METRIC,
        f"min_{percentage}": low,
        f"max_{percentage}": high,
    }
    if reference := values.hundred_percent(target.quantity):
        digits = 3 if target.quantity is ZonesType.SPEED else 0
        fields |= {
            f"{bound}_{absolute}": tidy(percent / 100 * reference, digits)
            for bound, percent in (("min", low), ("max", high))
        }
    return fields


def _band(target: TextTarget, values: DayValues) -> LapIntensity | None:
    """The band of the middle of a target of power or speed."""
    middle = (target.low + target.high) / 2
    if target.unit in {"w", "m/s"}:
        reference = values.hundred_percent(target.quantity)
        middle = middle / reference * 100 if reference else math.nan
    if math.isnan(middle) or target.quantity is ZonesType.HEART_RATE:
        return None
    if target.quantity is ZonesType.POWER:
        return intensity_of(middle)
    return LapIntensity(
        max((b for b in SPEED_BANDS.bands if b.low <= middle), key=lambda band: band.low).name
    )


def _indentation(line: str, body: str) -> tuple[int, int]:
    """The indentation in spaces (a tab is two), and the place of the first character."""
    start = len(body) - len(body.lstrip())
    return len(line[:start].replace("\t", "  ")), start


def _is_of_a_step(token: Token) -> bool:
    """Whether a piece of a header is a length, a target or a cadence; the words of a step may be in a title."""
    if isinstance(token.value, Misread):
        return token.value.like != "word"
    return isinstance(token.value, DurationLength | DistanceLength | TextTarget | CadenceRange)


def _label(pieces: _StepTokens, cue: str, stack: Sequence[_Section]) -> tuple[StepLabel | None, bool]:
    """The label that flag, cue or a title decides; and whether it is a recovery by a word alone."""
    if pieces.labels:
        return pieces.labels[0][1], False
    for words in (cue, *(section.title for section in reversed(stack))):
        for start, label in _WORDS_OF_LABELS:
            if words.lower().startswith(start):
                return label, label is StepLabel.INTRA_RECOVERY
    return None, False


def _titles(section: _Section) -> Iterator[str]:
    for part in section.parts:
        if isinstance(part, _Section):
            yield part.title
            yield from _titles(part)


def _leaves(section: _Section) -> Iterator[_Leaf]:
    for part in section.parts:
        if isinstance(part, _Section):
            yield from _leaves(part)
        else:
            yield part


def _elements(section: _Section) -> tuple[StructureElement, ...]:
    elements: list[StructureElement] = []
    for part in section.parts:
        if isinstance(part, _Leaf):
            elements.append(part.step)
            continue
        inner = _elements(part)
        if part.repeats is None:
            elements.extend(inner)
        else:
            elements.append(StructureRepetition(type="repetition", n_repetitions=part.repeats, steps=inner))
    return tuple(elements)


def _labelled(
    elements: Sequence[StructureElement], labels: Iterator[StepLabel]
) -> tuple[StructureElement, ...]:
    return tuple(
        element.model_copy(update={"steps": _labelled(element.steps, labels)})
        if isinstance(element, StructureRepetition)
        else _with_label(element, next(labels))
        for element in elements
    )


def _with_label(step: StructureStep, label: StepLabel) -> StructureStep:
    wish = step.intensity
    percents = (
        (wish.min_power_threshold_percentage, wish.max_power_threshold_percentage),
        (wish.min_speed_threshold_percentage, wish.max_speed_threshold_percentage),
    )
    middle = next((sum(ends) / 2 for ends in percents if None not in ends), math.inf)  # type: ignore[arg-type]
    if label is StepLabel.REST:
        wish = wish.model_copy(update={"service_intensity": None})
    elif label in {StepLabel.INTRA_RECOVERY, StepLabel.COOL_DOWN} and middle < RECOVERY_PCT:
        wish = wish.model_copy(update={"service_intensity": LapIntensity.RECOVERY})
    return step.model_copy(update={"label": label, "intensity": wish})


def _count(elements: Sequence[StructureElement]) -> int:
    return sum(
        int(element.n_repetitions) * _count(element.steps) if isinstance(element, StructureRepetition) else 1
        for element in elements
    )
