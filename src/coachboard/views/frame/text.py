"""Untrusted text (names, titles, notes, summaries) as plain text for the screen."""

import re
import unicodedata

# Escaping all punctuation keeps the text readable and disables images, links, HTML, LaTeX and icons.
# GitHub's Markdown still links bare addresses; a word joiner inside them stops it.
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_BARE_ADDRESS = re.compile(r"(?i)(?<=:)(?=//)|(?<=www)(?=\.)|(?<=@)")
_WHITESPACE = re.compile(r"[^\S\u00a0]+")  # a no-break space keeps a number and its unit together
_INVISIBLE = re.compile(r"[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_WORD_JOINER = "\u2060"


def searchable(text: str) -> str:
    """Text for a search: no case, no accents, which a keyboard may lack."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter)).strip()


def plain(text: str | None, *, longest: int = 200) -> str:
    """One line without control characters and direction overrides; long text ends with an ellipsis."""
    line = _WHITESPACE.sub(" ", _INVISIBLE.sub("", text or "")).strip()
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"


def md(text: str | None, *, longest: int = 2_000) -> str:
    """One line that a Markdown element shows literally."""
    line = plain(text, longest=longest)
    return _PUNCTUATION.sub(r"\\\1", _BARE_ADDRESS.sub(_WORD_JOINER, line))


def md_lines(text: str | None, *, longest: int = 20_000) -> str:
    """Several lines that a Markdown element shows literally, with line ends and empty lines."""
    cut = (text or "")[:longest]
    lines = [md(line, longest=longest) for line in cut.splitlines()]
    return "  \n".join(line or "\u00a0" for line in lines)
