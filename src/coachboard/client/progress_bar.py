"""How a sync tells how far it is: a bar that fits the terminal, a line every tenth of the way elsewhere."""

import os
import sys
import time
import unicodedata

import click

from coachboard.client.sync import SyncProgress
from coachboard.client.waiting import Waiting

WIDEST = 30
NARROWEST = 8
# What is left to the words, always the same, or the bar would change its length with them.
_FIGURES = 27
_DOING = 36
_USUAL_COLUMNS = 80
_LONG_S = 2.0
"""How long an answer may take before the bar says what it waits for."""


class ProgressBar:
    """The progress of one sync on standard error."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._tenth = -1
        self._width = 0  # of what stands on the line
        self._progress = SyncProgress(0, 0, None, "")
        self._told_at = time.monotonic()

    def show(self, progress: SyncProgress) -> None:
        """Tell how far it is."""
        self._progress, self._told_at = progress, time.monotonic()
        if self._is_terminal:
            self._draw(progress.doing)
            return
        tenth = int(_share(progress) * 10)
        if tenth != self._tenth:
            self._tenth = tenth
            click.echo(self._figures(), err=True)

    def wait(self, waiting: Waiting) -> None:
        """Tell what it waits for: the limit with the seconds left, an answer that takes long."""
        if not self._is_terminal:
            return
        reason = waiting.reason.replace("the service's", "the")  # or it would not fit beside the bar
        if waiting.seconds_left:
            self._draw(f"waiting {duration(waiting.seconds_left)} for {reason}")
        elif waiting.seconds_left is None and waiting.seconds_so_far > _LONG_S:
            self._draw(f"waiting for {reason}")

    def end(self) -> None:
        """Leave the line."""
        if self._is_terminal and self._width:
            click.echo(err=True)

    @property
    def how_far(self) -> str:
        """What was done, for a last word."""
        return f"{self._progress.done} of {self._progress.total}"

    def _figures(self) -> str:
        if self._progress.seconds_left is None:
            return self.how_far
        left = self._progress.seconds_left - (time.monotonic() - self._told_at)
        if self._progress.done < self._progress.total:
            left = max(1.0, left)  # nothing left is said of what is done alone
        return f"{self.how_far}, {duration(max(0.0, left))} left"

    def _draw(self, doing: str) -> None:
        line = fitted(self._figures(), _share(self._progress), printable(doing), _columns() - 1)
        width = _width_of(line)
        click.echo(f"\r{line}{' ' * (self._width - width)}", nl=False, err=True)
        self._width = width


def fitted(figures: str, share: float, doing: str, columns: int) -> str:
    """The line within so many columns: the figures come first, then the bar, then what is being done."""
    rooms = (columns - _FIGURES - _DOING, columns - _FIGURES)
    room = next((min(WIDEST, room) for room in rooms if room >= NARROWEST), 0)
    bar = f"[{'#' * int(share * room):<{room}}] " if room else ""
    return _cut(f"{bar}{figures}  {doing}", columns).rstrip()


def _cut(text: str, columns: int) -> str:
    width = 0
    for place, letter in enumerate(text):
        width += _width_of(letter)
        if width > columns:
            return text[:place]
    return text


def _width_of(text: str) -> int:
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )


def printable(text: str) -> str:
    """Without what would steer the terminal: names and messages are strangers' text."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _share(progress: SyncProgress) -> float:
    return progress.done / progress.total if progress.total else 0.0


def _columns() -> int:
    try:
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):  # no terminal, or none with a size
        return _USUAL_COLUMNS
    return columns or _USUAL_COLUMNS
