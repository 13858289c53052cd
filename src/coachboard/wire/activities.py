"""Recorded sessions with their laps, climbs and lengths ("Activity" and the sections after it)."""

from datetime import date, timedelta

from coachboard.wire.base import Index, LocalTimestamp, Number, Text, Timestamp, Wire
from coachboard.wire.enums import (
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
    duration: Number
    distance: Number | None
    average_power: Number | None
    max_power: Number | None
    average_cadence: Number | None
    max_cadence: Number | None
    average_heart_rate: Number | None
    max_heart_rate: Number | None
    average_speed: Number | None
    max_speed: Number | None
    average_altitude: Number | None
    elevation_gain: Number | None
    elevation_loss: Number | None
    average_torque: Number | None
    max_torque: Number | None
    average_temperature: Number | None
    work_before: Number | None


class Climb(Wire):
    """A climb of a cycling activity."""

    started_at_index: Index
    ended_at_index: Index
    started_at: Timestamp
    ended_at: Timestamp
    duration: Number
    distance: Number
    average_grade: Number
    max_grade: Number
    average_power: Number | None
    max_power: Number | None
    average_power_per_kilo: Number | None
    max_power_per_kilo: Number | None
    work_before: Number | None
    average_cadence: Number | None
    max_cadence: Number | None
    average_heart_rate: Number | None
    max_heart_rate: Number | None
    average_speed: Number | None
    max_speed: Number | None
    min_altitude: Number
    max_altitude: Number
    elevation_gain: Number
    average_temperature: Number | None


class Length(Wire):
    """One pool length."""

    started_at_index: Index
    ended_at_index: Index
    started_at: Timestamp
    ended_at: Timestamp
    duration: Number
    stroke_type: StrokeType | None
    average_speed: Number | None
    average_heart_rate: Number | None
    max_heart_rate: Number | None
    average_cadence: Number | None
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
    group_id: Text | None
    name: Text | None
    description: Text | None
    sport: Sport | None
    sub_sport: SubSport | None
    started_at: Timestamp | None
    utc_offset: Number | None
    started_at_local: LocalTimestamp | None
    moving_duration: Number | None
    effective_duration: Number | None
    total_duration: Number | None
    training_stimulus: TrainingStimulus | None
    race_type: RaceType | None
    distance: Number | None
    elevation_loss: Number | None
    elevation_gain: Number | None
    min_elevation: Number | None
    average_elevation: Number | None
    max_elevation: Number | None
    start_latitude: Number | None
    start_longitude: Number | None
    average_speed: Number | None
    max_speed: Number | None
    average_cadence: Number | None
    max_cadence: Number | None
    average_running_cadence: Number | None
    max_running_cadence: Number | None
    min_temperature: Number | None
    average_temperature: Number | None
    max_temperature: Number | None
    average_heart_rate: Number | None
    max_heart_rate: Number | None
    average_power: Number | None
    normalized_power: Number | None
    max_power: Number | None
    work: Number | None
    volume: Number | None
    intensity: Number | None
    calories: Number | None
    rpe: Number | None
    feeling: Number | None
    summary: Text | None
    laps: tuple[Lap, ...]
    climbs: tuple[Climb, ...]
    lengths: tuple[Length, ...]
    provider_laps: tuple[ProviderLap, ...]


def local_day(activity: Activity) -> date | None:
    """The day that a range matches: of the local start, else of the start with its offset."""
    if activity.started_at_local is not None:
        return activity.started_at_local.date()
    if activity.started_at is None:
        return None
    return (activity.started_at + timedelta(minutes=activity.utc_offset or 0)).date()
