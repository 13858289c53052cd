"""What a planned workout is measured by: the athlete's capacities on its day."""

from datetime import date, timedelta
from typing import Protocol

from coachboard.client import Result
from coachboard.loaders.capacities import Capacities, capacities_on
from coachboard.models.body import Metric
from coachboard.models.enums import Sport

METRIC_DAYS = 400
"""A capacity older than this is no longer taken for the day's."""


class MetricSource(Protocol):
    """What is asked of the client."""

    def list_metrics(
        self, user_id: str, start: date | None = None, end: date | None = None
    ) -> Result[tuple[Metric, ...]]: ...


def load_capacities(client: MetricSource, user_id: str, day: date, sport: Sport) -> Capacities:
    """Critical power, W', maximum heart rate and critical speed as they stood on a day."""
    metrics = client.list_metrics(user_id, day - timedelta(days=METRIC_DAYS), day)
    return capacities_on(day, sport, metrics=metrics.value, profile=None)
