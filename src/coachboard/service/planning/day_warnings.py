"""Warnings about days that a batch plans: illness, days off, too few hours, two hard days in a row, a race in three days."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta

import orjson

from coachboard.service.store.plans import PlanRow
from coachboard.wire.athlete_settings import Availability, DayHours, day_hours
from coachboard.wire.enums import LapIntensity, NoteType, Sport, TrainingStimulus
from coachboard.wire.planning import EntryKind, PlanWarning, WarningCode

RACE_DAYS = 3
_HARD_STIMULI = frozenset(
    {
        TrainingStimulus.NEUROMUSCULAR,
        TrainingStimulus.ANAEROBIC,
        TrainingStimulus.VO2MAX,
        TrainingStimulus.THRESHOLD,
        TrainingStimulus.TEST,
        TrainingStimulus.RACE,
    }
)
_HARD_STEPS = tuple(
    f'"serviceIntensity":"{intensity}"'.encode()
    for intensity in (
        LapIntensity.NEUROMUSCULAR,
        LapIntensity.ANAEROBIC,
        LapIntensity.VO2MAX,
        LapIntensity.THRESHOLD,
    )
)
_NOTES = {
    NoteType.MEDICAL: (WarningCode.ILL, "The athlete is ill"),
    NoteType.AVAILABILITY: (WarningCode.NOT_AVAILABLE, "The athlete is not available"),
    NoteType.REST_DAY: (WarningCode.DAY_OFF, "It is a day off"),
}


def around(days: Iterable[date]) -> tuple[date, date]:
    """The first and the last day whose rows the warnings about these days need."""
    sorted_days = sorted(days)
    return sorted_days[0] - timedelta(days=1), sorted_days[-1] + timedelta(days=RACE_DAYS)


def warnings_of(
    planned: Sequence[tuple[int, PlanRow]],
    rows: Mapping[str, Sequence[PlanRow]],
    availability: Mapping[str, Sequence[Availability]],
) -> list[PlanWarning]:
    """The warnings about planned workouts, each with the place of its operation.

    `rows` has the rows of each athlete around these days as they are after the batch, as far as the caller sees them,
    `availability` the hours of each athlete.
    """
    warnings: dict[tuple[str, date, WarningCode], PlanWarning] = {}
    days = {user_id: _rows_by_day(each) for user_id, each in rows.items()}
    for place, row in planned:
        if row.kind is EntryKind.WORKOUT and "skipped" not in row.entry:
            hours = day_hours(availability[row.user_id], row.day)
            for code, text in (
                *_about(row, days[row.user_id]),
                *_without_hours(row, days[row.user_id], hours),
            ):
                warning = PlanWarning(
                    operation=place, user_id=row.user_id, date=row.day, code=code, text=text
                )
                warnings.setdefault((row.user_id, row.day, code), warning)
    return list(warnings.values())


def _without_hours(
    row: PlanRow, days: Mapping[date, Sequence[PlanRow]], available: DayHours | None
) -> Iterator[tuple[WarningCode, str]]:
    """The warning about a day without enough hours, or on which the sport is not possible."""
    if available is None:
        return
    body, day = orjson.loads(row.body), _words(row.day)
    workouts = [
        other for other in days[row.day] if other.kind is EntryKind.WORKOUT and "skipped" not in other.entry
    ]
    hours = sum(orjson.loads(other.body)["duration"] or 0 for other in workouts) / 3600
    if available.hours == 0:
        yield WarningCode.NOT_AVAILABLE, f"The athlete is not available on {day}."
    elif available.sports and body["sport"] not in available.sports:
        sports = ", ".join(map(_sport, available.sports))
        yield (
            WarningCode.NOT_AVAILABLE,
            f"The athlete is available for {sports} on {day}, not for {_sport(body['sport'])}.",
        )
    elif hours > available.hours:
        yield (
            WarningCode.NOT_AVAILABLE,
            f"{_hours(hours)} planned on {day}, {_hours(available.hours)} available.",
        )


def _sport(value: str) -> str:
    """`cross country skiing`; the interface's `training` is strength work on every page."""
    sport = Sport(value)
    return "strength" if sport is Sport.TRAINING else sport.name.lower().replace("_", " ")


def _hours(hours: float) -> str:
    """`1h30`."""
    whole, minutes = divmod(round(hours * 60), 60)
    return f"{whole}h{minutes:02}"


def _rows_by_day(rows: Iterable[PlanRow]) -> Mapping[date, Sequence[PlanRow]]:
    """Events and workouts by their day, notes on each day of their span."""
    days = defaultdict[date, list[PlanRow]](list)
    for row in rows:
        length = (row.last_day - row.day).days if row.kind is EntryKind.NOTE else 0
        for place in range(length + 1):
            days[row.day + timedelta(days=place)].append(row)
    return days


def _about(row: PlanRow, days: Mapping[date, Sequence[PlanRow]]) -> Iterator[tuple[WarningCode, str]]:
    for other in days.get(row.day, ()):
        note = _NOTES.get(orjson.loads(other.body)["type"]) if other.kind is EntryKind.NOTE else None
        if note is not None:
            yield note[0], f"{note[1]} on {_words(row.day)}."
    if not _is_hard(row):
        return
    for distance in range(1, RACE_DAYS + 1):
        race = row.day + timedelta(days=distance)
        if any(other.kind is EntryKind.EVENT for other in days.get(race, ())):
            yield WarningCode.RACE_SOON, f"A hard workout on {_words(row.day)}, a race on {_words(race)}."
    for neighbour in (row.day - timedelta(days=1), row.day + timedelta(days=1)):
        if any(
            other.kind is EntryKind.WORKOUT and "skipped" not in other.entry and _is_hard(other)
            for other in days.get(neighbour, ())
        ):
            first, second = sorted((row.day, neighbour))
            yield WarningCode.HARD_DAYS, f"Hard workouts on {_words(first)} and {_words(second)}."


def _words(day: date) -> str:
    """`Thu 5 Mar`, as the calendar names a day."""
    return f"{day:%a} {day.day} {day:%b}"


def _is_hard(row: PlanRow) -> bool:
    return (
        any(step in row.body for step in _HARD_STEPS)
        or orjson.loads(row.body)["trainingStimulus"] in _HARD_STIMULI
    )
