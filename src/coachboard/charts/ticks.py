"""Round ticks for axes that must have the same ticks in several charts, so that Plotly cannot choose them."""

from collections.abc import Sequence
from datetime import date
from math import ceil, floor, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

_STEPS = (1, 2, 2.5, 5, 10)
_HAIR = 1e-9  # 0.3 / 0.1 is slightly below 3


def without_noise(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values to a millionth: Plotly scales the axis of a constant row to its rounding noise, with ticks of 17 digits."""
    return values.round(6)


def round_ticks(low: float, high: float, *, most: int = 5) -> list[float]:
    """The multiples of a round step between two values, at most `most`."""
    span = max(high - low, 1e-9)
    size = 10.0 ** floor(log10(span / most))
    step = next(size * factor for factor in (*_STEPS, 20) if span / (size * factor) <= most)
    return [step * multiple for multiple in range(ceil(low / step - _HAIR), floor(high / step + _HAIR) + 1)]


def value_axis(lowest: float, highest: float, *, most: int = 5) -> dict[str, Any]:
    """Range and ticks that include zero and the values, with a margin above."""
    low, high = min(lowest, 0.0), max(highest, 0.0)
    room = (high - low or 1.0) * 0.06
    span = [low - room if low < 0 else 0.0, high + room]
    ticks = round_ticks(*span, most=most)
    return {"range": span, "tickvals": ticks, "ticktext": [_number(tick) for tick in ticks]}


def month_axis(days: Sequence[date]) -> dict[str, Any]:
    """Range and ticks of a year or less: the first of each month; the first tick and January also show the year."""
    firsts = [day for day in days if day.day == 1] or [days[0]]
    texts = [
        f"{day.day} {day:%b}" + (f"<br>{day.year}" if number == 0 or day.month == 1 else "")
        for number, day in enumerate(firsts)
    ]
    return {
        "type": "date",
        "range": [days[0].isoformat(), days[-1].isoformat()],
        "tickvals": [day.isoformat() for day in firsts],
        "ticktext": texts,
    }


def _number(value: float) -> str:
    text = f"{value:,.10g}"
    return text.replace("-", "−")
