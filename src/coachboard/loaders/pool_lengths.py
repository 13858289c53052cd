"""A pool swim: its lengths and rests, its repetitions and sets, pool length, totals by stroke."""

from dataclasses import dataclass
from itertools import groupby
from math import isnan, nan

import numpy as np
import pandas as pd

from coachboard.execution.pool_lengths import pool_length_m, swum, with_rests
from coachboard.execution.swim_sets import LEAST_REST_S
from coachboard.formulas.session.part_measures import Spans, heart_rates_of, numbers_of
from coachboard.formulas.session.swim import repetitions, swolf, usual_pool
from coachboard.imperial import M_PER_YARD
from coachboard.wire.activities import Activity, Length


def table_of(activity: Activity, spans: Spans) -> pd.DataFrame:
    """A row per swum length in the service's units, with the rest that followed."""
    lengths = swum(activity)
    durations, strokes = numbers_of(lengths, "duration"), numbers_of(lengths, "stroke_count")
    # Watches count no strokes in a drill.
    strokes = np.where(strokes > 0, strokes, nan)
    # Some send none for a length; the strokes over its time are the same rate.
    cadence, durations = numbers_of(lengths, "average_cadence"), np.where(durations > 0, durations, nan)
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
            "average_cadence": np.where(cadence > 0, cadence, 60 * strokes / durations),
            "average_heart_rate_bpm": heart_rates_of(lengths, "average_heart_rate"),
            "max_heart_rate_bpm": heart_rates_of(lengths, "max_heart_rate"),
        }
    )


def pool_words(activity: Activity) -> str:
    """`25 m`, `25 yd`, `33⅓ m`; the measured length of an unusual pool, empty if unknown."""
    pool_m = pool_length_m(activity)
    pool = usual_pool(pool_m)
    return pool.name if pool else "" if isnan(pool_m) else f"{pool_m:.4g} m"


def is_in_yards(activity: Activity) -> bool:
    """Whether the pool is one of yards."""
    pool = usual_pool(pool_length_m(activity))
    return pool is not None and pool.is_in_yards


def distance_words(activity: Activity, metres: float) -> str:
    """`100 yd` in a pool of yards, else `100 m`; empty if unknown."""
    if isnan(metres):
        return ""
    return f"{metres / M_PER_YARD:.0f} yd" if is_in_yards(activity) else f"{metres:.0f} m"


def repetitions_of(activity: Activity, length_spans: Spans) -> tuple[Spans, pd.DataFrame]:
    """The repetitions of a pool swim from its lengths: their spans, and a row each in the service's units.

    A repetition takes the time from its first length to the end of its last, turns included.
    """
    lengths, table = with_rests(activity), table_of(activity, length_spans)
    rests_s, pool_m = [length.rest_s for length in lengths], pool_length_m(activity)
    groups = repetitions(rests_s, LEAST_REST_S)
    rows = []
    for number, group in enumerate(groups, start=1):
        swum_s = sum(length.duration_s for length in lengths[group]) + sum(rests_s[group][:-1])
        distance_m = pool_m * (group.stop - group.start)
        rest_s = rests_s[group.stop - 1] if group.stop < len(lengths) else nan
        rows.append({
            "number": number,
            "start_s": length_spans[group.start][0],
            "distance_m": distance_m,
            "duration_s": swum_s,
            "average_speed_mps": distance_m / swum_s if swum_s > 0 else nan,
            "rest_after_s": rest_s,
            **_strokes_and_heart(table.iloc[group]),
        })  # fmt: skip
    spans = [(length_spans[group.start][0], length_spans[group.stop - 1][1]) for group in groups]
    return spans, pd.DataFrame(rows)


def _strokes_and_heart(lengths: pd.DataFrame) -> dict[str, object]:
    """Means over the lengths of one repetition, each with its time; strokes per length of those that were counted."""
    strokes = lengths["stroke"].dropna().unique()
    return {
        "stroke": "mixed" if len(strokes) > 1 else next(iter(strokes), None),
        "average_cadence": _mean_over_time(lengths, "average_cadence"),
        "strokes_per_length": lengths["stroke_count"].mean(),
        "swolf": lengths["swolf"].mean(),
        "average_heart_rate_bpm": _mean_over_time(lengths, "average_heart_rate_bpm"),
        "max_heart_rate_bpm": lengths["max_heart_rate_bpm"].max(),
    }


def _mean_over_time(lengths: pd.DataFrame, name: str) -> float:
    recorded = lengths[lengths[name] > 0]
    time_s = recorded["duration_s"].sum()
    return float((recorded[name] * recorded["duration_s"]).sum() / time_s) if time_s else nan


@dataclass(frozen=True, slots=True)
class RepetitionSet:
    """Consecutive repetitions of one distance and stroke; speeds in m/s, rest NaN without one between them."""

    count: int
    distance_m: float
    speed_mps: float  # distance over time
    slowest_mps: float
    fastest_mps: float
    rest_s: float  # median: the last rest is often a pause before the next set


def sets_of(table: pd.DataFrame) -> list[RepetitionSet]:
    """The sets in a table of repetitions; a single repetition is none."""
    rows = table.to_dict("records")
    sets = []
    for (distance_m, _), group in groupby(
        rows, key=lambda row: (round(float(row["distance_m"]), 1), row.get("stroke"))
    ):
        of_set = list(group)
        speeds = [row["average_speed_mps"] for row in of_set]
        rests = [row["rest_after_s"] for row in of_set[:-1] if not isnan(row["rest_after_s"])]
        time_s = sum(row["duration_s"] for row in of_set)
        if len(of_set) > 1 and time_s > 0:
            sets.append(RepetitionSet(
                len(of_set), distance_m, len(of_set) * distance_m / time_s, min(speeds), max(speeds),
                float(np.median(rests)) if rests else nan,
            ))  # fmt: skip
    return sets


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
    recorded = lengths[lengths["average_speed_mps"] > 0]
    time_s = recorded["duration_s"].sum()
    return float((recorded["average_speed_mps"] * recorded["duration_s"]).sum() / time_s) if time_s else nan


def _rests_after(activity: Activity, lengths: tuple[Length, ...]) -> list[float]:
    is_swum = {id(length) for length in lengths}
    rests_s: list[float] = []
    for length in activity.lengths:
        if id(length) in is_swum:
            rests_s.append(nan)
        elif rests_s:
            rests_s[-1] = float(np.nansum([rests_s[-1], length.duration]))
    return rests_s
