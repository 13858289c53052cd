"""Ticks of a speed axis at round paces: faster is higher, the labels are paces."""

import numpy as np

from coachboard.ui.frame import formats

_SLOWEST_TICK = 2.2
_PACE_STEPS_S = (5, 10, 15, 30, 60, 120, 300, 600)


def pace_ticks(low_mps: float, high_mps: float, per_m: float) -> list[tuple[float, str]]:
    """About four round paces between two speeds, at the speeds that they equal."""
    fastest = per_m / max(high_mps, 1e-6)
    # A speed near zero has infinitely many paces: no ticks below half the fastest pace.
    slowest = min(per_m / max(low_mps, 1e-6), _SLOWEST_TICK * fastest)
    step = next((step for step in _PACE_STEPS_S if (slowest - fastest) / step <= 4), _PACE_STEPS_S[-1])
    paces = np.arange(np.ceil(fastest / step) * step, slowest + 1e-6, step)
    ticks = [(per_m / pace, formats.duration_hms(pace)) for pace in paces.tolist() if pace > 0]
    return _apart(ticks, (high_mps - low_mps) / 7)


def _apart(ticks: list[tuple[float, str]], least: float) -> list[tuple[float, str]]:
    # Slow paces crowd together on a speed axis; of two overlapping ticks keep the faster.
    kept: list[tuple[float, str]] = []
    for tick in ticks:
        if not kept or kept[-1][0] - tick[0] >= least:
            kept.append(tick)
    return kept
