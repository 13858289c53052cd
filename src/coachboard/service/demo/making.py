"""A demo database that is whole or not there at all, whatever ends its making half-way.

A SQLite file is written under another name and takes its own once it is complete; in another database a
workspace marks what is not complete, and the next making starts over.
"""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import date
from pathlib import Path

import sqlalchemy as sa

from coachboard.service.demo.generate import DEFAULT_YEARS, ensure_demo
from coachboard.service.store import Store

_BEING_MADE = "coachboard-demo-being-made"


def make_demo(url: str, *, today: date, years: float = DEFAULT_YEARS) -> None:
    """Fill an empty database with the default squad and the demo keys; one with people in it is left alone."""
    path = _file_of(url)
    if path is None:
        _make_in_place(url, today, years)
    elif not _has_people(path, url):
        with _part_of(path) as part, closing(Store.open(f"sqlite:///{part}", is_draft=True)) as store:
            ensure_demo(store, today=today, years=years)


def _file_of(url: str) -> Path | None:
    address = sa.make_url(url)
    is_file = address.get_backend_name() == "sqlite" and address.database not in {None, "", ":memory:"}
    return Path(str(address.database)) if is_file else None


def _has_people(path: Path, url: str) -> bool:
    if not path.exists() or path.stat().st_size == 0:
        return False
    with closing(Store.open(url)) as store:
        return bool(store.users())


@contextmanager
def _part_of(path: Path) -> Iterator[Path]:
    """A file beside the path that takes its place when all went well, and is gone when not."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(path)
    part = path.with_name(f"{path.name}.part-{os.getpid()}")
    try:
        yield part
        _onto_disk(part)
        _remove_logs(path)  # a log of the file that was there would be read into the new one
        part.replace(path)
    finally:
        _remove(part)


def _onto_disk(part: Path) -> None:
    """Once, where every transaction would have waited for it: a name must not outlive its content."""
    with part.open("rb+") as file:
        os.fsync(file.fileno())


def _remove_abandoned(path: Path) -> None:
    """Files of makers that were killed; those of makers at work stay."""
    for part in path.parent.glob(f"{path.name}.part-*"):
        number = part.name.rpartition("-")[2]
        if number.isdigit() and not _is_running(int(number)):
            _remove(part)


def _is_running(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it runs, and is somebody else's
        return True
    return True


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)
    _remove_logs(path)


def _remove_logs(path: Path) -> None:
    for ending in ("-wal", "-shm"):
        with suppress(OSError):
            path.with_name(path.name + ending).unlink(missing_ok=True)


def _make_in_place(url: str, today: date, years: float) -> None:
    with closing(Store.open(url)) as store:
        if marker := _marker(store):
            # Only a demo ever stood here: the marker is set before the first person and none is added beside it.
            for user in store.users():
                store.remove_user(user.id)
        elif not store.users():
            marker = store.add_workspace("Demo being made", _BEING_MADE)
        else:
            return
        ensure_demo(store, today=today, years=years)
        store.remove_workspace(marker)


def _marker(store: Store) -> str | None:
    return next((each.id for each in store.workspaces() if each.slug == _BEING_MADE), None)
