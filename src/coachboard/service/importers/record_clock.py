"""The time of each FIT record: as written where it is believable, from pool lengths where it is missing."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coachboard.service.importers.fit_messages import FIT_EPOCH_S, FitMessages, Message
from coachboard.service.importers.recording import Floats

_LONGEST_S = 14 * 86_400.0
"""A record further from the middle one is rubbish; no recording here is longer than a day."""


@dataclass(frozen=True, slots=True, eq=False)
class RecordClock:
    """Records that have a time, in its order, and what was left out."""

    records: Sequence[Message]
    times_s: Floats
    problems: tuple[str, ...] = ()


def record_clock(messages: FitMessages) -> RecordClock:
    """Put the records on one clock."""
    records = messages.of("record")
    times = np.array([_seconds(record.get("timestamp")) for record in records], np.float64) + FIT_EPOCH_S
    lengths = messages.of("length")
    if len(records) and np.isnan(times).all() and len(lengths) == len(records):
        # One record more for the end of the last length: its distance is reached there.
        records, times = [*records, {}], _edges_of_lengths(lengths)
    kept = np.isfinite(times)
    problems = []
    if not kept.all():
        problems.append(f"{int((~kept).sum())} of {len(records)} records have no time and were ignored")
    if kept.any():
        is_near = np.abs(times - np.median(times[kept])) <= _LONGEST_S
        if (kept & ~is_near).any():
            problems.append(f"{int((kept & ~is_near).sum())} records with an impossible time were ignored")
        kept &= is_near
    places = np.flatnonzero(kept)
    order = places[np.argsort(times[places], kind="stable")]
    if not np.array_equal(order, places):
        problems.append("records out of order, sorted by time")
    return RecordClock([records[place] for place in order.tolist()], times[order], tuple(problems))


def _edges_of_lengths(lengths: Sequence[Message]) -> Floats:
    """The start of each length and the end of the last.

    A pool watch may write one record a length, without a time (o15 of the recordings). A record lasts until the
    next, so it begins where its length does.
    """
    starts = [_seconds(length.get("start_time")) for length in lengths]
    end = starts[-1] + _seconds(lengths[-1].get("total_elapsed_time"))
    return np.array([*starts, end], np.float64) + FIT_EPOCH_S


def _seconds(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else np.nan
