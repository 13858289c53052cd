"""Read a line of a workout from left to right: lengths, targets, cadences, flags, repeats and cues."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from coachboard.wire.enums import Sport, StepLabel, ZonesType
from coachboard.wire.prescriptions import DistanceLength, DurationLength, FreeLength
from coachboard.workout_text.values import (
    LIMITS,
    LONGEST_STEP_M,
    LONGEST_STEP_S,
    MOST_REPEATS,
    SPEED_LIMITS_MPS,
    ZONE_LIMITS,
)

METRES = {
    "mtr": 1.0,
    "km": 1000.0,
    "mi": 1609.344,
    "yd": 0.9144,
    "yrd": 0.9144,
    "100m": 100.0,
    "100mtr": 100.0,
    "100yd": 91.44,
    "100yrd": 91.44,
}
"""Metres of each unit of a distance or a pace."""


class Keyword(Enum):
    """A word with a meaning, without a value."""

    RAMP = "ramp"
    FREERIDE = "freeride"


@dataclass(frozen=True, slots=True)
class TextTarget:
    """A target as typed: `low` is its first value, `high` its second; equal if it has one value."""

    quantity: ZonesType
    unit: str  # "%", "w", "% HR", "% LTHR", "bpm", "% Pace" or "m/s"
    low: float
    high: float
    zone: str | None = None


@dataclass(frozen=True, slots=True)
class CadenceRange:
    """A range of cadence, in rpm."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Repeats:
    """`3x`: the number of repetitions."""

    count: int


@dataclass(frozen=True, slots=True)
class Misread:
    """A piece that cannot be read, its reason, and the piece to write instead; only a `word` may be in a title."""

    reason: str
    proposal: str
    like: Literal["step", "repeat", "word"] = "step"


