"""Commands for an athlete's metrics: what an import needs to tell laps, loads and a W' balance."""

from datetime import UTC, datetime
from math import isfinite

import click

from coachboard.models.base import parse_day
from coachboard.models.body import USUAL_UNITS, Metric
from coachboard.models.enums import MetricSource, MetricSport, MetricType
from coachboard.service.ids import new_id
from coachboard.service.store_option import opened, store_option

_TYPES = {str(kind).replace(" ", "-"): kind for kind in MetricType}


@click.group()
def metrics() -> None:
    """Add and list an athlete's metrics: critical power, W', heart rates, weight."""


@metrics.command("add")
@store_option
@click.argument("user_id")
@click.argument("kind", metavar="TYPE", type=click.Choice(list(_TYPES)))
@click.argument("value", type=click.FloatRange(min=0, min_open=True, max=1e6))
@click.option(
    "--sport", type=click.Choice([str(sport) for sport in MetricSport]), default="global", show_default=True
)
@click.option("--day", metavar="YYYY-MM-DD", help="First day on which the value applies. Default: today.")
def add_metric(url: str, user_id: str, kind: str, value: float, *, sport: str, day: str | None) -> None:
    """Add a measured value and print its id. An import uses the newest value before a session, else the first after.

    Units: W, J for W', m for D', m/s, bpm, kg, %, mL/min/kg.
    """
    if not isfinite(value):
        raise click.BadParameter(f"{value} is not a valid value")
    try:
        since = parse_day(day) if day else datetime.now(UTC).date()
    except ValueError as error:
        raise click.BadParameter(str(error)) from error
    with opened(url) as store:
        if not store.user_exists(user_id):
            raise click.ClickException(f"no such user: {user_id}")
        metric = Metric(
            id=new_id("mtr"), type=_TYPES[kind], value=value, unit=USUAL_UNITS[_TYPES[kind]],
            source=MetricSource.USER, date=since, sport=MetricSport(sport),
        )  # fmt: skip
        store.put_metrics(user_id, [metric])
        click.echo(metric.id)


@metrics.command("list")
@store_option
@click.argument("user_id")
def list_metrics(url: str, user_id: str) -> None:
    """Print one row per value, oldest first: id, day, type, value, unit, sport, source."""
    with opened(url) as store:
        if not store.user_exists(user_id):
            raise click.ClickException(f"no such user: {user_id}")
        for one in store.metrics_of(user_id):
            words = (one.id, one.date, one.type, f"{one.value:g}", one.unit, one.sport, one.source)
            click.echo("\t".join("" if word is None else str(word) for word in words))


COMMANDS = (metrics,)
