"""The lengths and rests of a pool swim, and the length of the pool."""

from datetime import timedelta
from math import nan

import numpy as np

from coachboard.execution.swim_sets import SwumLength
from coachboard.formulas.session.part_measures import numbers_of
from coachboard.formulas.session.swim import usual_pool
from coachboard.wire.activities import Activity, Length
from coachboard.wire.enums import StrokeType


def is_rest(length: Length) -> bool:
    """Devices record rests at the wall as lengths; they have no stroke, speed or count.

    spec: not shown: nothing marks a rest, so this is inferred (docs/assumptions.md).
    """
    return length.stroke_type is None and length.average_speed is None and length.stroke_count is None


def swum(activity: Activity) -> tuple[Length, ...]:
    """The lengths without rests; all of them if rests are not recognisable."""
    swum_lengths = tuple(length for length in activity.lengths if not is_rest(length))
    return swum_lengths or activity.lengths


def rests(activity: Activity) -> tuple[Length, ...]:
    """The rests between the lengths; none if they are not recognisable."""
    rest_lengths = tuple(length for length in activity.lengths if is_rest(length))
    return rest_lengths if len(rest_lengths) < len(activity.lengths) else ()


def with_rests(activity: Activity) -> list[SwumLength]:
    """The swum lengths with the time at the wall after each; the last one has none."""
    lengths = swum(activity)
    ends = [length.started_at + timedelta(seconds=float(length.duration)) for length in lengths]
    gaps = [(after.started_at - end).total_seconds() for end, after in zip(ends, lengths[1:], strict=False)]
    return [
        SwumLength(float(length.duration), max(gap, 0.0), length.stroke_type in {None, StrokeType.FREESTYLE})
        for length, gap in zip(lengths, [*gaps, 0.0], strict=False)
    ]


def pool_length_m(activity: Activity) -> float:
    """The pool's length: the usual one next to the median of speed times duration, NaN if unknown.

    spec: not shown: a length has no distance, so this is inferred (docs/assumptions.md).
    """
    ways = numbers_of(activity.lengths, "average_speed") * numbers_of(activity.lengths, "duration")
    ways_m = ways[np.isfinite(ways) & (ways > 0)]
    measured_m = float(np.median(ways_m)) if len(ways_m) else nan
    pool = usual_pool(measured_m)
    return pool.metres if pool else measured_m
