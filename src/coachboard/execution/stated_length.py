"""The last day of an absence by the words of its note: "Two weeks away", "out for ten days", "travelling until Friday"."""

import re
from collections.abc import Iterator
from datetime import date, timedelta

# English, German, French, Spanish, Italian: the languages of `illness`.
_COUNTS = (
    "a an one ein eine einen un une una",
    "two zwei deux dos due",
    "three drei trois tres tre",
    "four vier quatre cuatro quattro",
    "five fünf cinq cinco cinque",
    "six sechs seis sei",
    "seven sieben sept siete sette",
    "eight acht huit ocho otto",
    "nine neun neuf nueve nove",
    "ten zehn dix diez dieci",
)
_NUMBERS = {word: n for n, words in enumerate(_COUNTS, start=1) for word in words.split()} | {"fourteen": 14}
_WEEKDAYS = (
    "mon montag lun",
    "tue dienstag mar",
    "wed mittwoch mer mié mie",
    "thu donnerstag jeu jue gio",
    "fri freitag ven vie",
    "sat samstag sam sáb sab",
    "sun sonntag dim dom",
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LENGTH = re.compile(
    rf"\b(\d{{1,2}}|{'|'.join(_NUMBERS)})\s+(?:full\s+|whole\s+)?"
    r"(?:(days?|tagen?|tage?|jours?|d[ií]as?|giorn[io])|weeks?|wochen?|semaines?|semanas?|settiman[ae])\b",
    re.IGNORECASE,
)
_UNTIL = re.compile(
    r"\b(?:until|till?|through|bis|jusqu['’]?\s?(?:au|à)?|hasta|fino a)\s+(?:next |the |zum |el |al )?"
    r"(?:(\d{4}-\d\d-\d\d)|(\d{1,2})(?:st|nd|rd|th)?\s+([a-z]{3})[a-z]*|([a-z]{3})[a-z]*\s+(\d{1,2})(?:st|nd|rd|th)?\b|([a-zäéáì]{3,}))",
    re.IGNORECASE,
)
_NO_START = frozenset({"in", "every", "each", "last", "past", "since", "once", "twice", "times", "days", "vor", "seit", "alle",
    "dans", "depuis", "hace", "cada", "fa"})  # fmt: skip
"""Words before a count that is no length from the note on: "again in two weeks", "once a week"."""
_NO_END = re.compile(r"\s*(?:ago|a week|per|before|later|now|pro)\b", re.IGNORECASE)
_PARTLY = re.compile(r"\b(?:only|nur|seulement|s[oó]lo|soltanto)\b", re.IGNORECASE)
"""An athlete who has only mornings has time to train: such a note excuses its own day."""
LONGEST_D = 84
"""A longer absence is a slip of the pen, or no absence from training. [days]"""


def stated_end(text: str, start: date) -> date | None:
    """The last day of the absence that a note states, counted from its own day.

    Parameters
    ----------
    text : str
        Title and content of the note.
    start : date
        Its day.

    Returns
    -------
    date or None
        None without a length, and for a note about part of the days.

    Notes
    -----
    A number of days or weeks, or "until" with a weekday or a date, which counts as away; the latest of several. Word list in five
    languages, months in English. Coachboard's own.

    Examples
    --------
    >>> friday = date(2026, 7, 3)
    >>> str(stated_end("Holiday. Two weeks away, no pool.", friday)), str(stated_end("Travelling until Tuesday", friday))
    ('2026-07-16', '2026-07-07')
    >>> stated_end("Only mornings until Thursday", friday), stated_end("Exams", friday)
    (None, None)
    """
    if _PARTLY.search(text):
        return None
    ends = [
        end for end in (*_counted(text, start), *_named(text, start)) if 0 < (end - start).days < LONGEST_D
    ]
    return max(ends, default=None)


def _counted(text: str, start: date) -> Iterator[date]:
    for match in _LENGTH.finditer(text):
        before = text[: match.start()].split()[-1:]
        if (before and before[0].lower() in _NO_START) or _NO_END.match(text, match.end()):
            continue
        number = match[1].lower()
        count = int(number) if number.isdigit() else _NUMBERS[number]
        yield start + timedelta(days=count * (1 if match[2] else 7) - 1)


def _named(text: str, start: date) -> Iterator[date]:
    for match in _UNTIL.finditer(text):
        iso, day, month, month_first, day_after, weekday = match.groups()
        if iso or day or day_after:
            yield from _dated(iso, day or day_after, (month or month_first or "").lower(), start)
        else:
            yield from _on_weekday((weekday or "").lower(), start)


def _dated(iso: str | None, day: str | None, month: str, start: date) -> Iterator[date]:
    try:
        if iso:
            yield date.fromisoformat(iso)
        elif month in _MONTHS:
            end = date(start.year, _MONTHS.index(month) + 1, int(day or 0))
            yield end if end >= start else end.replace(year=start.year + 1)
    except ValueError:
        return  # 31 June


def _on_weekday(word: str, start: date) -> Iterator[date]:
    for number, names in enumerate(_WEEKDAYS):
        if any(word.startswith(name) for name in names.split()):
            yield start + timedelta(days=(number - start.weekday() - 1) % 7 + 1)
