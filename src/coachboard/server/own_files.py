"""The files given to `coachboard open`: sent to the service as an import, whose progress the terminal and a page show."""

import os
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import click
from pydantic import SecretStr

from coachboard.client.own_data import OwnData
from coachboard.client.transport.http import Http
from coachboard.loaders.imports.page_data import RESULTS, free_name, is_unfinished, summary
from coachboard.models.own_data import ImportJob
from coachboard.service.importers.archive import is_candidate
from coachboard.service.importers.health.sources import is_wanted

_PIECE_BYTES = 1 << 20
_POLL_S = 0.1
_PATIENCE_S = 60.0


class OwnFiles:
    """One import of files of this computer."""

    def __init__(self, base_url: str, key: SecretStr, paths: Sequence[Path]) -> None:
        self._own = OwnData(Http(base_url, key), patience_s=_PATIENCE_S, clock=time.monotonic, wait=_wait)
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
