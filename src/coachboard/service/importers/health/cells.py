"""Cells of CSV files as days, moments, durations and numbers."""

import re
from collections.abc import Sequence
from datetime import date, datetime, time
from statistics import median

LONGEST = 100
"""Characters of a cell that can hold a moment, a number or a duration.

The patterns below take the square of the length: one cell of 8,000 characters held the process for 5 s.
"""
_FORMATS = ("%b %d, %Y", "%d %b %Y", "%B %d, %Y", "%d %B %Y", "%b %d %Y")
_TIMES = ("%H:%M:%S", "%H:%M", "%I:%M:%S %p", "%I:%M %p", "%I:%M%p")
_NUMERIC = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})\b")
_H_M = re.compile(
    r"(?:(\d+)\s*h(?:r|rs|ours?)?)?\s*(?:(\d+)\s*m(?:in|ins|inutes)?)?\s*(?:(\d+)\s*s(?:ec)?)?", re.IGNORECASE
)


def is_day_first(cells: Sequence[str]) -> bool:
    """Whether a column writes 31/12/2026 rather than 12/31/2026; dots always do."""
    found = [match for cell in cells if (match := _NUMERIC.match(cell))]
    return any(match[2] == "." or int(match[1]) > 12 for match in found)


def read_moment(cell: str, *, day_first: bool) -> datetime | None:
    """A moment in a cell, with its zone if it has one; None if the cell is none. A day alone is its midnight."""
    text = cell.strip().replace("\u202f", " ")
    if len(text) > LONGEST:
        return None
    try:
        return datetime.fromisoformat(text.replace(" UTC", "+00:00"))
    except ValueError:
        pass
    day_text, clock = _split(text)
    day = _read_day(day_text, day_first=day_first)
    if day is None:
        return None
    if not clock:
        return datetime.combine(day, time())
    at = read_clock(clock)
    return None if at is None else datetime.combine(day, at)


def _split(text: str) -> tuple[str, str]:
    match = re.search(r"[ ,T]+(\d{1,2}:\d{2}(:\d{2})?(\.\d+)?\s*([ap]m)?)$", text, re.IGNORECASE)
    return (text, "") if match is None else (text[: match.start()].rstrip(","), match[1])


def _read_day(text: str, *, day_first: bool) -> date | None:
    match = _NUMERIC.fullmatch(text)
    try:
        if match is not None:
            one, other, year = int(match[1]), int(match[3]), int(match[4])
            return date(year, other, one) if day_first else date(year, one, other)
        return date.fromisoformat(text)
    except ValueError:
        pass
    for form in _FORMATS:
        try:
            return datetime.strptime(text, form).date()  # noqa: DTZ007 (a day has no zone)
        except ValueError:
            continue
    return None


def read_clock(text: str) -> time | None:
    """A time of day such as 22:15 or 10:15 PM."""
    if len(text) > LONGEST:
        return None
    cleaned = re.sub(r"\.\d+", "", text.strip().upper())
    for form in _TIMES:
        try:
            return datetime.strptime(cleaned, form).time()  # noqa: DTZ007 (a time of day has no zone)
        except ValueError:
            continue
    return None


def read_number(cell: str) -> float | None:
    """A number with a decimal point or comma, without its unit (kg, lb, bpm, ms, %), which converts nothing.

    None for an empty cell or a word for a missing value. Raises `ValueError` for another text.
    """
    if len(cell) > LONGEST:
        raise ValueError("too long for a number")
    text = re.sub(r"(%|kg|lbs?|bpm|ms)$", "", re.sub(r"[\s\u00a0]", "", cell))
    if text in {"", "-", "--", "\u2013", "null", "None", "NaN", "N/A"}:
        return None
    if "," in text and "." not in text:
        text = text.replace(",", ".")
    return float(text.replace(",", ""))


def read_durations(cells: Sequence[str], factor: float | None) -> list[float | None]:
    """Durations in seconds: 7h 32m, 7:32, or numbers in the unit of the header, else in the unit that fits them all.

    Raises `ValueError` for a cell that is none.
    """
    found = [_written(cell) for cell in cells]
    numbers = [
        None if value is not None else read_number(cell) for value, cell in zip(found, cells, strict=True)
    ]
    scale = factor or _scale([number for number in numbers if number])
    return [
        value if value is not None else None if number is None else number * scale
        for value, number in zip(found, numbers, strict=True)
    ]


def _written(cell: str) -> float | None:
    text = cell.strip()
    if len(text) > LONGEST:
        return None
    clock = re.fullmatch(r"(\d{1,2}):(\d{2})(?::(\d{2}))?", text)
    match = clock or (_H_M.fullmatch(text) if re.search(r"[hms]", text, re.IGNORECASE) else None)
    if match is None or not any(match.groups()):
        return None
    hours, minutes, seconds = (int(group or 0) for group in match.groups())
    return hours * 3600.0 + minutes * 60 + seconds


def _scale(numbers: Sequence[float]) -> float:
    usual = median(numbers) if numbers else 0
    if usual <= 24:
        return 3600.0
    return 60.0 if usual <= 24 * 60 else 1.0
