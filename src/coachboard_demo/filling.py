"""Writes the rows that a demo database still lacks, by processes beside the one that serves it.

Pages come up at once. Who asks for a person's rows before they are there waits for them: nobody is ever shown a
part of what they asked for, or none, as if that were all. What a roster asks for comes first, of everybody.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable
from contextlib import closing
from datetime import date
from functools import cache, partial
from threading import Lock, Thread

from coachboard.service.store import RowKind, Store
from coachboard_demo import unwritten
from coachboard_demo.generate import in_parts, write_share
from coachboard_demo.making import numbers_of
from coachboard_demo.part import Part, Task, comes_first
from coachboard_demo.people import people_of, user_id
from coachboard_demo.share import PAGES_FIRST, Queue, ShareError, processes, shared
from coachboard_demo.size import Size

_LOGGER = logging.getLogger(__name__)
_LOOKS_EVERY_S = 0.03


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
        self._waiting: dict[str, set[Task]] = {}  # what is to come of whom
        self._today = date.min
        self._queue = Queue([])
        self._lock = Lock()
        self._strike: Callable[[str], None] = lambda _user_id: None
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
            tasks = in_parts(left.size, numbers_of(left))
            for task in tasks:
                self._waiting.setdefault(self._ids[task.number], set()).add(task)
            self._today = left.size.today
            self._queue = Queue(tasks)
            self._thread = Thread(target=self._fill, args=(left.size,), name="coachboard-demo", daemon=True)
            self._thread.start()

    async def until_written(self, user_id: str, kind: RowKind, since: date | None) -> None:
        """Return when such rows of that person since a day, else all, are there; they are written next."""
        if user_id not in self._waiting:
            return
        needs_all = not comes_first(kind, since, self._today)
        wanted = {task for task in self._waiting.get(user_id, ()) if needs_all or task.part is not Part.REST}
        for task in _in_order(wanted):
            self._queue.want(task)
        while wanted & self._waiting.get(user_id, set()):
            if self._has_failed:
                raise NotWrittenError(user_id)
            await asyncio.sleep(_LOOKS_EVERY_S)

    def join(self) -> None:
        """Wait for all of it."""
        if self._thread is not None:
            self._thread.join()

    def _fill(self, size: Size) -> None:
        try:
            with closing(Store.open(self._url)) as store:
                self._strike = partial(unwritten.strike, store)
                self._share_out(size)
                self._write_what_is_left(size)
                unwritten.end(store)
        except Exception:
            self._has_failed = True
            _LOGGER.exception("the demo squad could not be written; start again to go on with it")

    def _share_out(self, size: Size) -> None:
        others = processes(self._url, len(self._ids))
        try:
            with shared(
                self._url,
                size,
                self._queue,
                processes=1 + others,
                niceness=PAGES_FIRST,
                on_written=self._hear,
            ):
                pass  # this process has pages to serve
        except ShareError as error:
            _LOGGER.warning("%s; the rest is written here", error)

    def _write_what_is_left(self, size: Size) -> None:
        """What a process that failed has not written."""
        left = {task for tasks in self._waiting.values() for task in tasks}
        for task in _in_order(left):
            write_share(self._url, size, [task])
            self._hear(task)

    def _hear(self, task: Task) -> None:
        """That is written; who has no more to come is struck off, in the database first."""
        user_id = self._ids[task.number]
        with self._lock:
            left = self._waiting[user_id] - {task}
            if left:
                self._waiting[user_id] = left  # a new set: who reads it takes no lock
            else:
                self._strike(user_id)
                del self._waiting[user_id]


def _in_order(tasks: Iterable[Task]) -> list[Task]:
    return sorted(tasks, key=lambda task: task.part is Part.REST)
