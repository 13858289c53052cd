"""The reader's own values: the latest of each type and sport, and proposals from the recordings."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from coachboard.analytics.session.critical_power import FIT_DURATIONS_S, CriticalFit, fit_critical
from coachboard.analytics.session.mean_maximal import DURATIONS, holders_of
from coachboard.analytics.session.swim import best_length_speeds_mps
from coachboard.catalogues.metrics import METRICS
from coachboard.client import Client
from coachboard.loaders.activity.pool_lengths import pool_length_m, swum
from coachboard.loaders.matching import local_day
from coachboard.loaders.power_curves import best_of_ids
from coachboard.models.activities import Activity
from coachboard.models.body import Sleep
from coachboard.models.enums import MetricSport, MetricType, Sport
from coachboard.models.own_data import OwnMetric
from coachboard.plurals import count

Row = TypeVar("Row")
Floats: TypeAlias = NDArray[np.float64]

TYPES = (
    MetricType.WEIGHT,
    MetricType.CRITICAL_POWER,
    MetricType.W_PRIME,
    MetricType.CRITICAL_SPEED,
    MetricType.MAX_HEART_RATE,
    MetricType.RESTING_HEART_RATE,
)
"""The types of metric that the page My values offers to set."""
_SPORTS_TO_SET = {
    MetricType.WEIGHT: (MetricSport.GLOBAL,),
    MetricType.CRITICAL_POWER: (MetricSport.CYCLING, MetricSport.RUNNING),
    MetricType.W_PRIME: (MetricSport.CYCLING, MetricSport.RUNNING),
    MetricType.CRITICAL_SPEED: (MetricSport.RUNNING, MetricSport.SWIMMING),
}
LEAST_FIT_SESSIONS = 2
"""Sessions with best efforts: the efforts of one ride are parts of each other and fit any line."""
FIT_DAYS, HEART_DAYS, NIGHT_DAYS = 90, 365, 28
_MOST_CURVES = 200


@dataclass(frozen=True, slots=True)
class Proposal:
    """A value that the recordings allow, with its interval and how it follows from them."""

    type: MetricType
    sport: MetricSport
    value: float
    low: float
    high: float
    method: str
    day: date
    caution: str = ""  # why the value may be far off


def sports_of(kind: MetricType) -> tuple[MetricSport, ...]:
    """The sports for which a value of that type is set."""
    return _SPORTS_TO_SET.get(kind, tuple(MetricSport))


def latest(rows: Iterable[OwnMetric]) -> list[OwnMetric]:
    """The newest value of each type and sport, in the order of the types."""
    newest: dict[tuple[MetricType, MetricSport], OwnMetric] = {}
    for row in sorted(rows, key=lambda row: row.metric.date):
        newest[row.metric.type, row.metric.sport] = row
    return sorted(newest.values(), key=lambda row: (list(METRICS).index(row.metric.type), row.metric.sport))


@dataclass(frozen=True, slots=True)
class Proposals:
    """The proposals, and how many recordings they still wait for."""

    found: list[Proposal]
    unread: int


def proposals(client: Client) -> Proposals:
    """The proposals that the recordings allow, each up to its newest recording.

    Two requests, whatever the age of the data: every change drops the cached lists, and a minute has 30 requests.
    """
    sessions = [one for one in client.list_activities("me").value if local_day(one)]
    nights = client.list_sleeps("me").value
    rides, unread_rides = _of_efforts(client, sessions, Sport.CYCLING, "power")
    runs, unread_runs = _of_efforts(client, sessions, Sport.RUNNING, "speed")
    power_runs, unread_power_runs = _of_efforts(client, sessions, Sport.RUNNING, "power")
    found = [
        *rides,
        *power_runs,
        *runs,
        *_swims(sessions),
        *_max_heart_rate(sessions),
        *_resting_heart_rate(nights),
    ]
    return Proposals(found, unread_rides + unread_runs + unread_power_runs)


def _last_days(
    rows: Sequence[Row], day_of: Callable[[Row], date | None], days: int
) -> tuple[list[Row], date]:
    """The rows of the days that end with the newest row, and its day."""
    end = max((day for row in rows if (day := day_of(row))), default=date.min)
    first = end - timedelta(days=min(days - 1, (end - date.min).days))
    return [row for row in rows if (day := day_of(row)) and first <= day], end


def _of_efforts(
    client: Client, sessions: Sequence[Activity], sport: Sport, column: str
) -> tuple[list[Proposal], int]:
    """The fit to the best efforts of the sport, and the recordings that are not read yet."""
    figure = "average_power" if column == "power" else "average_speed"
    with_column = [one for one in sessions if one.sport == sport and getattr(one, figure) is not None]
    used, end = _last_days(with_column, local_day, FIT_DAYS)
    if not used:
        return [], 0
    curve = best_of_ids(client, [one.id for one in used], column, most_new=_MOST_CURVES)
    at = [list(DURATIONS).index(seconds) for seconds in FIT_DURATIONS_S]
    best = np.asarray(curve.best)
    fit = fit_critical(FIT_DURATIONS_S, best[at]) if len(best) == len(DURATIONS) else None
    holders = len({curve.held_by[place] for place in at} - {None}) if fit else 0
    found = [] if fit is None else _of_fit(fit, end, MetricSport(str(sport)), column, (curve.used, holders))
    return found, curve.total - curve.known


def _swims(sessions: Sequence[Activity]) -> list[Proposal]:
    """Critical speed from the lengths of pool swims; GPS speeds of open water are too rough for it."""
    in_pool = [one for one in sessions if one.sport == Sport.SWIMMING and one.lengths]
    used, end = _last_days(in_pool, local_day, FIT_DAYS)
    speeds = [speed for one in used if (speed := _length_speeds(one)) is not None]
    if not speeds:
        return []
    fit = fit_critical(FIT_DURATIONS_S, np.fmax.reduce(speeds))
    holders = len({int(at) for at in holders_of(speeds, len(FIT_DURATIONS_S)) if at >= 0})
    return [] if fit is None else _of_fit(fit, end, MetricSport.SWIMMING, "speed", (len(speeds), holders))


def _length_speeds(one: Activity) -> Floats | None:
    pool_m, lengths = pool_length_m(one), swum(one)
    if not pool_m > 0:
        return None
    starts_s = [length.started_at.timestamp() for length in lengths]
    ends_s = [length.ended_at.timestamp() for length in lengths]
    return best_length_speeds_mps(starts_s, ends_s, FIT_DURATIONS_S, pool_m=pool_m)


def _of_fit(
    fit: CriticalFit, end: date, sport: MetricSport, column: str, sessions: tuple[int, int]
) -> list[Proposal]:
    """`sessions`: how many were read, and how many of them have a best effort."""
    used, holders = sessions
    is_rough = holders < LEAST_FIT_SESSIONS
    r_squared = "" if is_rough else f", R² {fit.r_squared:.3f}"
    caution = (
        f"Unreliable: all best efforts are from {count(holders, 'session')}; needs {LEAST_FIT_SESSIONS}."
        if is_rough
        else ""
    )
    source = " of whole pool lengths" if sport is MetricSport.SWIMMING else ""
    method = (
        f"Two-parameter model, best efforts of 2 to 20 min{source} from {count(used, 'session')} in {FIT_DAYS} "
        f"days; {fit.efforts} efforts{r_squared}. Too low if the efforts were not maximal."
    )
    if column == "speed":
        return [
            Proposal(
                MetricType.CRITICAL_SPEED, sport, fit.critical, *fit.critical_range, method, end, caution
            )
        ]
    return [
        Proposal(MetricType.CRITICAL_POWER, sport, fit.critical, *fit.critical_range, method, end, caution),
        Proposal(MetricType.W_PRIME, sport, fit.reserve, *fit.reserve_range, method, end, caution),
    ]


def _max_heart_rate(sessions: Sequence[Activity]) -> list[Proposal]:
    low, high = METRICS[MetricType.MAX_HEART_RATE].plausible
    used, end = _last_days(sessions, local_day, HEART_DAYS)
    peaks = sorted(peak for one in used if (peak := one.max_heart_rate) and low <= peak <= high)
    if not peaks:
        return []
    of = count(len(peaks), "session")
    method = f"Highest heart rate of {of} in 12 months. Too low without a maximal effort."
    third = peaks[-min(3, len(peaks))]
    return [Proposal(MetricType.MAX_HEART_RATE, MetricSport.GLOBAL, peaks[-1], third, peaks[-1], method, end)]


def _resting_heart_rate(nights: Sequence[Sleep]) -> list[Proposal]:
    low, high = METRICS[MetricType.RESTING_HEART_RATE].plausible
    used, end = _last_days(nights, lambda night: night.day, NIGHT_DAYS)
    rates = [rate for one in used if (rate := one.resting_heart_rate) and low <= rate <= high]
    if not rates:
        return []
    quarter, median, three_quarters = (float(rate) for rate in np.percentile(rates, [25, 50, 75]))
    of = count(len(rates), "night")
    method = f"Median of {of} in {NIGHT_DAYS} days; the range is the middle half of the nights."
    kind = MetricType.RESTING_HEART_RATE
    return [Proposal(kind, MetricSport.GLOBAL, median, quarter, three_quarters, method, end)]
