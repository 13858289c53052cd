"""Untrusted text without the characters that nobody sees and that change how its surroundings read."""

import re

_WHITESPACE = re.compile(r"[^\S\u00a0]+")  # a no-break space keeps a number and its unit together
_INVISIBLE = re.compile(
    r"[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)


def visible(text: str | None) -> str:
    """The text without control characters and direction overrides; lines stay."""
    return _INVISIBLE.sub("", text or "")


def first_line(error: BaseException) -> str:
    """The first line of an error; of a database's error without the statement and its values."""
    return str(getattr(error, "orig", None) or error).strip().partition("\n")[0]


def plain(text: str | None, *, longest: int = 200) -> str:
    """One line of visible text; long text ends with an ellipsis."""
    line = _WHITESPACE.sub(" ", visible(text)).strip()
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"
