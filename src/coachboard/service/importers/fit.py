"""FIT files: messages to a recording with its legs, laps, lengths and pauses, in any order of the file."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from coachboard.service.importers import sports
from coachboard.service.importers.columns import fit_columns
from coachboard.service.importers.errors import EmptyRecording, ImportLimits, NotImported
from coachboard.service.importers.fit_messages import (
    FIT_EPOCH_S,
    FitMessages,
    Message,
    read_messages,
    text_of,
)
from coachboard.service.importers.fit_workouts import read_workouts
from coachboard.service.importers.record_clock import (
    FIRST_DATE,
    RecordClock,
    align_lengths_with_laps,
    on_last_clock,
    record_clock,
)
from coachboard.service.importers.recording import DeviceLap, DeviceLength, Floats, Leg, Recording, TimeSpan
from coachboard.service.importers.timezones import sane_offset_min
from coachboard.wire.stream_columns import BY_WIRE_NAME

_FIGURES: Mapping[str, tuple[tuple[str, float], ...]] = {
    "total_duration": (("total_elapsed_time", 1),),
    "effective_duration": (("total_timer_time", 1),),
    "moving_duration": (("total_moving_time", 1),),
    "distance": (("total_distance", 1),),
    "elevation_gain": (("total_ascent", 1),),
    "elevation_loss": (("total_descent", 1),),
    "average_speed": (("enhanced_avg_speed", 1), ("avg_speed", 1)),
    "max_speed": (("enhanced_max_speed", 1), ("max_speed", 1)),
    "average_cadence": (("avg_cadence", 1), ("avg_running_cadence", 1)),
    "max_cadence": (("max_cadence", 1), ("max_running_cadence", 1)),
    "min_temperature": (("min_temperature", 1),),
    "average_temperature": (("avg_temperature", 1),),
    "max_temperature": (("max_temperature", 1),),
    "average_heart_rate": (("avg_heart_rate", 1),),
    "max_heart_rate": (("max_heart_rate", 1),),
    "average_power": (("avg_power", 1),),
    "normalized_power": (("normalized_power", 1),),
    "max_power": (("max_power", 1),),
    "work": (("total_work", 0.001),),
    "calories": (("total_calories", 1),),
    "start_latitude": (("start_position_lat", 180 / 2**31),),
    "start_longitude": (("start_position_long", 180 / 2**31),),
    "rpe": (("workout_rpe", 0.1),),
}
"""Fields of the interface, and the session fields they are read from with their factors."""

_IMPORTED_KINDS = frozenset({"activity", "workout", "course", "schedules"})
"""Types of FIT files in which a session or a workout is expected."""

_COMPLETE_SHARE = 0.5
_SAME_SHARE = 0.9

_LOST_SPEED_MPS = 65.0
"""A 16-bit speed without a value reads 65.535 m/s inside an array (o17 of the recordings)."""


def read_fit(data: bytes, limits: ImportLimits) -> Recording:
    """Read a FIT file; raises a `RecordingError` where there is nothing to be had."""
    return recording_of(read_messages(data, limits))


def recording_of(messages: FitMessages) -> Recording:
    """The recording that decoded messages describe; raises `EmptyRecording` where they describe none."""
    messages, clock_problems = on_last_clock(_without_copies(messages))
    lengths = align_lengths_with_laps(messages.of("length"), messages.of("lap"))
    clock = record_clock(messages, lengths)
    sessions = _sessions(messages, clock)
    workouts = read_workouts(messages)
    if not sessions and not workouts and _is_telemetry(messages):
        raise NotImported("telemetry of the device")
    if not sessions and not workouts:
        raise EmptyRecording("contains no session, timed record or workout")
    problems = [*(_plain(error) for error in messages.errors), *clock_problems, *clock.problems]
    if any(session["start_time"] < FIRST_DATE for session in sessions):
        problems.append("the device clock was not set: the date is wrong")
    legs = tuple(_legs(messages, sessions, clock, lengths))
    problems += [problem for leg in legs if (problem := _lost(leg))]
    return Recording(
        legs=legs,
        workouts=workouts,
        utc_offset_min=_offset_min(messages),
        is_multisport=len(sessions) > 1,
        problems=tuple(problems),
    )


def _is_telemetry(messages: FitMessages) -> bool:
    """Whether the file says that it is neither an activity nor a workout: exports hold thousands of such files."""
    kind = next(iter(messages.of("file_id")), {}).get("type")
    return kind is not None and kind not in _IMPORTED_KINDS


def _plain(error: str) -> str:
    return f"the file is damaged ({error}); readable parts were imported"


def _lost(leg: Leg) -> str | None:
    covered, total = leg.last_s - leg.started_s, leg.figures.get("total_duration", 0.0)
    if not len(leg.times_s) or covered >= _COMPLETE_SHARE * total:
        return None
    return f"records were read for the first {covered:.0f} of {total:.0f} s; totals are from the device"


def _sessions(messages: FitMessages, clock: RecordClock) -> list[Message]:
    """The sessions in order of time; one made up where the file broke off before it was written."""
    written = messages.of("session")
    first = clock.times_s[0] - FIT_EPOCH_S if len(clock.times_s) else None
    if len(written) == 1 and first is not None:
        written = [{"start_time": first, **written[0]}]
    sessions = [started for session in written if (started := _started(session)) is not None]
    if sessions or first is None:
        return sorted(sessions, key=lambda session: session["start_time"])
    sport = next(iter(messages.of("sport")), {})
    return [{"start_time": first, **_only(sport, "sport", "sub_sport")}]


def _started(session: Message) -> Message | None:
    """The session with a start, which it may only have as its end less its time."""
    end, elapsed_s = _number(session.get("timestamp")), _number(session.get("total_elapsed_time"))
    if _start_s(session) is not None:
        return session
    return None if end is None or elapsed_s is None else {**session, "start_time": end - elapsed_s}


def _without_copies(messages: FitMessages) -> FitMessages:
    """The messages without those that a file of several chained files repeats, and the longest session of a time."""
    by_name = dict(messages.by_name)
    if len(messages.of("file_id")) > 1:
        by_name = {name: list({repr(row): row for row in rows}.values()) for name, rows in by_name.items()}
    sessions: list[Message] = []
    for session in sorted(messages.of("session"), key=_elapsed_s, reverse=True):
        if not any(_is_same(session, other) for other in sessions):
            sessions.append(session)
    if len(sessions) < len(messages.of("session")):
        laps = {(lap.get("start_time"), lap.get("total_elapsed_time")): lap for lap in messages.of("lap")}
        by_name |= {"session": sessions, "lap": list(laps.values())}
    return FitMessages(by_name, messages.errors)


def _elapsed_s(message: Message) -> float:
    return _number(message.get("total_elapsed_time")) or 0.0


def _is_same(session: Message, other: Message) -> bool:
    """Whether one of two sessions of a sport is nearly all within the other: an athlete does one at a time."""
    first, second = (_span(_started(message) or {}) for message in (session, other))
    if first is None or second is None or session.get("sport") != other.get("sport"):
        return False
    both_s = min(first.end_s, second.end_s) - max(first.start_s, second.start_s)
    shared_s = _SAME_SHARE * min(first.length_s, second.length_s)
    return both_s >= shared_s and (both_s > 0 or first.start_s == second.start_s)


def _only(message: Message, *names: str) -> Message:
    return {name: message[name] for name in names if name in message}


def _legs(
    messages: FitMessages, sessions: Sequence[Message], clock: RecordClock, lengths: Sequence[Message]
) -> Iterable[Leg]:
    starts = [_start_s(session) or 0.0 for session in sessions]
    edges = [-np.inf, *starts[1:], np.inf]
    pauses = _pauses(messages.of("event"), clock)
    program = text_of(next(iter(messages.of("file_id")), {}).get("manufacturer"))
    covered_m = 0.0
    for session, low, high in zip(sessions, edges, edges[1:], strict=False):
        first, last = np.searchsorted(clock.times_s, [low, high], side="left").tolist()
        # Leg by leg: on the bike the device measures power, on the run a developer's field does (o18).
        columns, replaced = fit_columns(clock.records[first:last], messages.of("field_description"))
        columns, covered_m = _from_zero(columns, covered_m)
        yield Leg(
            started_s=_start_s(session) or 0.0,
            times_s=clock.times_s[first:last],
            columns=columns,
            sport=sports.fit_sport(session.get("sport")),
            sub_sport=sports.played(sports.fit_sub_sport(session.get("sub_sport")), program),
            name=_name(messages, session),
            pauses=tuple(pause for pause in pauses if low <= pause.start_s < high),
            laps=tuple(_laps(messages.of("lap"), low, high)),
            lengths=tuple(_lengths(lengths, low, high)),
            figures=_figures(session, replaced),
        )


def _from_zero(columns: dict[str, Floats], covered_m: float) -> tuple[dict[str, Floats], float]:
    """A multisport file counts distance through all legs; each leg's own begins at 0."""
    distance = columns.get("distance")
    if distance is None or not np.isfinite(distance).any():
        return columns, covered_m
    last = float(np.nanmax(distance))
    if np.nanmin(distance) < covered_m - 1:
        return columns, last
    return {**columns, "distance": np.maximum(distance - covered_m, 0)}, last


