"""The catalogue of metrics: types, units, one record for each type of metric and for each field of a night.

Importers, commands, client, formulas, charts, pages and the demo squad read these records. A new metric takes its type and one
record, both in this file.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

from coachboard.wire.enums import MetricSport, Sport
from coachboard.wire.stream_columns import Range


class MetricType(StrEnum):
    WEIGHT = "weight"
    CRITICAL_POWER = "critical power"
    W_PRIME = "w prime"
    D_PRIME = "d prime"
    MAX_POWER = "max power"
    VO2MAX = "vo2max"
    CRITICAL_SPEED = "critical speed"
    MAX_HEART_RATE = "max heart rate"
    RESTING_HEART_RATE = "resting heart rate"
    SPO2 = "spo2"
    BODY_FAT = "body fat"


class MetricUnit(StrEnum):
    KG = "kg"
    KJ = "kJ"
    W = "W"
    J = "J"
    ML_PER_MIN_PER_KG = "mL/min/kg"
    M_PER_S = "m/s"
    BPM = "bpm"
    PERCENT = "%"
    M = "m"


@dataclass(frozen=True, slots=True)
class MetricRecord:
    """One type of metric: how pages show it, and which of its values count as measured.

    Parameters
    ----------
    type : MetricType
        Its name on the wire.
    title : str
        Name on the pages.
    unit : MetricUnit
        Unit in which values are computed; the interface leaves it open.
    colour : str
        Name of the tone in `charts.palette.QUANTITIES`.
    plausible : Range
        Values outside count as missing. Wide on purpose: a sick child and a record holder lie inside. [unit]
    digits : int
        Digits after the point on the pages, in `shown_unit`.
    shown_unit : MetricUnit or None
        Unit on the pages; None where it is `unit`.
    per_shown : float
        Size of the shown unit. [unit]
    is_per_kilo : bool
        Whether pages also show it per kilogram of body weight.
    is_of_one_sport : bool
        Whether a value of one sport says nothing about another.
    sports_to_set : tuple of MetricSport
        Sports of the values that people set on the page Values; empty where the page does not offer the type.
    effect : str
        What a value is used for, for that page: completes "Used for".
    headers : tuple of str
        Patterns of the headers of CSV files, in lower case and without accents and units; empty where files have no such value.
    demo : tuple of two floats or None
        The lowest and the highest value of the demo squad; None where `coachboard_demo/body.py` computes it. [unit]
    """

    type: MetricType
    title: str
    unit: MetricUnit
    colour: str
    plausible: Range
    digits: int = 0
    shown_unit: MetricUnit | None = None
    per_shown: float = 1.0
    is_per_kilo: bool = False
    is_of_one_sport: bool = False
    sports_to_set: tuple[MetricSport, ...] = ()
    effect: str = ""
    headers: tuple[str, ...] = ()
    demo: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class NightField:
    """One field of a recorded night; the interface states no units."""

    name: str
    title: str
    unit: str
    plausible: Range
    colour: str = "light"  # name of the tone in `charts.palette.QUANTITIES`
    headers: tuple[str, ...] = ()  # patterns of the headers of CSV files, as of a metric

    @property
    def heading(self) -> str:
        """Title and unit, for axes and tables."""
        return f"{self.title} ({self.unit})"


_RESTING_BPM = Range(25, 120)
_DAY_S = Range(0, 86_400)
_ALL_SPORTS = (MetricSport.GLOBAL,)
_ANY_SPORT = tuple(MetricSport)
_POWER_SPORTS = (MetricSport.CYCLING, MetricSport.RUNNING)

_RECORDS = (
    MetricRecord(
        MetricType.WEIGHT, "Weight", MetricUnit.KG, "weight", Range(20, 300), digits=1, sports_to_set=_ALL_SPORTS,
        effect="W/kg and, with critical power, to estimate the load of rides that have no power, heart rate or RPE.",
        headers=(r"(body )?(weight|mass)", r"gewicht|poids|peso"),
    ),
    MetricRecord(
        MetricType.CRITICAL_POWER, "Critical power", MetricUnit.W, "power", Range(20, 700),
        is_per_kilo=True, is_of_one_sport=True, sports_to_set=_POWER_SPORTS,
        effect="load, bands, laps by intensity and W′ balance of sessions with power and, with weight, to estimate "
        "the load of rides that have no power, heart rate or RPE.",
    ),
    MetricRecord(
        MetricType.W_PRIME, "W′", MetricUnit.J, "wPrimeBalance", Range(1_000, 100_000), digits=1,
        shown_unit=MetricUnit.KJ, per_shown=1_000, is_of_one_sport=True, sports_to_set=_POWER_SPORTS,
        effect="W′ balance and laps by intensity. No load depends on W′.",
    ),
    MetricRecord(
        MetricType.D_PRIME, "D′", MetricUnit.M, "wPrimeBalance", Range(5, 2_000), is_of_one_sport=True
    ),
    MetricRecord(
        MetricType.MAX_POWER, "Max power", MetricUnit.W, "torque", Range(50, 3_500),
        is_per_kilo=True, is_of_one_sport=True,
    ),
    MetricRecord(
        MetricType.VO2MAX, "VO2max", MetricUnit.ML_PER_MIN_PER_KG, "breathing", Range(10, 100), digits=1
    ),
    # From a slow swim to a sprinter on wheels.
    MetricRecord(
        MetricType.CRITICAL_SPEED, "Critical speed", MetricUnit.M_PER_S, "speed", Range(0.2, 20), digits=2,
        is_of_one_sport=True, sports_to_set=(MetricSport.RUNNING, MetricSport.SWIMMING),
        effect="load and bands of runs or swims without power.",
    ),
    MetricRecord(
        MetricType.MAX_HEART_RATE, "Max heart rate", MetricUnit.BPM, "heartRate", Range(80, 250), sports_to_set=_ANY_SPORT,
        effect="load of sessions without power or critical speed, with the resting heart rate.",
    ),
    MetricRecord(
        MetricType.RESTING_HEART_RATE, "Resting heart rate", MetricUnit.BPM, "restingHeartRate", _RESTING_BPM,
        sports_to_set=_ANY_SPORT, effect="load of sessions without power or critical speed, with the maximum heart rate.",
    ),
    MetricRecord(
        MetricType.SPO2, "SpO₂", MetricUnit.PERCENT, "temperature", Range(50, 100), demo=(96, 99),
        headers=(r"blood oxygen( saturation)?( %)?", r"(average |avg )?sp ?o2( %| percentage)?"),
    ),
    MetricRecord(
        MetricType.BODY_FAT, "Body fat", MetricUnit.PERCENT, "skinTemperature", Range(1, 75), digits=1, demo=(9, 19),
        headers=(r"(body )?fat( %| percent| percentage)?", r"bodyfat"),
    ),
)  # fmt: skip
METRICS: Mapping[MetricType, MetricRecord] = MappingProxyType({record.type: record for record in _RECORDS})

THRESHOLD_HEART_RATE = "threshold heart rate"
"""A value of the planning API that the interface does not have."""
_THRESHOLD = replace(
    METRICS[MetricType.MAX_HEART_RATE], title="Threshold heart rate", is_of_one_sport=True,
    effect="targets in % LTHR of planned workouts. No load depends on it.",
)  # fmt: skip
_SETTABLE = [(str(record.type), record) for record in _RECORDS if record.sports_to_set]
VALUES: Mapping[str, MetricRecord] = MappingProxyType(
    dict([*_SETTABLE[:-1], (THRESHOLD_HEART_RATE, _THRESHOLD), *_SETTABLE[-1:]])
)
"""The values that people set, by their names in the planning API."""

METRIC_SPORTS: Mapping[Sport, MetricSport] = MappingProxyType(
    {
        Sport.CYCLING: MetricSport.CYCLING,
        Sport.E_BIKING: MetricSport.CYCLING,
        Sport.RUNNING: MetricSport.RUNNING,
        Sport.SWIMMING: MetricSport.SWIMMING,
    }
)
"""The sport whose metrics apply to a session; sessions of other sports take the metrics of all sports."""

# Headers of Oura, Whoop, Garmin, Fitbit, Withings, Samsung, Polar, HRV4Training, Elite HRV and intervals.icu; then Garmin's in
# German, French, Spanish, Italian, Portuguese and Dutch.
HRV = NightField(
    "average_hrv", "HRV", "ms", Range(10, 250), "hrv",
    headers=(r"(average |avg )?(hrv|rmssd|heart rate variability)( rmssd| ms)?", r"overnight hrv", r"hfv|vfc"),
)  # fmt: skip
RESTING = NightField(
    "resting_heart_rate", "Resting heart rate", "bpm", _RESTING_BPM, "restingHeartRate",
    headers=(
        r"resting (heart rate|hr|pulse)", r"restinghr", r"rhr", r"lowest heart rate", r"lowest resting heart rate",
        r"ruhe(herzfrequenz|puls)|fr\w+ cardia(que|ca) (au repos|en reposo|a riposo|em repouso)|rusthartslag|hartslag in rust",
    ),
)  # fmt: skip
SKIN_DEVIATION = NightField(
    "skin_body_temperature_deviation", "Skin temp. vs usual", "°C", Range(-10, 10), "skinTemperature",
    headers=(r"(skin )?temperature deviation", r"skin temp deviation"),
)  # fmt: skip
_FIELDS = (
    HRV,
    RESTING,
    SKIN_DEVIATION,
    NightField(
        "skin_body_temperature", "Skin temperature", "°C", Range(20, 45), "skinTemperature",
        headers=(r"skin temp(erature)?",),
    ),
    NightField(
        "total_duration", "Sleep", "s", _DAY_S,
        headers=(
            r"(total )?sleep( duration| time| secs| seconds)?", r"total sleep duration", r"(time )?asleep( duration| time)?",
            r"minutes asleep", r"duration", r"sleepsecs", r"(schlaf)?dauer|duree|duracion|durata|duracao|(slaap)?duur",
        ),
    ),
    NightField(
        "in_bed_duration", "In bed", "s", _DAY_S,
        headers=(r"(total )?time in bed", r"in bed( duration)?", r"minutes in bed"),
    ),
    NightField(
        "awake_duration", "Awake", "s", _DAY_S, "awake",
        headers=(r"(time )?awake( time| duration)?", r"minutes awake", r"awake sleep"),
    ),
    NightField(
        "light_duration", "Light", "s", _DAY_S, "light",
        headers=(r"(total )?light( sleep)?( duration| time)?", r"minutes light sleep"),
    ),
    NightField(
        "rem_duration", "REM", "s", _DAY_S, "rem", headers=(r"(total )?rem( sleep)?( duration| time)?", r"minutes rem sleep"),
    ),
    NightField(
        "deep_duration", "Deep", "s", _DAY_S, "deep",
        headers=(r"(total )?deep (sws )?(sleep )?(duration|time)", r"deep( sleep)?", r"minutes deep sleep"),
    ),
    NightField("no_data_duration", "No data", "s", _DAY_S, "noData"),
)  # fmt: skip
NIGHT_FIELDS: Mapping[str, NightField] = MappingProxyType({field.name: field for field in _FIELDS})
