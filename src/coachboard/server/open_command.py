"""The command `coachboard open`: the dashboard over the user's own data, signed in, with an import of files."""

import gc
import getpass
import os
import time
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, fields, replace
from functools import partial
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlencode

import click
import orjson
from pydantic import SecretStr

from coachboard.client.errors import ServiceError
from coachboard.client.http import Http
from coachboard.client.own_data import OwnData
from coachboard.listening import PORT, is_free, require_free, serve_dashboard
from coachboard.loaders.import_jobs import RESULTS, free_name, is_unfinished, summary
from coachboard.server import sign_in_links
from coachboard.server.sign_in_links import owner_key
from coachboard.service.importers.archive import is_candidate
from coachboard.service.importers.health.sources import is_wanted
from coachboard.service.store import NewUser, Store
from coachboard.service.store.rows import RowKind
from coachboard.settings import Settings
from coachboard.wire.own_data import ImportJob
from coachboard.wire.users import User

_HOST = "127.0.0.1"
_FIRST_PAGE_S = 2.0
"""How long to wait for an import before opening the browser; enough for one ride."""


@dataclass(frozen=True, slots=True)
class Owner:
    """The owner of the data, and the data folder."""

    user_id: str
    key: SecretStr
    settings: Settings


@click.command("open")
@click.argument(
    "paths", nargs=-1, metavar="[FILE|FOLDER|ZIP]...", type=click.Path(exists=True, path_type=Path)
)
@click.option("--name", help="Your name; if the data folder has several people, the person to open.")
@click.option("--port", default=8501, show_default=True, envvar="PORT", type=PORT, help="Port to listen on.")
@click.option("--no-browser", is_flag=True, help="Print the sign-in link and open no browser.")
def open_own(paths: tuple[Path, ...], *, name: str | None, port: int, no_browser: bool) -> None:
    """Open your own training data in the browser, and import recordings into it.

    The first start creates the data folder, your user and your key. Later starts need no arguments.
    """
    os.environ.pop("COACHBOARD_BASE_URL", None)  # this command reads the store of this computer
    os.environ.pop("COACHBOARD_API_KEY", None)
    settings = Settings()
    address = f"http://{_HOST}:{port}"
    is_running = not is_free(_HOST, port) and _serves_folder(port, settings.data)
    if not is_running:
        require_free(_HOST, port)
    gc.disable()  # until all modules are imported: `app` enables it again
    owner = _owner(settings, name)
    show = _show_link if no_browser else _open_browser
    if is_running:
        _import_and_show(address, owner, paths, show)
        return
    click.echo(f"Data folder: {settings.data}\nDashboard:   {address} (stop it with Ctrl+C)", err=True)
    serve_dashboard(_HOST, port, when_ready=lambda: _import_and_show(address, owner, paths, show))


def _import_and_show(
    address: str, owner: Owner, paths: tuple[Path, ...], show: Callable[[str], None]
) -> None:
    """Open the only session of the files; of several sessions, and while a longer import runs, open the report."""
    if not paths:
        show(_link(address, owner, _newest_page(owner)))
        return
    try:
        _import(address, owner, paths, show)
    except ServiceError as error:  # also Ctrl+C during an import: it ends the service first
        click.echo(
            f"Import interrupted: {error}. It continues at the next start; see the page Import.", err=True
        )


def _import(address: str, owner: Owner, paths: tuple[Path, ...], show: Callable[[str], None]) -> None:
    files = OwnFiles(f"{address}/api", owner.key, paths)
    try:
        import_id = files.start()
    except ServiceError as error:
        click.echo(f"Nothing imported: {error}. Run the command again with the same files.", err=True)
        return
    job = files.follow(import_id, for_s=_FIRST_PAGE_S)
    show(_link(address, owner, _import_page(owner, import_id, job)))
    if job is None:
        files.follow(import_id)


def _import_page(owner: Owner, import_id: str, job: ImportJob | None) -> str:
    """The page of the session of the files, also if it was there before; else the report with a link for each file."""
    ids = {activity_id for line in (job.report if job else ()) for activity_id in line.activity_ids}
    if len(ids) == 1:
        return _session_page(owner, ids.pop())
    return f"imports?{urlencode({'import': import_id})}"


def _owner(settings: Settings, name: str | None) -> Owner:
    settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    with closing(Store.open(settings.database_url)) as store:
        user_id = person_id(store, name)
        return Owner(user_id, owner_key(settings.data, store, user_id), settings)


def _serves_folder(port: int, data: Path) -> bool:
    """Whether a dashboard over the same data folder already listens on the port."""
    with suppress(OSError, HTTPException), closing(HTTPConnection(_HOST, port, timeout=5)) as connection:
        connection.request("GET", sign_in_links.FOLDER)
        reply = connection.getresponse().read(100)
        return reply.decode("ascii", "replace") == sign_in_links.folder_name(data)
    return False


