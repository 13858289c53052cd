"""Reads the values of an athlete that plans and sessions are compared with."""

from datetime import date, timedelta

from coachboard.client import Client
from coachboard.execution.capacities import METRIC_DAYS, Capacities, capacities_on
from coachboard.wire.enums import Sport


def load_capacities(client: Client, user_id: str, day: date, sport: Sport) -> Capacities:
    """Critical power, W', maximum heart rate and critical speed on a day."""
    metrics = client.list_metrics(user_id, day - timedelta(days=METRIC_DAYS), day)
    return capacities_on(day, sport, metrics=metrics.value, profile=None)
