"""The command line; loads a command's module when it is called.

Standard output has only the values that a script needs; messages go to standard error.
"""

import gc
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, date, datetime
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

import click

from coachboard.database import FULL_DISK, is_disk_full
from coachboard.listening import PORT, embedded_url, require_free, serve_dashboard
from coachboard.private_files import keep_private

DEMO_DATA = "data"

_MODULES = MappingProxyType(
    {
        "open": "coachboard.server.open_command",
        "serve": "coachboard.service.commands",
        "upgrade": "coachboard.service.commands",
        "users": "coachboard.service.commands",
        "workspaces": "coachboard.service.commands",
        "keys": "coachboard.service.commands",
        "invitations": "coachboard.service.invitations.commands",
        "metrics": "coachboard.service.metric_commands",
        "import": "coachboard.service.importers.commands",
        "nights": "coachboard.service.importers.commands",
        "activities": "coachboard.service.activity_commands",
        "identities": "coachboard.server.identity_commands",
        "backup": "coachboard.server.backup_command",
        "restore": "coachboard.server.backup_command",
        "recompute": "coachboard.service.metric_commands",
        "demo-data": "coachboard_demo.generate",
        "sync": "coachboard.client.commands",
        "cache": "coachboard.client.commands",
    }
)


class Misuse(click.ClickException):
    """Arguments that a command does not accept."""

    exit_code = click.UsageError.exit_code


@contextmanager
def _in_one_line() -> Iterator[None]:
    """Report a wrong argument in one line instead of click's four; a group without a command lists its commands."""
    try:
        yield
    except click.exceptions.NoArgsIsHelpError:
        raise
    except click.UsageError as error:
        said = " ".join(error.format_message().split()).rstrip(".")
        if isinstance(error, click.MissingParameter) and isinstance(
            name := getattr(error.param, "envvar", None), str
        ):
            said = f"{said}, and {name} is missing or empty"
        command = error.ctx.command_path if error.ctx else "coachboard"
        raise Misuse(f"{said} (see {command} --help)") from error


class LazyGroup(click.Group):
    """Loads a command's module when the command runs: `--help` of one command imports one module."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *_MODULES})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _MODULES:
            return super().get_command(ctx, cmd_name)
        commands: tuple[click.Command, ...] = import_module(_MODULES[cmd_name]).COMMANDS
        return next((command for command in commands if command.name == cmd_name), None)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with _in_one_line():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; errors of settings, disk or database print one line, bugs print a traceback."""
        try:
            with _in_one_line():
                return super().invoke(ctx)
        except Exception as error:
            said = _refusal(error)
            if said is None:
                raise
            raise click.ClickException(said) from error


def _refusal(error: Exception) -> str | None:
    if isinstance(error, click.ClickException):
        return None
    if is_disk_full(error):
        return f"{FULL_DISK}: free some space, then run the command again"
    # By name: pydantic and SQLAlchemy take long to import, and most commands do not fail.
    if type(error).__name__ == "ValidationError" and getattr(error, "title", "") == "Settings":
        first: dict[str, Any] = error.errors()[0]  # type: ignore[attr-defined] # pydantic's
        return f"COACHBOARD_{str(first['loc'][0]).upper()}: {first['msg']}"
    if any(kind.__module__.startswith("sqlalchemy.") for kind in type(error).__mro__):
        return f"database error: {str(getattr(error, 'orig', None) or error).strip().splitlines()[0]}"
    return str(error) if isinstance(error, PermissionError | FileNotFoundError | NotADirectoryError) else None


@click.group(cls=LazyGroup)
@click.version_option(package_name="coachboard", message="%(version)s")
def main() -> None:
    """Coaching dashboard with its training-data query service."""
    keep_private()


_port = click.option(
    "--port",
    default=8501,
    show_default=True,
    envvar="PORT",
    type=PORT,
    help="Port to listen on.",
)
_host = click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")


