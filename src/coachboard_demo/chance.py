"""Random choices that repeat: each follows from named parts, never from the order of calls."""

from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from random import Random
from struct import Struct
from typing import TypeVar

import numpy as np

from coachboard_demo.grid import CELL_S, Floats, lag

_Choice = TypeVar("_Choice")

_WORDS = Struct("8I")
_STOCK_CELLS, _STOCK_SEED = 1 << 15, 20_250_101


def seed_of(*parts: object) -> int:
    """A number below 2**53 (exact in JSON) that depends on the parts and on nothing else."""
    return int.from_bytes(_digest(8, parts)) >> 11


def dice(*parts: object) -> Random:
    """A generator of single numbers for the thing that the parts name."""
    return Random(seed_of(*parts))  # noqa: S311 (dice, not secrets)


def chance(*parts: object) -> np.random.Generator:
    """A generator of arrays for the thing that the parts name."""
    return np.random.Generator(np.random.SFC64(seed_of(*parts)))


def lots(*parts: object) -> tuple[float, ...]:
    """Eight numbers from 0 to 1 for the thing that the parts name; cheaper than a generator."""
    return tuple([word * 2.0**-32 for word in _WORDS.unpack(_digest(32, parts))])


def pick(choices: Sequence[_Choice], lot: float) -> _Choice:
    """One of the choices, by a number from 0 to 1."""
    return choices[int(lot * len(choices))]


def new_id(prefix: str, *parts: object) -> str:
    """An opaque id under the prefix of its kind, the same for the same parts."""
    return f"{prefix}_{_digest(10, parts).hex()}"


def _digest(size: int, parts: tuple[object, ...]) -> bytes:
    return blake2b("\x1f".join(map(str, parts)).encode(), digest_size=size).digest()


@cache
def ripples() -> Floats:
    """A stock of noise on the grid, mean 0 and deviation 1, with quick (15 s) and slow (3 min) parts.

    A session takes a stretch of it: fresh noise for each session took half of the time of the generator.
    """
    draw = np.random.Generator(np.random.SFC64(_STOCK_SEED)).standard_normal((2, _STOCK_CELLS))
    quick, slow = lag(draw[0], 15 / CELL_S), lag(draw[1], 180 / CELL_S)
    mixed = 0.8 * quick / quick.std() + 0.6 * slow / slow.std()
    return np.asarray((mixed - mixed.mean()) / mixed.std())


@cache
def details() -> Floats:
    """Noise of the seconds inside a cell: rows of five with mean 0 and deviation about 1."""
    draw = np.random.Generator(np.random.SFC64(_STOCK_SEED + 1)).standard_normal((_STOCK_CELLS, CELL_S))
    rows = np.clip(draw, -2.4, 2.4)
    return np.asarray(rows - rows.mean(axis=1, keepdims=True))


@cache
def detail_peaks() -> Floats:
    """The largest value of each row of `details`: a summary needs the peak second, not all seconds."""
    return np.asarray(details().max(axis=1))


def stretch(stock: Floats, offset: int, length: int) -> Floats:
    """A stretch of a stock; it starts again where the stock ends."""
    start = offset % len(stock)
    if start + length <= len(stock):
        return stock[start : start + length]
    return np.take(stock, np.arange(start, start + length), axis=0, mode="wrap")
