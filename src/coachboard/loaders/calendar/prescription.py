"""The athlete's capacities on a planned workout's day."""

from datetime import date, timedelta
from typing import Protocol

from coachboard.client import Result
from coachboard.loaders.capacities import Capacities, capacities_on
from coachboard.models.body import Metric
from coachboard.models.enums import Sport

METRIC_DAYS = 400
"""Older values of a capacity do not count."""


class ValueSource(Protocol):
    """Client methods needed."""

    def list_metrics(
        self, user_id: str, start: date | None = None, end: date | None = None
    ) -> Result[tuple[Metric, ...]]: ...


def load_capacities(client: ValueSource, user_id: str, day: date, sport: Sport) -> Capacities:
    """Critical power, W', maximum heart rate and critical speed on a day."""
    metrics = client.list_metrics(user_id, day - timedelta(days=METRIC_DAYS), day)
    return capacities_on(day, sport, metrics=metrics.value, profile=None)
