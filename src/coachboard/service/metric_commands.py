"""Commands for a person's values: thresholds, heart rates and weight, which loads are computed with; and to recompute."""

from datetime import UTC, date, datetime
from math import isfinite
from typing import Any

import click
import orjson

from coachboard.formulas.plausible import RANGES
from coachboard.plurals import count
from coachboard.service.importers.errors import RecordingError
from coachboard.service.importers.importing import athletes_of
from coachboard.service.importers.reread import is_current, recompute
from coachboard.service.people import person_of
from coachboard.service.store import RowKind, Store
from coachboard.service.store.rows import of_metric
from coachboard.service.store_option import opened, store_option
from coachboard.service.values import ImplausibleValueError, new_metric
from coachboard.wire.base import parse_day
from coachboard.wire.body import Metric
from coachboard.wire.enums import MetricSport
from coachboard.wire.metrics import METRICS, MetricType


@click.command("recompute")
@store_option
@click.option(
    "--user", "person", metavar="PERSON", help="Recompute the sessions of this person (name or id)."
)
@click.option(
    "--all", "is_all", is_flag=True, help="Recompute every session, also those that are up to date."
)
def recompute_sessions(url: str, person: str | None, *, is_all: bool) -> None:
    """Compute laps and loads again with the values that hold now; `metrics` commands do so by themselves."""
    with opened(url) as store:
        recompute_person(store, person_of(store, person), is_all=is_all)


def recompute_person(store: Store, user_id: str, *, is_all: bool = False) -> None:
    """Recompute a person's sessions whose references have changed, and say how many."""
    athlete_on = athletes_of(store, user_id)
    done, faults = 0, []
    for activity_id in store.own_activity_ids(user_id):
        seen = store.own_activity(user_id, activity_id)
        if seen is None or (not is_all and is_current(seen, athlete_on)):
            continue
        try:
            done += recompute(store, user_id, activity_id, athlete_on)
        except RecordingError as error:
            faults.append(f"{activity_id}: {error}")
    for fault in faults:
        click.echo(fault, err=True)
    click.echo(f"Recomputed {count(done, 'session')}.", err=True)


_TYPES = {str(kind).replace(" ", "-"): kind for kind in MetricType}
_OTHER_NAMES = {
    "ftp": "critical-power", "cp": "critical-power", "threshold-power": "critical-power", "w'": "w-prime",
    "wprime": "w-prime", "cs": "critical-speed", "threshold-pace": "critical-speed", "hrmax": "max-heart-rate",
    "max-hr": "max-heart-rate", "rhr": "resting-heart-rate", "resting-hr": "resting-heart-rate",
}  # fmt: skip


class _TypeName(click.Choice[str]):
    """A type of metric; a name that other programs use is answered with the one that is meant."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        meant = _OTHER_NAMES.get(str(value).lower())
        if meant is not None:
            self.fail(
                f"{value!r} is not a type here: use {meant} (see `coachboard metrics types`)", param, ctx
            )
        return super().convert(value, param, ctx)


@click.group()
def metrics() -> None:
    """Add, list, edit and delete a person's values: critical power, W', heart rates, weight."""


def _since(text: str | None) -> date:
    try:
        return parse_day(text) if text else datetime.now(UTC).date()
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def _checked(
    kind: MetricType, value: float, *, day: date, sport: MetricSport, id_: str | None = None
) -> Metric:
    if not isfinite(value):
        raise click.BadParameter(f"{value} is not a valid value")
    try:
        return new_metric(kind, value, day=day, sport=sport, id_=id_)
    except ImplausibleValueError as error:
        raise click.ClickException(str(error)) from error


@metrics.command("types")
def list_types() -> None:
    """Print one row per type of value: name, unit, lowest and highest plausible value."""
    for name, kind in _TYPES.items():
        low, high = RANGES[kind]
        click.echo(f"{name}\t{METRICS[kind].unit}\t{low:g}\t{high:g}")


@metrics.command("add")
@store_option
@click.argument("person")
@click.argument("kind", metavar="TYPE", type=_TypeName(list(_TYPES)))
@click.argument("value", type=float)
@click.option(
    "--sport",
    type=click.Choice([str(sport) for sport in MetricSport]),
    default="global",
    show_default=True,
    help="Use the value for sessions of this sport.",
)
@click.option("--day", metavar="YYYY-MM-DD", help="Use the value from this day on. The default is today.")
def add_metric(url: str, person: str, kind: str, value: float, *, sport: str, day: str | None) -> None:
    """Add a measured value, print its id, and recompute the sessions that it affects.

    A session uses the newest value before it, else the first one after it. `metrics types` lists the units.
    """
    metric = _checked(_TYPES[kind], value, day=_since(day), sport=MetricSport(sport))
    with opened(url) as store:
        user_id = person_of(store, person)
        store.put_metrics(user_id, [metric])
        click.echo(metric.id)
        recompute_person(store, user_id)


@metrics.command("list")
@store_option
@click.argument("person", required=False)
def list_metrics(url: str, person: str | None) -> None:
    """Print one row per value, oldest first: id, day, type, value, unit, sport, source."""
    with opened(url) as store:
        for metric in store.metrics_of(person_of(store, person)):
            words = (
                metric.id,
                metric.date,
                metric.type,
                f"{metric.value:g}",
                metric.unit,
                metric.sport,
                metric.source,
            )
            click.echo("\t".join("" if word is None else str(word) for word in words))


@metrics.command("edit")
@store_option
@click.argument("metric_id")
@click.argument("value", type=float)
@click.option("--day", metavar="YYYY-MM-DD", help="Move the value to this day.")
def edit_metric(url: str, metric_id: str, value: float, *, day: str | None) -> None:
    """Change a value by the id that `metrics list` prints, and recompute the sessions that it affects."""
    with opened(url) as store:
        user_id, body = _find(store, metric_id)
        before = Metric.from_wire(orjson.loads(body))
        since = _since(day) if day else before.date
        metric = _checked(before.type, value, day=since, sport=before.sport, id_=metric_id)
        store.replace_row(RowKind.METRICS, user_id, body, of_metric(user_id, metric))
        recompute_person(store, user_id)


@metrics.command("delete")
@store_option
@click.argument("metric_id")
def delete_metric(url: str, metric_id: str) -> None:
    """Delete a value by the id that `metrics list` prints, and recompute the sessions that it affected."""
    with opened(url) as store:
        user_id, body = _find(store, metric_id)
        store.delete_row(RowKind.METRICS, user_id, metric_id, body)
        recompute_person(store, user_id)


def _find(store: Store, metric_id: str) -> tuple[str, bytes]:
    for user in store.users():
        body = store.own_body(RowKind.METRICS, user.id, metric_id)
        if body is not None:
            return user.id, body
    raise click.ClickException(f"no such value: {metric_id}")


COMMANDS: tuple[click.Command, ...] = (metrics, recompute_sessions)
