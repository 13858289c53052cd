"""Which files hold health data, how each is read, and how nights meet those that the store has."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import orjson

from coachboard.service.importers import strava
from coachboard.service.importers.errors import NotImported, UnknownFormat
from coachboard.service.importers.health import apple, garmin
from coachboard.service.importers.health.csv_files import read_csv
from coachboard.service.importers.health.data import (
    HealthData,
    are_apart,
    completed,
    fields_of,
    filled,
    length_s,
    listed,
    sleep_of,
    sleep_words,
)
from coachboard.service.store import RowKind, Store
from coachboard.wire import metrics as catalogue
from coachboard.wire.body import Sleep

if TYPE_CHECKING:
    from coachboard.service.importers.archive import SourceFile


def is_wanted(name: str) -> bool:
    """Whether a file of that name may hold health data, or the list of a takeout."""
    file = PurePath(name.lower()).name
    is_xml = file.endswith(".xml") and "cda" not in file
    return file.endswith(".csv") or is_xml or garmin.reader_of(name) is not None


_MAIN_FILES = frozenset({"activities.csv", "export.xml"})
"""Strava's list of sessions and Apple's list of all values."""


def export_folders(names: Iterable[str]) -> frozenset[str]:
    """The folders, and folders in archives, that hold a file which says that they are a service's export.

    Browsers send the files of a dropped folder without their folders: all of them are then in ".".
    """
    return frozenset(str(PurePath(name).parent) for name in names if _tells_export(name))


def _tells_export(name: str) -> bool:
    return PurePath(name.lower()).name in _MAIN_FILES or garmin.reader_of(name) is not None


def is_of_export(name: str, folders: frozenset[str]) -> bool:
    """Whether the file is in an archive, in one of these folders, in Garmin's folder DI_CONNECT or one of Samsung's tables."""
    parents = PurePath(name).parents
    is_named = "di_connect" in name.lower() or PurePath(name.lower()).name.startswith("com.samsung.")
    return ".zip/" in name.lower() or is_named or any(str(parent) in folders for parent in parents)


def tables_of(names: Iterable[str]) -> frozenset[str]:
    """The CSV files whose columns a person can choose: those of an export are read by their known headers."""
    names = list(names)
    folders = export_folders(names)
    return frozenset(
        name
        for name in names
        if name.lower().endswith(".csv") and not strava.is_list(name) and not is_of_export(name, folders)
    )


def read_source(source: "SourceFile", chosen: Mapping[str, str] | None) -> HealthData | None:
    """The health data of a file; None for a file of another kind. Raises a `RecordingError`."""
    name = source.name.lower()
    reader = garmin.reader_of(name)
    try:
        if reader is not None:
            return reader(source.read())
        if name.endswith(".csv") and not strava.is_list(name):
            return read_csv(source.read(), chosen)
        if name.endswith(".xml") and source.stream is not None:
            with source.stream() as file:
                return apple.read_export(file)
    except UnknownFormat as reason:
        if source.of_export:
            # Takeouts hold tables and documents of every kind beside the few that are read.
            raise NotImported(str(reason)) from reason
        raise
    return None


@dataclass(slots=True)
class NightRows:
    """The changes of a file to the nights of the store."""

    rows: list[Sleep] = field(default_factory=list)
    filled: dict[str, list[str]] = field(default_factory=dict)
    """The names of the fields that known nights get, by the night's id."""
    removed: list[str] = field(default_factory=list)
    corrected: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    shorter: list[str] = field(default_factory=list)
    different: list[str] = field(default_factory=list)

    def notes(self) -> tuple[str, ...]:
        """A sentence for each kind of change of known nights."""
        return (
            *listed(
                self.corrected, "night", "of an earlier import corrected, which had a wrong day or value"
            ),
            *listed(self.replaced, "night", "in place of a shorter sleep of an earlier file"),
            *listed(
                self.shorter, "shorter sleep", "left out, as an earlier file has a longer one of the day"
            ),
            *listed(self.different, "night", "with other values in an earlier file, which stay"),
        )


def nights_of(store: Store, user_id: str, data: HealthData) -> NightRows:
    """New nights, known nights with values that they missed, and nights that replace others."""
    changes, days = NightRows(), sorted(data.nights | data.misread)
    stored = {row.day: row for row in _known(store, user_id, days[0], days[-1])} if days else {}
    cleared = _without_misread(stored, data)
    changes.corrected += map(str, sorted(cleared))
    for day in sorted(data.nights | cleared):
        row, fields = cleared.get(day) or stored.get(day), data.nights.get(day, {})
        if row is None:
            changes.rows.append(sleep_of(user_id, day, fields))
        elif are_apart(fields_of(row), fields):
            _choose_longer(changes, row, fields)
        else:
            _fill(changes, row, fields, is_changed=day in cleared)
    return changes


def _fill(changes: NightRows, row: Sleep, fields: Mapping[str, Any], *, is_changed: bool) -> None:
    night, missing = filled(row, fields)
    values = {name: fields[name] for name in catalogue.NIGHT_FIELDS if name in fields}
    if not values.items() <= fields_of(night).items():
        changes.different.append(str(row.day))
    if not fields_of(night):
        changes.removed.append(row.id)
    elif missing or is_changed:
        changes.rows.append(night)
        changes.filled[row.id] = missing


def _choose_longer(changes: NightRows, row: Sleep, fields: Mapping[str, Any]) -> None:
    """Of two sleeps at different times of one day, from two files, the longer one is the night."""
    words, before = sleep_words(row.day, fields), fields_of(row)
    if length_s(before) >= length_s(fields):
        changes.shorter.append(words)
        return
    night = row.model_copy(update=completed(fields))
    changes.rows.append(night)
    changes.filled[row.id] = list(fields_of(night))
    changes.replaced.append(f"{words} (before {sleep_words(row.day, before)})")


def _without_misread(stored: Mapping[date, Sleep], data: HealthData) -> dict[date, Sleep]:
    """The known nights that an earlier version misread from this file, without these values.

    Only if the store has every one of them: a single value can be the same by chance.
    """
    cleared = {}
    for day, fields in data.misread.items():
        before = {name: value for name, value in completed(fields).items() if value is not None}
        if before.items() <= completed(data.nights.get(day, {})).items():
            continue
        row = stored.get(day)
        if row is None or not before.items() <= fields_of(row).items():
            return {}
        cleared[day] = row.model_copy(update=dict.fromkeys(before))
    return cleared


def _known(store: Store, user_id: str, first: date, last: date) -> list[Sleep]:
    """The known nights, the longest of a day last."""
    bodies = store.row_bodies(RowKind.SLEEPS, user_id, start=first, end=last)
    rows = [Sleep.from_wire(orjson.loads(body)) for body in bodies]
    return sorted(rows, key=lambda row: row.total_duration or 0)
