"""Text of strangers on its way to the screen: names, titles, notes and summaries are text and nothing else."""

import re
import unicodedata

# Escaping all punctuation leaves the text as it reads and takes images, links, HTML, LaTeX and icons away;
# bare addresses are still linked by GitHub's Markdown, which a word joiner inside them stops.
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_BARE_ADDRESS = re.compile(r"(?i)(?<=:)(?=//)|(?<=www)(?=\.)|(?<=@)")
_WHITESPACE = re.compile(r"[^\S\u00a0]+")  # a blank that does not break holds a number and its unit together
_INVISIBLE = re.compile(r"[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_WORD_JOINER = "\u2060"


def searchable(text: str) -> str:
    """As a search compares it: without case and accents, which a keyboard may not have."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter)).strip()


def plain(text: str | None, *, longest: int = 200) -> str:
    """One line without control characters or direction overrides, cut with an ellipsis where it is longer."""
    line = _WHITESPACE.sub(" ", _INVISIBLE.sub("", text or "")).strip()
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"


def md(text: str | None, *, longest: int = 2_000) -> str:
    """One line that any element which renders Markdown shows exactly as it was written."""
    line = plain(text, longest=longest)
    return _PUNCTUATION.sub(r"\\\1", _BARE_ADDRESS.sub(_WORD_JOINER, line))


def md_lines(text: str | None, *, longest: int = 20_000) -> str:
    """Several lines shown as they were written: line ends and empty lines kept, nothing else interpreted."""
    cut = (text or "")[:longest]
    lines = [md(line, longest=longest) for line in cut.splitlines()]
    return "  \n".join(line or "\u00a0" for line in lines)
