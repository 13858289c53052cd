"""The commands `coachboard sync` and `coachboard cache`."""

import sys
from datetime import UTC, datetime

import click
from pydantic import SecretStr
from sqlalchemy.engine import make_url

from coachboard.client.api import Client
from coachboard.client.cache.aside import oddity_of
from coachboard.client.cache.engines import path_of
from coachboard.client.cache.store import Store
from coachboard.client.cache.tables import CACHE
from coachboard.client.errors import NotFound, ServiceError, UnexpectedStatus, UnreadableResponse
from coachboard.client.options import Options
from coachboard.client.progress_bar import ProgressBar, printable
from coachboard.client.resources import USERS_PATH
from coachboard.client.sync import Sync
from coachboard.plurals import count, noun
from coachboard.settings import Settings


@click.command("sync")
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), help="First day to fetch. Default: all days.")
@click.option("--streams", is_flag=True, help="Also fetch the streams of every activity.")
@click.option("--base-url", help="Address of the service. Default: COACHBOARD_BASE_URL.")
def sync_command(since: datetime | None, streams: bool, base_url: str | None) -> None:  # noqa: FBT001 (click's)
    """Fill the cache for all athletes, within the service's request limit. A stopped sync continues later.

    The API key comes from COACHBOARD_API_KEY or a prompt, because the process list shows arguments.
    """
    settings = Settings()
    address = base_url or settings.base_url
    if address is None:
        raise click.ClickException("no service address: set COACHBOARD_BASE_URL or use --base-url")
    try:
        with Client(
            address, _key(settings), cache_url=settings.cache_url, options=Options.of(settings)
        ) as client:
            _check(client.cache_trouble)
            fetched = _run(client, client.sync(since.date() if since else None, with_streams=streams))
            _check(client.cache_trouble)
    except (ServiceError, ValueError) as error:
        raise click.ClickException(printable(f"{error}{_hint(error, address)}")) from error
    click.echo(f"Up to date: {count(fetched, 'request')} made.", err=True)


def _key(settings: Settings) -> SecretStr:
    if settings.api_key:
        return settings.api_key
    if not sys.stdin.isatty():  # nobody is there to answer, and what is piped in would be shown
        raise click.ClickException("no API key: set COACHBOARD_API_KEY")
    return SecretStr(click.prompt("API key", hide_input=True, err=True))


def _hint(error: Exception, address: str) -> str:
    """Where the first question of all is answered by something else, the address is the likely cause."""
    is_first = isinstance(error, ServiceError) and error.path == USERS_PATH
    is_other = isinstance(error, UnreadableResponse | NotFound | UnexpectedStatus)
    if not is_first or not is_other or address.rstrip("/").endswith("/api"):
        return ""
    return f"; check the address: Coachboard's own service is at {address.rstrip('/')}/api"


def _run(client: Client, sync: Sync) -> int:
    bar = ProgressBar()
    try:
        with client.waiting(bar.wait):
            outcome = sync.run(bar.show)
    except KeyboardInterrupt:
        bar.end()
        click.echo(
            f"Stopped at {bar.how_far}. Fetched data is kept; run the command again to continue.", err=True
        )
        raise SystemExit(_INTERRUPTED) from None
    except ServiceError:
        bar.end()  # or its last line and the error would stand on one
        raise
    bar.end()
    for error in outcome.failures:
        click.echo(f"Not fetched: {printable(str(error))}", err=True)
    if outcome.failures:
        raise click.ClickException(
            f"{count(len(outcome.failures), 'request')} failed; run the command again to retry"
        )
    return outcome.fetched


_INTERRUPTED = 130
"""The status of a program that was ended from the keyboard."""


@click.group("cache")
def cache_command() -> None:
    """Cached data of the service."""


@cache_command.command("show")
def show_cache() -> None:
    """Show the contents of the cache."""
    settings = Settings()
    store = _opened(settings)
    if store is None:
        return
    try:
        click.echo(f"{store.name}: {store.size() / 2**20:.1f} of {settings.cache_max_mb} MB", err=True)
        for line in store.contents():
            used = datetime.fromtimestamp(line.used_at, UTC)
            click.echo(
                f"{line.scope[:8]}  {line.kind:<24} {line.entries:>7} {noun(line.entries, 'entry', 'entries'):<7} {line.bytes / 2**20:>9.1f} MB  "
                f"last used {used:%Y-%m-%d %H:%M} UTC"
            )
    finally:
        store.close()


@cache_command.command("clear")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def clear_cache(yes: bool) -> None:  # noqa: FBT001 (click's)
    """Delete all cached data; the request count stays."""
    store = _opened(Settings())
    if store is None:
        return
    try:
        if not yes:
            click.confirm("Delete all cached data?", abort=True, err=True)
        store.clear()
    finally:
        store.close()
    click.echo("The cache is empty.", err=True)


def _opened(settings: Settings) -> Store | None:
    """The cache; None, which is said, where there is none: looking at it must not make one."""
    url = make_url(settings.cache_url)
    path = path_of(url)
    if path is not None and not path.exists():
        click.echo(f"There is no cache yet: {path}", err=True)
        return None
    oddity = None if path is None else oddity_of(path, CACHE)
    if oddity is not None:
        raise click.ClickException(f"{path} is not a cache of this version ({oddity}); nothing changed")
    store = Store(settings.cache_url, max_bytes=settings.cache_max_mb * 2**20)
    _check(store.database.trouble)
    return store


def _check(trouble: str | None) -> None:
    """What is kept in memory is gone with the command: nothing to show, and no sync."""
    if trouble is not None:
        raise click.ClickException(f"cannot use the cache: {trouble}")


COMMANDS: tuple[click.Command, ...] = (sync_command, cache_command)
