"""What the service's commands share: the option that names the store, and the store for one command."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click
from sqlalchemy.exc import ArgumentError, IntegrityError, SQLAlchemyError

from coachboard.service.store import Store
from coachboard.settings import Settings


def store_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--db`, which the command takes as `url`."""
    return click.option(
        "--db",
        "url",
        metavar="URL",
        envvar="COACHBOARD_DATABASE_URL",
        default=lambda: Settings().database_url,
        help="Database URL: sqlite:///path or postgresql+psycopg://... Default: COACHBOARD_DATABASE_URL.",
    )(command)


@contextmanager
def opened(url: str) -> Iterator[Store]:
    """The store for one command; what the database refuses becomes one clear line."""
    try:
        store = Store.open(url)
    except (ArgumentError, SQLAlchemyError, OSError, ImportError) as error:
        raise click.ClickException(f"cannot open the database: {_first_line(error)}") from error
    try:
        yield store
    except IntegrityError as error:
        raise click.ClickException(f"the database rejected the change: {_first_line(error)}") from error
    finally:
        store.close()


def _first_line(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error).strip().split("\n")[0]
