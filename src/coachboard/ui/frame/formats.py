"""Numbers, durations and days as text with units; a missing value is an en dash."""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, tzinfo
from enum import StrEnum
from typing import TypeAlias

from coachboard import plurals
from coachboard.imperial import KG_PER_POUND, M_PER_FOOT, M_PER_MILE, M_PER_YARD
from coachboard.plain_text import plain
from coachboard.wire.activities import Activity
from coachboard.wire.enums import MetricSource, MetricSport, Sport
from coachboard.wire.metrics import METRICS, MetricType, MetricUnit
from coachboard.wire.users import User

MISSING = "–"
MINUS = "−"
KM_PER_MILE = M_PER_MILE / 1000

METRIC_SOURCES: Mapping[str | None, str] = {
    MetricSource.USER: "measured", MetricSource.SERVICE: "estimate", None: "unknown",
}  # fmt: skip
"""The words for the source of a metric."""
COMPLIANCE = (
    "✓ on target (at least 90 % of the work steps; by totals within 20 %), Δ off (at least 50 %; within 50 %), ! far off, "
    "○ duration only (not scored yet); compared by the work steps of the plan, else by duration, distance, load or work in kJ."
)
"""The legend of the signs of compliance."""

Quantity: TypeAlias = float | int | None

count, noun = plurals.count, plurals.noun


class System(StrEnum):
    METRIC = "metric"
    IMPERIAL = "imperial"


@dataclass(frozen=True, slots=True)
class Units:
    """The user's unit system, with exceptions for single sports."""

    system: System = System.METRIC
    by_sport: Mapping[str, System] = field(default_factory=dict, hash=False)  # a mapping has no hash

    def is_imperial(self, sport: str | None = None) -> bool:
        return self.by_sport.get(str(sport), self.system) is System.IMPERIAL


METRIC = Units()


def is_missing(value: Quantity) -> bool:
    return value is None or not math.isfinite(value)


def number(value: Quantity, digits: int = 0, unit: str = "", *, signed: bool = False) -> str:
    """`1,254 m`, `−12 %`, `+3`."""
    if value is None or not math.isfinite(value):
        return MISSING
    rounded = round(float(value), digits) + 0.0  # + 0.0 turns negative zero into zero
    text = f"{abs(rounded):,.{digits}f}"
    sign = MINUS if rounded < 0 else "+" if signed and rounded > 0 else ""
    return f"{sign}{text}{' ' if unit else ''}{unit}"


def signed(value: Quantity, digits: int = 0, unit: str = "") -> str:
    return number(value, digits, unit, signed=True)


def signed_text(value: float, write: Callable[[float], str]) -> str:
    """A difference in a format without a sign of its own, such as a duration: "+1:05"."""
    if not math.isfinite(value):
        return MISSING
    text = write(value)
    return text if value <= 0 or text == write(0.0) else f"+{text}"


def hover_format(digits: int = 0, *, signed: bool = False) -> str:
    """The digits and sign of `number`, as Plotly writes a value under the pointer."""
    return f"{'+' if signed else ''}.{digits}f"


def percent(value: Quantity, digits: int = 0, *, signed: bool = False) -> str:
    """A value in percent: 12 is `12 %`."""
    return number(value, digits, "%", signed=signed)


def compliance(ratio: float) -> str:
    """Done over planned, at most 100 %; what goes beyond is beside it: 1.28 is `100 % (+28 %)`."""
    extra = f" (+{percent(ratio * 100 - 100)})" if ratio >= 1.005 else ""
    return f"{percent(min(ratio, 1.0) * 100)}{extra}"


def share(part: float, whole: float) -> str:
    """A part of a whole in percent; `<1 %` where rounding would say that there is none: "0:05, 0 %"."""
    text = percent(100 * part / whole if whole else 0.0)
    return "<1 %" if part > 0 and text == percent(0) else text


def power(value_w: Quantity) -> str:
    return number(value_w, 0, "W")


def power_per_kg(value_w_per_kg: Quantity) -> str:
    return number(value_w_per_kg, 2, "W/kg")


def heart_rate(value_bpm: Quantity) -> str:
    return number(value_bpm, 0, "bpm")


