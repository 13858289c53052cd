"""Data of a stream panel: a column over an axis, smoothed and downsampled, with mean and range."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from coachboard.formulas.session import downsample, smoothing
from coachboard.formulas.session.session_streams import SessionStreams

Floats = NDArray[np.float64]
AxisName = Literal["elapsed", "moving", "distance"]

_GOING_SHARE = 0.4
"""Below this share of its median, a speed is a stop or close to one, and no pace."""
POINTS = 1_500
"""Points per panel: more than a screen's columns; 6 KB per panel."""
_LOW_PCT, _HIGH_PCT = 1.0, 99.0
_HEADROOM = 0.6
"""How far outliers may extend the range, as a share of the bulk's height."""


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """A column over an axis in the service's units; NaN breaks the line."""

    name: str
    x: Floats  # s, or m over distance
    y: Floats
    average: float  # over the window's time, as in `SessionStreams.mean`
    lowest: float
    highest: float
    low: float  # the range of the bulk of values
    high: float
    is_sparse: bool  # isolated values, such as one speed per pool length
    values: int  # recorded values in the window


def axis_of(streams: SessionStreams, axis: AxisName) -> Floats:
    """The x of every sample: seconds, or metres over distance."""
    if axis == "distance" and streams.distance_m is not None:
        return streams.distance_m
    return streams.moving_s if axis == "moving" else streams.elapsed_s


def along(streams: SessionStreams, axis: AxisName, elapsed_s: float) -> float:
    """The position of an elapsed second on another axis."""
    return float(np.interp(elapsed_s, streams.elapsed_s, axis_of(streams, axis))) if len(streams) else 0.0


def elapsed_at(streams: SessionStreams, axis: AxisName, x: float) -> float:
    """The elapsed second of a position on another axis; the first one in a stop."""
    positions = axis_of(streams, axis)
    if not len(positions):
        return 0.0
    sample = int(np.searchsorted(positions, x, side="left"))
    return float(streams.elapsed_s[sample]) if sample < len(positions) else streams.end_s


def trace_of(  # noqa: PLR0913 (each is a choice the reader has)
    streams: SessionStreams,
    name: str,
    *,
    axis: AxisName,
    smoothing_s: float = 0.0,
    window: slice = slice(None),
    points: int = POINTS,
    is_pace: bool = False,
) -> Trace:
    """A panel's line within a window of samples, at full resolution if short enough.

    The range of a pace excludes stops and very slow speeds.
    """
    raw = streams.columns[name]
    smooth = smoothing.smoothed(raw, streams.elapsed_s, window_s=smoothing_s, starts=streams.is_after_gap)[
        window
    ]
    x, y = line_of(streams, smooth, axis=axis, window=window, points=points)
    recorded = raw[window]
    low, high = bulk_range(_going(smooth) if is_pace else smooth)
    return Trace(
        name=name,
        x=x,
        y=y,
        average=streams.mean(name, window),
        lowest=_extreme(recorded, np.fmin),
        highest=_extreme(recorded, np.fmax),
        low=low,
        high=high,
        is_sparse=_is_sparse(recorded),
        values=int(np.isfinite(recorded).sum()),
    )


def line_of(
    streams: SessionStreams, values: Floats, *, axis: AxisName, window: slice, points: int = POINTS
) -> tuple[Floats, Floats]:
    """Values of a window over an axis, broken at pauses and downsampled."""
    x, y = with_breaks(
        axis_of(streams, axis)[window],
        values,
        breaks=streams.is_after_gap[window] if axis == "elapsed" else None,
    )
    samples = downsample.kept(x, y, points=points)
    return x[samples], y[samples]


def with_breaks(x: Floats, y: Floats, *, breaks: NDArray[np.bool_] | None) -> tuple[Floats, Floats]:
    """The line with a missing value in each pause, so that nothing connects its ends."""
    breaks_at = np.flatnonzero(breaks[1:]) + 1 if breaks is not None and len(breaks) else np.empty(0, np.intp)
    if not len(breaks_at):
        return x, y
    return np.insert(x, breaks_at, (x[breaks_at - 1] + x[breaks_at]) / 2), np.insert(y, breaks_at, np.nan)


def _going(speed_mps: Floats) -> Floats:
    moving = speed_mps[speed_mps > 0]
    return moving[moving > _GOING_SHARE * np.median(moving)] if len(moving) else speed_mps


def _is_sparse(values: Floats) -> bool:
    is_known = np.isfinite(values)
    if not is_known.any():
        return False
    padded = np.concatenate([[False], is_known, [False]])
    is_alone = is_known & ~padded[:-2] & ~padded[2:]
    return bool(is_alone.sum() > is_known.sum() / 2)


def _extreme(values: Floats, which: np.ufunc) -> float:
    return float(which.reduce(values)) if len(values) else float("nan")


def bulk_range(values: Floats) -> tuple[float, float]:
    """The range of the bulk: a stop or a spike extends it by a limited share of its height."""
    recorded = values[np.isfinite(values)]
    if not len(recorded):
        return 0.0, 1.0
    bulk_low, bulk_high = np.percentile(recorded, [_LOW_PCT, _HIGH_PCT])
    reach = _HEADROOM * (bulk_high - bulk_low)
    low = max(float(recorded.min()), float(bulk_low - reach))
    high = min(float(recorded.max()), float(bulk_high + reach))
    margin = 0.05 * (high - low) or max(abs(high) * 0.05, 0.5)
    return low - margin, high + margin
