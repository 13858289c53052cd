"""The streams of a session with a common time axis: elapsed and moving time, distance, gaps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from coachboard.formulas.session.clock_grid import longest_hold_s, sample_durations_s
from coachboard.formulas.session.derived_motion import distance_from_speed, speed_from_distance
from coachboard.formulas.session.distance import distance_along_m, distance_covered_m
from coachboard.formulas.session.downsample import kept
from coachboard.formulas.session.grade import ADJUSTED_SPEED
from coachboard.formulas.session.information import Information, information
from coachboard.formulas.session.selection import adjusted_speed_mps, column_mean, moving_speed_mps
from coachboard.wire.activities import Length
from coachboard.wire.stream_columns import snake_name
from coachboard.wire.streams import ActivityStreams

Floats = NDArray[np.float64]
Clock = Literal["recorded", "repaired", "assumed"]

MOVING_MPS = 0.5
"""Slower is standing still; devices' auto-pause uses 0.3 to 0.8 m/s."""


@dataclass(frozen=True, slots=True, eq=False)
class SessionStreams:
    """The recorded columns, with the axes that all panels share.

    Non-numeric values (null, NaN, Infinity) are NaN here; `non_finite` counts NaN and Infinity.
    `unused` holds columns without information: a dead power meter must not hide speed and heart rate.
    """

    columns: Mapping[str, Floats]
    unused: Mapping[str, Floats]
    stuck: Mapping[str, Information]  # of each unused column: how long it has a value, and repeats one
    empty_columns: tuple[str, ...]
    non_finite: Mapping[str, int]
    elapsed_s: Floats
    dt_s: Floats  # from `clock_grid.sample_durations_s`
    moving_s: Floats
    is_moving: NDArray[np.bool_]
    is_after_gap: NDArray[np.bool_]
    distance_m: Floats | None
    derived: Mapping[str, str]  # each computed column, with its source
    clock: Clock
    started_at: np.datetime64 | None  # UTC
    pause_s: float
    whole: Mapping[str, float] = field(default_factory=dict)
    """Figures of the summary for the whole recording; see `summary_motion.recorded_session`."""

    def __len__(self) -> int:  # noqa: D105
        return len(self.elapsed_s)

    @classmethod
    def from_streams(
        cls,
        streams: ActivityStreams,
        *,
        total_duration_s: float | None = None,
        swum: Sequence[Length] = (),
    ) -> "SessionStreams":
        """Read the wire's columns; without timestamps, distribute the samples over the session's duration.

        With pool lengths, the athlete moves only during lengths: a pool watch writes one speed per length, so that
        rests at the wall would count as moving.
        """
        columns = {snake_name(name): _finite(values) for name, values in streams.columns.items()}
        elapsed_s, clock, started_at = _clock(streams, total_duration_s)
        dt_s, pause_s = sample_durations_s(elapsed_s), longest_hold_s(elapsed_s)
        is_after_gap = np.diff(elapsed_s, prepend=elapsed_s[:1]) > pause_s
        is_moving = _is_moving(columns.get("speed"), len(elapsed_s))
        recorded = {name: values for name, values in columns.items() if not np.isnan(values).all()}
        content = {name: information(name, values, dt_s, is_moving) for name, values in recorded.items()}
        unused = {name: values for name, values in recorded.items() if not content[name].is_sensor}
        used = {name: values for name, values in recorded.items() if name not in unused}
        used, distance_m, derived = _with_motion(used, elapsed_s, dt_s, is_after_gap)
        if "speed" in derived:
            is_moving = _is_moving(used.get("speed"), len(elapsed_s))
        if swum:
            is_moving = _is_swimming(swum, len(elapsed_s))
        return cls(
            columns=used,
            unused=unused,
            stuck={name: content[name] for name in unused},
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
        """Every recorded column, without the derived one."""
        used = {name: values for name, values in self.columns.items() if name not in self.derived}
        return {**used, **self.unused}

    def get(self, name: str) -> Floats | None:
        """The named column; None if not recorded."""
        return self.columns.get(name)

    def between(self, from_s: float, to_s: float) -> slice:
        """The samples from one elapsed second up to, and without, another."""
        start, stop = np.searchsorted(self.elapsed_s, [from_s, to_s], side="left")
        return slice(int(start), int(stop))

    def mean(self, name: str, window: slice) -> float:
        """The mean of a column in a window: speed over moving time, others by `column_mean`."""
        if name == "speed":
            return self.figure(name, window, moving_speed_mps(self, window))
        if name == ADJUSTED_SPEED:
            return self.figure(name, window, adjusted_speed_mps(self, window))
        values = self.columns.get(name)
        mean = column_mean(name, None if values is None else values[window], self.dt_s[window])
        return mean if values is None else self.figure(name, window, mean)

    def figure(self, name: str, window: slice, recorded: float) -> float:
        """A figure of a window: of the whole recording that of the summary, which headline and lists show."""
        is_whole = window.indices(len(self)) == (0, len(self), 1)
        return self.whole.get(name, recorded) if is_whole else recorded

    def distance_in(self, window: slice) -> float:
        """The distance of a window; NaN if nothing recorded it. [m]."""
        return self.figure("distance_m", window, distance_covered_m(self.distance_m, window))

    @property
    def covered_m(self) -> float:
        """The distance of the whole recording; NaN if it has none."""
        return nan if self.distance_m is None else distance_covered_m(self.distance_m, slice(None))

    def route_samples(self, points: int) -> NDArray[np.int64]:
        """The samples that keep the shape of the route: extremes to the north and to the east."""
        places = np.arange(len(self), dtype=np.float64)
        north = kept(places, self.columns["position_lat"], points=points // 2)
        east = kept(places, self.columns["position_long"], points=points // 2)
        return np.union1d(north, east)

    @property
    def end_s(self) -> float:
        """The elapsed second at the end of the last sample."""
        return float(self.elapsed_s[-1] + self.dt_s[-1]) if len(self) else 0.0


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
    places = np.arange(count, dtype=np.float64)
    filled = np.interp(places, places[is_known], seconds[is_known])
    ordered = np.maximum.accumulate(filled)
    is_as_sent = bool(is_known.all()) and bool((ordered == filled).all())
    return ordered - ordered[0], "recorded" if is_as_sent else "repaired", first


def _spread(count: int, total_duration_s: float | None) -> Floats:
    if count > 1 and total_duration_s:
        return np.linspace(0.0, float(total_duration_s), count, endpoint=False)
    return np.arange(count, dtype=np.float64)


def _is_moving(speed_mps: Floats | None, count: int) -> NDArray[np.bool_]:
    # Without a speed sensor the athlete counts as moving: a trainer's zeros would leave no moving time.
    if speed_mps is None or not np.nan_to_num(speed_mps).any():
        return np.ones(count, np.bool_)
    # A missing speed is not a stop: tunnels would shorten the session.
    return ~(speed_mps < MOVING_MPS)


def _is_swimming(lengths: Sequence[Length], count: int) -> NDArray[np.bool_]:
    swimming = np.zeros(count, np.bool_)
    for length in lengths:
        swimming[length.started_at_index : length.ended_at_index + 1] = True
    return swimming


def _moving_time(dt_s: Floats, is_moving: NDArray[np.bool_]) -> Floats:
    moving = np.cumsum(np.where(is_moving, dt_s, 0.0))
    return np.concatenate([[0.0], moving[:-1]]) if len(moving) else moving


def _with_motion(
    columns: dict[str, Floats], elapsed_s: Floats, dt_s: Floats, is_after_gap: NDArray[np.bool_]
) -> tuple[dict[str, Floats], Floats | None, dict[str, str]]:
    """Columns and distance; derives the missing one of speed and distance from the other."""
    speed, distance_m = columns.get("speed"), distance_along_m(columns.get("distance"), elapsed_s)
    if distance_m is None and speed is not None:
        return columns, distance_from_speed(speed, dt_s), {"distance": "speed"}
    if distance_m is None or speed is not None or not distance_m[-1] > distance_m[0]:
        return columns, distance_m, {}
    derived = speed_from_distance(elapsed_s, distance_m, starts=is_after_gap)
    return columns | {"speed": derived}, distance_m, {"speed": "distance"}