_ON_FOOT = frozenset({Sport.RUNNING, Sport.WALKING, Sport.HIKING})
_STEPS_A_STRIDE = 2


def cadence_scale(sport: str | None) -> tuple[float, str]:
    """Factor and unit: the service sends strides on foot, coaches count steps."""
    if sport in _ON_FOOT:
        return _STEPS_A_STRIDE, "steps/min"
    return 1.0, "strokes/min" if sport in {Sport.SWIMMING, Sport.ROWING} else "rpm"


def cadence_name(sport: str | None) -> str:
    """Swimmers and rowers say stroke rate."""
    return "Stroke rate" if sport in {Sport.SWIMMING, Sport.ROWING} else "Cadence"


def cadence(value: Quantity, sport: str | None = None) -> str:
    """`176 steps/min` on foot, strokes or revolutions per minute in other sports."""
    factor, unit = cadence_scale(sport)
    return number(None if value is None else factor * value, 0, unit)


def work(value_kj: Quantity) -> str:
    return number(value_kj, 0, "kJ")


def duration_hms(seconds: Quantity) -> str:
    """`1:23:45`; below an hour `23:45`."""
    if seconds is None or not math.isfinite(seconds):
        return MISSING
    whole = round(abs(seconds))
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    text = f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
    return f"{MINUS}{text}" if seconds < 0 and whole else text


def duration_hm(seconds: Quantity) -> str:
    """`7h45`, `2h00`, `45 min`: for plans, nights and weeks, where seconds do not matter."""
    return MISSING if seconds is None or not math.isfinite(seconds) else plurals.duration_hm(seconds)


def hours(value_h: Quantity) -> str:
    """The same of a number of hours."""
    return duration_hm(None if value_h is None else value_h * 3600)


def distance(metres: Quantity, sport: str | None = None, *, units: Units = METRIC) -> str:
    """Kilometres or miles; metres or yards for pools and short distances."""
    if metres is None or not math.isfinite(metres):
        return MISSING
    imperial = units.is_imperial(sport)
    if sport == Sport.SWIMMING:
        return number(metres / M_PER_YARD, 0, "yd") if imperial else number(metres, 0, "m")
    long_way = metres / 1000 / (KM_PER_MILE if imperial else 1)
    digits = 0 if abs(long_way) >= 100 else 1 if abs(long_way) >= 10 else 2
    return number(long_way, digits, "mi" if imperial else "km")


def elevation(metres: Quantity, *, units: Units = METRIC, sport: str | None = None) -> str:
    if metres is not None and units.is_imperial(sport):
        return number(metres / M_PER_FOOT, 0, "ft")
    return number(metres, 0, "m")


def speed(mps: Quantity, sport: str | None = None, *, units: Units = METRIC) -> str:
    if mps is None:
        return MISSING
    imperial = units.is_imperial(sport)
    return number(mps * 3.6 / (KM_PER_MILE if imperial else 1), 1, "mph" if imperial else "km/h")


def pace(mps: Quantity, sport: str | None = None, *, units: Units = METRIC) -> str:
    """Time per customary distance: `4:52 /km`, swimming `1:38 /100 m`, rowing `2:05 /500 m`."""
    per_m, unit = pace_unit(sport, units=units)
    if mps is None or not math.isfinite(mps) or mps <= 0 or per_m / mps > 5_999:
        return MISSING
    seconds = round(per_m / mps)
    return f"{seconds // 60}:{seconds % 60:02} {unit}"


def seconds_of(text: str) -> float | None:
    """Seconds of `1:23:45`, `23:45` or `45`; None for other text."""
    parts = text.strip().split(":")
    if not 1 <= len(parts) <= 3 or not all(part.strip().isdecimal() for part in parts):
        return None
    total = 0.0
    for part in parts:
        total = total * 60 + float(part)
    return total


def pace_unit(sport: str | None, *, units: Units = METRIC) -> tuple[float, str]:
    """The distance of a pace in metres, and its text."""
    imperial = units.is_imperial(sport)
    if sport == Sport.SWIMMING:
        return (100 * M_PER_YARD, "/100 yd") if imperial else (100.0, "/100 m")
    if sport == Sport.ROWING:
        return 500.0, "/500 m"
    return (M_PER_MILE, "/mi") if imperial else (1000.0, "/km")


