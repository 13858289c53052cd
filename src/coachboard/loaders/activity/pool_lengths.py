"""The lengths of a pool swim: lengths and rests, pool length, totals by stroke."""

from datetime import timedelta
from math import nan

import numpy as np
import pandas as pd

from coachboard.analytics.planning.swim_sets import SwumLength
from coachboard.analytics.session.swim import swolf
from coachboard.loaders.activity.part_measures import heart_rates_of, numbers_of
from coachboard.loaders.activity.part_spans import Spans
from coachboard.models.activities import Activity, Length
from coachboard.models.enums import StrokeType


def is_rest(length: Length) -> bool:
    """Devices record rests at the wall as lengths; they have no stroke, speed or count.

    spec: not shown: nothing marks a rest, so this is inferred (docs/assumptions.md).
    """
    return length.stroke_type is None and length.average_speed is None and length.stroke_count is None


def swum(activity: Activity) -> tuple[Length, ...]:
    """The lengths without rests; all of them if rests are not recognisable."""
    found = tuple(length for length in activity.lengths if not is_rest(length))
    return found or activity.lengths


def rests(activity: Activity) -> tuple[Length, ...]:
    """The rests between the lengths; none if they are not recognisable."""
    found = tuple(length for length in activity.lengths if is_rest(length))
    return found if len(found) < len(activity.lengths) else ()


def with_rests(activity: Activity) -> list[SwumLength]:
    """The swum lengths with the time at the wall after each; the last one has none."""
    lengths = swum(activity)
    ends = [length.started_at + timedelta(seconds=float(length.duration)) for length in lengths]
    gaps = [(after.started_at - end).total_seconds() for end, after in zip(ends, lengths[1:], strict=False)]
    return [
        SwumLength(float(length.duration), max(gap, 0.0), length.stroke_type in {None, StrokeType.FREESTYLE})
        for length, gap in zip(lengths, [*gaps, 0.0], strict=False)
    ]


def table_of(activity: Activity, spans: Spans) -> pd.DataFrame:
    """A row per swum length in the service's units, with the rest that followed."""
    lengths = swum(activity)
    durations, strokes = numbers_of(lengths, "duration"), numbers_of(lengths, "stroke_count")
    # Watches count no strokes in a drill.
    strokes = np.where(strokes > 0, strokes, nan)
    return pd.DataFrame(
        {
            "number": range(1, len(lengths) + 1),
            "stroke": [length.stroke_type and str(length.stroke_type) for length in lengths],
            "start_s": [start for start, _ in spans],
            "duration_s": durations,
            "average_speed_mps": numbers_of(lengths, "average_speed"),
            "stroke_count": strokes,
            "swolf": swolf(durations, strokes),
            "rest_after_s": _rests_after(activity, lengths),
            "average_cadence": numbers_of(lengths, "average_cadence"),
            "average_heart_rate_bpm": heart_rates_of(lengths, "average_heart_rate"),
            "max_heart_rate_bpm": heart_rates_of(lengths, "max_heart_rate"),
        }
    )


def pool_length_m(activity: Activity) -> float:
    """The pool's length: the median of speed times duration, NaN if unknown.

    spec: not shown: a length has no distance, so this is inferred (docs/assumptions.md).
    """
    ways = numbers_of(activity.lengths, "average_speed") * numbers_of(activity.lengths, "duration")
    known = ways[np.isfinite(ways) & (ways > 0)]
    return float(np.median(known)) if len(known) else nan


def usual_length_s(activity: Activity) -> float:
    """The usual time of a length, below which no effort is measurable. NaN without lengths."""
    return float(np.median(numbers_of(swum(activity), "duration"))) if activity.lengths else nan


def strokes_of(table: pd.DataFrame) -> pd.DataFrame:
    """Totals by stroke: number of lengths, mean time, strokes and SWOLF."""
    grouped = table.assign(stroke=table["stroke"].fillna("no stroke")).groupby("stroke", sort=False)
    return pd.DataFrame(
        {
            "lengths": grouped.size(),
            "duration_s": grouped["duration_s"].mean(),
            "average_speed_mps": [_speed_of(lengths) for _, lengths in grouped],
            "stroke_count": grouped["stroke_count"].mean(),
            "swolf": grouped["swolf"].mean(),
        }
    ).reset_index()


def _speed_of(lengths: pd.DataFrame) -> float:
    """Distance over time: the mean of the lengths' speeds would give fast lengths too much weight."""
    known = lengths[lengths["average_speed_mps"] > 0]
    time_s = known["duration_s"].sum()
    return float((known["average_speed_mps"] * known["duration_s"]).sum() / time_s) if time_s else nan


def _rests_after(activity: Activity, lengths: tuple[Length, ...]) -> list[float]:
    is_swum = {id(length) for length in lengths}
    found: list[float] = []
    for length in activity.lengths:
        if id(length) in is_swum:
            found.append(nan)
        elif found:
            found[-1] = float(np.nansum([found[-1], length.duration]))
    return found
