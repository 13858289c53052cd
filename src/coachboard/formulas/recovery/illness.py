"""Medical notes: whether a note is an illness, an injury or a test, and the days that an illness or injury lasts."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

from coachboard.wire.enums import Sport


class Medical(StrEnum):
    """The kind of a medical note, by its words."""

    ILLNESS = "illness"
    INJURY = "injury"
    TEST = "test"
    RECOVERED = "recovered"


@dataclass(frozen=True, slots=True)
class MedicalNote:
    """One medical note with its own words."""

    day: date
    title: str
    content: str = ""
    last_day: date | None = None  # set by a person; None if it is not known how long it lasts

    @property
    def end(self) -> date:
        """The last day that the note itself covers."""
        return self.last_day or self.day


@dataclass(frozen=True, slots=True)
class Absence:
    """An illness or injury from its first to its last day, both included; `is_open` if nothing has closed it."""

    kind: Medical
    start: date
    end: date
    title: str  # the words of its newest note
    is_open: bool


# English, German, French, Spanish, Italian: the languages of the demo squad's notes and of most users.
_WORDS = (
    (Medical.RECOVERED, (r"recovered|healthy again|back to (full )?training|fit again|cleared|symptom.free|"
                        r"wieder (gesund|fit)|genesen|guérie?|rétablie?|recuperad[oa]|guarit[oa]")),
    (Medical.INJURY, (r"injur|sprain|strain|fractur|torn|tear\b|tendin|achill|knee|ankle|hamstring|calf|shin|shoulder|"
                     r"crash|fell\b|surgery|stitches|verletz|zerrung|prellung|sturz|blessure|entorse|chute|"
                     r"lesi[oó]n|esguince|ca[ií]da|infortunio|caduta")),
    (Medical.TEST, (r"\btest|blood (test|panel|work|sample)|lab (results?|work)|check.?up|ecg|ekg|screening|vaccin|"
                   r"physio(therapy)? appointment|lactate|blutbild|blutabnahme|untersuchung|impf|leistungsdiagnostik|"
                   r"prise de sang|bilan|vaccin|an[aá]lisis|revisi[oó]n|vacuna|analisi|visita")),
)  # fmt: skip
_PATTERNS = tuple((kind, re.compile(words, re.IGNORECASE)) for kind, words in _WORDS)
_SICK = re.compile(
    r"positive|fever|ill\b|sick|krank|fieber|malade|fi[eè]vre|enferm|fiebre|malat|febbre", re.IGNORECASE
)
_UNCLEAR = re.compile(
    r"crash|fell\b|swollen|swelling|x.?ray|fractur|broken|concussion|sturz|geschwollen|röntgen|bruch|chute|gonflé|"
    r"ca[ií]da|hinchad|caduta|gonfi|frattura",
    re.IGNORECASE,
)
_LOADED = (
    (re.compile(r"knee|ankle|calf|shin|achill|hamstring|foot|knie|wade|genou|cheville|rodilla|tobillo|ginocchio|caviglia",
                re.IGNORECASE), Sport.RUNNING),
    (re.compile(r"shoulder|schulter|épaule|hombro|spalla", re.IGNORECASE), Sport.SWIMMING),
)  # fmt: skip
SAME_ABSENCE_D = 4
"""Notes at most this far apart belong to one absence. [days]"""
LONGEST_OPEN_D = 28
"""An absence without a newer note ends after so many days. [days]"""
CLOSING_SESSIONS = 3
"""Training days within `CLOSING_WINDOW_D` days after the newest note that close an absence."""
CLOSING_WINDOW_D = 7
HARD_COUNTS = 2
"""A hard session counts as so many training days after an injury: an athlete who can do one trains normally."""


def kind_of(title: str) -> Medical:
    """Classify a medical note by its words; a note without a known word is an illness.

    Parameters
    ----------
    title : str
        The words of the note.

    Returns
    -------
    Medical

    Notes
    -----
    Coachboard's own word list in five languages. A test that found an illness ("COVID test positive") is an illness.

    Examples
    --------
    >>> [str(kind_of(t)) for t in ("Blood test", "COVID test positive", "Sprained ankle", "Cold", "Fit again")]
    ['test', 'illness', 'injury', 'illness', 'recovered']
    """
    kind = next((kind for kind, words in _PATTERNS if words.search(title)), Medical.ILLNESS)
    return Medical.ILLNESS if kind is Medical.TEST and _SICK.search(title) else kind


def is_unclear(title: str) -> bool:
    """Whether an injury may be worse than it is known to be: a crash, a swelling, a possible fracture.

    Examples
    --------
    >>> is_unclear("Crash, wrist swollen"), is_unclear("Tight calf")
    (True, False)
    """
    return bool(_UNCLEAR.search(title))


def is_loaded_by(title: str, sport: Sport | None) -> bool:
    """Whether a session in the sport loads the injured part: running a leg, swimming a shoulder.

    Examples
    --------
    >>> is_loaded_by("Tight calf", Sport.RUNNING), is_loaded_by("Tight calf", Sport.SWIMMING)
    (True, False)
    """
    return any(part.search(title) and sport is loading for part, loading in _LOADED)


def absences(
    notes: Iterable[MedicalNote], trained: Collection[date], *, today: date, hard: Collection[date] = ()
) -> tuple[Absence, ...]:
    """Illnesses and injuries with the days that they last, oldest first.

    Parameters
    ----------
    notes : iterable of MedicalNote
        In any order; notes after today do not count.
    trained : collection of date
        Days with a session.
    today : date
        The athlete's day.
    hard : collection of date
        Those of them with a hard session.

    Returns
    -------
    tuple of Absence

    Notes
    -----
    Notes at most 4 days apart are one absence. It ends on the last day that its newest note states. Without one it ends
    the day before a note of recovery, or the day before the first
    of 3 training days within 7 days after its newest note; otherwise it is open until 28 days after that note. After an
    injury a day with a hard session counts as 2 training days; after an illness it does not, since hard training comes
    last on the way back (Schwellnus et al. 2016). Coachboard's own rule.

    Examples
    --------
    >>> cold = MedicalNote(date(2026, 3, 2), "Cold")
    >>> (open_one,) = absences([cold], [], today=date(2026, 3, 6))
    >>> open_one.is_open, (open_one.end - open_one.start).days
    (True, 4)
    >>> back = [date(2026, 3, day) for day in (5, 6, 8)]
    >>> absences([cold], back, today=date(2026, 3, 9))[0].end
    datetime.date(2026, 3, 4)
    """
    groups: list[list[MedicalNote]] = []
    recovered: list[date] = []
    for note in sorted(notes, key=lambda note: note.day):
        kind = kind_of(note.title)
        if note.day > today or kind is Medical.TEST:
            continue
        if kind is Medical.RECOVERED:
            recovered.append(note.day)
        elif (
            groups
            and (note.day - groups[-1][-1].end).days <= SAME_ABSENCE_D
            and not _between(recovered, groups[-1][-1].day, note.day)
        ):
            groups[-1].append(note)
        else:
            groups.append([note])
    days = set(trained)
    again = [day for day in days & set(hard) for _ in range(HARD_COUNTS - 1)]
    return tuple(
        _absence(
            group,
            sorted([*days, *again] if kind_of(group[-1].title) is Medical.INJURY else days),
            recovered,
            today,
        )
        for group in groups
    )


def _between(days: Iterable[date], first: date, last: date) -> bool:
    return any(first <= day <= last for day in days)


def _absence(notes: list[MedicalNote], trained: list[date], recovered: list[date], today: date) -> Absence:
    newest, last_day = notes[-1].day, notes[-1].last_day
    if last_day is not None:
        return Absence(
            kind=kind_of(notes[-1].title),
            start=notes[0].day,
            end=min(today, last_day),
            title=notes[-1].title,
            is_open=today <= last_day,
        )
    closed = min(
        [day for day in recovered if day > newest] + _first_of_a_training_week(trained, newest), default=None
    )
    last_open = newest + timedelta(days=LONGEST_OPEN_D)
    end = min(today, last_open) if closed is None else max(newest, min(closed - timedelta(days=1), last_open))
    return Absence(
        kind=kind_of(notes[-1].title),
        start=notes[0].day,
        end=end,
        title=notes[-1].title,
        is_open=closed is None and today <= last_open,
    )


def _first_of_a_training_week(trained: list[date], newest: date) -> list[date]:
    after = [day for day in trained if day > newest]
    closing = (
        first
        for first, last in zip(after, after[CLOSING_SESSIONS - 1 :], strict=False)
        if (last - first).days < CLOSING_WINDOW_D
    )
    return list(closing)[:1]