@main.command()
@click.option(
    "--db",
    envvar="COACHBOARD_DATABASE_URL",
    default=lambda: f"sqlite:///{Path(os.environ.get('COACHBOARD_DATA') or DEMO_DATA) / 'demo.db'}",
    show_default="demo.db in COACHBOARD_DATA, or in the folder data",
    metavar="URL",
    help="Database of the service; created and filled with the demo squad if missing.",
)
@_port
@_host
def demo(db: str, port: int, host: str) -> None:
    """Start the dashboard, the service and a demo squad on this machine."""
    require_free(host, port)
    os.environ.setdefault("COACHBOARD_DATA", DEMO_DATA)
    gc.disable()  # until all is imported: `app` enables it again
    _have_processes_at_hand(db)
    keys = _begin_demo(db, embedded_url(host, port))
    os.environ["COACHBOARD_DATABASE_URL"] = db
    os.environ.pop("COACHBOARD_BASE_URL", None)
    click.echo(f"\n  Coachboard  http://{_shown(host)}:{port}", err=True)
    click.echo(f"  Service     http://{_shown(host)}:{port}/api", err=True)
    click.echo(f"  Keys        {keys}\n", err=True)
    serve_dashboard(host, port)


@main.command()
@_port
@_host
@click.option(
    "--base-url",
    envvar="COACHBOARD_BASE_URL",
    required=True,
    help="Address of the service to read (COACHBOARD_BASE_URL).",
)
def dashboard(port: int, host: str, base_url: str) -> None:
    """Start only the dashboard; the service runs elsewhere."""
    if urlsplit(base_url).scheme not in {"http", "https"} or not urlsplit(base_url).hostname:
        raise click.ClickException(
            "--base-url (COACHBOARD_BASE_URL): expected an http or https address such as http://127.0.0.1:8600/api"
        )
    require_free(host, port)
    gc.disable()  # until all is imported: `app` enables it again
    os.environ["COACHBOARD_BASE_URL"] = base_url
    click.echo(f"Coachboard  http://{_shown(host)}:{port}  Service  {base_url}", err=True)
    serve_dashboard(host, port)


def _have_processes_at_hand(database_url: str) -> None:
    people = import_module("coachboard_demo.people").DEFAULT_ATHLETES
    import_module("coachboard_demo.share").call_for(database_url, people)


def _begin_demo(database_url: str, base_url: str) -> str:
    """Create the missing files and tables; returns the store's demo keys, or its content instead."""
    making, people = (import_module(f"coachboard_demo.{name}") for name in ("making", "people"))
    filling = import_module("coachboard_demo.generate").filling_of(database_url)
    today = import_module("coachboard.settings").Settings().today or date.today()  # noqa: DTZ011 # the reader's day
    with closing(import_module("coachboard.service.store").Store.open(database_url)) as store:
        if making.is_to_be_renewed(store):
            _say_renewed(store.copy_beside(datetime.now(UTC)))
            import_module("coachboard.client.commands").forget(base_url, people.KEYS)
        hour = import_module("coachboard_demo.people").utc_hour_of(datetime.now(UTC), today)
        making.begin_demo(store, making.Size(today, utc_hour=hour))
        filling.start(store)
        labels = people.labels_of(store, in_use=True)
    if filling.is_under_way:
        click.echo("Writing the demo squad in the background: athletes appear one by one.", err=True)
    held = [key for key in people.KEYS if key in labels]
    return "  ".join(held) or f"no demo keys: {database_url} contains its own users"


def _say_renewed(copy: Path | None) -> None:
    click.echo(
        "This demo squad comes from another version of Coachboard: generating it again up to today. Your own "
        "keys, invitations, workspaces, sessions, nights and metrics are kept.",
        err=True,
    )
    if copy is not None:
        click.echo(f"Backup of the previous database: {copy} (safe to delete).", err=True)


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host