def _link(address: str, owner: Owner, page: str) -> str:
    return f"{address}{sign_in_links.link(owner.key, owner.user_id, page)}"


def _newest_page(owner: Owner) -> str:
    """The page of the newest session; without a session the page that imports one."""
    with closing(Store.open(owner.settings.database_url)) as store:
        bodies = store.row_bodies(RowKind.ACTIVITIES, owner.user_id)
    if not bodies:
        return "imports"
    return _session_page(owner, orjson.loads(bodies[0])["id"])


def _session_page(owner: Owner, activity_id: str) -> str:
    return f"activity?{urlencode({'athlete': owner.user_id, 'activity': activity_id})}"


def _open_browser(link: str) -> None:
    if not webbrowser.open(link):
        _show_link(link)


def _show_link(link: str) -> None:
    click.echo(f"Sign in once, within 10 minutes: {link}", err=True)


def person_id(store: Store, name: str | None) -> str:
    """The person to open. A name given for a store with one person becomes that person's name."""
    people = store.users()
    if not people:
        return store.add_user(_named(NewUser(), name or getpass.getuser().capitalize()))
    ids = [person.id for person in people if name is None or person.full_name.casefold() == name.casefold()]
    if len(ids) == 1:
        return ids[0]
    if name and len(people) == 1:
        return store.add_user(_named(_as_new(people[0]), name))
    asked = f"no single person is called {name!r}" if name else "the data folder has several people"
    raise click.ClickException(
        f"{asked}; choose one with --name: {', '.join(sorted(user.full_name for user in people))}"
    )


def _named(user: NewUser, name: str) -> NewUser:
    first, _, last = " ".join(name.split()).partition(" ")
    return replace(user, first_name=first, last_name=last or None)


def _as_new(user: User) -> NewUser:
    return NewUser(**{field.name: getattr(user, field.name) for field in fields(NewUser)})


COMMANDS: tuple[click.Command, ...] = (open_own,)


_PIECE_BYTES = 1 << 20
_POLL_S = 0.1


class OwnFiles:
    """One import of files of this computer."""

    def __init__(self, base_url: str, key: SecretStr, paths: Sequence[Path]) -> None:
        self._own = OwnData(Http(base_url, key), clock=time.monotonic, wait=_wait)
        self._others = 0
        self._files = [file for path in paths for file in self._files_of(path)]
        self._shown = ""

    def start(self) -> str:
        """Send the files and start the import; gives its id."""
        job = self._own.create_import()
        names = set[str]()
        for name, path in self._files:
            self._own.send_file(job.id, free_name(name, names), partial(_pieces, path))
        return self._own.start_import(job.id, others=self._others).id

    def follow(self, import_id: str, *, for_s: float = float("inf")) -> ImportJob | None:
        """Show the progress for so long at most; at the end the problems and one closing line, and the ended import."""
        end = time.monotonic() + for_s
        while is_unfinished(job := self._own.get_import(import_id, limit=0)):
            self._show(job)
            if time.monotonic() >= end:
                return None
            time.sleep(_POLL_S)
        ended = self._own.get_import(import_id)
        _show_report(ended)
        return ended

    def _files_of(self, path: Path) -> Iterator[tuple[str, Path]]:
        """The files of a path with their names in the report; a file that is named is always sent.

        Links to folders can lead in circles and are not followed.
        """
        if not path.is_dir():
            yield path.name, path
            return
        for folder, folders, names in os.walk(path):
            folders.sort()
            for file in (Path(folder) / name for name in sorted(names)):
                if is_candidate(file.name, is_wanted) and file.is_file():
                    yield f"{path.resolve().name}/{file.relative_to(path).as_posix()}", file
                else:
                    self._others += 1

    def _show(self, job: ImportJob) -> None:
        line = f"  {job.done:,}/{job.total or 0:,}  {job.current or ''}"
        if job.current and line != self._shown:
            self._shown = line
            click.echo(line, err=True)


def _wait(seconds: float) -> None:
    click.echo(f"  The service asks to wait: {seconds:.0f} s.", err=True)
    time.sleep(seconds)


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            yield piece


def _show_report(job: ImportJob) -> None:
    for line in job.report:  # its first page; problems are first
        if line.notes:
            click.echo(f"  {line.name}: {RESULTS[line.outcome]}. {' '.join(line.notes)}", err=True)
    if job.error:
        click.echo(f"  The import stopped: {job.error}", err=True)
    click.echo(f"{summary(job)} Report and undo: the page Import.", err=True)
