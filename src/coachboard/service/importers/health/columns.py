"""Columns of CSV files: the quantity that a header names in the exports of common apps, and its unit."""

import re
from collections.abc import Mapping
from types import MappingProxyType

from coachboard.catalogues.metrics import METRICS
from coachboard.imperial import KG_PER_POUND
from coachboard.models.enums import MetricUnit

IGNORED = "ignore"
QUANTITIES = (
    "date",
    "started_at",
    "ended_at",
    "total_duration",
    "in_bed_duration",
    "awake_duration",
    "light_duration",
    "rem_duration",
    "deep_duration",
    "average_hrv",
    "resting_heart_rate",
    "skin_body_temperature",
    "skin_body_temperature_deviation",
    "weight",
    "body fat",
)
"""The possible contents of a column: fields of a night, and metrics."""

_PATTERNS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        # Oura, Whoop, Garmin, Fitbit, Withings, Polar, HRV4Training, Elite HRV, intervals.icu, in this order of words.
        "date": (r"(calendar |summary )?(date|day|datum)( of sleep)?", r"cycle start time", r"timestamp measurement"),
        "started_at": (
            r"bedtime( start)?", r"sleep onset", r"(sleep )?start( time)?", r"from", r"sleep start.*", r"bed time", r"went to (bed|sleep)",
        ),
        "ended_at": (r"bedtime end", r"wake onset", r"wak(e|ing)( ?up)?( time)?", r"woke up", r"(sleep )?end( time)?", r"to", r"sleep end.*"),
        "in_bed_duration": (r"(total )?time in bed", r"in bed( duration)?", r"minutes in bed"),
        "awake_duration": (r"(time )?awake( time| duration)?", r"minutes awake", r"awake sleep"),
        "light_duration": (r"light( sleep)?( duration| time)?", r"minutes light sleep"),
        "rem_duration": (r"rem( sleep)?( duration| time)?", r"minutes rem sleep"),
        "deep_duration": (r"deep (sws )?(sleep )?(duration|time)", r"deep( sleep)?", r"minutes deep sleep"),
        "total_duration": (
            r"(total )?sleep( duration| time| secs| seconds)?", r"total sleep duration", r"(time )?asleep( duration| time)?",
            r"minutes asleep", r"duration", r"sleepsecs",
        ),
        "average_hrv": (r"(average |avg )?(hrv|rmssd|heart rate variability)( rmssd| ms)?", r"overnight hrv"),
        "resting_heart_rate": (
            r"resting (heart rate|hr|pulse)", r"restinghr", r"rhr", r"lowest heart rate", r"lowest resting heart rate",
        ),
        "skin_body_temperature": (r"skin temp(erature)?",),
        "skin_body_temperature_deviation": (r"(skin )?temperature deviation", r"skin temp deviation"),
        "weight": (r"(body )?(weight|mass)", r"gewicht"),
        "body fat": (r"(body )?fat( %| percent| percentage)?", r"bodyfat"),
    }
)  # fmt: skip
_TIME_UNITS: Mapping[str, float] = MappingProxyType(
    {
        **dict.fromkeys(("h", "hr", "hrs", "hours"), 3600.0),
        **dict.fromkeys(("m", "min", "mins", "minutes"), 60.0),
        **dict.fromkeys(("s", "sec", "secs", "seconds"), 1.0),
    }
)
"""Factors to seconds."""
_MASS_UNITS: Mapping[str, float] = MappingProxyType(
    {**dict.fromkeys(("lb", "lbs", "pounds"), KG_PER_POUND), "kg": 1.0, "g": 0.001}
)
"""Factors to kilograms."""
_MASSES = frozenset(kind.value for kind, record in METRICS.items() if record.unit is MetricUnit.KG)


def proposal(header: str) -> str | None:
    """The quantity that a header probably names; None for one that no app in the table writes."""
    spellings = (_words(header), header.lower())  # rMSSD is no camel case
    for quantity, patterns in _PATTERNS.items():
        if any(re.fullmatch(pattern, words) for pattern in patterns for words in spellings):
            return quantity
    return None


def proposals(headers: tuple[str, ...]) -> list[str | None]:
    """A proposal for each header; of two headers for one quantity the first has it."""
    found: list[str | None] = []
    for header in headers:
        quantity = proposal(header)
        found.append(None if quantity in found else quantity)
    if "date" not in found and "started_at" not in found and "ended_at" not in found:
        return [None] * len(headers)
    return found


def unit_factor(header: str, quantity: str) -> float | None:
    """The factor of a unit in the header, such as `Weight (lb)` or `minutes asleep`, to the unit of the interface."""
    units = _TIME_UNITS if quantity.endswith("_duration") else _MASS_UNITS if quantity in _MASSES else {}
    named = re.findall(r"[(\[]\s*([a-z]+)\s*[)\]]", header.lower())
    return next((units[word] for word in [*named, *_words(header).split()] if word in units), None)


def _words(header: str) -> str:
    """The header in lower case, without its unit: `Deep (SWS) duration (min)` is `deep sws duration`."""
    text = re.sub(r"([a-z])([A-Z])", r"\1 \2", header).lower().replace("_", " ")
    text = re.sub(r"[(\[](?!sws)[^)\]]*[)\]]", " ", text)
    return " ".join(re.sub(r"[^\w% ]", " ", text).split())
