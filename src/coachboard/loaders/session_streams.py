"""The streams of one session on one clock: elapsed and moving time, distance, and where the record has gaps."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from coachboard.analytics.clock_grid import longest_hold_s, sample_durations_s
from coachboard.analytics.derived_motion import distance_from_speed, speed_from_distance
from coachboard.analytics.distance import distance_along_m
from coachboard.analytics.information import information
from coachboard.analytics.selection import column_mean, moving_speed_mps
from coachboard.models.streams import ActivityStreams

Floats = NDArray[np.float64]
Clock = Literal["recorded", "repaired", "assumed"]

MOVING_MPS = 0.5
"""Slower than this is standing; devices' own auto-pause works between 0.3 and 0.8 m/s."""


@dataclass(frozen=True, slots=True, eq=False)
class SessionStreams:
    """What was recorded, column by column, with the axes that every panel shares.

    Values that are no numbers (null, NaN, Infinity) are NaN here; `non_finite` counts the words among them.
    `unused` holds the columns that carry no information: a dead power meter must not hide speed and heart rate.
    """

    columns: Mapping[str, Floats]
    unused: Mapping[str, Floats]
    empty_columns: tuple[str, ...]
    non_finite: Mapping[str, int]
    elapsed_s: Floats
    dt_s: Floats  # as `clock_grid.sample_durations_s` gives it
    moving_s: Floats
    is_moving: NDArray[np.bool_]
    is_after_gap: NDArray[np.bool_]
    distance_m: Floats | None
    derived: Mapping[
        str, str
    ]  # "speed" or "distance" where computed here, with the column that it comes from
    clock: Clock
    started_at: np.datetime64 | None  # UTC
    pause_s: float

    def __len__(self) -> int:
        return len(self.elapsed_s)

    @classmethod
    def from_streams(
        cls, streams: ActivityStreams, *, total_duration_s: float | None = None
    ) -> "SessionStreams":
        """Read the wire's columns; without time stamps the samples are spread over the session's duration."""
        columns = {snake_name(name): _finite(values) for name, values in streams.columns.items()}
        elapsed_s, clock, started_at = _clock(streams, total_duration_s)
        dt_s, pause_s = sample_durations_s(elapsed_s), longest_hold_s(elapsed_s)
        is_after_gap = np.diff(elapsed_s, prepend=elapsed_s[:1]) > pause_s
        is_moving = _is_moving(columns.get("speed"), len(elapsed_s))
        known = {name: values for name, values in columns.items() if not np.isnan(values).all()}
        unused = {
            name: values
            for name, values in known.items()
            if not information(name, values, dt_s, is_moving).is_sensor
        }
        used = {name: values for name, values in known.items() if name not in unused}
        used, distance_m, derived = _with_motion(used, elapsed_s, dt_s, is_after_gap)
        if "speed" in derived or "speed" in unused:
            is_moving = _is_moving(used.get("speed"), len(elapsed_s))
        return cls(
            columns=used,
            unused=unused,
            empty_columns=tuple(name for name, values in columns.items() if np.isnan(values).all()),
            non_finite=_words(streams),
            elapsed_s=elapsed_s,
            dt_s=dt_s,
            moving_s=_moving_time(dt_s, is_moving),
            is_moving=is_moving,
            is_after_gap=is_after_gap,
            distance_m=distance_m,
            derived=derived,
            clock=clock,
            started_at=started_at,
            pause_s=pause_s,
        )

    @property
    def recorded(self) -> dict[str, Floats]:
        """Every column with values that the device recorded, without the derived one."""
        used = {name: values for name, values in self.columns.items() if name not in self.derived}
        return {**used, **self.unused}

    def get(self, name: str) -> Floats | None:
        """The column of that name, or None where nothing of it was recorded."""
        return self.columns.get(name)

    def between(self, from_s: float, to_s: float) -> slice:
        """The samples from one elapsed second up to another, which is the first that is not among them."""
        start, stop = np.searchsorted(self.elapsed_s, [from_s, to_s], side="left")
        return slice(int(start), int(stop))

    def mean(self, name: str, window: slice) -> float:
        """The mean of a column within a window of samples: speed over moving time, others by `column_mean`."""
        if name == "speed":
            return moving_speed_mps(self, window)
        values = self.columns.get(name)
        return column_mean(name, None if values is None else values[window], self.dt_s[window])

    @property
    def end_s(self) -> float:
        """The elapsed second at which the last sample ends."""
        return float(self.elapsed_s[-1] + self.dt_s[-1]) if len(self) else 0.0


def snake_name(wire_name: str) -> str:
    """The wire's `heartRate` is `heart_rate` inside."""
    return re.sub(r"[A-Z]", lambda letter: f"_{letter.group().lower()}", wire_name)


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.nan)


def _words(streams: ActivityStreams) -> dict[str, int]:
    counts = {
        name: int(np.isinf(values).sum()) + len(streams.nan_words.get(name, ()))
        for name, values in streams.columns.items()
    }
    return {snake_name(name): count for name, count in counts.items() if count}


def _clock(
    streams: ActivityStreams, total_duration_s: float | None
) -> tuple[Floats, Clock, np.datetime64 | None]:
    count = len(streams)
    stamps = streams.timestamps
    if stamps is None or np.isnat(stamps).all():
        return _spread(count, total_duration_s), "assumed", None
    is_known = ~np.isnat(stamps)
    first = stamps[is_known][0]
    seconds = (stamps - first).astype("timedelta64[ms]").astype(np.float64) / 1000
    at = np.arange(count, dtype=np.float64)
    filled = np.interp(at, at[is_known], seconds[is_known])
    ordered = np.maximum.accumulate(filled)
    is_as_sent = bool(is_known.all()) and bool((ordered == filled).all())
    return ordered - ordered[0], "recorded" if is_as_sent else "repaired", first


def _spread(count: int, total_duration_s: float | None) -> Floats:
    if count > 1 and total_duration_s:
        return np.linspace(0.0, float(total_duration_s), count, endpoint=False)
    return np.arange(count, dtype=np.float64)


def _is_moving(speed_mps: Floats | None, count: int) -> NDArray[np.bool_]:
    # Without a sensor of speed the athlete is taken to move: else a trainer's zeros leave no moving time.
    if speed_mps is None or not np.nan_to_num(speed_mps).any():
        return np.ones(count, np.bool_)
    # A missing speed is not standing: tunnels would shorten the session.
    return ~(speed_mps < MOVING_MPS)


def _moving_time(dt_s: Floats, is_moving: NDArray[np.bool_]) -> Floats:
    moving = np.cumsum(np.where(is_moving, dt_s, 0.0))
    return np.concatenate([[0.0], moving[:-1]]) if len(moving) else moving


def _with_motion(
    columns: dict[str, Floats], elapsed_s: Floats, dt_s: Floats, is_after_gap: NDArray[np.bool_]
) -> tuple[dict[str, Floats], Floats | None, dict[str, str]]:
    """Columns and distance, the missing one of speed and distance derived from the other."""
    speed, distance_m = columns.get("speed"), distance_along_m(columns.get("distance"), elapsed_s)
    if distance_m is None and speed is not None:
        return columns, distance_from_speed(speed, dt_s), {"distance": "speed"}
    if distance_m is None or speed is not None or not distance_m[-1] > distance_m[0]:
        return columns, distance_m, {}
    derived = speed_from_distance(elapsed_s, distance_m, starts=is_after_gap)
    return columns | {"speed": derived}, distance_m, {"speed": "distance"}
