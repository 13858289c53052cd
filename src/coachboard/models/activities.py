"""Recorded sessions with their laps, climbs and lengths ("Activity" and the sections after it)."""

from coachboard.models.base import Index, LocalTimestamp, Number, Text, Timestamp, Wire
from coachboard.models.enums import (
    LapCharacteristic,
    LapIntensity,
    RaceType,
    Sport,
    StrokeType,
    SubSport,
    TrainingStimulus,
)


class Lap(Wire):
    """A classified lap of a cycling activity."""

    intensity: LapIntensity
    characteristic: LapCharacteristic | None
    started_at_index: Index
    ended_at_index: Index
    started_at: Timestamp
    ended_at: Timestamp
    duration: Number  # s
    distance: Number | None  # m
    average_power: Number | None  # W
    max_power: Number | None  # W
    average_cadence: Number | None
    max_cadence: Number | None
    average_heart_rate: Number | None
    max_heart_rate: Number | None
    average_speed: Number | None  # m/s
    max_speed: Number | None  # m/s
    average_altitude: Number | None  # m
    elevation_gain: Number | None  # m
    elevation_loss: Number | None  # m
    average_torque: Number | None  # Nm
    max_torque: Number | None  # Nm
    average_temperature: Number | None  # °C
    work_before: Number | None  # kJ


class Climb(Wire):
    """A climb of a cycling activity."""

    started_at_index: Index
    ended_at_index: Index
    started_at: Timestamp
    ended_at: Timestamp
    duration: Number  # s
    distance: Number  # m
    average_grade: Number  # percent
    max_grade: Number  # percent
    average_power: Number | None  # W
    max_power: Number | None  # W
    average_power_per_kilo: Number | None  # W/kg
    max_power_per_kilo: Number | None  # W/kg
    work_before: Number | None  # kJ
    average_cadence: Number | None
    max_cadence: Number | None
    average_heart_rate: Number | None
    max_heart_rate: Number | None
    average_speed: Number | None  # m/s
    max_speed: Number | None  # m/s
    min_altitude: Number  # m
    max_altitude: Number  # m
    elevation_gain: Number  # m
    average_temperature: Number | None  # °C


class Length(Wire):
    """One pool length."""

    started_at_index: Index
    ended_at_index: Index
    started_at: Timestamp
    ended_at: Timestamp
    duration: Number  # s
    stroke_type: StrokeType | None
    average_speed: Number | None  # m/s
    average_heart_rate: Number | None
    max_heart_rate: Number | None
    average_cadence: Number | None  # strokes/min
    stroke_count: Number | None


class ProviderLap(Wire):
    """A lap as the device wrote it, before classification."""

    started_at: Timestamp
    ended_at: Timestamp
    intensity: Text | None
    lap_trigger: Text | None


class Activity(Wire):
    """The summary of one recorded session."""

    id: Text
    group_id: Text | None  # shared by the legs of a multisport activity
    name: Text | None
    description: Text | None
    sport: Sport | None
    sub_sport: SubSport | None
    started_at: Timestamp | None
    utc_offset: Number | None  # min
    started_at_local: LocalTimestamp | None
    moving_duration: Number | None  # s
    effective_duration: Number | None  # s, elapsed less pauses
    total_duration: Number | None  # s
    training_stimulus: TrainingStimulus | None
    race_type: RaceType | None
    distance: Number | None  # m
    elevation_loss: Number | None  # m
    elevation_gain: Number | None  # m
    min_elevation: Number | None  # m
    average_elevation: Number | None  # m
    max_elevation: Number | None  # m
    start_latitude: Number | None  # degrees
    start_longitude: Number | None  # degrees
    average_speed: Number | None  # m/s
    max_speed: Number | None  # m/s
    average_cadence: Number | None
    max_cadence: Number | None
    average_running_cadence: Number | None  # strides/min
    max_running_cadence: Number | None  # strides/min
    min_temperature: Number | None
    average_temperature: Number | None
    max_temperature: Number | None
    average_heart_rate: Number | None
    max_heart_rate: Number | None
    average_power: Number | None  # W
    normalized_power: Number | None  # W
    max_power: Number | None  # W
    work: Number | None  # kJ
    volume: Number | None  # the service's training load score
    intensity: Number | None  # 0 to 100, not an intensity factor
    calories: Number | None  # kcal
    rpe: Number | None  # 1 to 10
    feeling: Number | None  # 1 to 5
    summary: Text | None
    laps: tuple[Lap, ...]
    climbs: tuple[Climb, ...]
    lengths: tuple[Length, ...]
    provider_laps: tuple[ProviderLap, ...]
