"""Shared by the service's commands: the option for the store's address, and the store for one command."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click
from sqlalchemy.exc import ArgumentError, IntegrityError, NoSuchModuleError, OperationalError, SQLAlchemyError

from coachboard.database import is_disk_full
from coachboard.plain_text import first_line, name_of
from coachboard.private_files import report_wide
from coachboard.service.store import Store
from coachboard.service.store.engine import address_of, missing_database, readable
from coachboard.settings import Settings


class _Line(click.ParamType[str]):
    """A text that is stored as one line of visible characters."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return name_of(value) or (self.fail("the text has no visible character", param, ctx) if value else "")


LINE = _Line()


def store_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--db`, which the command receives as `url`."""
    return click.option(
        "--db",
        "url",
        metavar="URL",
        envvar="COACHBOARD_DATABASE_URL",
        default=lambda: Settings().database_url,
        help="Use this database: a path, sqlite:///path or postgres://... "
        "The default is COACHBOARD_DATABASE_URL, else the file in the data folder.",
    )(command)


def require_database(url: str) -> None:
    missing = missing_database(url)
    if missing is not None:
        raise click.ClickException(
            f"there is no database at {missing}: check --db, import files with `coachboard open`, "
            "or add a person with `coachboard users add`"
        )


@contextmanager
def opened(url: str, *, creates: bool = False, upgrades: bool = False) -> Iterator[Store]:
    """The store for one command; a fault of the database becomes one clear line.

    Only a command that `creates` makes a missing database: a list of nothing in a new file hides a wrong path. The others
    read a database that may not be written.
    """
    try:
        if not creates:
            require_database(url)
            url = readable(address_of(url)).render_as_string(hide_password=False)
        store = Store.open(url, upgrades=upgrades)
    except (ArgumentError, SQLAlchemyError, OSError, ImportError) as error:
        if is_disk_full(error):
            raise
        raise click.ClickException(f"cannot open the database{_advice(url, error)}") from error
    report_wide(Settings().data, url)
    try:
        yield store
    except IntegrityError as error:
        raise click.ClickException(f"the database rejected the change: {first_line(error)}") from error
    finally:
        store.close()


def _advice(url: str, error: Exception) -> str:
    """The path of a file that cannot be opened and what to do; SQLite names no path."""
    reason = first_line(error)
    if isinstance(error, OSError):
        reason = f"{address_of(url).database}: {reason}; check that you may write to its folder"
    if isinstance(error, OSError) or "unable to open" in reason:
        return f" {reason}, or name another one with --db or COACHBOARD_DATABASE_URL"
    is_about_address = isinstance(error, ArgumentError | ImportError | OperationalError | NoSuchModuleError)
    return f": {reason}{'; check COACHBOARD_DATABASE_URL or --db' if is_about_address else ''}"
