"""Sessions of one kind that are computed at one go: an hour has 720 cells, and on so few numpy's calls cost the most.

Their cells lie end to end, and whatever sums up, follows or looks ahead begins anew with each session: what comes out
for one does not hang on the others.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coachboard.service.demo.cells import Floats, Ints
from coachboard.service.demo.chance import stretch
from coachboard.service.demo.practice import Practice
from coachboard.service.demo.session import Session

CELLS_AT_MOST = 12_000
"""Of a batch; more gain little, and leave the processor's cache."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Sessions of one practice, recorded by the same devices."""

    sessions: tuple[Session, ...]
    sizes: Ints  # cells of each

    @classmethod
    def of(cls, *sessions: Session) -> "Batch":
        """Those sessions, which are alike."""
        return cls(sessions, np.array([session.cells for session in sessions]))

    @cached_property
    def ends(self) -> Ints:
        """The cell behind the last one of each session."""
        return self.sizes.cumsum()

    @cached_property
    def starts(self) -> Ints:
        """The first cell of each session."""
        return self.ends - self.sizes

    @cached_property
    def kind(self) -> Practice:
        """The practice."""
        return self.sessions[0].kind

    @property
    def sensors(self) -> tuple[str, ...]:
        """What the athlete owns."""
        return self.sessions[0].sensors

    @property
    def is_ride(self) -> bool:
        """Whether laps and climbs are kept."""
        return self.sessions[0].is_ride

    @cached_property
    def is_edge(self) -> NDArray[np.bool_]:
        """Whether a cell is the first or the last of its session."""
        found = np.zeros(len(self), np.bool_)
        found[self.starts] = found[self.ends - 1] = True
        return found

    def __len__(self) -> int:
        return int(self.ends[-1])

    def slices(self) -> Iterator[slice]:
        """The cells of one session after another."""
        return map(slice, self.starts.tolist(), self.ends.tolist())

    def each(self, values: Iterable[float]) -> Floats:
        """A number of each session, for each of its cells."""
        return np.array(list(values), np.float64).repeat(self.sizes)

    def drawn(self, stock: Floats, times: int, shift: int = 0) -> Floats:
        """A stretch of a stock of noise for each session, from a place that hangs on the session alone."""
        return np.concatenate(
            [
                stretch(stock, session.seed * times + shift, size)
                for session, size in zip(self.sessions, self.sizes.tolist(), strict=True)
            ]
        )

    def summed(self, values: Floats) -> Floats:
        """The sum up to the end of each cell, from its session's start."""
        found = np.empty(len(values))
        for here in self.slices():
            values[here].cumsum(out=found[here])
        return found

    def sums(self, values: Floats) -> Floats:
        """The sum of each session."""
        return np.asarray(np.add.reduceat(values, self.starts))

    def means(self, values: Floats) -> Floats:
        """The mean of each session."""
        return self.sums(values) / self.sizes

    def rolled(self, values: Floats, width: int) -> Floats:
        """Means over so many cells, or the shortest session's, from each cell on; the last of a session reach into the next."""
        width = self._window(width)
        return np.convolve(values, np.full(width, 1 / width), "valid")

    def means_rolled(self, rolled: Floats, width: int) -> Floats:
        """The mean of each session's own `rolled` values."""
        counts = self.sizes - (self._window(width) - 1)
        bounds = np.column_stack((self.starts, self.starts + counts)).ravel()[:-1]
        return np.asarray(np.add.reduceat(rolled, bounds)[::2] / counts)

    def _window(self, width: int) -> int:
        return min(width, int(self.sizes.min()))

    def highest(self, values: Floats) -> Floats:
        """The largest value of each session."""
        return np.asarray(np.maximum.reduceat(values, self.starts))

    def lowest(self, values: Floats) -> Floats:
        """The smallest value of each session."""
        return np.asarray(np.minimum.reduceat(values, self.starts))

    def last(self, values: Floats) -> Floats:
        """The last value of each session."""
        return values[self.ends - 1]


def batches(sessions: Sequence[Session]) -> Iterator[list[int]]:
    """The places of those that are computed at one go, batch after batch."""
    open_: dict[tuple[Any, ...], list[int]] = {}
    cells: dict[tuple[Any, ...], int] = {}
    for at, session in enumerate(sessions):
        like = session.practice, session.sensors, session.shape is None
        count = session.cells
        if like in open_ and cells[like] + count > CELLS_AT_MOST:
            yield open_.pop(like)
        if like not in open_:
            open_[like], cells[like] = [], 0
        open_[like].append(at)
        cells[like] += count
    yield from open_.values()