Value = (
    DurationLength
    | DistanceLength
    | FreeLength
    | TextTarget
    | CadenceRange
    | StepLabel
    | Keyword
    | Repeats
    | Misread
    | None
)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a line, with its column from 1; a value of None marks a word of a cue or a title."""

    column: int
    text: str
    value: Value


_PLAIN = str.maketrans({
    **dict.fromkeys("–—−‐‑‒―", "-"), **dict.fromkeys("’‘′´`ʹ", "'"), **dict.fromkeys("”“″„ʺ", '"'),
    **dict.fromkeys("\u00a0\u2009\u202f\u2007\u3000\t", " "), "×": "x", "﹪": "%", "％": "%",
})  # fmt: skip


def plain(text: str) -> str:
    r"""Typographic dashes, primes, quotes and spaces as plain ones, each character in its column.

    Examples
    --------
    >>> plain("10m 95–100% 1′30″")
    '10m 95-100% 1\'30"'
    """
    return text.translate(_PLAIN)


_NUMBER = r"\d+(?:[.,]\d+)?"
_END = r"(?=[\s,;]|$)"
_PER = r"km|mi|100m(?:tr)?|100yr?ds?"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text + _END, re.IGNORECASE)


def _number(text: str) -> float:
    return float(text.replace(",", "."))


def tokens_of(line: str, sport: Sport, *, first_column: int = 1) -> Iterator[Token]:
    """The pieces of a line.

    Parameters
    ----------
    line : str
        Without its leading dash, as `plain` returns it.
    sport : Sport
        `m` in a swim may be a mistake for metres.
    first_column : int
        Column of its first character.

    Yields
    ------
    Token
        Every piece; one that is no token and no word of a cue is a `Misread`.

    Examples
    --------
    >>> [token.text for token in tokens_of("Hard 1h 30m 95 - 105 % at 90 rpm", Sport.CYCLING)]
    ['Hard', '1h 30m', '95 - 105 %', 'at', '90 rpm']
    """
    place = 0
    while place < len(line):
        if line[place] in " ,;":
            place += 1
            continue
        text, value = _piece(line, place, sport)
        yield Token(first_column + place, text, value)
        place += len(text)


def _piece(line: str, place: int, sport: Sport) -> tuple[str, Value]:
    for pattern, read in (*_READERS, *_ALMOST):
        if (match := pattern.match(line, place)) and match[0]:
            return match[0], read(match, sport)
    match = re.compile(r"[^\s]+").match(line, place)
    assert match is not None
    word = match[0].rstrip(",;") or match[0]
    if re.search(r"[\d=@]", word):
        reason = f'"{word}" is no length, target or cadence, and a cue has no digit, "=" or "@".'
        return word, Misread(
            reason, "a length (10m, 400mtr), a target (95%, 220w, Z2) or plain words", like="word"
        )
    return word, None


def _time(match: re.Match[str], sport: Sport) -> Value:
    text = match[0]
    hours, minutes, seconds, rest = (match[name] for name in ("h", "m", "s", "rest"))
    if minutes and not hours and not seconds and not rest and match["unit"].lower() == "m":
        least = {Sport.SWIMMING: 25, Sport.RUNNING: 200}.get(sport)
        if least is not None and _number(minutes) >= least:
            return Misread(f'"{text}" is minutes, or metres?', f"{minutes}mtr or {minutes}min")
    total = 3600 * _number(hours or "0") + 60 * _number(minutes or "0") + _number(seconds or "0")
    if rest:
        if int(rest) >= 60:
            return Misread(f'"{text}" has 60 or more behind the larger unit.', "at most 59 there")
        total += int(rest) * (1 if minutes else 60)
    return _duration(text, total)


def _clock(match: re.Match[str], sport: Sport) -> Value:  # noqa: ARG001
    *larger, seconds = (int(part) for part in match[0].split(":"))
    if seconds > 59 or (len(larger) == 2 and larger[1] > 59):
        return Misread(f'"{match[0]}" has 60 or more minutes or seconds.', "at most 59 behind each colon")
    minutes = larger[0] if len(larger) == 1 else 60 * larger[0] + larger[1]
    return _duration(match[0], 60.0 * minutes + seconds)


def _duration(text: str, seconds: float) -> Value:
    if not 1 <= seconds <= LONGEST_STEP_S:
        word = "longer" if seconds > 1 else "shorter"
        return Misread(f'"{text}" is {word} than a step can be.', "from 1s to 24h")
    return DurationLength(type="duration", duration=tidy(seconds))


def _distance(match: re.Match[str], sport: Sport) -> Value:  # noqa: ARG001
    metres = _number(match["number"]) * METRES[match["unit"].lower().removesuffix("s")]
    if not 1 <= metres <= LONGEST_STEP_M:
        word = "longer" if metres > 1 else "shorter"
        return Misread(f'"{match[0]}" is {word} than a step can be.', "from 1mtr to 500km")
    return DistanceLength(type="distance", distance=tidy(metres, 3))


_UNITS = {
    "%": ZonesType.POWER,
    "w": ZonesType.POWER,
    "% HR": ZonesType.HEART_RATE,
    "% LTHR": ZonesType.HEART_RATE,
    "bpm": ZonesType.HEART_RATE,
    "% Pace": ZonesType.SPEED,
}
_SPELLED = {"".join(unit.lower().split()): unit for unit in LIMITS}


def _with_unit(match: re.Match[str], sport: Sport) -> Value:
    unit = _SPELLED["".join(match["unit"].lower().split())]
    low, high = _number(match["low"]), _number(match["high"] or match["low"])
    lowest, highest = LIMITS[unit]
    if max(low, high) > highest:
        return Misread(
            f'"{match[0]}" is above the limit of {highest:g} {unit}.', f"at most {highest:g}{unit}"
        )
    if min(low, high) < lowest:
        return Misread(f'"{match[0]}" is below the limit of {lowest:g} {unit}.', f"at least {lowest:g}{unit}")
    if unit == "rpm":
        return CadenceRange(tidy(min(low, high)), tidy(max(low, high)))
    if sport is Sport.SWIMMING and _UNITS[unit] is ZonesType.POWER:
        instead = f"{match[0]} Pace" if unit == "%" else "a pace: 1:40/100m Pace"
        return Misread(f'"{match[0]}" is power, which a swim has not.', instead)
    return TextTarget(_UNITS[unit], unit, tidy(low), tidy(high))


def pace_speed(pace: str, per: str) -> float:
    """Speed of a pace, in m/s.

    Examples
    --------
    >>> pace_speed("5:00", "km")
    3.333333
    """
    minutes, seconds = pace.split(":")
    return tidy(METRES[per.lower().removesuffix("s")] / (60 * int(minutes) + _number(seconds)), 6)


def _pace(match: re.Match[str], sport: Sport) -> Value:  # noqa: ARG001
    first, second, per = match["low"], match["high"] or match["low"], match["per"]
    if any(_number(pace.split(":")[1]) >= 60 for pace in (first, second)):
        return Misread(f'"{match[0]}" has 60 or more seconds.', "at most 59 behind the colon")
    if any(not pace.strip("0:.,") for pace in (first, second)):
        return Misread(f'"{match[0]}" is a pace of 0.', "the time for the distance")
    low, high = pace_speed(first, per), pace_speed(second, per)
    slowest, fastest = SPEED_LIMITS_MPS
    if not slowest <= min(low, high) <= max(low, high) <= fastest:
        return Misread(f'"{match[0]}" is no pace of a person.', "from 0:40/km to 66:40/km")
    return TextTarget(ZonesType.SPEED, "m/s", low, high)


_ZONE_UNITS = {"": "%", "hr": "% HR", "pace": "% Pace"}


def _zone(match: re.Match[str], sport: Sport) -> Value:
    kind = (match["of"] or "").lower()
    unit = _ZONE_UNITS[kind]
    quantity = _UNITS[unit]
    if quantity is ZonesType.POWER and sport is Sport.SWIMMING:
        return Misread(f'"{match[0]}" is a zone of power, which a swim has not.', f"{match[0]} Pace")
    first, second = int(match["low"]), int(match["high"] or match["low"])
    limits = ZONE_LIMITS[quantity]
    if not 1 <= min(first, second) <= max(first, second) < len(limits):
        return Misread(f'"{match[0]}" is no zone.', f"Z1 to Z{len(limits) - 1}")
    name = f"Z{min(first, second)}" if first == second else f"Z{min(first, second)}-Z{max(first, second)}"
    rising = (limits[min(first, second) - 1], limits[max(first, second)])
    low, high = rising if first <= second else rising[::-1]
    return TextTarget(quantity, unit, low, high, name)


def _repeats(match: re.Match[str], sport: Sport) -> Value:  # noqa: ARG001
    count = int(match["count"])
    if not 1 <= count <= MOST_REPEATS:
        return Misread(f'"{match[0]}" is no number of repetitions.', f"from 1x to {MOST_REPEATS}x", "repeat")
    return Repeats(count)


def _apart(match: re.Match[str], _: Sport) -> Misread:
    step = match["step"] + match.string[match.end() :].rstrip()  # with the target behind the length
    return Misread(
        f'"{match[0]}" is a repeat and a step in one.',
        f'"{match["count"]}x" and below it "- {step}"',
        "repeat",
    )


_FLAGS = {
    "rest": StepLabel.REST,
    "recovery": StepLabel.INTRA_RECOVERY,
    "active": StepLabel.ACTIVE,
    "warmup": StepLabel.WARM_UP,
    "cooldown": StepLabel.COOL_DOWN,
}


def _flag(match: re.Match[str], sport: Sport) -> Value:  # noqa: ARG001
    label = _FLAGS.get(match["flag"].lower())
    if label is None:
        return Misread(f'"{match[0]}" is no intensity.', "intensity=rest, intensity=recovery or max")
    return label


_READERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], Sport], Value]], ...] = (
    (
        _pattern(
            rf"(?P<low>\d{{1,2}}:\d\d(?:[.,]\d+)?)(?:\s*(?:/\s*(?:{_PER}))?\s*-\s*(?P<high>\d{{1,2}}:\d\d(?:[.,]\d+)?))?"
            rf"\s*/\s*(?P<per>{_PER})(?:\s*pace)?"
        ),
        _pace,
    ),
    (_pattern(r"\d{1,3}:\d\d(?::\d\d)?"), _clock),
    (
        _pattern(
            rf"(?P<low>{_NUMBER})(?:\s*(?:%|w|bpm|rpm)?\s*-\s*(?P<high>{_NUMBER}))?"
            r"\s*(?P<unit>%\s*(?:LTHR|HR|Pace)|%|w|bpm|rpm)"
        ),
        _with_unit,
    ),
    (_pattern(r"Z(?P<low>\d{1,2})(?:\s*-\s*Z?(?P<high>\d{1,2}))?(?:\s*(?P<of>HR|Pace))?"), _zone),
    (_pattern(rf"(?P<number>{_NUMBER})\s*(?P<unit>mtr|km|mi|yr?ds?)"), _distance),
    (
        _pattern(
            rf"(?=\d)(?:(?P<h>{_NUMBER})\s*(?:hrs?|h))?(?:\s*(?P<m>{_NUMBER})\s*(?P<unit>mins?|m|'))?"
            rf"(?:\s*(?P<s>{_NUMBER})\s*(?:secs?|s|\")|(?<=[hm'])(?P<rest>\d{{1,2}}))?"
        ),
        _time,
    ),
    (_pattern(r"(?P<count>\d+)\s*x\s*(?P<step>\d\S*?(?:[hms'\"]|min|sec|mtr|yd|:\d\d))"), _apart),
    (_pattern(r"(?P<count>\d+)\s*x"), _repeats),
    (
        _pattern(r"x\s*(?P<count>\d+)"),
        lambda match, _: Misread(f'"{match[0]}" is no repeat.', f"{match['count']}x", "repeat"),
    ),
    (_pattern(r"intensity\s*=\s*(?P<flag>\S*?)"), _flag),
    (_pattern(r"max"), lambda *_: StepLabel.MAXIMUM),
    (_pattern(r"press\s+lap"), lambda *_: FreeLength(type="free")),
    (_pattern(r"ramp"), lambda *_: Keyword.RAMP),
    (_pattern(r"free\s?ride"), lambda *_: Keyword.FREERIDE),
)
"""Patterns of tokens, in the order in which they are tried."""


def _pace_of_speed(match: re.Match[str], sport: Sport) -> Misread:
    speed = _number(match["number"]) * (1.609344 if match["unit"].lower().startswith("m") else 1) / 3.6
    far, per = (100, "100m") if sport is Sport.SWIMMING else (1000, "km")
    seconds = round(far / speed) if speed > 0 else 0
    pace = f"{seconds // 60}:{seconds % 60:02}/{per} Pace" if seconds else f"5:00/{per} Pace"
    return Misread(f'"{match[0]}" is a speed; a target is a pace.', pace)


def _needs_unit(match: re.Match[str], sport: Sport) -> Misread:
    number = "".join(match[0].split())
    if ":" in number:
        per = "100m" if sport is Sport.SWIMMING else "km"
        return Misread(f'"{match[0]}" has no unit.', f"{number}/{per} Pace")
    instead = f"{number}% Pace" if sport is Sport.SWIMMING else f"{number}% or {number}w"
    return Misread(f'"{match[0]}" has no unit.', instead, like="word")


_ALMOST: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], Sport], Value]], ...] = (
    (_pattern(rf"(?P<number>{_NUMBER})\s*(?P<unit>km/?h|kph|mph|mi/h)"), _pace_of_speed),
    (
        _pattern(rf"(?P<number>{_NUMBER}(?:\s*-\s*{_NUMBER})?)\s*watts?"),
        lambda match, _: Misread(f'"{match[0]}" has a unit that is not read.', f"{match['number']}w"),
    ),
    (
        _pattern(rf"(?P<number>{_NUMBER})\s*(?:met(?:er|re)s?|mts?)"),
        lambda match, _: Misread(f'"{match[0]}" has a unit that is not read.', f"{match['number']}mtr"),
    ),
    (
        _pattern(rf"(?P<number>{_NUMBER})\s*(?:k|kms|kilomet\w+)"),
        lambda match, _: Misread(
            f'"{match[0]}" has a unit that is not read.', f"{match['number']}km", like="word"
        ),
    ),
    (
        _pattern(r"(?P<unit>LTHR|HR|Pace)"),
        lambda match, _: Misread(
            f'"{match[0]}" has no value before it.', f"90% {match['unit']}", like="word"
        ),
    ),
    (
        _pattern(r"@\s*(?P<value>\S*?)"),
        lambda match, _: Misread('"@" is no part of a step.', match["value"] or "the target without it"),
    ),
    (_pattern(r"\d{1,2}:\d\d\s*-\s*\d{1,2}:\d\d"), _needs_unit),
    (_pattern(rf"{_NUMBER}(?:\s*-\s*{_NUMBER})?"), _needs_unit),
)
"""Common mistakes, each with the piece to write instead."""


def tidy(value: float, digits: int = 2) -> float:
    """Rounded; a whole number without a fraction stays one, as on the wire."""
    rounded = round(value, digits)
    return int(rounded) if float(rounded).is_integer() else rounded
