"""The body over time: metrics and recorded nights ("Metric", "Sleep")."""

from collections.abc import Mapping
from types import MappingProxyType

from coachboard.models.base import Day, LocalTimestamp, Number, Text, Timestamp, Wire
from coachboard.models.enums import MetricSource, MetricSport, MetricType, MetricUnit


class Metric(Wire):
    """One dated value of a body or performance metric, expressed in `unit`."""

    id: Text
    type: MetricType
    value: Number
    unit: MetricUnit | None
    source: MetricSource | None  # `user` measured, `service` estimated
    date: Day
    sport: MetricSport


USUAL_UNITS: Mapping[MetricType, MetricUnit] = MappingProxyType({
    MetricType.WEIGHT: MetricUnit.KG, MetricType.CRITICAL_POWER: MetricUnit.W, MetricType.W_PRIME: MetricUnit.J,
    MetricType.D_PRIME: MetricUnit.M, MetricType.MAX_POWER: MetricUnit.W, MetricType.VO2MAX: MetricUnit.ML_PER_MIN_PER_KG,
    MetricType.CRITICAL_SPEED: MetricUnit.M_PER_S, MetricType.MAX_HEART_RATE: MetricUnit.BPM,
    MetricType.RESTING_HEART_RATE: MetricUnit.BPM, MetricType.SPO2: MetricUnit.PERCENT, MetricType.BODY_FAT: MetricUnit.PERCENT,
})  # fmt: skip
"""What each type of metric is told in; the interface leaves the unit open."""


class Sleep(Wire):
    """One recorded night.

    spec: not shown: nullability and units; all but id and day may be null, durations are taken as seconds,
    HRV as ms, heart rate as bpm, temperatures as degrees Celsius (docs/assumptions.md).
    """

    id: Text
    day: Day
    started_at: Timestamp | None
    ended_at: Timestamp | None
    utc_offset: Number | None  # min
    started_at_local: LocalTimestamp | None
    ended_at_local: LocalTimestamp | None
    total_duration: Number | None  # s
    in_bed_duration: Number | None  # s
    awake_duration: Number | None  # s
    light_duration: Number | None  # s
    rem_duration: Number | None  # s
    deep_duration: Number | None  # s
    no_data_duration: Number | None  # s
    average_hrv: Number | None  # ms
    resting_heart_rate: Number | None  # bpm
    skin_body_temperature: Number | None  # °C
    skin_body_temperature_deviation: Number | None  # °C
