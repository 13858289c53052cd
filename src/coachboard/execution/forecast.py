"""Forecast of planned load, and of fitness, fatigue and form.

A prescription has no `volume`: its steps give the load where the service knows it, else similar sessions of the athlete.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coachboard.execution.adherence import Done, Planned
from coachboard.wire.enums import Sport, TrainingStimulus

MINIMUM_SESSIONS = 3
"""With fewer similar sessions use the wider group; a choice of this project."""

_Group = tuple[Sport | None, TrainingStimulus | None]


@dataclass(frozen=True, slots=True)
class LoadRates:
    """The athlete's median volume per hour and median speed: by sport and stimulus, by sport, overall."""

    volume_per_h: dict[_Group, float]
    speed_mps: dict[_Group, float]

    def volume_of(self, plan: Planned) -> float:
        """Load of a plan: of its steps, else estimated; NaN without a length or a similar session. [score]."""
        for load in (plan.volume, plan.step_load):
            if load > 0:
                return load
        return self.duration_of(plan) / 3600 * _widening(self.volume_per_h, plan)

    def duration_of(self, plan: Planned) -> float:
        """Duration of a plan, from its distance if it has none. [s]."""
        if not isnan(plan.duration_s):
            return plan.duration_s
        speed = _widening(self.speed_mps, plan)
        return plan.distance_m / speed if speed > 0 else nan


def _widening(rates: dict[_Group, float], plan: Planned) -> float:
    groups: tuple[_Group, ...] = ((plan.sport, plan.stimulus), (plan.sport, None), (None, None))
    return next((rates[group] for group in groups if group in rates), nan)


def load_rates(done: Iterable[Done]) -> LoadRates:
    """Load per hour of past sessions, to estimate the load of plans.

    Parameters
    ----------
    done : iterable of Done
        The athlete's sessions of the last months. [s, m, score]

    Returns
    -------
    LoadRates
        Medians of groups with at least `MINIMUM_SESSIONS` sessions; the widest group needs one.

    Notes
    -----
    Coachboard's own. The median, because a session with a dead sensor would carry a mean away.

    Examples
    --------
    >>> from datetime import date
    >>> ride = [Done(str(n), date(2026, 3, n), Sport.CYCLING, None, 3600, nan, 50.0 + n) for n in (1, 2, 3)]
    >>> load_rates(ride).volume_of(Planned("tpr_1", date(2026, 3, 9), Sport.CYCLING, duration_s=7200))
    104.0
    """
    volume: dict[_Group, list[float]] = defaultdict(list)
    speed: dict[_Group, list[float]] = defaultdict(list)
    for session in done:
        if not session.duration_s > 0:
            continue
        for group in {(session.sport, session.stimulus), (session.sport, None), (None, None)}:
            volume[group].append(session.volume / session.duration_s * 3600)
            speed[group].append(session.distance_m / session.duration_s)
    return LoadRates(_medians(volume), _medians(speed))


def _medians(samples: dict[_Group, list[float]]) -> dict[_Group, float]:
    recorded = {group: [value for value in values if not isnan(value)] for group, values in samples.items()}
    return {
        group: float(np.median(values))
        for group, values in recorded.items()
        if len(values) >= (1 if group == (None, None) else MINIMUM_SESSIONS)
    }


def expected_load(
    done: ArrayLike, planned: ArrayLike, *, today_index: int, open_today: float = 0.0, share: float = 1.0
) -> NDArray[np.float64]:
    """Expected daily load: past as done, future as planned.

    Parameters
    ----------
    done, planned : array_like, shape (n,)
        Done load and load of plans not yet done, of each day. [score]
    today_index : int
        Position of today.
    open_today : float
        Load of today's plans that are not done; counts only while nothing is done today. [score]
    share : float
        How much of the plan is taken to be done, 0 or more; 1 as planned.

    Returns
    -------
    ndarray
        Shape (n,). [score]

    Notes
    -----
    GoldenCheetah's *expected* line: past days as done, future days as planned, today as done if anything
    was, else as planned.

    *Missing data*: a day without a load or an estimate counts as 0.

    *Worked example*: 80 yesterday, 60 planned today, 90 tomorrow, half of the plan done: 80, 30, 45.

    Examples
    --------
    >>> expected_load([80, 0, 0], [70, 60, 90], today_index=1, open_today=60, share=0.5).tolist()
    [80.0, 30.0, 45.0]
    """
    if share < 0:
        raise ValueError(f"share must not be negative, got {share}")
    load = np.nan_to_num(np.asarray(done, dtype=np.float64)).copy()
    future = np.nan_to_num(np.asarray(planned, dtype=np.float64))
    load[today_index + 1 :] = future[today_index + 1 :] * share
    if today_index < len(load) and load[today_index] == 0:
        load[today_index] = open_today * share
    return load


def own_share(planned_volumes: Sequence[float], done_volumes: Sequence[float]) -> float:
    """Share of the planned load that this athlete completes.

    Parameters
    ----------
    planned_volumes, done_volumes : sequence of float, length n
        Planned (estimated) and done volume of the plans whose day has passed, 0 done for a miss,
        NaN where not known. [score]

    Returns
    -------
    float
        Done over planned, 0 or more; NaN where nothing comparable was planned.

    Examples
    --------
    >>> own_share([50, 50, nan], [50, 20, 80])
    0.7
    """
    pairs = [
        (plan, done)
        for plan, done in zip(planned_volumes, done_volumes, strict=True)
        if plan > 0 and not isnan(done)
    ]
    total = sum(plan for plan, _ in pairs)
    return sum(done for _, done in pairs) / total if total else nan
