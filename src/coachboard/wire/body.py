"""Metrics and recorded nights ("Metric", "Sleep")."""

from coachboard.wire.base import Day, LocalTimestamp, Number, Text, Timestamp, Wire
from coachboard.wire.enums import MetricSource, MetricSport
from coachboard.wire.metrics import MetricType, MetricUnit


class Metric(Wire):
    """One dated value of a body or performance metric, expressed in `unit`."""

    id: Text
    type: MetricType
    value: Number
    unit: MetricUnit | None
    source: MetricSource | None
    date: Day
    sport: MetricSport


class Sleep(Wire):
    """One recorded night.

    spec: not shown: nullability and units; all but id and day may be null, durations are taken as seconds,
    HRV as ms, heart rate as bpm, temperatures as degrees Celsius (docs/assumptions.md).
    """

    id: Text
    day: Day
    started_at: Timestamp | None
    ended_at: Timestamp | None
    utc_offset: Number | None
    started_at_local: LocalTimestamp | None
    ended_at_local: LocalTimestamp | None
    total_duration: Number | None
    in_bed_duration: Number | None
    awake_duration: Number | None
    light_duration: Number | None
    rem_duration: Number | None
    deep_duration: Number | None
    no_data_duration: Number | None
    average_hrv: Number | None
    resting_heart_rate: Number | None
    skin_body_temperature: Number | None
    skin_body_temperature_deviation: Number | None
