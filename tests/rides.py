"""Sessions for tests: a ride of laps with its streams, small enough to check by hand."""

from datetime import UTC, datetime, timedelta

import numpy as np

from coachboard.wire.activities import Activity, Climb, Lap, Length, ProviderLap
from coachboard.wire.enums import LapIntensity, Sport
from coachboard.wire.streams import ActivityStreams

START = datetime(2026, 3, 3, 8, 0, tzinfo=UTC)


def activity(activity_id="act_1", *, start=START, sport=Sport.CYCLING, **changes) -> Activity:
    """A session of that day; every field that is not named is null, every list empty."""
    lists = {"laps": (), "climbs": (), "lengths": (), "provider_laps": ()}
    fields = dict.fromkeys(Activity.model_fields) | lists
    fields |= {
        "id": activity_id,
        "sport": sport,
        "name": "Ride",
        "started_at": start,
        "started_at_local": start.replace(tzinfo=None) + timedelta(hours=1),
        "utc_offset": 60,
        "total_duration": 600,
    }
    return Activity(**{**fields, **changes})


def lap(start, end, *, power=250.0, intensity=LapIntensity.THRESHOLD, at=START, **changes) -> Lap:
    """A lap of a session that records every second."""
    fields = dict.fromkeys(Lap.model_fields) | {
        "intensity": intensity,
        "started_at_index": start,
        "ended_at_index": end,
        "started_at": at + timedelta(seconds=start),
        "ended_at": at + timedelta(seconds=end),
        "duration": end - start,
        "average_power": power,
    }
    return Lap(**{**fields, **changes})


def climb(start, end, **changes) -> Climb:
    fields = dict.fromkeys(Climb.model_fields) | {
        "started_at_index": start, "ended_at_index": end,
        "started_at": START + timedelta(seconds=start), "ended_at": START + timedelta(seconds=end),
        "duration": end - start, "distance": 1000, "average_grade": 6.0, "max_grade": 9.0,
        "min_altitude": 100, "max_altitude": 160, "elevation_gain": 60, "average_power": 280,
    }  # fmt: skip
    return Climb(**{**fields, **changes})


def length(start, end, *, stroke=None, speed=1.25, strokes=10) -> Length:
    fields = dict.fromkeys(Length.model_fields) | {
        "started_at_index": start, "ended_at_index": end,
        "started_at": START + timedelta(seconds=start), "ended_at": START + timedelta(seconds=end),
        "duration": end - start, "stroke_type": stroke, "average_speed": speed, "stroke_count": strokes,
    }  # fmt: skip
    return Length(**fields)


def provider_lap(start, end, **changes) -> ProviderLap:
    fields = {"started_at": START + timedelta(seconds=start), "ended_at": START + timedelta(seconds=end)}
    return ProviderLap(**{**fields, "intensity": None, "lap_trigger": "manual", **changes})


def beats(seconds=600, mean=140.0):
    """A heart rate that changes every second: one that repeats a value for minutes is a stuck sensor."""
    return mean + np.where(np.arange(seconds) % 2, 1.0, -1.0)


def streams(seconds=600, *, at=START, **columns) -> ActivityStreams:
    """A record a second: 250 W, 10 m/s, 140 bpm and a route to the east, where no other is given."""
    t = np.arange(seconds, dtype=np.float64)
    usual = {
        "power": np.full(seconds, 250.0),
        "heartRate": beats(seconds),
        "speed": np.full(seconds, 10.0),
        "distance": t * 10,
        "altitude": 100 + t / 10,
        "positionLat": np.full(seconds, 47.0),
        "positionLong": 8 + t * 1e-4,
    }
    stamps = np.datetime64(at.replace(tzinfo=None), "ms") + (t * 1000).astype("timedelta64[ms]")
    chosen = {name: values for name, values in (usual | columns).items() if values is not None}
    return ActivityStreams(chosen, stamps)
