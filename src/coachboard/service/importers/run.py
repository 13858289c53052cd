"""One import of files, folders and archives, file by file: for the command line and for jobs of the service."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from coachboard.plain_text import visible
from coachboard.service.importers.archive import Found, find_files
from coachboard.service.importers.errors import ImportLimits
from coachboard.service.importers.health.sources import export_folders, is_of_export, is_wanted
from coachboard.service.importers.importing import FileReport, Importer

_LONGEST_NAME = 300
"""Of a file in a report; PostgreSQL takes 2,700 bytes in the index of its lines."""


class ImportRun:
    """The files below the paths and their import; `base` is the folder that names in the report leave out."""

    def __init__(
        self, importer: Importer, paths: Iterable[Path], *, name_of: Callable[[str], str] = str
    ) -> None:
        self._importer = importer
        self._name_of = name_of
        self._found: Found = find_files(paths, ImportLimits(), is_wanted)

    @property
    def total(self) -> int:
        return len(self._found.sources)

    @property
    def others(self) -> int:
        """The number of files of other kinds, which are skipped."""
        return self._found.others

    def reports(self, *, is_done: Callable[[str], bool] = lambda _name: False) -> Iterator[FileReport]:
        """Import the files one by one, except those whose name is done: after a kill the rest follows."""
        names = readable_names(self._name_of(source.name) for source in self._found.sources)
        folders = export_folders(names)
        for name, source in zip(names, self._found.sources, strict=True):
            if not is_done(name):
                of_export = is_of_export(name, folders)
                yield self._importer.import_source(replace(source, name=name, of_export=of_export))


def readable_names(names: Iterable[str]) -> list[str]:
    """The names as a report and a database can hold them, each once: those of archives have any characters and length."""
    unique: dict[str, None] = {}
    for name in names:
        # A name that is not UTF-8 comes with halves of surrogates, which no database takes.
        text = visible(name.encode("utf-8", "replace").decode()).replace("\n", " ").replace("\t", " ")
        if len(text) > _LONGEST_NAME:
            text = f"{text[: _LONGEST_NAME // 2]}…{text[-_LONGEST_NAME // 2 :]}"
        free, number = text, 2
        while free in unique:
            head, dot, suffix = text.rpartition(".")
            free = f"{head} ({number}){dot}{suffix}"
            number += 1
        unique[free] = None
    return list(unique)
