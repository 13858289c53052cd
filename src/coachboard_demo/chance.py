"""Chance that repeats itself: every random choice hangs on named parts, never on the order of calls."""

from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from random import Random
from struct import Struct
from typing import TypeVar

import numpy as np

from coachboard_demo.cells import CELL_S, Floats, lag, smooth

_Choice = TypeVar("_Choice")

_WORDS = Struct("8I")
_LIBRARY_CELLS = 1 << 15
_LIBRARY_SEED = 20_250_101


def seed_of(*parts: object) -> int:
    """A number below 2**53 (exact in JSON) that depends on the parts and on nothing else."""
    text = "\x1f".join(map(str, parts)).encode()
    return int.from_bytes(blake2b(text, digest_size=8).digest()) >> 11


def dice(*parts: object) -> Random:
    """The same for one number at a time: several times as fast at that as numpy's generators."""
    return Random(seed_of(*parts))  # noqa: S311 (dice, not secrets)


def chance(*parts: object) -> np.random.Generator:
    """A generator of its own for the thing named by the parts."""
    return np.random.Generator(np.random.SFC64(seed_of(*parts)))


def lots(*parts: object) -> tuple[float, ...]:
    """Eight numbers from 0 to 1 for the thing named by the parts: enough for most choices, and far cheaper."""
    text = "\x1f".join(map(str, parts)).encode()
    return tuple([word * 2.0**-32 for word in _WORDS.unpack(blake2b(text, digest_size=32).digest())])


def pick(choices: Sequence[_Choice], lot: float) -> _Choice:
    """One of the choices, by a number from 0 to 1."""
    return choices[int(lot * len(choices))]


def new_id(prefix: str, *parts: object) -> str:
    """An opaque id under the prefix of its kind, the same for the same parts."""
    text = "\x1f".join(map(str, parts)).encode()
    return f"{prefix}_{blake2b(text, digest_size=10).hexdigest()}"


@cache
def ripples() -> Floats:
    """Noise on the five-second grid, mean 0 and deviation 1: quick (15 s) and slow (3 min) parts, a long stock.

    Sessions cut their stretch out of it; drawing fresh noise for each took half of the generation's time.
    """
    draw = np.random.Generator(np.random.SFC64(_LIBRARY_SEED)).standard_normal((2, _LIBRARY_CELLS))
    quick = lag(draw[0], 15 / CELL_S)
    slow = lag(draw[1], 180 / CELL_S)
    mixed = 0.8 * quick / quick.std() + 0.6 * slow / slow.std()
    return np.asarray((mixed - mixed.mean()) / mixed.std())


@cache
def flurries() -> Floats:
    """The same noise at thrice the pace: what comes and goes within five to fifteen seconds."""
    return ripples()[::3].copy()


@cache
def exceeded_for(share: float) -> float:
    """What the noise exceeds for that share of the time."""
    return float(np.quantile(ripples(), 1 - share))


@cache
def details() -> Floats:
    """What one-second values do inside a cell: rows of five with mean exactly 0 and deviation about 1."""
    draw = np.random.Generator(np.random.SFC64(_LIBRARY_SEED + 1)).standard_normal(_LIBRARY_CELLS * CELL_S)
    rows = np.clip(draw, -2.4, 2.4).reshape(-1, CELL_S)
    return np.asarray(rows - rows.mean(axis=1, keepdims=True))


@cache
def detail_peaks() -> Floats:
    """The largest value of each row of `details`: the peak second of a cell without making its seconds."""
    return np.asarray(details().max(axis=1))


def seconds_of(detail: Floats | float, seed: int, cells: int) -> Floats:
    """Factors on each second of so many cells, five a row; each cell keeps its mean."""
    return 1 + detail * stretch(details(), seed, cells)


def peaks_of(detail: float, seed: int, cells: int) -> Floats:
    """The largest of each row of `seconds_of`."""
    return 1 + detail * stretch(detail_peaks(), seed, cells)


def wander(rng: np.random.Generator, count: int, width: int) -> Floats:
    """Smooth noise, its ends no livelier than the rest."""
    return smooth(rng.standard_normal(count + 2 * width), width)[width:-width]


def stretch(stock: Floats, offset: int, length: int) -> Floats:
    """A stretch of a stock, going round where it ends."""
    start = offset % len(stock)
    if start + length <= len(stock):
        return stock[start : start + length]
    return np.take(stock, np.arange(start, start + length), axis=0, mode="wrap")
