"""The time of each FIT record: as written where it is believable, from pool lengths where it is missing.

If the clock was set during the session, the time before counts on the clock after.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coachboard.formulas.session.clock_grid import usual_step_s
from coachboard.plurals import count
from coachboard.service.importers.fit_messages import FIT_EPOCH_S, FitMessages, Message
from coachboard.service.importers.recording import Floats, TimeSpan

_ROUNDING_S = 2.0
"""Laps and lengths of one clock begin within this of one another: their starts are whole seconds."""
_LONGEST_S = 14 * 86_400.0
"""A record further from the middle one is rubbish; no recording here is longer than a day."""
_CLOCK_SET_S = 12 * 3600.0
"""Shorter jumps may be pauses: apps leave a pause out of the elapsed time and write no event of the timer."""
_DAY_S = 86_400.0
_GRACE_S = 60.0
_NEAR_S = 3600.0
"""Laps and pauses of a clock lie within this of its records."""
_FEWEST_AFTER = 10
"""Fewer records after a jump are rubbish."""
_AHEAD_S = 366 * _DAY_S
FIRST_DATE = 0x10000000
"""Lower FIT times count from when the device was switched on, says the profile's type date_time."""
_TIMED = frozenset({"session", "lap", "length", "event"})


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


class _Setting(NamedTuple):
    """The times on the clock before and after it was set, and the shift of the first `early` records, in seconds."""

    before: TimeSpan
    after: TimeSpan
    shift_s: float
    early: int


def on_last_clock(messages: FitMessages) -> tuple[FitMessages, tuple[str, ...]]:
    """The messages on the clock that the device ended with, and a problem if it was set during the session."""
    records = [record for record in messages.of("record") if _seconds(record.get("timestamp")) < _latest()]
    times = np.array([record["timestamp"] for record in records], np.float64)
    setting = _setting(messages, times)
    if setting is None:
        return messages, ()
    by_name = {
        name: [_moved(message, setting) for message in rows] if name in _TIMED else rows
        for name, rows in messages.by_name.items()
    }
    if setting.early:
        early = [{**row, "timestamp": row["timestamp"] + setting.shift_s} for row in records[: setting.early]]
        by_name["record"] = early + records[setting.early :]
        by_name["session"] = _not_after(by_name.get("session", []), early[0]["timestamp"])
    said = "the device's clock was set during the session: the time before was moved to the clock after"
    return FitMessages(by_name, messages.errors), (said,)


def _not_after(sessions: Sequence[Message], first: float) -> list[Message]:
    """The sessions; a single one begins with the first record at the latest."""
    if len(sessions) != 1:
        return list(sessions)
    return [{**sessions[0], "start_time": min(sessions[0].get("start_time", first), first)}]


def _setting(messages: FitMessages, times: Floats) -> _Setting | None:
    if len(messages.of("file_id")) > 1:
        return None  # chained files, each with its own clock
    after = _first_after_setting(messages, times)
    if after is None:
        return _setting_of_session(messages, times)
    before, later = _whole(times[:after]), _whole(times[after:])
    return _Setting(
        before, later, times[after] - times[after - 1] - usual_step_s(np.sort(times[after:])), after
    )


def _first_after_setting(messages: FitMessages, times: Floats) -> int | None:
    """The first record after the clock was set: the only one far ahead of the record before it, or before all of them."""
    steps = np.diff(times)
    jumps = np.flatnonzero((steps > _CLOCK_SET_S) | (steps < -_ROUNDING_S))
    if len(jumps) != 1:
        return None
    after = int(jumps[0]) + 1
    step, before, later = steps[after - 1], _whole(times[:after]), _whole(times[after:])
    if len(times) - after < min(_FEWEST_AFTER, after):
        return None
    if step < 0:
        # Two parts that are merely swapped follow each other.
        is_swapped = abs(before.start_s - later.end_s) <= _GRACE_S
        return after if later.start_s < before.start_s - _GRACE_S and not is_swapped else None
    elapsed_s = sum(_seconds(session.get("total_elapsed_time")) for session in messages.of("session"))
    is_paused = any(
        event.get("event") == "timer"
        and str(event.get("event_type")).startswith("stop")
        and abs(_seconds(event.get("timestamp")) - before.end_s) < _GRACE_S
        for event in messages.of("event")
    )
    return after if not is_paused and (step > _DAY_S or 0 < elapsed_s < step) else None


def _setting_of_session(messages: FitMessages, times: Floats) -> _Setting | None:
    """A session that is all before or after its records, or before its own end."""
    sessions = messages.of("session")
    if len(sessions) != 1:
        return None
    start, end = _seconds(sessions[0].get("start_time")), _seconds(sessions[0].get("timestamp"))
    elapsed_s = float(np.nan_to_num(_seconds(sessions[0].get("total_elapsed_time"))))
    before = TimeSpan(start, start + elapsed_s)
    near = times[np.abs(times - np.median(times)) <= _LONGEST_S] if len(times) else times
    if len(near):
        after = _whole(near)
        is_apart = before.end_s < after.start_s - _NEAR_S or before.start_s > after.end_s + _GRACE_S
    else:
        after = TimeSpan(end - elapsed_s, end)
        is_apart = after.start_s - start > _DAY_S
    if not is_apart or after.start_s < FIRST_DATE <= start:
        return None
    return _Setting(before, after, after.start_s - start, 0)


def _moved(message: Message, setting: _Setting) -> Message:
    """The message on the clock after, if its times are on the clock before; a duration over both is shortened."""
    moved = dict(message)
    for name in ("start_time", "timestamp"):
        seconds = _seconds(message.get(name))
        far_s = _distance_s(setting.before, seconds)
        if far_s < min(_distance_s(setting.after, seconds), _NEAR_S):
            moved[name] = seconds + setting.shift_s
    elapsed_s = _seconds(message.get("total_elapsed_time"))
    if elapsed_s >= setting.shift_s > _DAY_S:
        moved["total_elapsed_time"] = elapsed_s - setting.shift_s
    return moved


def _distance_s(span: TimeSpan, seconds: float) -> float:
    return max(span.start_s - seconds, seconds - span.end_s, 0.0)


def _whole(times: Floats) -> TimeSpan:
    return TimeSpan(float(times.min()), float(times.max()))


def _latest() -> float:
    """The latest time that a device's clock can have; NaN is not below it."""
    return time.time() + _AHEAD_S - FIT_EPOCH_S


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
