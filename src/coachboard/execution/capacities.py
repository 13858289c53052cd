"""An athlete's capacities on a day: reference values of targets, bands and W/kg."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from math import isnan

import numpy as np
from numpy.typing import NDArray

from coachboard.execution.structure import References
from coachboard.formulas.recovery.metric_series import base_value
from coachboard.formulas.session.critical_power import sustainable_power_w
from coachboard.wire.body import Metric
from coachboard.wire.enums import MetricSource, MetricSport, Sport
from coachboard.wire.metrics import METRIC_SPORTS, METRICS, MetricType
from coachboard.wire.users import LatestMetric, UserProfile

METRIC_DAYS = 400
"""Older values of a capacity do not count."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A value with its origin; `day` is None if only the latest value is known, not its date."""

    value: float
    day: date | None
    source: MetricSource | None
    sport: MetricSport


@dataclass(frozen=True, slots=True)
class Capacities:
    """The metrics valid on the session's day for its sport; None if unknown."""

    references: Mapping[MetricType, Reference]

    def of(self, metric: MetricType) -> Reference | None:
        """The value with its day and source."""
        return self.references.get(metric)

    def _value(self, metric: MetricType) -> float | None:
        reference = self.references.get(metric)
        return None if reference is None else reference.value

    def sustainable_power_w(self, durations_s: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """The power that critical power and W' allow for each duration; None without either."""
        critical_w, w_prime_j = self.critical_power_w, self.w_prime_j
        if critical_w is None or w_prime_j is None:
            return None
        return sustainable_power_w(durations_s, critical_power_w=critical_w, w_prime_j=w_prime_j)

    @property
    def critical_power_w(self) -> float | None:  # noqa: D102
        return self._value(MetricType.CRITICAL_POWER)

    @property
    def w_prime_j(self) -> float | None:  # noqa: D102
        return self._value(MetricType.W_PRIME)

    @property
    def weight_kg(self) -> float | None:  # noqa: D102
        return self._value(MetricType.WEIGHT)

    @property
    def max_heart_rate_bpm(self) -> float | None:  # noqa: D102
        return self._value(MetricType.MAX_HEART_RATE)

    @property
    def resting_heart_rate_bpm(self) -> float | None:  # noqa: D102
        return self._value(MetricType.RESTING_HEART_RATE)

    @property
    def critical_speed_mps(self) -> float | None:  # noqa: D102
        return self._value(MetricType.CRITICAL_SPEED)


def capacities_on(
    day: date, sport: Sport | None, *, metrics: Iterable[Metric], profile: UserProfile | None
) -> Capacities:
    """The latest value of each metric up to that day, the profile's latest where there is none before it.

    On the same day a measured value counts before an estimate.
    """
    latest: dict[MetricType, Reference] = {}
    for metric in sorted(metrics, key=lambda metric: (metric.date, metric.source == MetricSource.USER)):
        value = base_value(metric.type, metric.value, metric.unit)
        if (
            metric.date <= day
            and not isnan(value)
            and _counts(metric, sport, reference=latest.get(metric.type))
        ):
            latest[metric.type] = Reference(value, metric.date, metric.source, metric.sport)
    for now in profile.latest_metrics if profile else ():
        value = base_value(now.type, now.value)
        if (
            now.type not in latest
            and not isnan(value)
            and _counts(now, sport, reference=latest.get(now.type))
        ):
            latest[now.type] = Reference(value, None, now.source, now.sport)
    return Capacities(latest)


def _counts(metric: Metric | LatestMetric, sport: Sport | None, *, reference: Reference | None) -> bool:
    wanted = METRIC_SPORTS.get(sport) if sport else None
    if metric.sport == wanted:
        return True
    if metric.sport != MetricSport.GLOBAL:
        # Weight applies to all sports; critical power to one sport only.
        return not METRICS[metric.type].is_of_one_sport and reference is None
    return reference is None or reference.sport != wanted


def references_of(capacities: Capacities | None) -> References:
    """The 100 % values of targets in percent."""
    return References(
        critical_power_w=capacities.critical_power_w if capacities else None,
        max_heart_rate_bpm=capacities.max_heart_rate_bpm if capacities else None,
        critical_speed_mps=capacities.critical_speed_mps if capacities else None,
    )


def references_on(
    day: date, sport: Sport | None, *, metrics: Iterable[Metric], profile: UserProfile | None
) -> References:
    """The 100 % values on a day, from the metrics of `METRIC_DAYS`."""
    recent = [metric for metric in metrics if metric.date >= day - timedelta(days=METRIC_DAYS)]
    return references_of(capacities_on(day, sport, metrics=recent, profile=profile))
