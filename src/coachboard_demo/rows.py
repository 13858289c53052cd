"""Rows of numbers of unequal length, laid end to end: of several sessions the cells, the parts, the points of their ways.

Whatever sums up, follows or looks around begins anew with each row: what comes out for one does not hang on the others.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from coachboard_demo.cells import SHORT, Floats, Ints, geometric, growth_of, kernel_of, lag

_Number = TypeVar("_Number", bound=np.generic)


class Rows:
    """Where each row begins and ends, and what is reckoned row by row."""

    def __init__(self, sizes: Ints) -> None:
        self.sizes = sizes
        self.ends = sizes.cumsum()
        self.starts = self.ends - sizes
        self._apart: dict[int, Ints] = {}

    def __len__(self) -> int:
        return int(self.ends[-1])

    @cached_property
    def of(self) -> Ints:
        """The row of each value."""
        return np.arange(len(self.sizes)).repeat(self.sizes)

    @cached_property
    def gone(self) -> Ints:
        """The place of each value in its row."""
        return np.arange(len(self)) - self.starts.repeat(self.sizes)

    @cached_property
    def is_edge(self) -> NDArray[np.bool_]:
        """Whether a value is the first or the last of its row."""
        found = np.zeros(len(self), np.bool_)
        found[self.starts] = found[self.ends - 1] = True
        return found

    def slices(self) -> Iterator[slice]:
        """One row after another."""
        return map(slice, self.starts.tolist(), self.ends.tolist())

    def each(self, values: NDArray[_Number] | Sequence[Any]) -> NDArray[_Number]:
        """A number of each row, for each of its values."""
        return np.asarray(np.repeat(values, self.sizes))

    def first(self, values: Floats) -> Floats:
        """The first value of each row."""
        return np.asarray(values[self.starts])

    def last(self, values: Floats) -> Floats:
        """The last value of each row."""
        return np.asarray(values[self.ends - 1])

    def sums(self, values: Floats) -> Floats:
        """The sum of each row."""
        return np.asarray(np.add.reduceat(values, self.starts))

    def means(self, values: Floats) -> Floats:
        """The mean of each row."""
        return np.asarray(self.sums(values) / self.sizes)

    def highest(self, values: NDArray[_Number]) -> NDArray[_Number]:
        """The largest value of each row."""
        return np.asarray(np.maximum.reduceat(values, self.starts))

    def lowest(self, values: Floats) -> Floats:
        """The smallest value of each row."""
        return np.asarray(np.minimum.reduceat(values, self.starts))

    def summed(self, values: Floats) -> Floats:
        """The sum from the start of its row up to each value."""
        found = np.empty(len(values))
        for here in self.slices():
            values[here].cumsum(out=found[here])
        return found

    def rolled(self, values: Floats, width: int) -> Floats:
        """Means of so many values, or of the shortest row, from each on; the last of a row reach into the next."""
        width = self._window(width)
        return geometric(values, 1.0, width) * (1 / width)

    def means_rolled(self, rolled: Floats, width: int) -> Floats:
        """The mean of each row's own `rolled` values."""
        counts = self.sizes - (self._window(width) - 1)
        bounds = np.column_stack((self.starts, self.starts + counts)).ravel()[:-1]
        return np.asarray(np.add.reduceat(rolled, bounds)[::2] / counts)

    def _window(self, width: int) -> int:
        return min(width, int(self.sizes.min()))

    def smoothed(self, values: Floats, width: int) -> Floats:
        """Centred moving means; the ends are padded with themselves."""
        if width <= 1:
            return values
        left = width // 2
        padded = self._led(values, left, width - 1 - left, past=self.first(values))
        return geometric(padded, 1.0, width)[self._places(width - 1)] * (1 / width)

    def lagged(self, values: Floats, constant: float, *, before: Floats | None = None) -> Floats:
        """First-order lag with a time constant in values; `before` is the past of each row, by default its first value."""
        past = self.first(values) if before is None else before
        if constant < SHORT:
            taps, share, whole = kernel_of(constant)
            padded = self._led(values, taps - 1, 0, past=past)
            return geometric(padded, share, taps)[self._places(taps - 1)] * (1 / whole)
        growth, gain = growth_of(constant)
        if int(self.sizes.max()) > len(growth):
            each = zip(self.slices(), past.tolist(), strict=True)
            return np.concatenate([lag(values[here], constant, before=was) for here, was in each])
        grown = growth[self.gone]
        found = self.summed(values * grown)
        found *= gain
        found += self.each(past)
        found /= grown
        return found

    def meant(self, values: Floats, width: int, *, late: int, before: Floats) -> Floats:
        """Means of so many values that ended some values ago, `before` being each row's past."""
        padded = self._led(values, late + width - 1, 0, past=before)
        sums = geometric(padded, 1.0, width)
        return sums[self._places(late + width - 1)] * (1 / width)

    def _led(self, values: Floats, before: int, after: int, *, past: Floats) -> Floats:
        """The rows with so many values of the past before each, and its last value so many times after it."""
        apart = before + after
        padded = np.empty(len(values) + apart * len(self.sizes))
        padded[self._places(apart) + before] = values
        edges = self.starts + apart * np.arange(len(self.sizes))
        padded[edges[:, None] + np.arange(before)] = past[:, None]
        if after:
            padded[(edges + before + self.sizes)[:, None] + np.arange(after)] = self.last(values)[:, None]
        return padded

    def _places(self, apart: int) -> Ints:
        """Where the values lie when the rows are so far apart."""
        if apart not in self._apart:
            self._apart[apart] = np.arange(len(self)) + self.of * apart
        return self._apart[apart]
