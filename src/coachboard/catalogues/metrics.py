"""The catalogue of metrics: one record for each metric of an athlete and for each field of a night.

Importers, commands, client, analytics, charts and pages read these records. A new metric takes its type in
`models.enums` and one record here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from coachboard.catalogues.streams import Range
from coachboard.models.enums import MetricSport, MetricType, MetricUnit, Sport


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


@dataclass(frozen=True, slots=True)
class NightField:
    """One field of a recorded night; the interface states no units."""

    name: str
    title: str
    unit: str
    plausible: Range
    colour: str = "light"  # name of the tone in `charts.palette.QUANTITIES`

    @property
    def heading(self) -> str:
        """Title and unit, for axes and tables."""
        return f"{self.title} ({self.unit})"


_RESTING_BPM = Range(25, 120)
_DAY_S = Range(0, 86_400)

_RECORDS = (
    MetricRecord(MetricType.WEIGHT, "Weight", MetricUnit.KG, "weight", Range(20, 300), digits=1),
    MetricRecord(
        MetricType.CRITICAL_POWER, "Critical power", MetricUnit.W, "power", Range(20, 700),
        is_per_kilo=True, is_of_one_sport=True,
    ),
    MetricRecord(
        MetricType.W_PRIME, "W′", MetricUnit.J, "wPrimeBalance", Range(1_000, 100_000), digits=1,
        shown_unit=MetricUnit.KJ, per_shown=1_000, is_of_one_sport=True,
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
        is_of_one_sport=True,
    ),
    MetricRecord(MetricType.MAX_HEART_RATE, "Max heart rate", MetricUnit.BPM, "heartRate", Range(80, 250)),
    MetricRecord(
        MetricType.RESTING_HEART_RATE, "Resting heart rate", MetricUnit.BPM, "restingHeartRate", _RESTING_BPM
    ),
    MetricRecord(MetricType.SPO2, "SpO₂", MetricUnit.PERCENT, "temperature", Range(50, 100)),
    MetricRecord(
        MetricType.BODY_FAT, "Body fat", MetricUnit.PERCENT, "skinTemperature", Range(1, 75), digits=1
    ),
)  # fmt: skip
METRICS: Mapping[MetricType, MetricRecord] = MappingProxyType({record.type: record for record in _RECORDS})

METRIC_SPORTS: Mapping[Sport, MetricSport] = MappingProxyType(
    {
        Sport.CYCLING: MetricSport.CYCLING,
        Sport.E_BIKING: MetricSport.CYCLING,
        Sport.RUNNING: MetricSport.RUNNING,
        Sport.SWIMMING: MetricSport.SWIMMING,
    }
)
"""The sport whose metrics apply to a session; sessions of other sports take the metrics of all sports."""

HRV = NightField("average_hrv", "HRV", "ms", Range(10, 250), "hrv")
RESTING = NightField("resting_heart_rate", "Resting heart rate", "bpm", _RESTING_BPM, "restingHeartRate")
SKIN_DEVIATION = NightField(
    "skin_body_temperature_deviation", "Skin temp. vs usual", "°C", Range(-10, 10), "skinTemperature"
)
_FIELDS = (
    HRV,
    RESTING,
    SKIN_DEVIATION,
    NightField("skin_body_temperature", "Skin temperature", "°C", Range(20, 45), "skinTemperature"),
    NightField("total_duration", "Sleep", "s", _DAY_S),
    NightField("in_bed_duration", "In bed", "s", _DAY_S),
    NightField("awake_duration", "Awake", "s", _DAY_S, "awake"),
    NightField("light_duration", "Light", "s", _DAY_S, "light"),
    NightField("rem_duration", "REM", "s", _DAY_S, "rem"),
    NightField("deep_duration", "Deep", "s", _DAY_S, "deep"),
    NightField("no_data_duration", "No data", "s", _DAY_S, "noData"),
)
NIGHT_FIELDS: Mapping[str, NightField] = MappingProxyType({field.name: field for field in _FIELDS})
