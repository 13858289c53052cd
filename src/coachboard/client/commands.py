"""The commands `coachboard sync` and `coachboard cache`, with the progress bar of the sync."""

import os
import sys
import time
from collections.abc import Iterable
from datetime import UTC, datetime

import click
from pydantic import SecretStr
from sqlalchemy.engine import make_url

from coachboard.client.cache import CacheStore, scope_of
from coachboard.client.client import Client
from coachboard.client.database import find_mismatch, path_of
from coachboard.client.errors import ServiceError
from coachboard.client.options import Options
from coachboard.client.sync import Sync, SyncProgress
from coachboard.client.waiting import Waiting, waits_reported_to
from coachboard.plurals import count, noun
from coachboard.private_files import report_wide
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
            report_wide(settings.data, settings.cache_url)
            _check(client.cache_trouble)
            fetched = _run(client.sync(since.date() if since else None, with_streams=streams))
            _check(client.cache_trouble)
    except (ServiceError, ValueError) as error:
        raise click.ClickException(printable(f"{error}")) from error
    click.echo(f"Up to date: {count(fetched, 'request')} made.", err=True)


def _key(settings: Settings) -> SecretStr:
    if settings.api_key:
        return settings.api_key
    if not sys.stdin.isatty():  # a prompt would echo the piped key
        raise click.ClickException("no API key: set COACHBOARD_API_KEY")
    return SecretStr(click.prompt("API key", hide_input=True, err=True))


def _run(sync: Sync) -> int:
    bar = ProgressBar()
    try:
        with waits_reported_to(bar.wait):
            outcome = sync.run(bar.show)
    except KeyboardInterrupt:
        bar.end()
        click.echo(
            f"Stopped at {bar.how_far}. Fetched data is kept; run the command again to continue.", err=True
        )
        os._exit(_INTERRUPTED)  # a request under way would hold the end of the process for its timeout
    except ServiceError:
        bar.end()  # or its last line and the error share a line
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
"""The exit status of a program that the keyboard interrupts."""


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
        click.echo(
            f"{store.database.name}: {store.size() / 2**20:.1f} of {settings.cache_max_mb} MB", err=True
        )
        for line in store.contents():
            fetched = datetime.fromtimestamp(line.fetched_at, UTC)
            click.echo(
                f"{line.scope[:8]}  {line.kind:<24} {line.entries:>7} {noun(line.entries, 'entry', 'entries'):<7} {line.bytes / 2**20:>9.1f} MB  "
                f"last fetched {fetched:%Y-%m-%d %H:%M} UTC"
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


def _opened(settings: Settings) -> CacheStore | None:
    """The cache; None, with a message, where there is none: to show a cache must not create it."""
    url = make_url(settings.cache_url)
    path = path_of(url)
    if path is not None and not path.exists():
        click.echo(f"There is no cache yet: {path}. The dashboard and `coachboard sync` fill it.", err=True)
        return None
    mismatch = None if path is None else find_mismatch(path)
    if mismatch is not None:
        raise click.ClickException(f"{path} is not a cache of this version ({mismatch}); nothing changed")
    store = CacheStore(settings.cache_url, max_bytes=settings.cache_max_mb * 2**20)
    _check(store.database.trouble)
    return store


def _check(trouble: str | None) -> None:
    """A cache in memory ends with the command: there is nothing to show or to sync."""
    if trouble is not None:
        raise click.ClickException(f"cannot use the cache: {trouble}")


def forget(base_url: str, api_keys: Iterable[str]) -> None:
    """Delete the cached data of a service that starts again from an empty database.

    The cache would otherwise show data of the former database for a week. Creates no cache where there is none.
    """
    settings = Settings()
    path = path_of(make_url(settings.cache_url))
    if path is not None and not path.exists():
        return
    store = CacheStore(settings.cache_url, max_bytes=settings.cache_max_mb * 2**20)
    try:
        for key in api_keys:
            store.clear(scope_of(base_url, SecretStr(key)))
    finally:
        store.close()


_BAR = 20  # columns
_LONG_S = 2.0
"""How long an answer may take before the bar names the wait."""


class ProgressBar:
    """The progress of one sync on standard error: a bar in a terminal, else a line for each tenth."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._tenth = -1
        self._is_begun = False
        self._progress = SyncProgress(0, 0, None, "")
        self._shown_at = time.monotonic()

    def show(self, progress: SyncProgress) -> None:
        """Show the progress."""
        self._progress, self._shown_at = progress, time.monotonic()
        if self._is_terminal:
            self._draw(progress.doing)
            return
        tenth = int(_share(progress) * 10)
        if tenth != self._tenth:
            self._tenth = tenth
            click.echo(self._figures(), err=True)

    def wait(self, waiting: Waiting) -> None:
        """Show a wait: for the rate limit with the seconds left, for an answer that takes long."""
        if not self._is_terminal:
            return
        if waiting.seconds_left:
            self._draw(f"waiting {duration(waiting.seconds_left)} for {waiting.reason}")
        elif waiting.seconds_left is None and waiting.seconds_so_far > _LONG_S:
            self._draw(f"waiting for {waiting.reason}")

    def end(self) -> None:
        """Leave the line."""
        if self._is_begun:
            click.echo(err=True)

    @property
    def how_far(self) -> str:
        """The requests done, of all."""
        return f"{self._progress.done} of {self._progress.total}"

    def _figures(self) -> str:
        if self._progress.seconds_left is None:
            return self.how_far
        left = self._progress.seconds_left - (time.monotonic() - self._shown_at)
        if self._progress.done < self._progress.total:
            left = max(1.0, left)  # 0 s left means done
        return f"{self.how_far}, {duration(max(0.0, left))} left"

    def _draw(self, doing: str) -> None:
        bar = "#" * int(_BAR * _share(self._progress))
        line = f"{self._figures()}  [{bar:<{_BAR}}]  {printable(doing)}"
        # Without wrapping, a line that is too long ends at the edge of the terminal; the rest of the last one is cleared.
        click.echo(f"\r\x1b[?7l{line}\x1b[K\x1b[?7h", nl=False, err=True)
        self._is_begun = True


def printable(text: str) -> str:
    """The text without control characters: names and messages of the service could steer the terminal."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _share(progress: SyncProgress) -> float:
    return progress.done / progress.total if progress.total else 0.0


COMMANDS: tuple[click.Command, ...] = (sync_command, cache_command)
