"""Untrusted text (names, titles, notes, summaries) as plain text for the screen."""

import re

from coachboard.plain_text import plain

__all__ = ["md", "md_lines", "plain"]

# Escaping all punctuation keeps the text readable and disables images, links, HTML, LaTeX and icons.
# GitHub's Markdown still links bare addresses; a word joiner inside them stops it.
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_BARE_ADDRESS = re.compile(r"(?i)(?<=:)(?=//)|(?<=www)(?=\.)|(?<=@)")
_WORD_JOINER = "\u2060"
_LONGEST_TEXT = 20_000


def md(text: str | None, *, longest: int = 2_000) -> str:
    """One line that a Markdown element shows literally."""
    line = plain(text, longest=longest)
    return _PUNCTUATION.sub(r"\\\1", _BARE_ADDRESS.sub(_WORD_JOINER, line))


def md_lines(text: str | None) -> str:
    """Several lines that a Markdown element shows literally, with line ends and empty lines."""
    cut = (text or "")[:_LONGEST_TEXT]
    lines = [md(line, longest=_LONGEST_TEXT) for line in cut.splitlines()]
    return "  \n".join(line or "\u00a0" for line in lines)
