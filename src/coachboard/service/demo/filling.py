"""Writes the rows that a demo database still lacks, by processes beside the one that serves it.

Pages come up at once. Who asks for a person's rows before they are there waits for them: nobody is ever shown a
part of somebody's history, or none, as if that were all.
"""

import asyncio
import logging
from contextlib import closing
from functools import cache
from threading import Thread

from coachboard.service.demo import unwritten
from coachboard.service.demo.generate import in_order, processes, write_share
from coachboard.service.demo.making import numbers_of
from coachboard.service.demo.people import people_of, user_id
from coachboard.service.demo.share import Queue, ShareError, shared
from coachboard.service.demo.size import Size
from coachboard.service.store import Store

_LOGGER = logging.getLogger(__name__)
_LOOKS_EVERY_S = 0.03
_NICENESS = 5  # the pages come first


class NotWrittenError(RuntimeError):
    """Somebody's rows will not come; the log has the reason."""


@cache
def filling_of(url: str) -> "Filling":
    """The one of that database in this process: `coachboard demo` starts it before the server is even imported."""
    return Filling(url)


class Filling:
    """The rows of one database that are still to come; nothing to do where none are."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._ids: list[str] = []  # of all people, by their places in the squad
        self._waiting: dict[str, int] = {}  # the places of those whose rows are to come
        self._queue = Queue([])
        self._thread: Thread | None = None
        self._has_failed = False

    @property
    def is_under_way(self) -> bool:
        """Whether rows are still to come."""
        return bool(self._waiting)

    def start(self, store: Store) -> None:
        """Begin with what the store notes as unwritten; a second call changes nothing."""
        left = unwritten.read(store) if self._thread is None else None
        if left is not None:
            self._ids = [user_id(person.key) for person in people_of(left.size)]
            self._waiting = {self._ids[number]: number for number in numbers_of(left)}
            self._queue = Queue(in_order(left.size, self._waiting.values()))
            self._thread = Thread(target=self._fill, args=(left.size,), name="coachboard-demo", daemon=True)
            self._thread.start()

    async def until_written(self, user_id: str) -> None:
        """Return when that person's rows are all there; they are written before those of whom nobody asked for."""
        number = self._waiting.get(user_id)
        if number is not None:
            self._queue.want(number)
        while user_id in self._waiting:
            if self._has_failed:
                raise NotWrittenError(user_id)
            await asyncio.sleep(_LOOKS_EVERY_S)

    def join(self) -> None:
        """Wait for all of it."""
        if self._thread is not None:
            self._thread.join()

    def _fill(self, size: Size) -> None:
        try:
            self._share_out(size)
            self._write_what_is_left(size)
            with closing(Store.open(self._url)) as store:
                unwritten.end(store)
        except Exception:
            self._has_failed = True
            _LOGGER.exception("the demo squad could not be written; start again to go on with it")

    def _share_out(self, size: Size) -> None:
        others = processes(self._url, len(self._ids))
        try:
            with shared(
                self._url, size, self._queue, processes=1 + others, niceness=_NICENESS, on_written=self._hear
            ):
                pass  # this process has pages to serve
        except ShareError as error:
            _LOGGER.warning("%s; the rest is written here", error)

    def _write_what_is_left(self, size: Size) -> None:
        """Whom a process that failed has not written."""
        for number in in_order(size, list(self._waiting.values())):
            write_share(self._url, size, [number])
            self._hear(number)

    def _hear(self, number: int) -> None:
        self._waiting.pop(self._ids[number], None)
