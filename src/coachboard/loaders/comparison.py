"""A second session laid over the first: aligned by time, distance or lap, with the difference."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coachboard.client import Result
from coachboard.loaders.activity import ActivityData
from coachboard.loaders.session_streams import SessionStreams
from coachboard.models.activities import Activity, Lap
from coachboard.models.streams import ActivityStreams

Floats = NDArray[np.float64]

COLUMNS = ("power", "heart_rate", "speed", "cadence", "altitude")
CANDIDATE_DAYS = 365
_POINTS = 700
_SMOOTH_S = 30.0


class Alignment(StrEnum):
    """What the two sessions share."""

    TIME = "time"
    DISTANCE = "distance"
    LAP = "lap"


class StreamsSource(Protocol):
    """What a comparison asks of the client."""

    def get_streams(self, activity_id: str) -> Result[ActivityStreams]: ...
    def list_activities(
        self, user_id: str, start: date | None = None, end: date | None = None
    ) -> Result[tuple[Activity, ...]]: ...


@dataclass(frozen=True, slots=True, eq=False)
class Overlay:
    """One column of both sessions on a shared axis, and the difference (other less this one)."""

    column: str
    at: Floats  # s, m, or laps
    this: Floats
    other: Floats

    @property
    def difference(self) -> Floats:
        """Other less this; NaN where either is missing."""
        return np.asarray(self.other - self.this)


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """All columns that both have, and the laps of both side by side."""

    alignment: Alignment
    overlays: tuple[Overlay, ...]
    laps: pd.DataFrame


def candidates(client: StreamsSource, data: ActivityData) -> tuple[Activity, ...]:
    """The other sessions of the same sport of a year before and after, newest first."""
    day = data.day or data.today
    span = timedelta(days=CANDIDATE_DAYS)
    listed = client.list_activities(data.user_id, day - span, min(day + span, data.today))
    return tuple(
        session
        for session in listed.value
        if session.sport == data.activity.sport and session.id != data.activity.id
    )


def alignments(data: ActivityData, other: Activity) -> list[Alignment]:
    """What can be aligned by: laps where both have some."""
    found = [Alignment.TIME]
    if data.streams is not None and data.streams.distance_m is not None:
        found.append(Alignment.DISTANCE)
    if data.activity.laps and other.laps:
        found.append(Alignment.LAP)
    return found


def compare(
    client: StreamsSource, data: ActivityData, other: Activity, alignment: Alignment
) -> Comparison | None:
    """None where this session has no streams; raises `ServiceError` where the other's cannot be had."""
    streams = data.streams
    if streams is None or not len(streams):
        return None
    second = SessionStreams.from_streams(
        client.get_streams(other.id).value, total_duration_s=other.total_duration
    )
    axes = (
        _axis(streams, alignment, data.activity.laps),
        _axis(second, alignment, other.laps),
    )
    last = min(float(np.nanmax(axis)) for axis in axes)
    at = np.linspace(0.0, last, _POINTS)
    overlays = tuple(
        Overlay(name, at, _at(streams, name, axes[0], at), _at(second, name, axes[1], at))
        for name in COLUMNS
        if streams.get(name) is not None and second.get(name) is not None
    )
    return Comparison(alignment, overlays, _laps(data.activity.laps, other.laps))


def _axis(streams: SessionStreams, alignment: Alignment, laps: Sequence[Lap]) -> Floats:
    if alignment is Alignment.DISTANCE and streams.distance_m is not None:
        return np.asarray(streams.distance_m - streams.distance_m[0])
    if alignment is Alignment.LAP and laps:
        return _lap_axis(streams, laps)
    return np.asarray(streams.elapsed_s - streams.elapsed_s[0])


def _lap_axis(streams: SessionStreams, laps: Sequence[Lap]) -> Floats:
    """Lap number plus the share of it that is done, so that the same laps lie over each other."""
    last = len(streams) - 1
    starts = [min(lap.started_at_index, last) for lap in laps]
    end = min(laps[-1].ended_at_index, last)
    edges = [*starts, max(end, starts[-1] + 1)]
    return np.asarray(np.interp(np.arange(len(streams)), edges, np.arange(len(laps) + 1.0)))


def _at(streams: SessionStreams, name: str, axis: Floats, at: Floats) -> Floats:
    """The 30 s mean at each place of the shared axis; gaps stay gaps."""
    values = streams.columns[name]
    known = np.isfinite(values)
    seconds = np.where(known, streams.dt_s, 0.0)
    sums = np.concatenate([[0.0], np.cumsum(np.where(known, values, 0.0) * seconds)])
    times = np.concatenate([[0.0], np.cumsum(seconds)])
    # Where the axis stands still (a stop over distance) the last sample there speaks for it.
    middle = np.searchsorted(axis, at, side="right") - 1
    clock = streams.elapsed_s[np.clip(middle, 0, len(axis) - 1)]
    low = np.searchsorted(streams.elapsed_s, clock - _SMOOTH_S / 2, side="left")
    high = np.searchsorted(streams.elapsed_s, clock + _SMOOTH_S / 2, side="right")
    total = times[high] - times[low]
    with np.errstate(invalid="ignore", divide="ignore"):
        means: Floats = np.where(total > 0, (sums[high] - sums[low]) / total, np.nan)
    return means


def _laps(this: Sequence[Lap], other: Sequence[Lap]) -> pd.DataFrame:
    rows = [
        {
            "number": number,
            "intensity": str(first.intensity),
            "other_intensity": str(second.intensity),
            "duration_s": float(first.duration),
            "other_duration_s": float(second.duration),
            "power_w": first.average_power,
            "other_power_w": second.average_power,
            "heart_rate_bpm": first.average_heart_rate,
            "other_heart_rate_bpm": second.average_heart_rate,
        }
        for number, (first, second) in enumerate(zip(this, other, strict=False), start=1)
    ]
    return pd.DataFrame(rows)