def _start_s(message: Message) -> float | None:
    start = message.get("start_time")
    return float(start) + FIT_EPOCH_S if isinstance(start, (int, float)) else None


def _span(message: Message) -> TimeSpan | None:
    # A lap's own timestamp is no end: the Edge 1040 of o01 writes the ride's start there.
    start = _start_s(message)
    if start is None:
        return None
    elapsed = _number(message.get("total_elapsed_time"))
    end = _number(message.get("timestamp"))
    if elapsed is None and end is not None:
        return TimeSpan(start, max(start, end + FIT_EPOCH_S))
    return TimeSpan(start, start + max(elapsed or 0.0, 0.0))


def _laps(laps: Iterable[Message], low: float, high: float) -> Iterable[DeviceLap]:
    for lap in laps:
        span = _span(lap)
        if span and low <= span.start_s < high:
            yield DeviceLap(span, text_of(lap.get("intensity")), text_of(lap.get("lap_trigger")))


def _lengths(lengths: Iterable[Message], low: float, high: float) -> Iterable[DeviceLength]:
    for length in lengths:
        span = _span(length)
        if span is None or not low <= span.start_s < high:
            continue
        is_active = length.get("length_type") != "idle"
        yield DeviceLength(
            span=span,
            is_active=is_active,
            stroke=sports.fit_stroke(length.get("swim_stroke")) if is_active else None,
            average_speed_mps=_number(length.get("avg_speed")) if is_active else None,
            strokes_per_min=_number(length.get("avg_swimming_cadence")) if is_active else None,
            stroke_count=_number(length.get("total_strokes")) if is_active else None,
        )


