"""Writes the rows that a demo database still lacks, in processes beside the one that serves it.

Pages appear at once. A request for the rows of a person waits until they are written: no page shows incomplete data as
complete. The person is written next.
"""

import asyncio
import logging
from contextlib import closing
from datetime import date
from functools import cache
from threading import Thread

from coachboard.service.store import RowKind, Store
from coachboard_demo.generate import in_order, write_share
from coachboard_demo.making import end_demo, unwritten
from coachboard_demo.people import Size, people_of, user_id
from coachboard_demo.share import PAGES_FIRST, Queue, ShareError, processes, share_out

_LOGGER = logging.getLogger(__name__)
_LOOKS_EVERY_S = 0.03


class NotWrittenError(RuntimeError):
    """The rows of a person could not be written; the log has the reason."""


@cache
def filling_of(url: str) -> "Filling":
    """The filling of that database in this process: `coachboard demo` starts it before it imports the server."""
    return Filling(url)


class Filling:
    """The rows that one database still lacks."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._people: list[str] = []  # user ids by the numbers in the squad
        self._waiting: dict[str, int] = {}  # user ids of the people to write, and their numbers in the squad
        self._queue = Queue([])
        self._thread: Thread | None = None
        self._has_failed = False

    @property
    def is_under_way(self) -> bool:
        """Whether rows are missing."""
        return bool(self._waiting)

    def start(self, store: Store) -> None:
        """Begin with the people that the store notes as unwritten; a second call changes nothing."""
        left = unwritten(store) if self._thread is None else None
        if left is not None:
            numbers = in_order(left.size, left.numbers)
            self._people = [user_id(person.key) for person in people_of(left.size)]
            self._waiting = {self._people[number]: number for number in numbers}
            self._queue = Queue(numbers)
            self._thread = Thread(target=self._fill, args=(left.size,), name="coachboard-demo", daemon=True)
            self._thread.start()

    async def until_written(self, user_id: str, _kind: RowKind, _since: date | None) -> None:
        """Return when the rows of that person are written."""
        number = self._waiting.get(user_id)
        if number is None:
            return
        self._queue.want(number)
        while user_id in self._waiting:
            if self._has_failed:
                raise NotWrittenError(user_id)
            await asyncio.sleep(_LOOKS_EVERY_S)

    def join(self) -> None:
        """Wait for all rows."""
        if self._thread is not None:
            self._thread.join()

    def _fill(self, size: Size) -> None:
        try:
            self._share_out(size)
            for number in list(self._waiting.values()):  # a process that failed left them
                write_share(self._url, size, [number])
                self._hear(number)
            with closing(Store.open(self._url)) as store:
                end_demo(store)
        except Exception:
            self._has_failed = True
            _LOGGER.exception("the demo squad could not be written; start again to go on with it")

    def _share_out(self, size: Size) -> None:
        """Share the writing among other processes only: this one serves pages."""
        count = processes(self._url, len(people_of(size)))
        try:
            share_out(
                self._url, size, self._queue, processes=count, niceness=PAGES_FIRST, on_written=self._hear
            )
        except ShareError as error:
            _LOGGER.warning("%s; the rest is written here", error)

    def _hear(self, number: int) -> None:
        """Note that a person is written; the writing process has noted this in the database."""
        self._waiting.pop(self._people[number], None)
