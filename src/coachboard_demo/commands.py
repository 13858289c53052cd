"""The command that makes demo data of any size."""

from datetime import UTC, date, datetime

import click

from coachboard.plurals import count, noun
from coachboard.service.store import Store
from coachboard.settings import Settings
from coachboard_demo.generate import generate
from coachboard_demo.people import DEFAULT_ATHLETES, DEFAULT_SEED, DEFAULT_YEARS, NOON, Size, utc_hour_of


@click.command("demo-data")
@click.option(
    "--athletes",
    default=DEFAULT_ATHLETES,
    show_default=True,
    type=click.IntRange(1, 10_000),
    help="Write this number of athletes.",
)
@click.option(
    "--years",
    default=DEFAULT_YEARS,
    show_default=True,
    type=click.FloatRange(0.1, 30),
    help="Write this number of years.",
)
@click.option(
    "--seed", default=DEFAULT_SEED, show_default=True, type=int, help="Draw the squad from this seed."
)
@click.option(
    "--db",
    "url",
    envvar="COACHBOARD_DATABASE_URL",
    help="Database to write to. Default: the one in the settings.",
)
@click.option("--today", type=click.DateTime(["%Y-%m-%d"]), help="Date used as today.")
def demo_data(*, athletes: int, years: float, seed: int, url: str | None, today: datetime | None) -> None:
    """Write a demo squad of any size; the same seed and day give the same rows."""
    day = today.date() if today else date.today()  # noqa: DTZ011 (the calendar of the reader)
    hour = NOON if today else utc_hour_of(datetime.now(UTC), day)
    store = Store.open(url or Settings().database_url, is_bulk=True)
    try:
        generate(store, Size(day, athletes, years, seed, hour))
    finally:
        store.close()
    click.echo(
        f"Wrote {count(athletes, 'athlete')}, {years:g} {noun(years, 'year')} of training up to {day}.",
        err=True,
    )


COMMANDS: tuple[click.Command, ...] = (demo_data,)