PACED_SPORTS = frozenset({Sport.RUNNING, Sport.SWIMMING, Sport.WALKING, Sport.HIKING, Sport.ROWING})


def speed_or_pace(mps: Quantity, sport: str | None = None, *, units: Units = METRIC) -> str:
    """A pace for running, walking, swimming and rowing; a speed for other sports."""
    return (pace if sport in PACED_SPORTS else speed)(mps, sport, units=units)


def is_pace(unit: str | None, sport: str) -> bool:
    """Whether a metric reads as a pace: the critical speed of runners and swimmers."""
    return unit == MetricUnit.M_PER_S and sport in PACED_SPORTS


def metric(kind: MetricType, sport: MetricSport, value: float, unit: str | None, *, units: Units) -> str:
    """A metric in the reader's units: `61.4 kg`; the critical speed of runners and swimmers is a pace, `4:05 /km`."""
    if unit == MetricUnit.KG:
        return weight(value, units=units)
    if unit == MetricUnit.M_PER_S:
        return speed_or_pace(value, sport, units=units)
    factor, unit = metric_scale(unit, sport, units)
    return number(value * factor, METRICS[kind].digits, unit)


def metric_scale(unit: str | None, sport: MetricSport, units: Units) -> tuple[float, str]:
    """Factor and unit of a metric for weight, speed and distance, which have two; other metrics have one unit."""
    if is_pace(unit, sport):
        return 1.0, pace_unit(sport, units=units)[1]
    scales = {
        MetricUnit.KG: weight_scale(units),
        MetricUnit.M_PER_S: speed_scale(sport, units=units),
        MetricUnit.M: short_distance_scale(sport, units=units),
    }
    return next((scale for scaled, scale in scales.items() if scaled == unit), (1.0, str(unit or "")))


def weight(kg: Quantity, *, units: Units = METRIC, signed: bool = False) -> str:
    """A weight, or with a sign a change of weight."""
    factor, unit = weight_scale(units)
    return number(None if kg is None else kg * factor, 1, unit, signed=signed)


def weight_scale(units: Units) -> tuple[float, str]:
    """Factor from kilograms to the user's unit, and the unit."""
    return (1 / KG_PER_POUND, "lb") if units.is_imperial() else (1.0, "kg")


def speed_scale(sport: str | None, *, units: Units) -> tuple[float, str]:
    """Factor from m/s to the user's unit, and the unit."""
    return (3.6 / KM_PER_MILE, "mph") if units.is_imperial(sport) else (3.6, "km/h")


def short_distance_scale(sport: str | None, *, units: Units) -> tuple[float, str]:
    """Factor for distances of a few hundred metres such as D′, and the unit."""
    return (1 / M_PER_YARD, "yd") if units.is_imperial(sport) else (1.0, "m")


def degrees_scale(units: Units) -> tuple[float, str]:
    """Factor for temperature differences in °C, and the unit."""
    return (1.8, "°F") if units.is_imperial() else (1.0, "°C")


def height(cm: Quantity, *, units: Units = METRIC) -> str:
    """`171 cm`, `5 ft 7 in`."""
    if cm is None or not math.isfinite(cm) or not units.is_imperial():
        return number(cm, 0, "cm")
    inches = round(cm / 2.54)
    return f"{inches // 12} ft {inches % 12} in"


def day(when: date | None, *, today: date | None = None) -> str:
    """`Tue 3 Nov 2026`. With `today`: no year in the current year, no weekday beyond two weeks."""
    if when is None:
        return MISSING
    far = today is not None and abs((when - today).days) > 14
    weekday = "" if far else f"{when:%a} "
    year = "" if today is not None and when.year == today.year else f" {when.year}"
    return f"{weekday}{when.day} {when:%b}{year}"


def long_day(when: date) -> str:
    """`12 March 2024`, for a sentence."""
    return f"{when.day} {when:%B %Y}"


def moment(when: datetime | None, *, today: date | None = None) -> str:
    """`Tue 3 Nov 2026, 06:12`, in the zone of `when`."""
    return MISSING if when is None else f"{day(when.date(), today=today)}, {when:%H:%M}"


