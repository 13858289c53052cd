"""Which files hold health data, how each is read, and how nights meet those that the store has."""

from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import PurePath
from typing import TYPE_CHECKING

import orjson

from coachboard.models.body import Sleep
from coachboard.service.importers import strava
from coachboard.service.importers.errors import NotImported, UnknownFormat
from coachboard.service.importers.health import apple, garmin
from coachboard.service.importers.health.csv_files import read_csv
from coachboard.service.importers.health.data import HealthData, filled, sleep_of
from coachboard.service.store import RowKind, Store

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
    """Whether the file is in an archive, in one of these folders or in Garmin's folder DI_CONNECT."""
    parents = PurePath(name).parents
    is_garmin = "di_connect" in name.lower()
    return ".zip/" in name.lower() or is_garmin or any(str(parent) in folders for parent in parents)


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


def nights_of(store: Store, user_id: str, data: HealthData) -> tuple[list[Sleep], dict[str, list[str]]]:
    """New nights, known nights with values that they missed, and the names of those fields by the night's id."""
    if not data.nights:
        return [], {}
    days = sorted(data.nights)
    known = {row.day: row for row in _known(store, user_id, days[0], days[-1])}
    rows, added = [], dict[str, list[str]]()
    for day in days:
        fields = data.nights[day]
        if day not in known:
            rows.append(sleep_of(user_id, day, fields))
            continue
        night, missing = filled(known[day], fields)
        if missing:
            rows.append(night)
            added[night.id] = missing
    return rows, added


def _known(store: Store, user_id: str, first: date, last: date) -> list[Sleep]:
    """The known nights, the longest of a day last."""
    bodies = store.row_bodies(RowKind.SLEEPS, user_id, start=first, end=last)
    rows = [Sleep.from_wire(orjson.loads(body)) for body in bodies]
    return sorted(rows, key=lambda row: row.total_duration or 0)
