"""Counts with their noun: singular and plural for pages, commands and the service."""


def noun(total: float, one: str, many: str | None = None) -> str:
    """`athlete` for 1 and −1, `athletes` for every other number."""
    return one if abs(total) == 1 else many or one + "s"


def count(total: int, one: str, many: str | None = None, *, signed: bool = False) -> str:
    """`1 athlete`, `1,200 athletes`; with a sign `+1 day`, `−2 days`."""
    sign = "−" if total < 0 else "+" if signed and total > 0 else ""
    return f"{sign}{abs(total):,} {noun(total, one, many)}"