_STEPS = ((86_400 * 365, "year"), (86_400 * 30, "month"), (86_400, "day"), (3_600, "hour"), (60, "minute"))


def ago(when: datetime | date | None, now: datetime) -> str:
    """`3 days ago`, `in 2 hours`, `just now`; for a date `today`, `yesterday`, `tomorrow`."""
    if when is None:
        return MISSING
    if not isinstance(when, datetime):
        return _days_ago((now.date() - when).days)
    aware = when if when.tzinfo else when.replace(tzinfo=UTC)
    seconds = (now - aware).total_seconds()
    for length, name in _STEPS:
        if abs(seconds) >= length:
            return _distance_in_time(int(abs(seconds) // length), name, is_past=seconds > 0)
    return "just now"


def countdown(until: datetime | None, now: datetime) -> str:
    """`6 days 4 h left`, `1h35 left`, `expired`."""
    if until is None:
        return MISSING
    minutes = int((until - now).total_seconds() // 60)
    if minutes < 0:
        return "expired"
    days = minutes // 1440
    return (
        f"{count(days, 'day')} {minutes // 60 % 24} h left" if days else f"{duration_hm(minutes * 60)} left"
    )


def _days_ago(days: int) -> str:
    near = {0: "today", 1: "yesterday", -1: "tomorrow"}
    return near.get(days) or _distance_in_time(abs(days), "day", is_past=days > 0)


def _distance_in_time(total: int, name: str, *, is_past: bool) -> str:
    words = count(total, name)
    return f"{words} ago" if is_past else f"in {words}"


def megabytes(size_bytes: Quantity) -> str:
    return MISSING if size_bytes is None else number(size_bytes / 1e6, 1, "MB")


def session_title(activity: Activity) -> str:
    """The session's name, else its sport."""
    return plain(activity.name) or (sport(activity.sport) if activity.sport else "Unnamed session")


def person(user: User) -> str:
    """First and last name as plain text; escape it before Markdown."""
    name = plain(" ".join(part for part in (user.first_name, user.last_name) if part))
    return name or plain(f"Unnamed ({user.id})")


_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


LOAD = (
    "Training load of a session, in points: the score that comes with the session, or a load computed from power, pace, "
    "heart rate or RPE where none comes. Where computed, an hour at threshold is about 100 points."
)

PLANNED_LOAD = (
    "The load of a planned workout follows from its steps and the athlete's values; without such steps it is estimated from "
    "the athlete's median load per hour in similar sessions (120 days)."
)


def load_source(methods: Iterable[str]) -> str:
    """The method of a load that the service does not provide: `computed from power, RPE × min`."""
    named = ", ".join(methods)
    return f"computed from {named}" if named else ""


def label(value: str | None) -> str:
    """A wire value as words: `crossCountrySkiing` is `Cross country skiing`, `hiit` is `HIIT`."""
    if not value:
        return MISSING
    spellings = {
        "hiit": "HIIT",
        "vo2max": "VO2max",
        "bmx": "BMX",
        "amrap": "AMRAP",
        "emom": "EMOM",
        "im": "IM",
    }
    words = _HUMP.sub(" ", str(value)).lower()
    return spellings.get(words, words[:1].upper() + words[1:])


def sport(value: str | None) -> str:
    """A sport's usual name; the service's `training` covers strength work, yoga and similar."""
    return "Strength" if value == Sport.TRAINING else label(value)


def started(activity: Activity, zone: tzinfo | None, *, yours: str = "your time") -> str:
    """`07:30`, or `07:30, 14:30 your time` if the user's clock differs; empty if the start is unknown."""
    local = activity.started_at_local or activity.started_at
    if local is None:
        return ""
    start = f"{local:%H:%M}"
    if activity.utc_offset is None or activity.started_at is None or zone is None:
        return start
    own = activity.started_at.astimezone(zone).replace(tzinfo=None)
    local = local.replace(tzinfo=None)
    day = {1: " next day", -1: " previous day"}.get((own.date() - local.date()).days, "")
    return start if own == local else f"{start}, {own:%H:%M}{day} {yours}"
