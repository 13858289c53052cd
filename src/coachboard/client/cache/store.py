"""One cache: its database with what stands in it, and the bound on its size."""

import logging
import threading
from dataclasses import dataclass

import sqlalchemy as sa

from coachboard.client.cache.behind import Behind
from coachboard.client.cache.blobs import BlobKey, Blobs
from coachboard.client.cache.database import Database, steady
from coachboard.client.cache.lists import Fetch, Lists, drop_lists
from coachboard.client.cache.tables import BLOBS, LISTS

_LOGGER = logging.getLogger(__name__)

CHECK_EVERY_BYTES = 8 * 2**20
"""How much is written between two looks at the size."""

LISTS_BEHIND = 32
"""How many lists wait to be written; each is some 100 kB."""

MEMORY_BYTES = 64 * 2**20
"""The bound while the cache is in memory, because its own place cannot be used."""

SHRINK_TO = 0.9
"""The share of the bound that is left when it was exceeded, so that not every write shrinks."""


@dataclass(frozen=True, slots=True)
class Content:
    """How much of one kind is held for one service under one key."""

    scope: str
    kind: str
    entries: int
    bytes: int
    used_at: float


class Store:
    """The parts of a cache behind one database; safe for many threads and processes."""

    def __init__(self, url: str, *, max_bytes: int) -> None:
        self.database = Database(url)
        self.budget_log = self.database.for_budget()
        self.lists = Lists(self.database)
        self.blobs = Blobs(self.database)
        self.behind: Behind[BlobKey] = Behind()
        self.lists_behind: Behind[Fetch] = Behind(LISTS_BEHIND)
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._unchecked = 0

    @property
    def name(self) -> str:
        """The cache's address, as it may be shown."""
        return self.database.url.render_as_string(hide_password=True)

    def flush(self) -> None:
        """Wait until everything that was fetched is written."""
        self.lists_behind.flush()
        self.behind.flush()

    def close(self) -> None:
        self.flush()
        self.budget_log.close()
        self.database.close()

    def grew(self, size: int) -> None:
        """Count what was written, and shrink where the bound may be exceeded."""
        with self._lock:
            self._unchecked += size
            if self._unchecked < min(CHECK_EVERY_BYTES, self._bound() // 10):
                return
            self._unchecked = 0
        self.shrink()

    def _bound(self) -> int:
        return min(self._max_bytes, MEMORY_BYTES) if self.database.trouble else self._max_bytes

    @steady
    def size(self) -> int:
        """The bytes held, without the database's own."""
        with self.database.reading() as connection:
            return sum(int(connection.execute(query).scalar_one()) for query in _SIZES)

    @steady
    def shrink(self) -> None:
        """Drop what was not used for longest until the bound is kept."""
        bound = self._bound()
        excess = self.size() - bound
        if excess <= 0:
            return
        excess += int(bound * (1 - SHRINK_TO))
        with self.database.writing() as connection:
            for row in connection.execute(_BY_USE).all():
                if excess <= 0:
                    break
                if row.list_id is not None:
                    drop_lists(connection, [row.list_id])
                else:
                    connection.execute(
                        sa.delete(BLOBS).where(
                            BLOBS.c.scope == row.scope, BLOBS.c.kind == row.kind, BLOBS.c.key == row.key
                        )
                    )
                excess -= row.bytes
        self.database.compact()
        _LOGGER.info("the cache exceeded its limit of %d bytes; the oldest entries were deleted", bound)

    @steady
    def contents(self) -> list[Content]:
        """What the cache holds, by service and key and by kind."""
        with self.database.reading() as connection:
            return [Content(*row) for query in _CONTENTS for row in connection.execute(query).all()]

    @steady
    def clear(self, scope: str | None = None) -> None:
        """Forget everything, or everything of one service under one key; the budget's log stays."""
        self.flush()  # what is dropped on its way would leave the claim of its fetch behind
        with self.database.writing() as connection:
            mine = sa.select(LISTS.c.id)
            if scope is not None:
                mine = mine.where(LISTS.c.scope == scope)
            drop_lists(connection, list(connection.execute(mine).scalars()))
            blobs = sa.delete(BLOBS)
            connection.execute(blobs if scope is None else blobs.where(BLOBS.c.scope == scope))
        self.database.compact()


_SIZES = tuple(
    sa.select(sa.func.coalesce(sa.func.sum(table.c.bytes), 0)).select_from(table) for table in (LISTS, BLOBS)
)
_CONTENTS = tuple(
    sa.select(table.c.scope, kind, sa.func.count(), sa.func.sum(table.c.bytes), sa.func.max(table.c.used_at))
    .group_by(table.c.scope, kind)
    .order_by(table.c.scope, kind)
    for table, kind in ((LISTS, LISTS.c.resource), (BLOBS, BLOBS.c.kind))
)
_NOTHING = sa.literal(None, sa.Text)
_BY_USE = sa.union_all(
    sa.select(
        LISTS.c.id.label("list_id"),
        _NOTHING.label("scope"),
        _NOTHING.label("kind"),
        _NOTHING.label("key"),
        LISTS.c.bytes.label("bytes"),
        LISTS.c.used_at.label("used_at"),
    ),
    sa.select(
        sa.cast(sa.null(), sa.BigInteger),
        BLOBS.c.scope,
        BLOBS.c.kind,
        BLOBS.c.key,
        BLOBS.c.bytes,
        BLOBS.c.used_at,
    ),
).order_by(sa.text("used_at"))
