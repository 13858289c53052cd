"""Untrusted text without the characters that nobody sees and that change how its surroundings read."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

_WHITESPACE = re.compile(r"[^\S\u00a0]+")  # a no-break space keeps a number and its unit together
_UNSTORABLE = re.compile(
    r"[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
"""Control characters, halves of pairs and no characters: no person types them, and PostgreSQL refuses the first."""
_INVISIBLE = re.compile(f"{_UNSTORABLE.pattern}|[\r\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


LONGEST_NAME = 500
"""Characters of the name of an activity."""


MOST_LEVELS = 60
"""Lists and objects within each other of a JSON value that the service stores and the client reads.

A workout with 125 repeats within each other ended pages with RecursionError: orjson reads 1,024 levels and writes 254,
pydantic and `copy.deepcopy` reach Python's limit before. The workouts of the interface need 5.
"""


def is_storable(value: object, *, levels: int = MOST_LEVELS) -> bool:
    """Whether a JSON value has no text, and no name of a field, with a character that no text may have.

    Raises `RecursionError` for a value of more levels.
    """
    if isinstance(value, str):
        return _UNSTORABLE.search(value) is None
    if not isinstance(value, (Mapping, list, tuple)):
        return True
    if not levels:
        raise RecursionError(f"nested deeper than {MOST_LEVELS} levels")
    if isinstance(value, Mapping):
        return all(is_storable(name) and is_storable(each, levels=levels - 1) for name, each in value.items())
    return all(is_storable(each, levels=levels - 1) for each in value)


def visible(text: str | None) -> str:
    """The text without control characters and direction overrides; lines stay."""
    return _INVISIBLE.sub("", text or "")


def name_of(text: str | None, *, longest: int = 200) -> str | None:
    """A name or a title to be stored: one line of visible text; None if nothing is left to see."""
    name = plain(text, longest=longest)
    return name if any(letter.isprintable() for letter in name.replace(" ", "")) else None


def lines_of(text: str | None, *, longest: int = 10_000) -> str | None:
    """A description to be stored: lines of visible text; None if nothing is left to see."""
    cleaned = visible((text or "").replace("\r\n", "\n").replace("\r", "\n")).strip()[:longest]
    return cleaned if name_of(cleaned) else None


def stored_texts(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an activity with its name and description as they are stored; other fields as they are."""
    cleaned = dict(fields)
    if "name" in fields:
        cleaned["name"] = name_of(fields["name"], longest=LONGEST_NAME)
    if "description" in fields:
        cleaned["description"] = lines_of(fields["description"])
    return cleaned


def first_line(error: BaseException) -> str:
    """The first line of an error; of a database's error without the statement and its values."""
    return str(getattr(error, "orig", None) or error).strip().partition("\n")[0]


def plain(text: str | None, *, longest: int = 200) -> str:
    """One line of visible text; long text ends with an ellipsis."""
    line = _WHITESPACE.sub(" ", visible(text)).strip()
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"


def searchable(text: str) -> str:
    """Text for a search: no case, no accents, which a keyboard may lack."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter)).strip()
