"""Columns of CSV files: the quantity that a header names in the exports of common apps, and its unit."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from coachboard.catalogues.metrics import METRICS
from coachboard.imperial import KG_PER_POUND
from coachboard.models.enums import MetricUnit
from coachboard.service.importers.health.cells import order_of, read_moment
from coachboard.service.importers.health.tables import Table

IGNORED = "ignore"
QUANTITIES = (
    "date",
    "started_at",
    "ended_at",
    "time_zone",
    "nap",
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
_MOST_LOOKED_AT = 50

_PATTERNS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        # Oura, Whoop, Garmin, Fitbit, Withings, Samsung, Polar, HRV4Training, Elite HRV, intervals.icu, in this order
        # of words; then Garmin's in German, French, Spanish, Italian, Portuguese and Dutch, without accents.
        "date": (r"(calendar |summary )?(date|day|datum|fecha|data)( of sleep)?", r"timestamp measurement"),
        "time_zone": (r"(cycle )?time ?zone", r"time offset", r"utc offset"),
        "nap": (r"(is )?nap", r"(sleep )?type"),
        "started_at": (
            r"bedtime( start)?", r"sleep onset", r"(sleep )?start( time)?", r"from", r"sleep start.*", r"bed time", r"went to (bed|sleep)",
            r"schlafenszeit|heure (de|du) coucher|hora de acostarse|ora (in cui|di andare) .*letto|hora de (dormir|deitar)|bedtijd",
        ),
        "ended_at": (
            r"bedtime end", r"wake onset", r"wak(e|ing)( ?up)?( time)?", r"woke up", r"(sleep )?end( time)?", r"to", r"sleep end.*",
            r"auf(wach|steh)zeit|heure (de|du) (reveil|lever)|hora de (des|a)(pert|cord)ar(se)?|ora d(i|el) risveglio|(op|wek|ont)\w*tijd",
        ),
        "in_bed_duration": (r"(total )?time in bed", r"in bed( duration)?", r"minutes in bed"),
        "awake_duration": (r"(time )?awake( time| duration)?", r"minutes awake", r"awake sleep"),
        "light_duration": (r"(total )?light( sleep)?( duration| time)?", r"minutes light sleep"),
        "rem_duration": (r"(total )?rem( sleep)?( duration| time)?", r"minutes rem sleep"),
        "deep_duration": (r"(total )?deep (sws )?(sleep )?(duration|time)", r"deep( sleep)?", r"minutes deep sleep"),
        "total_duration": (
            r"(total )?sleep( duration| time| secs| seconds)?", r"total sleep duration", r"(time )?asleep( duration| time)?",
            r"minutes asleep", r"duration", r"sleepsecs", r"(schlaf)?dauer|duree|duracion|durata|duracao|(slaap)?duur",
        ),
        "average_hrv": (r"(average |avg )?(hrv|rmssd|heart rate variability)( rmssd| ms)?", r"overnight hrv", r"hfv|vfc"),
        "resting_heart_rate": (
            r"resting (heart rate|hr|pulse)", r"restinghr", r"rhr", r"lowest heart rate", r"lowest resting heart rate",
            r"ruhe(herzfrequenz|puls)|fr\w+ cardia(que|ca) (au repos|en reposo|a riposo|em repouso)|rusthartslag|hartslag in rust",
        ),
        "skin_body_temperature": (r"skin temp(erature)?",),
        "skin_body_temperature_deviation": (r"(skin )?temperature deviation", r"skin temp deviation"),
        "weight": (r"(body )?(weight|mass)", r"gewicht|poids|peso"),
        "body fat": (r"(body )?fat( %| percent| percentage)?", r"bodyfat"),
    }
)  # fmt: skip
_OF_WORKOUTS = r"workout .*|activity (type|name|id)|exercise( .*)?"
"""Headers of a list of sessions, whose durations are no nights."""
_NAP = frozenset(
    {
        "true",
        "yes",
        "1",
        "nap",
        "late_nap",
        "rest",
        "wahr",
        "ja",
        "vrai",
        "oui",
        "verdadero",
        "si",
        "s\u00ed",
        "vero",
    }
)
_MILLISECONDS = r"\bms\b|rmssd"
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


def proposals(table: Table) -> list[str | None]:
    """A proposal for each column; of two columns for one quantity the first has it, of two of HRV that in ms.

    A column without a header that is known is the day if its cells are: Garmin calls it `Sleep Score 4 Weeks`.
    """
    if any(re.fullmatch(_OF_WORKOUTS, _words(header)) for header in table.headers):
        return [None] * len(table.headers)
    named = [proposal(header) for header in table.headers]
    found = [name if place == _best(named, table.headers, name) else None for place, name in enumerate(named)]
    if "nap" in found and not any(map(is_nap, table.column(found.index("nap")))):
        found[found.index("nap")] = None  # Elite HRV has types of measurements
    if any(found) and "date" not in found:
        _add_day(found, table)
    has_day = any(name in {"date", "started_at", "ended_at"} for name in found)
    return found if has_day else [None] * len(found)


def is_nap(cell: str) -> bool:
    """Whether a cell marks its row as a nap."""
    return cell.strip().lower() in _NAP


def _best(named: Sequence[str | None], headers: Sequence[str], quantity: str | None) -> int:
    """The place of the column that is read as the quantity."""
    places = [place for place, name in enumerate(named) if name == quantity]
    if quantity == "average_hrv":  # the other one is a score from 0 to 100
        return next(
            (place for place in places if re.search(_MILLISECONDS, headers[place].lower())), places[0]
        )
    return places[0]


def _add_day(found: list[str | None], table: Table) -> None:
    """Propose the first column of days as the day, unless a start or end has days."""
    days = [place for place in range(len(found)) if _holds_days(table.column(place))]
    if days and not any(found[place] in {"started_at", "ended_at"} for place in days):
        found[days[0]] = "date"


def _holds_days(texts: Sequence[str]) -> bool:
    some = [text for text in texts if text][:_MOST_LOOKED_AT]
    order = order_of(some)
    return sum(read_moment(text, order) is not None for text in some) * 2 > len(some)


def unit_factor(header: str, quantity: str) -> float | None:
    """The factor of a unit in the header, such as `Weight (lb)` or `minutes asleep`, to the unit of the interface."""
    units = _TIME_UNITS if quantity.endswith("_duration") else _MASS_UNITS if quantity in _MASSES else {}
    named = re.findall(r"[(\[]\s*([a-z]+)\s*[)\]]", header.lower())
    return next((units[word] for word in [*named, *_words(header).split()] if word in units), None)


def _words(header: str) -> str:
    """The header in lower case, without accents and unit: `Deep (SWS) duration (min)` is `deep sws duration`."""
    letters = unicodedata.normalize("NFKD", header)
    header = "".join(letter for letter in letters if not unicodedata.combining(letter))
    text = re.sub(r"([a-z])([A-Z])", r"\1 \2", header).lower().replace("_", " ")
    text = re.sub(r"[(\[](?!sws)[^)\]]*[)\]]", " ", text)
    return " ".join(re.sub(r"[^\w% ]", " ", text).split())
