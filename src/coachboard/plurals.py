"""Counts with their noun, durations, and the digits of numbers, for pages, commands, flags and the service."""

from math import nan

_MOST_MORE_DIGITS = 2


def noun(total: float, singular: str, plural: str | None = None) -> str:
    """`athlete` for 1 and −1, `athletes` for every other number."""
    return singular if abs(total) == 1 else plural or singular + "s"


def count(total: int, singular: str, plural: str | None = None, *, signed: bool = False) -> str:
    """`1 athlete`, `1,200 athletes`; with a sign `+1 day`, `−2 days`."""
    sign = "−" if total < 0 else "+" if signed and total > 0 else ""
    return f"{sign}{abs(total):,} {noun(total, singular, plural)}"


def duration_hm(seconds: float) -> str:
    """`7h45`, `2h00`, `45 min`; never `7:45`, which in a session is minutes and seconds."""
    minutes = round(abs(seconds) / 60)
    whole, rest = divmod(minutes, 60)
    text = f"{whole:,}h{rest:02}" if whole else f"{rest} min"
    return f"−{text}" if seconds < 0 and minutes else text


def digits_to_tell(value: float, low: float, high: float, digits: int = 0) -> int:
    """The digits that tell a value outside a range from the bound it has passed: 94.7 below 95.2 needs one.

    `digits`, or up to two more while value and bound would read the same; `low` and `high` are NaN where unknown.
    """
    passed = low if value < low else high if value > high else nan
    more = range(digits, digits + _MOST_MORE_DIGITS)
    return next((n for n in more if round(value, n) != round(passed, n)), digits + _MOST_MORE_DIGITS)
