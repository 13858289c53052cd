"""Cells of CSV files as days, moments, durations and numbers."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from statistics import median
from zoneinfo import ZoneInfo

from coachboard.service.importers.plausible import is_plausible_day

LONGEST = 100
"""Characters of a cell that can hold a moment, a number or a duration.

The patterns below take the square of the length: one cell of 8,000 characters held the process for 5 s.
"""
_ORDERS = ("ymd", "mdy", "dmy", "ydm")
"""Of the numbers in a day, the most usual first."""
_NUMERIC = re.compile(r"(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})(?!\d)[T ,]*")
_WORD = r"([^\W\d]{3,12})\.?"
_NAMED = re.compile(
    rf"(?:[^\W\d]+\.?,?\s+)?(?:(\d{{1,2}})\.?[\s-]+(?:de\s+)?{_WORD},?[\s-]+(?:de\s+)?(\d{{4}})"
    rf"|{_WORD}\s+(\d{{1,2}}),?\s+(\d{{4}}))(?!\d)[T ,]*"
)
_MONTHS = (
    ("jan", "gen", "ene"), ("feb", "fev"), ("mar", "maa", "mrt", "mrz"), ("apr", "avr", "abr"),
    ("may", "mai", "mag", "mei"), ("jun", "juin", "giu"), ("jul", "juil", "lug"), ("aug", "aou", "ago"),
    ("sep", "set"), ("oct", "okt", "ott", "out"), ("nov",), ("dec", "dez", "dic"),
)  # fmt: skip
"""How the months begin in English, German, French, Spanish, Italian, Portuguese and Dutch, without accents."""
_OFFSET = r"(?:UTC|GMT)?Z?\s*(?:([+-])(\d{1,2}):?(\d{2})?)?"
_CLOCK = re.compile(
    rf"(\d{{1,2}}):(\d{{2}})(?::(\d{{2}})(?:[.,]\d+)?)?\s*([ap]m)?\s*({_OFFSET})", re.IGNORECASE
)
_H_M = re.compile(
    r"(?:(\d+)\s*(?:h(?:rs?|ours?|eures?|oras?)?|std\.?|u(?:ur)?)(?![a-z]))?\s*"
    r"(?:(\d+)\s*m(?:in(?:s|utes?)?)?\.?(?![a-z]))?\s*(?:(\d+)\s*s(?:ec)?)?",
    re.IGNORECASE,
)
_MISSING = frozenset({"", "-", "--", "\u2013", "\u2014", "null", "none", "nan", "n/a", "na"})


def order_of(cells: Sequence[str], beside: Iterable[str] = ()) -> str:
    """The order in which a column writes its days: that in which most of them are days.

    Of several, year-month-day, and day-month-year with dots; else the order in which the days are closest together,
    with those `beside` it in other columns: one start and one end of a night are a day apart at most.
    """
    numeric_days = [match for cell in cells if (match := _NUMERIC.match(cell.strip()))]
    others = (match for cell in beside if (match := _NUMERIC.match(cell.strip())))
    numeric_days += [
        match for match in others if numeric_days and _is_year_first(match) == _is_year_first(numeric_days[0])
    ]
    dots = any(match[2] == "." for match in numeric_days)

    def rank(order: str) -> tuple[int, bool, int]:
        days = [
            day for match in numeric_days if (day := _numeric_day(match, order)) and is_plausible_day(day)
        ]
        is_second_choice = order == "ydm" or (dots and order == "mdy")
        return -len(days), is_second_choice, (max(days) - min(days)).days if days else 0

    return min(_ORDERS, key=rank)


def read_moment(cell: str, order: str = "mdy") -> datetime | None:
    """A moment in a cell, with its zone if it has one; None if the cell is none. A day alone is its midnight.

    `order` is that of days in numbers; a year in front is followed by the month, unless the order is `ydm`.
    """
    text = _cleaned(cell)
    if len(text) > LONGEST:
        return None
    match = _NUMERIC.match(text) or _NAMED.match(text)
    if match is None:
        return _basic_iso(text)
    numeric = match.re is _NUMERIC
    is_year_first = numeric and _is_year_first(match)
    day = (
        _numeric_day(match, "ymd" if is_year_first and order != "ydm" else order)
        if numeric
        else _named_day(match)
    )
    rest = text[match.end() :]
    clock_text = _CLOCK.fullmatch(rest) if rest else None
    if day is None or (rest and clock_text is None):
        return None
    clock = time() if clock_text is None else _time(clock_text)
    return None if clock is None else datetime.combine(day, clock)


def _cleaned(cell: str) -> str:
    """The cell with plain blanks, and with AM and PM for the `a. m.` and `p. m.` of Spanish phones."""
    text = re.sub(r"[\u202f\u00a0\u2009]", " ", cell).strip()
    if len(text) > LONGEST:
        return text
    text = re.sub("[年月]", "-", text).replace("日", " ")
    return re.sub(r"\b([ap])\.?\s?m\b\.?", r"\1m", text, flags=re.IGNORECASE).strip()


def _basic_iso(text: str) -> datetime | None:
    """A moment such as 20260502 or 20260502T063000Z."""
    try:
        return datetime.fromisoformat(text) if re.match(r"\d{8}(T|$)", text) else None
    except ValueError:
        return None


def _is_year_first(match: re.Match[str]) -> bool:
    return len(match[1]) == 4


def _numeric_day(match: re.Match[str], order: str) -> date | None:
    """A year has four digits, or two if it comes last."""
    parts = dict(zip(order, (match[1], match[3], match[4]), strict=True))
    is_year = len(parts["y"]) == 4 or (len(parts["y"]) == 2 and order[-1] == "y")
    if not is_year or max(len(parts["m"]), len(parts["d"])) > 2:
        return None
    year = int(parts["y"]) + (2000 if len(parts["y"]) == 2 else 0)
    return _day(year, int(parts["m"]), int(parts["d"]))


def _named_day(match: re.Match[str]) -> date | None:
    number, word, year = match.group(1, 2, 3) if match[1] else match.group(5, 4, 6)
    letters = unicodedata.normalize("NFKD", word.lower())
    name = "".join(letter for letter in letters if not unicodedata.combining(letter))
    month = next((place for place, begins in enumerate(_MONTHS, start=1) if name.startswith(begins)), 0)
    return _day(int(year), month, int(number))


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _time(match: re.Match[str]) -> time | None:
    hour, minute, second = (int(part or 0) for part in match.group(1, 2, 3))
    half = (match[4] or "").lower()
    if half and hour <= 12:
        hour = hour % 12 + 12 * (half == "pm")
    try:
        return time(hour, minute, second, tzinfo=read_zone(match[5]))
    except ValueError:
        return None


def read_clock(text: str) -> time | None:
    """A time of day such as 22:15 or 10:15 PM."""
    if len(text) > LONGEST:
        return None
    match = _CLOCK.fullmatch(_cleaned(text))
    return None if match is None else _time(match)


def read_zone(text: str) -> tzinfo | None:
    """A time zone such as UTC+02:00, -0400, Z or Europe/Berlin; None for another text."""
    cleaned = text.strip()
    match = re.fullmatch(_OFFSET, cleaned, re.IGNORECASE) if len(cleaned) <= LONGEST else None
    if not cleaned or (match is None and "/" not in cleaned):
        return None
    try:
        if match is None:
            return ZoneInfo(cleaned)
        offset = timedelta(hours=int(match[2] or 0), minutes=int(match[3] or 0))
        return timezone(-offset if match[1] == "-" else offset) if offset else UTC
    except (OSError, ValueError):
        return None


def is_missing(cell: str) -> bool:
    """Whether a cell is blank, a dash or another word for no value."""
    return cell.strip().lower() in _MISSING


def read_number(cell: str) -> float | None:
    """A number with a decimal point or comma, without its unit (kg, lb, bpm, ms, %), which `unit_of` names.

    None for an empty cell or a word for a missing value. Raises `ValueError` for another text.
    """
    if len(cell) > LONGEST:
        raise ValueError("too long for a number")
    text = re.sub(r"[\s\u00a0]", "", cell)
    if is_missing(text):
        return None
    text = re.sub(r"(%|kg|lbs?|bpm|ms|°[CF]?)$", "", text)
    if "," in text and text.rfind(",") > text.rfind("."):
        text = text.replace(".", "").replace(",", ".")
    return float(text.replace(",", ""))


def unit_of(cells: Sequence[str]) -> str:
    """The unit behind the numbers of a column, in brackets: `(lb)` for 157.4 lb."""
    units = (re.search(r"\d\s?([a-z]{1,6})$", cell[-20:].strip(), re.IGNORECASE) for cell in cells)
    return next((f"({unit[1]})" for unit in units if unit), "")


def read_durations(cells: Sequence[str], factor: float | None) -> list[float | None]:
    """Durations in seconds: 7h 32m, 7:32, or numbers in the unit of the header, else in the unit that fits them all.

    Raises `ValueError` for a cell that is none.
    """
    written_s = [_written(cell) for cell in cells]
    numbers = [
        None if value is not None else read_number(cell) for value, cell in zip(written_s, cells, strict=True)
    ]
    scale = factor or _scale([number for number in numbers if number])
    return [
        value if value is not None else None if number is None else number * scale
        for value, number in zip(written_s, numbers, strict=True)
    ]


def _written(cell: str) -> float | None:
    text = cell.strip()
    if len(text) > LONGEST:
        return None
    clock = re.fullmatch(r"(\d{1,2}):(\d{2})(?::(\d{2}))?", text)
    match = clock or (_H_M.fullmatch(text) if re.search(r"[hmsu]", text, re.IGNORECASE) else None)
    if match is None or not any(match.groups()):
        return None
    hours, minutes, seconds = (int(group or 0) for group in match.groups())
    return hours * 3600.0 + minutes * 60 + seconds


def _scale(numbers: Sequence[float]) -> float:
    usual = median(numbers) if numbers else 0
    if usual <= 24:
        return 3600.0
    return 60.0 if usual <= 24 * 60 else 1.0
