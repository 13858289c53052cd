"""Spans of cells in the sessions of a batch: laps and climbs, before anything of them is written down."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

import numpy as np

from coachboard_demo.batch import Batch
from coachboard_demo.cells import Floats, Ints
from coachboard_demo.session import moments


@dataclass(frozen=True, slots=True)
class Spans:
    """Spans, each within one session."""

    batch: Batch
    of: Ints  # the place of the session in the batch
    starts: Ints
    ends: Ints  # the cell behind the last

    def __len__(self) -> int:
        return len(self.of)

    @property
    def cells(self) -> Ints:
        """How many each has."""
        return self.ends - self.starts

    @property
    def first(self) -> Ints:
        """The first cell, counted from the session's start."""
        return self.starts - self.batch.starts[self.of]

    @property
    def last(self) -> Ints:
        """The last cell, likewise."""
        return self.ends - 1 - self.batch.starts[self.of]

    def after(self, count: int) -> "Spans":
        """All but the first so many."""
        return Spans(self.batch, self.of[count:], self.starts[count:], self.ends[count:])

    def moments(self, indices: Sequence[int]) -> list[str]:
        """When the sample of each was recorded, as the wire writes it."""
        found: list[str] = []
        of_each = groupby(zip(self.of.tolist(), indices, strict=True), key=itemgetter(0))
        for at, pairs in of_each:
            found += moments(self.batch.sessions[at], [index for _, index in pairs])
        return found

    def means(self, values: Floats) -> Floats:
        """The mean of each."""
        return np.asarray(np.add.reduceat(_longer(values), self._bounds())[::2] / self.cells)

    def highest(self, values: Floats) -> Floats:
        """The largest value of each."""
        return np.asarray(np.maximum.reduceat(_longer(values), self._bounds())[::2])

    def lowest(self, values: Floats) -> Floats:
        """The smallest value of each."""
        return np.asarray(np.minimum.reduceat(_longer(values), self._bounds())[::2])

    def reached(self, values: Floats) -> tuple[Floats, Floats]:
        """What a sum that is kept at the end of each cell, from 0 on, is before and after each."""
        return np.where(self.first > 0, values[self.starts - 1], 0.0), values[self.ends - 1]

    def _bounds(self) -> Ints:
        return np.column_stack((self.starts, self.ends)).ravel()


def _longer(values: Floats) -> Floats:
    """With a cell more, as the last span ends behind the last cell."""
    return np.append(values, 0.0)
