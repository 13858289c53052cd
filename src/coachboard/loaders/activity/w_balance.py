"""W' balance from the service and as computed from the session's samples, with depletions."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coachboard.analytics.session.clock_grid import clock_seconds
from coachboard.analytics.session.w_balance import Depletion, depletions, w_balance
from coachboard.loaders.activity.page_data import ActivityData
from coachboard.loaders.activity.session_streams import SessionStreams
from coachboard.loaders.memo import once
from coachboard.loaders.power_curves import per_clock_second

Floats = NDArray[np.float64]

SMALLEST_KJ = 1_000.0
"""A stream with lower values only is in kJ: no athlete's W' is below one kilojoule."""


@dataclass(frozen=True, slots=True, eq=False)
class Balance:
    """W' balance over elapsed time in joules: the service's, the computed one, and depletions of the first one."""

    elapsed_s: Floats
    sent_j: Floats | None
    computed_j: Floats | None
    w_prime_j: float | None
    critical_power_w: float | None
    dips: tuple[Depletion, ...]
    is_sent_in_kj: bool


@once
def balance_of(data: ActivityData) -> Balance | None:
    """None without the stream, and without power, critical power and W'."""
    streams = data.streams
    if streams is None or not len(streams):
        return None
    sent, is_kj = _sent(streams)
    computed = _computed(data, streams)
    shown = sent if sent is not None else computed
    if shown is None:
        return None
    w_prime_j = data.capacities.w_prime_j or float(np.nanmax(shown))
    dips = tuple(depletions(shown, w_prime_j)) if w_prime_j > 0 else ()
    return Balance(
        elapsed_s=streams.elapsed_s,
        sent_j=sent,
        computed_j=computed,
        w_prime_j=data.capacities.w_prime_j,
        critical_power_w=data.capacities.critical_power_w,
        dips=dips,
        is_sent_in_kj=is_kj,
    )


def _sent(streams: SessionStreams) -> tuple[Floats | None, bool]:
    sent = streams.get("w_prime_balance")
    if sent is None:
        return None, False
    # spec: not shown. The unit of `wPrimeBalance` is not stated; its size distinguishes J from kJ.
    is_kj = bool(np.nanmax(np.abs(sent)) < SMALLEST_KJ)
    return (sent * 1000 if is_kj else sent), is_kj


def _computed(data: ActivityData, streams: SessionStreams) -> Floats | None:
    critical_w, w_prime_j = data.capacities.critical_power_w, data.capacities.w_prime_j
    if not critical_w or not w_prime_j or streams.get("power") is None:
        return None
    grid = w_balance(per_clock_second(streams, "power"), critical_power_w=critical_w, w_prime_j=w_prime_j)
    return grid[clock_seconds(streams.elapsed_s)]
