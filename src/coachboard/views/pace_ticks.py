"""Where an axis of speed says round paces: faster is higher, and the numbers are those that runners read."""

import numpy as np

from coachboard.views import formats

_SLOWEST_TICK = 2.2
_PACE_STEPS_S = (5, 10, 15, 30, 60, 120, 300, 600)


def pace_ticks(low_mps: float, high_mps: float, way_m: float) -> list[tuple[float, str]]:
    """Round paces between two speeds, about four, at the speeds they stand for."""
    fastest = way_m / max(high_mps, 1e-6)
    # Standing still would take all the ticks: beyond twice the fastest pace there are none.
    slowest = min(way_m / max(low_mps, 1e-6), _SLOWEST_TICK * fastest)
    step = next((step for step in _PACE_STEPS_S if (slowest - fastest) / step <= 4), _PACE_STEPS_S[-1])
    paces = np.arange(np.ceil(fastest / step) * step, slowest + 1e-6, step)
    ticks = [(way_m / pace, formats.duration_hms(pace)) for pace in paces.tolist() if pace > 0]
    return _apart(ticks, (high_mps - low_mps) / 7)


def _apart(ticks: list[tuple[float, str]], least: float) -> list[tuple[float, str]]:
    # Slow paces crowd together on an axis of speed; of two that would touch the faster one stays.
    kept: list[tuple[float, str]] = []
    for tick in ticks:
        if not kept or kept[-1][0] - tick[0] >= least:
            kept.append(tick)
    return kept
