"""Values that no athlete, sensor or place on earth has, and columns without information: left out."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import numpy as np

from coachboard.formulas.session.information import information
from coachboard.service.importers.errors import BrokenRecording
from coachboard.service.importers.record_times import is_moving, record_durations_s
from coachboard.service.importers.recording import Floats, Leg, Recording
from coachboard.wire.stream_columns import BY_FIGURE, BY_WIRE_NAME, COLUMNS, FIGURES, Range

_DURATION, _ = FIGURES["total_duration"]  # s
_FIRST_DAY = date(1960, 1, 1)  # clocks that were not set begin in 1970, 1980 or 1989
_AHEAD = timedelta(days=366)
"""How far a device's clock may be ahead; a damaged start lies decades ahead."""
_EPOCH = date(1970, 1, 1)


def is_plausible_day(day: date) -> bool:
    """Whether a session, night, value or scheduled workout of a file can be of this day."""
    return _FIRST_DAY <= day <= datetime.now(UTC).date() + _AHEAD


def is_plausible_time(moment_s: float) -> bool:
    """As `is_plausible_day`, of seconds since 1970; they may be beyond what a date can hold."""
    first, after = _FIRST_DAY, datetime.now(UTC).date() + _AHEAD + timedelta(days=1)
    return (first - _EPOCH).total_seconds() <= moment_s < (after - _EPOCH).total_seconds()


def drop_implausible(recording: Recording) -> Recording:
    """The recording without such samples, figures and laps; each kind adds a sentence to its problems."""
    problems = list(recording.problems)
    for leg in recording.legs:
        if not is_plausible_time(leg.started_s):
            raise BrokenRecording("starts on an impossible date: the file or the device's clock is wrong")
    # The day of a workout in the file of a session is the session's.
    for workout in () if recording.legs else recording.workouts:
        if workout.day_s is not None and not is_plausible_time(workout.day_s):
            raise BrokenRecording(f"its workout {workout.title[:40]!r} is scheduled on an impossible date")
    legs = tuple(_plausible(leg, problems) for leg in recording.legs)
    return replace(recording, legs=legs, problems=tuple(problems))


def _plausible(leg: Leg, problems: list[str]) -> Leg:
    leg = _in_time(leg, problems)
    columns = dict(_columns(leg, problems))
    figures = dict(_figures(leg, problems))
    return replace(leg, columns=columns, figures=figures)


def _in_time(leg: Leg, problems: list[str]) -> Leg:
    """The leg without records and laps long after its start: the duration of a session without a figure is up to the last."""
    last_s, allowed = leg.started_s + _DURATION.high, _words(_DURATION, "s")
    laps = tuple(lap for lap in leg.laps if lap.span.length_s <= _DURATION.high and lap.span.end_s <= last_s)
    if len(laps) < len(leg.laps):
        problems.append(_sentence(len(leg.laps) - len(laps), len(leg.laps), "lap durations", allowed))
    is_kept = leg.times_s <= last_s
    if is_kept.all():
        return replace(leg, laps=laps)
    what = "times since the start"
    problems.append(_sentence(int((~is_kept).sum()), len(is_kept), what, allowed))
    columns = {name: values[is_kept] for name, values in leg.columns.items()}
    return replace(leg, laps=laps, times_s=leg.times_s[is_kept], columns=columns)


def _columns(leg: Leg, problems: list[str]) -> Iterator[tuple[str, Floats]]:
    for name, values in leg.columns.items():
        column = BY_WIRE_NAME[name]
        is_recorded = np.isfinite(values)
        kept = is_recorded if column.plausible is None else is_recorded & column.plausible.holds(values)
        lost = int(is_recorded.sum() - kept.sum())
        if column.plausible is None or not lost:
            yield name, values
            continue
        allowed = _words(column.plausible, column.unit or "")
        problems.append(_sentence(lost, int(is_recorded.sum()), f"values of {column.title.lower()}", allowed))
        if kept.any():
            yield name, np.where(kept, values, np.nan)


def _figures(leg: Leg, problems: list[str]) -> Iterator[tuple[str, float]]:
    for name, value in leg.figures.items():
        allowed, unit = _allowed(name)
        if allowed is None or allowed.low <= value <= allowed.high:
            yield name, value
        else:
            title = name.replace("_", " ")
            problems.append(f"the device's {title} is outside {_words(allowed, unit)} and was ignored")


def _allowed(figure: str) -> tuple[Range | None, str]:
    if figure in FIGURES:
        return FIGURES[figure]
    column = BY_FIGURE.get(figure)
    return (None, "") if column is None else (column.plausible, column.unit or "")


def _words(allowed: Range, unit: str) -> str:
    return f"{allowed.low:,.0f} to {allowed.high:,.0f} {unit}".rstrip().replace("-", "\N{MINUS SIGN}")


def _sentence(count: int, total: int, what: str, allowed: str) -> str:
    return f"{count:,} of {total:,} {what} are outside {allowed} and were ignored"


def without_dead_sensors(leg: Leg) -> Leg:
    """The leg without columns that carry no information, and without the device's figures of them.

    Zeros of a dead power meter would give the session a load of 0, a stuck heart rate a wrong one. Devices also
    write 0 as the distance and speed of a session in the gym, which has no such column at all.
    """
    durations_s, moving = record_durations_s(leg), is_moving(leg)
    columns, figures = dict(leg.columns), dict(leg.figures)
    for column in COLUMNS:
        if not column.is_dead_at_zero:
            continue
        values = leg.columns.get(column.wire_name)
        content = None if values is None else information(column.name, values, durations_s, moving)
        if content is not None and content.is_sensor:
            continue
        columns.pop(column.wire_name, None)
        is_stuck = content is not None and content.stuck_at > 0
        for figure in column.figures:
            # A device may know a distance that its records do not have.
            if is_stuck or not figures.get(figure):
                figures.pop(figure, None)
    return replace(leg, columns=columns, figures=figures)