def _pauses(events: Iterable[Message], clock: RecordClock) -> list[TimeSpan]:
    """The stretches between a stop of the timer and its next start."""
    pauses: list[TimeSpan] = []
    stopped: float | None = None
    timed = [(time_s, event) for event in events if (time_s := _number(event.get("timestamp"))) is not None]
    for time_s, event in sorted(timed, key=lambda pair: pair[0]):
        if event.get("event") != "timer":
            continue
        if str(event.get("event_type")).startswith("stop"):
            stopped = time_s if stopped is None else stopped
        elif stopped is not None:
            pauses.append(TimeSpan(stopped + FIT_EPOCH_S, time_s + FIT_EPOCH_S))
            stopped = None
    last = clock.times_s[-1] if len(clock.times_s) else -np.inf
    return [pause for pause in pauses if pause.length_s > 0 and pause.start_s <= last]


def _figures(session: Message, replaced: frozenset[str]) -> dict[str, float]:
    """The session's figures, without those of columns in which a developer's field replaced the device's."""
    figures: dict[str, float] = {}
    lost = {figure for column in replaced for figure in BY_WIRE_NAME[column].figures}
    for name, sources in _FIGURES.items():
        if name in lost:
            continue
        readings = [
            value * factor for field, factor in sources if (value := _number(session.get(field))) is not None
        ]
        if readings and not (name.endswith("_speed") and readings[0] > _LOST_SPEED_MPS):
            figures[name] = readings[0]
    for name, theirs in (("average_cadence", "avg"), ("max_cadence", "max")):
        part = _number(session.get(f"{theirs}_fractional_cadence"))
        if part and name in figures:
            figures[name] += part
    feeling = _number(session.get("workout_feel"))
    if feeling is not None:
        figures["feeling"] = 1 + feeling / 25  # 0, 25, 50, 75, 100 from very weak to very strong
    return figures


def _name(messages: FitMessages, session: Message) -> str | None:
    workout = next(iter(messages.of("workout")), {})
    return text_of(workout.get("wkt_name")) or text_of(session.get("sport_profile_name"))


def _offset_min(messages: FitMessages) -> int | None:
    """Local time less UTC, where a message has both. A local time of 0 is not known; one that repeats UTC is doubtful."""
    offsets: list[int] = []
    for message in (*messages.of("activity"), *messages.of("timestamp_correlation")):
        local, utc = _number(message.get("local_timestamp")), _number(message.get("timestamp"))
        if local and utc is not None and (offset := sane_offset_min(local - utc)) is not None:
            offsets.append(offset)
    return next((offset for offset in offsets if offset), offsets[0] if offsets else None)


def _number(value: object) -> float | None:
    first = value[0] if isinstance(value, (list, tuple)) and value else value
    if isinstance(first, bool) or not isinstance(first, (int, float)) or not np.isfinite(first):
        return None
    return float(first)
