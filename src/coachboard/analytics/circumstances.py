"""What explains a trend: illness, rest, travel and races, as stretches of days."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

import numpy as np

from coachboard.analytics.nights import Nights
from coachboard.models.enums import NoteType
from coachboard.models.plans import Event, Note


@dataclass(frozen=True, slots=True)
class Circumstance:
    """A stretch or day that explains what the trends do."""

    start: date
    end: date
    kind: str  # "medical", "rest day", "race", "travel"
    title: str


EXPLAINING_NOTES = frozenset({NoteType.MEDICAL, NoteType.REST_DAY, NoteType.AVAILABILITY})


def circumstances(notes: Sequence[Note], events: Sequence[Event], nights: Nights) -> tuple[Circumstance, ...]:
    """Notes that explain a trend, races, and nights after which the clock had moved.

    Parameters
    ----------
    notes : sequence of Note
        Medical, rest day and availability notes count; those of one kind on days in a row are one stretch.
    events : sequence of Event
        Each is a race.
    nights : Nights
        A change of `utcOffset` by more than an hour between recorded nights is travel. [min]

    Returns
    -------
    tuple of Circumstance
        By first day.

    Examples
    --------
    >>> from coachboard.analytics.nights import nights_of
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
        if note.type in EXPLAINING_NOTES
    ]
    races = [Circumstance(event.date, event.date, "race", event.name) for event in events]
    return tuple(sorted([*_joined(dated), *races, *_travels(nights)], key=lambda stretch: stretch.start))


def _joined(stretches: Sequence[Circumstance]) -> list[Circumstance]:
    """Notes of one kind on days that follow each other are one stretch."""
    joined: list[Circumstance] = []
    for stretch in sorted(stretches, key=lambda stretch: (stretch.kind, stretch.start)):
        last = joined[-1] if joined else None
        if last and last.kind == stretch.kind and (stretch.start - last.end).days <= 1:
            joined[-1] = Circumstance(last.start, stretch.end, last.kind, last.title)
        else:
            joined.append(stretch)
    return joined


def _travels(nights: Nights) -> list[Circumstance]:
    offset = nights.shown(nights.utc_offset_min)
    days = nights.days[nights.shown_from :]
    known = np.flatnonzero(~np.isnan(offset))
    moves = [(int(at), offset[at] - offset[before]) for before, at in pairwise(known)]
    # An hour either way is the change to or from summer time, which everybody has.
    return [
        Circumstance(days[at], days[at], "travel", f"clock moved by {hours / 60:+.0f} h".replace("-", "−"))
        for at, hours in moves
        if abs(hours) > 60
    ]
