"""Fitness, fatigue and form from daily load, with named time constants and variants."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from coachboard.formulas.frames import FATIGUE, FITNESS, FORM


class Gain(StrEnum):
    """Share of the difference to today's load that a day adds; three definitions are in use."""

    EXPONENTIAL = "1 − exp(−1/τ)"
    RECIPROCAL = "1/τ"
    SPAN = "2/(τ + 1)"


MOMENT = "Fitness, fatigue and form are morning values, before the day's sessions."
"""The one moment of every fitness, fatigue and form on the pages."""


@dataclass(frozen=True, slots=True)
class LoadModel:
    """A pair of time constants with their displayed names."""

    id: str
    title: str
    fitness: str
    fatigue: str
    fitness_d: float
    fatigue_d: float
    gain: Gain = Gain.EXPONENTIAL

    @property
    def says(self) -> str:
        """The definition in three sentences."""
        return self.definition()

    def definition(self, form: str = "Form") -> str:
        """The same for a chart without form: `form` says where it is."""
        return (
            f"{self.fitness}: weighted mean of daily load, in which recent days count most (time constant "
            f"{self.fitness_d:g} days; {self.fatigue.lower()} {self.fatigue_d:g} days). "
            f"{form} is {self.fitness.lower()} minus {self.fatigue.lower()}. {MOMENT}"
        )


SETTLING_D = 42
"""Days after the first session in which the averages are not judged: they still depend on the start value."""
_SEED_D = 28
"""Days whose mean is the start value."""
_LEAST_SEED_D = 7


class LoadStart(NamedTuple):
    """Index of the first day of the averages, and their value before it."""

    first_at: int = 0
    seed: float = 0.0

    @property
    def settled_at(self) -> int:
        """Index of the first day after the settling weeks; earlier values show, but judge nothing."""
        return self.first_at + SETTLING_D


SETTLED = LoadStart(-SETTLING_D)
"""Start of averages whose start value no longer matters."""

CLASSIC = LoadModel("classic", "Classic, 42 and 7 days", "Fitness", "Fatigue", 42, 7)
SERVICE = LoadModel("service", "Long-term, 16 weeks and 1 week", "Load", "Fatigue", 112, 7)
MODELS = {model.id: model for model in (CLASSIC, SERVICE)}


def gain_of(time_constant_d: float, gain: Gain = Gain.EXPONENTIAL) -> float:
    """Daily gain k of a time constant.

    Parameters
    ----------
    time_constant_d : float
        Time constant τ, positive. [days]
    gain : Gain
        Which of the three forms.

    Returns
    -------
    float
        k, between 0 and 1.

    References
    ----------
    Banister (1991), Modeling elite athletic performance; GoldenCheetah `PMCData.cpp` (exponential);
    TrainingPeaks (reciprocal); Williams et al. (2017), Br J Sports Med 51:209, doi:10.1136/bjsports-2016-096589
    (span).

    Examples
    --------
    >>> [round(gain_of(7, form), 4) for form in Gain]
    [0.1331, 0.1429, 0.25]
    """
    if not time_constant_d >= 1:
        raise ValueError(f"time_constant_d must be at least 1 day, got {time_constant_d}")
    forms = {
        Gain.EXPONENTIAL: 1 - float(np.exp(-1 / time_constant_d)),
        Gain.RECIPROCAL: 1 / time_constant_d,
        Gain.SPAN: 2 / (time_constant_d + 1),
    }
    return forms[gain]


def weighted_load(
    daily_load: ArrayLike, time_constant_d: float, *, gain: Gain = Gain.EXPONENTIAL, seed: float = 0.0
) -> NDArray[np.float64]:
    """Exponentially weighted mean of daily load at the end of each day.

    Parameters
    ----------
    daily_load : array_like, shape (n,)
        Load of each day, oldest first. [score]
    time_constant_d : float
        Time constant. [days]
    gain : Gain
        Form of the daily gain.
    seed : float
        Value on the day before the first; 0 as GoldenCheetah seeds.

    Returns
    -------
    ndarray
        Shape (n,). [score a day]

    Notes
    -----
    v(t) = v(t−1) + (x(t) − v(t−1)) · k: the mean of the day before moves towards the load x of the day by the daily gain k
    of its time constant. *Missing data*: a missing load counts as a day without load.

    *Worked example*: 100 a day for 42 days with a constant of 42 days: 100 · (1 − 1/e) = 63.2.

    References
    ----------
    Banister, Calvert, Savage, Bach (1975), Aust J Sports Med 7:57–61.

    Examples
    --------
    >>> weighted_load([100] * 42, 42)[-1].round(4)
    np.float64(63.2121)
    >>> weighted_load([100] * 42, 42, gain=Gain.RECIPROCAL)[-1].round(4)
    np.float64(63.6544)
    """
    load = np.nan_to_num(np.asarray(daily_load, dtype=np.float64))
    k, value = gain_of(time_constant_d, gain), float(seed)
    out = []
    # Plain floats: a year takes 20 µs; numpy's scalars take thirty times as long.
    for amount in load.tolist():
        value += (amount - value) * k
        out.append(value)
    return np.array(out, dtype=np.float64)


