"""Circumstances that explain a trend: illness, rest, travel and races, as ranges of days."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from coachboard.formulas.recovery.illness import Absence
from coachboard.formulas.recovery.nights import Nights
from coachboard.wire.enums import NoteType
from coachboard.wire.plans import Event, Note


@dataclass(frozen=True, slots=True)
class Circumstance:
    """A range of days that explains a trend."""

    start: date
    end: date
    kind: str  # "illness", "injury", "medical", "rest day", "race", "travel"
    title: str


EXPLAINING_NOTES = frozenset({NoteType.MEDICAL, NoteType.REST_DAY, NoteType.AVAILABILITY})


def circumstances(
    notes: Sequence[Note], events: Sequence[Event], nights: Nights, ill: Sequence[Absence] = ()
) -> tuple[Circumstance, ...]:
    """Illness, injury, other notes, races and time changes that explain a trend.

    Parameters
    ----------
    notes : sequence of Note
        Medical, rest day and availability notes count; those of one kind on days in a row are one stretch.
    events : sequence of Event
        Each is a race.
    nights : Nights
        A change of `utcOffset` by more than an hour between recorded nights is travel. [min]
    ill : sequence of Absence
        Each illness or injury from its first to its last day (`absences`); its notes are not listed again.

    Returns
    -------
    tuple of Circumstance
        By first day.

    Notes
    -----
    An illness or injury is shaded until a note or normal training closes it, as it excuses plans and raises flags; a
    medical note outside every illness and injury (a test, a recovery) is shaded on its own day.

    *Missing data*: without sessions no training can close an illness; it then lasts 28 days or until a note.

    *Worked example*: a note "Cold" on 2 March and training on 5, 6 and 8 March shade 2 to 4 March.

    Examples
    --------
    >>> from coachboard.formulas.recovery.nights import nights_of
    >>> monday = date(2026, 3, 2)
    >>> sick = [
    ...     Note(id=f"not_{n}", type=NoteType.MEDICAL, title="Cold", content=None, date=day, time=None)
    ...     for n, day in enumerate([monday, date(2026, 3, 3)])
    ... ]
    >>> found = circumstances(sick, [], nights_of([], first=monday, start=monday, end=monday))
    >>> [(one.kind, one.start.day, one.end.day) for one in found]
    [('medical', 2, 3)]
    """
    dated = [
        Circumstance(note.date, note.date, str(note.type), note.title)
        for note in notes
        if note.type in EXPLAINING_NOTES and not _is_within(note, ill)
    ]
    absent = [Circumstance(absence.start, absence.end, str(absence.kind), absence.title) for absence in ill]
    races = [Circumstance(event.date, event.date, "race", event.name) for event in events]
    return tuple(
        sorted([*_joined(dated), *absent, *races, *_travels(nights)], key=lambda stretch: stretch.start)
    )


def _is_within(note: Note, ill: Sequence[Absence]) -> bool:
    return note.type is NoteType.MEDICAL and any(absence.start <= note.date <= absence.end for absence in ill)


def _joined(stretches: Sequence[Circumstance]) -> list[Circumstance]:
    """Join notes of one kind on consecutive days."""
    joined: list[Circumstance] = []
    for stretch in sorted(stretches, key=lambda stretch: (stretch.kind, stretch.start)):
        last = joined[-1] if joined else None
        if last and last.kind == stretch.kind and (stretch.start - last.end).days <= 1:
            joined[-1] = Circumstance(last.start, stretch.end, last.kind, last.title)
        else:
            joined.append(stretch)
    return joined


def offset_shifts(days: Sequence[date], offset_min: NDArray[np.float64]) -> list[tuple[date, float]]:
    """Changes of the UTC offset between two recorded nights.

    Parameters
    ----------
    days : sequence of date
        Day of each night.
    offset_min : ndarray, shape (n,)
        Offset of each night, NaN where not recorded; such nights are stepped over. [min]

    Returns
    -------
    list of (date, float)
        The first night on the new clock, and by how much it moved; later is positive. [min]

    Notes
    -----
    Offset of a night minus that of the recorded night before.

    *Missing data*: nights without an offset.

    *Worked example*: offset 60 min on 2 March and 540 min on 4 March: the clock moved by 480 min.

    Examples
    --------
    >>> week = [date(2026, 3, day) for day in (2, 3, 4)]
    >>> offset_shifts(week, np.array([60.0, np.nan, 540.0]))
    [(datetime.date(2026, 3, 4), 480.0)]
    """
    nights = np.flatnonzero(~np.isnan(offset_min))
    moves = [
        (int(night), float(offset_min[night] - offset_min[before])) for before, night in pairwise(nights)
    ]
    return [(days[night], minutes) for night, minutes in moves if minutes]


def _travels(nights: Nights) -> list[Circumstance]:
    shifts = offset_shifts(nights.range_days, nights.in_range(nights.utc_offset_min))
    # An hour in either direction is a change to or from summer time.
    return [
        Circumstance(day, day, "travel", f"clock moved by {minutes / 60:+.3g} h".replace("-", "−"))
        for day, minutes in shifts
        if abs(minutes) > 60
    ]
