"""The time of each FIT record: as written where it is believable, from pool lengths where it is missing."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coachboard.plurals import count
from coachboard.service.importers.fit_messages import FIT_EPOCH_S, FitMessages, Message
from coachboard.service.importers.recording import Floats

_ROUNDING_S = 2.0
"""Laps and lengths of one clock begin within this of one another: their starts are whole seconds."""
_LONGEST_S = 14 * 86_400.0
"""A record further from the middle one is rubbish; no recording here is longer than a day."""


@dataclass(frozen=True, slots=True, eq=False)
class RecordClock:
    """Records that have a time, in its order, and what was left out."""

    records: Sequence[Message]
    times_s: Floats
    problems: tuple[str, ...] = ()


def record_clock(messages: FitMessages, lengths: Sequence[Message]) -> RecordClock:
    """Put the records on one clock."""
    records = messages.of("record")
    times = np.array([_seconds(record.get("timestamp")) for record in records], np.float64) + FIT_EPOCH_S
    if len(records) and np.isnan(times).all() and len(lengths) == len(records):
        records, times = _on_lengths(records, lengths)
    kept = np.isfinite(times)
    problems = []
    if not kept.all():
        problems.append(f"{int((~kept).sum())} of {len(records)} records have no time and were ignored")
    if kept.any():
        is_near = np.abs(times - np.median(times[kept])) <= _LONGEST_S
        if (kept & ~is_near).any():
            far = count(int((kept & ~is_near).sum()), "record")
            problems.append(f"ignored {far} with an impossible time")
        kept &= is_near
    places = np.flatnonzero(kept)
    order = places[np.argsort(times[places], kind="stable")]
    if not np.array_equal(order, places):
        problems.append("records out of order, sorted by time")
    return RecordClock([records[place] for place in order.tolist()], times[order], tuple(problems))


def align_lengths_with_laps(lengths: Sequence[Message], laps: Sequence[Message]) -> list[Message]:
    """The pool lengths in order, those of each lap moved so that the first that is swum begins with the lap.

    A watch may run two clocks: the lengths of o15 of the recordings fall 9 to 22 s behind the timer at each rest.
    By time, the last length of such a lap would count for the next lap. The lap's own index says which are its.
    """
    moved = [dict(length) for length in lengths]
    places = {length.get("message_index", place): place for place, length in enumerate(moved)}
    for lap in laps:
        first, count = lap.get("first_length_index"), lap.get("num_lengths")
        if not isinstance(first, int) or not isinstance(count, int):
            continue
        own = [moved[places[index]] for index in range(first, first + count) if index in places]
        late_s = _late_s(own, _seconds(lap.get("start_time")))
        for length in own if late_s > _ROUNDING_S else ():
            length["start_time"] += late_s
    return moved


def _late_s(lengths: Sequence[Message], lap_start: float) -> float:
    """How far a lap's first swum length lies before the lap; NaN where unknown."""
    starts = [_seconds(length.get("start_time")) for length in lengths if length.get("length_type") != "idle"]
    return lap_start - starts[0] if starts else np.nan


def _on_lengths(records: Sequence[Message], lengths: Sequence[Message]) -> tuple[list[Message], Floats]:
    """One record at the start of each length, and an empty one at its end where the next does not follow at once.

    A pool watch may write one record a length, without a time (o15 of the recordings). A record lasts until the
    next, so it begins where its length does; without its end, a length would last through the rest after it.
    """
    timed: list[Message] = []
    times: list[float] = []
    following = [*(_seconds(length.get("start_time")) for length in lengths[1:]), np.inf]
    for record, length, after in zip(records, lengths, following, strict=True):
        start = _seconds(length.get("start_time"))
        end = start + _seconds(length.get("total_elapsed_time"))
        timed.append(record)
        times.append(start)
        if after - end > _ROUNDING_S:
            timed.append({})
            times.append(end)
    return timed, np.array(times, np.float64) + FIT_EPOCH_S


def _seconds(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else np.nan