def own_start(daily_load: ArrayLike) -> LoadStart:
    """Where the weighted means of an athlete start: at the first session, from the mean of its own first four weeks.

    Parameters
    ----------
    daily_load : array_like, shape (n,)
        Load of each day, oldest first; days before the first session are 0. [score]

    Returns
    -------
    LoadStart
        Position of the first day with load and the mean of the 28 days from it; of fewer days, but of a week
        at least, where the history is that short. Nothing done: after the last day.

    Notes
    -----
    Ours. Started at 0 on a day without data, form would read far below 0 for weeks: fatigue follows the first sessions
    six times as fast as fitness.

    Examples
    --------
    >>> own_start([0, 0, 70, 0, 0])
    LoadStart(first_at=2, seed=10.0)
    """
    load = np.nan_to_num(np.asarray(daily_load, dtype=np.float64))
    trained = np.flatnonzero(load > 0)
    if not len(trained):
        return LoadStart(len(load))
    own = load[trained[0] : trained[0] + _SEED_D]
    return LoadStart(int(trained[0]), float(own.sum() / max(len(own), _LEAST_SEED_D)))


class WeekLoad(NamedTuple):
    """Load of the last seven days, and of a mean week of the twelve weeks before."""

    last: float
    usual: float


WEEKS_BEFORE = 12


def week_load(daily_load: ArrayLike) -> WeekLoad:
    """Load of the seven days up to the last one, and of a mean week of the 12 weeks before them. [score].

    Parameters
    ----------
    daily_load : array_like, shape (n,)
        Load of each day, oldest first, 13 weeks at least. [score]

    Returns
    -------
    WeekLoad

    Notes
    -----
    Sums of days: today counts as far as done. Every day has the same weight, unlike in fatigue.

    *Missing data*: days without a session count as 0, and so do the weeks before the first session; sessions without a load.

    *Worked example*: 84 days of load 50, then 7 days of 60: 7 × 60 = 420, the mean week before is 7 × 50 = 350.

    Examples
    --------
    >>> week_load([50.0] * 84 + [60.0] * 7)
    WeekLoad(last=420.0, usual=350.0)
    """
    load = np.nan_to_num(np.asarray(daily_load, dtype=np.float64))
    before = load[-7 * (WEEKS_BEFORE + 1) : -7]
    return WeekLoad(float(load[-7:].sum()), float(before.sum() / WEEKS_BEFORE))


def previous_day(values: ArrayLike, *, seed: float = 0.0) -> NDArray[np.float64]:
    """Values moved on by one day, so that each day has the value from before it began.

    Parameters
    ----------
    values : array_like, shape (n,)
        End-of-day values.
    seed : float
        The value before the first day.

    Returns
    -------
    ndarray
        Shape (n,).

    Examples
    --------
    >>> previous_day([1.0, 2.0, 3.0]).tolist()
    [0.0, 1.0, 2.0]
    """
    row = np.asarray(values, dtype=np.float64)
    return np.concatenate([[seed], row[:-1]]) if len(row) else row


def fitness_fatigue_form(
    daily_load: ArrayLike, model: LoadModel = CLASSIC, *, start: LoadStart | None = None
) -> pd.DataFrame:
    """Fitness, fatigue and form in the morning of each day, before its sessions.

    Parameters
    ----------
    daily_load : array_like, shape (n,)
        Load of each day, oldest first. [score]
    model : LoadModel
        The pair of constants.
    start : LoadStart, optional
        From which day the means run and from which value, as `own_start` gives it; 0 before the first day if None.

    Returns
    -------
    DataFrame
        Columns FITNESS, FATIGUE, FORM; one row a day, NaN before the start. [score a day]

    Notes
    -----
    The value of a morning is that of the evening before, and form is fitness less fatigue of the same morning
    (GoldenCheetah's default and TrainingPeaks' form): today's finished session cannot change how this morning was read.
    Dreeve subtracts at the end of the day. Tomorrow's morning has today's session.

    *Missing data*: a day without load counts as rest; no values before the first session.

    *Worked example*: loads of 100, 0, 50, 120, 0, 80 and 150 in each of six weeks, from 0: form = fitness 43.21 −
    fatigue 66.19 = −22.98 on the last morning.

    Examples
    --------
    >>> frame = fitness_fatigue_form([100, 0, 50, 120, 0, 80, 150] * 6)
    >>> frame.iloc[-1].round(2).tolist()
    [43.21, 66.19, -22.98]
    """
    first_at, seed = start or LoadStart()
    load = np.asarray(daily_load, dtype=np.float64)
    fitness, fatigue = (
        previous_day(weighted_load(load[first_at:], days, gain=model.gain, seed=seed), seed=seed)
        for days in (model.fitness_d, model.fatigue_d)
    )
    return pd.DataFrame(
        {FITNESS: fitness, FATIGUE: fatigue, FORM: fitness - fatigue},
        index=range(min(first_at, len(load)), len(load)),
    ).reindex(range(len(load)))
