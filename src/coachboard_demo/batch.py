"""Sessions of one kind that are computed at one go: an hour has 720 cells, and on so few numpy's calls cost the most."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from coachboard_demo.cells import CELL_S, Floats, Ints
from coachboard_demo.chance import stretch
from coachboard_demo.routes import Shape
from coachboard_demo.rows import Rows
from coachboard_demo.session import Done, Session

CELLS_AT_MOST = 60_000
"""Of a batch: half a megabyte for each quantity. A fifth of that takes an eighth longer."""
_SHORT_CELLS = 6
_LEVEL = frozenset({None, Shape.TRACK})


class Batch(Rows):
    """The cells of sessions of one practice, recorded by the same devices."""

    def __init__(self, *sessions: Session) -> None:
        super().__init__(np.array([session.cells for session in sessions]))
        self.sessions = sessions
        self.kind = sessions[0].kind
        self.sensors = sessions[0].sensors
        self.is_ride = sessions[0].is_ride
        self._blocks: dict[int, tuple[Ints, Ints]] = {}

    @cached_property
    def done(self) -> list[Done]:
        """What was done, stretch by stretch, session by session."""
        return [part for session in self.sessions for part in session.done]

    @cached_property
    def workouts(self) -> Rows:
        """The stretches of each session."""
        return Rows(np.array([len(session.done) for session in self.sessions]))

    @cached_property
    def parts(self) -> Rows:
        """The cells of each stretch."""
        return Rows(np.array([part.duration_s for part in self.done]) // CELL_S)

    def body(self, quantity: str) -> Floats:
        """What each athlete could do on that day, by its name in `Body`."""
        return np.array([getattr(session.body, quantity) for session in self.sessions], np.float64)

    def drawn(self, stock: Floats, times: int, shift: int = 0, *, counts: Ints | None = None) -> Floats:
        """Noise for each session, out of a stock from a place that hangs on the session alone: of its cells, or so many."""
        sizes = self.sizes if counts is None else counts
        return np.concatenate(
            [
                stretch(stock, session.seed * times + shift, size)
                for session, size in zip(self.sessions, sizes.tolist(), strict=True)
            ]
        )

    def drawn_for(self, cells: int, stock: Floats, times: int, shift: int) -> Floats:
        """The same where one number holds for so many cells."""
        if cells not in self._blocks:
            blocks = Rows(self.sizes // cells + 1)
            self._blocks[cells] = blocks.sizes, self.each(blocks.starts) + self.gone // cells
        counts, places = self._blocks[cells]
        return self.drawn(stock, times, shift, counts=counts).take(places)


def batches(sessions: Sequence[Session]) -> Iterator[list[int]]:
    """The places of those that are computed at one go, batch after batch."""
    open_: dict[tuple[Any, ...], list[int]] = {}
    cells: dict[tuple[Any, ...], int] = {}
    for at, session in enumerate(sessions):
        count = session.cells
        ground = session.shape if session.shape in _LEVEL else "hills"
        # Who has fewer cells than a mean of 30 s takes would shorten that of the others.
        like = session.practice, session.sensors, ground, min(count, _SHORT_CELLS)
        if like in open_ and cells[like] + count > CELLS_AT_MOST:
            yield open_.pop(like)
        if like not in open_:
            open_[like], cells[like] = [], 0
        open_[like].append(at)
        cells[like] += count
    yield from open_.values()
