"""The athlete's abilities on the day of a session: the references of bands, W' balance and load."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from functools import cache
from math import isnan
from typing import TypeVar

from coachboard.formulas.recovery.metric_series import base_value
from coachboard.wire.athlete_settings import NewAthleteValue
from coachboard.wire.body import Metric
from coachboard.wire.enums import Gender, MetricSource, MetricSport, Sport
from coachboard.wire.metrics import METRIC_SPORTS, METRICS, MetricType


@dataclass(frozen=True, slots=True)
class AthleteValues:
    """References on one day for one sport; None where nothing is known."""

    critical_power_w: float | None = None
    w_prime_j: float | None = None
    critical_speed_mps: float | None = None
    max_heart_rate_bpm: float | None = None
    resting_heart_rate_bpm: float | None = None
    weight_kg: float | None = None
    gender: Gender | None = None


def fingerprint(athlete: AthleteValues) -> str:
    """The references as text: equal for two days on which an import computes the same figures."""
    return json.dumps(asdict(athlete))


def differs_by_weight(before: str, athlete: AthleteValues) -> bool:
    """Whether the weight is the only reference that has changed since that fingerprint."""
    now, then = asdict(athlete), json.loads(before)
    return now != then and now == {**then, "weight_kg": athlete.weight_kg}


R = TypeVar("R", Metric, NewAthleteValue)

AthleteOn = Callable[[Sport | None, date], AthleteValues]
"""Looks the references up for a sport and a day."""


def athlete_on(metrics: Iterable[Metric], *, gender: Gender | None = None) -> AthleteOn:
    """Looks up the values nearest on or before a day, else the earliest after it.

    An old ride is better read with the first known threshold than with none.
    """
    # Months of workouts are looked up, each among years of metrics: these are sorted out by type once.
    by_kind: dict[MetricType, list[Metric]] = {}
    for metric in sorted(metrics, key=lambda metric: metric.source != MetricSource.USER):
        if not isnan(base_value(metric.type, metric.value, metric.unit)):
            by_kind.setdefault(metric.type, []).append(metric)

    def value(kind: MetricType, sport: Sport | None, day: date) -> float | None:
        is_of_one_sport = METRICS[kind].is_of_one_sport
        nearest = nearest_of(by_kind.get(kind, ()), sport, day, is_of_one_sport=is_of_one_sport)
        return None if nearest is None else base_value(kind, nearest.value, nearest.unit)

    @cache
    def look_up(sport: Sport | None, day: date) -> AthleteValues:
        return AthleteValues(
            critical_power_w=value(MetricType.CRITICAL_POWER, sport, day),
            w_prime_j=value(MetricType.W_PRIME, sport, day),
            critical_speed_mps=value(MetricType.CRITICAL_SPEED, sport, day),
            max_heart_rate_bpm=value(MetricType.MAX_HEART_RATE, sport, day),
            resting_heart_rate_bpm=value(MetricType.RESTING_HEART_RATE, sport, day),
            weight_kg=value(MetricType.WEIGHT, sport, day),
            gender=gender,
        )

    return look_up


def nearest_of(rows: Sequence[R], sport: Sport | None, day: date, *, is_of_one_sport: bool) -> R | None:
    """The value of the session's sport, else that of all sports, nearest on or before the day, else the earliest after it."""
    own = METRIC_SPORTS.get(sport) if sport else None
    groups = [
        [row for row in rows if row.sport == own],
        [row for row in rows if row.sport == MetricSport.GLOBAL],
    ]
    if not is_of_one_sport:
        # A weight is a weight whatever sport it was entered for; a critical power of another sport says nothing.
        groups.append(list(rows))
    for group in filter(None, groups):
        before = [row for row in group if row.date <= day]
        return max(before, key=lambda row: row.date) if before else min(group, key=lambda row: row.date)
    return None
