"""One cache: its parts, the limit on its size, and its usage."""

import hashlib
import hmac
import logging
from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from pydantic import SecretStr
from sqlalchemy.engine import make_url

from coachboard.client.cache.blobs import BlobKey, Blobs
from coachboard.client.cache.database import CacheMoment, Database, steady
from coachboard.client.cache.ranges import FetchedDays, Ranges, delete_lists
from coachboard.client.cache.schema import BLOBS, ITEMS, LISTS, SPANS
from coachboard.client.cache.write_behind import WriteBehind
from coachboard.client.concurrency import Shared, Threads
from coachboard.client.resources import ACTIVITIES

_LOGGER = logging.getLogger(__name__)

CHECK_EVERY_BYTES = 8 * 2**20
"""How many bytes are written between two checks of the size."""

MAX_UNWRITTEN_LISTS = 32
"""Lists that wait to be written; a list has about 100 kB."""

MEMORY_BYTES = 64 * 2**20
"""The limit while the cache is in memory."""

SHRINK_TO = 0.9
"""The share of the limit that remains after the cache exceeded it, so that not every write shrinks the cache."""


@dataclass(frozen=True, slots=True)
class CacheEntries:
    """How much of one kind the cache has for one service with one key."""

    scope: str
    kind: str
    entries: int
    bytes: int
    used_at: float


@dataclass(frozen=True, slots=True)
class CacheUsage:
    """The bytes of one scope, and when its oldest and newest part were fetched; None where there is no part."""

    size_bytes: int
    oldest: datetime | None
    newest: datetime | None


_RETRIES = Threads(1, name="coachboard-cache")


class CacheStore:
    """The parts of a cache over one database; safe for many threads and processes."""

    def __init__(self, url: str, *, max_bytes: int) -> None:
        self.database = Database(url, later=_RETRIES.later)
        self.budget_log = self.database.for_budget()
        self.ranges = Ranges(self.database)
        self.blobs = Blobs(self.database)
        self.blobs_behind: WriteBehind[BlobKey] = WriteBehind()
        self.lists_behind: WriteBehind[FetchedDays] = WriteBehind(MAX_UNWRITTEN_LISTS)
        self._max_bytes = max_bytes
        self._unchecked = 0

    def flush(self) -> None:
        """Wait until all fetched data are written."""
        self.lists_behind.flush()
        self.blobs_behind.flush()

    def is_unchanged(self, parts: Iterable[str], since: CacheMoment | None) -> bool:
        """Whether the parts are as they were, no unwritten value among them; false if that is unknown."""
        has_unwritten = self.lists_behind.keys() or self.blobs_behind.keys()
        return not has_unwritten and self.database.is_unchanged(parts, since)

    def close(self) -> None:
        self.flush()
        self.budget_log.close()
        self.database.close()

    def grew(self, size: int) -> None:
        """Count written bytes, and shrink the cache where it may exceed its limit."""
        self._unchecked += size
        if self._unchecked >= min(CHECK_EVERY_BYTES, self._limit() // 10):
            self._unchecked = 0
            self.shrink()

    def _limit(self) -> int:
        return min(self._max_bytes, MEMORY_BYTES) if self.database.trouble else self._max_bytes

    @steady
    def size(self) -> int:
        """The bytes of all entries."""
        with self.database.reading() as connection:
            return sum(int(connection.execute(_size_of(table)).scalar_one()) for table in (LISTS, BLOBS))

    @steady
    def shrink(self) -> None:
        """Delete the entries that were not used for the longest time until the limit is kept."""
        limit = self._limit()
        excess = self.size() - limit
        if excess <= 0:
            return
        excess += int(limit * (1 - SHRINK_TO))
        with self.database.writing() as connection:
            for row in connection.execute(_BY_USE).all():
                if excess <= 0:
                    break
                if row.list_id is not None:
                    delete_lists(connection, [row.list_id])
                else:
                    which = BLOBS.c.scope == row.scope, BLOBS.c.kind == row.kind, BLOBS.c.key == row.key
                    connection.execute(sa.delete(BLOBS).where(*which))
                excess -= row.bytes
        self.database.compact()
        _LOGGER.info("the cache exceeded its limit of %d bytes; the oldest entries were deleted", limit)

    @steady
    def contents(self) -> list[CacheEntries]:
        """The entries of the cache by scope and kind."""
        with self.database.reading() as connection:
            return [CacheEntries(*row) for query in _CONTENTS for row in connection.execute(query).all()]

    @steady
    def usage(self, scope: str) -> CacheUsage:
        """How much the cache has for one service with one key, and how old it is; unwritten values do not count.

        While 60 people filled an empty cache, the page Settings waited 2.7 s (p50) until all of them were written.
        """
        fetched = _fetched_in(scope)
        ages = sa.select(sa.func.min(fetched.c.fetched_at), sa.func.max(fetched.c.fetched_at))
        with self.database.reading() as connection:
            sizes = (_size_of(table).where(table.c.scope == scope) for table in (LISTS, BLOBS))
            size = sum(int(connection.execute(query).scalar_one()) for query in sizes)
            oldest, newest = connection.execute(ages).one()
        return CacheUsage(size, _moment(oldest), _moment(newest))

    @steady
    def drop_people(self, scope: str, user_ids: Collection[str], profile_keys: Collection[str]) -> None:
        """Delete the cached data of people: lists, profiles, and the streams and results of their activities.

        One transaction for all people: reads of the key wait for it, and 200 transactions took 20 s.
        """
        # An unwritten value would bring old rows back. Values of other keys are not waited for.
        self.lists_behind.flush(
            lambda fetched: fetched.key.scope == scope and fetched.key.user_id in user_ids
        )
        self.blobs_behind.flush(lambda key: key.scope == scope)
        of_scope = sa.select(LISTS.c.id, LISTS.c.user_id).where(LISTS.c.scope == scope)
        kept = sa.select(ITEMS.c.item_id).join(LISTS, LISTS.c.id == ITEMS.c.list_id)
        kept = kept.where(LISTS.c.scope == scope, LISTS.c.resource == ACTIVITIES.name)
        is_profile = sa.and_(BLOBS.c.kind == "profile", BLOBS.c.key.in_(profile_keys))
        # An activity that no cached list names may be theirs too.
        is_of_activity = sa.or_(BLOBS.c.kind == "streams", BLOBS.c.kind.startswith("derived "))
        is_theirs = sa.or_(is_profile, sa.and_(is_of_activity, BLOBS.c.key.not_in(kept)))
        with self.database.writing() as connection:
            lists = connection.execute(of_scope).all()
            delete_lists(connection, [row.id for row in lists if row.user_id in user_ids])
            connection.execute(sa.delete(BLOBS).where(BLOBS.c.scope == scope, is_theirs))

    @steady
    def clear(self, scope: str | None = None) -> None:
        """Delete everything, or everything of one service with one key; the request log stays."""
        self.flush()  # an unwritten value would keep the claim of its fetch
        with self.database.writing() as connection:
            lists, blobs = sa.select(LISTS.c.id), sa.delete(BLOBS)
            if scope is not None:
                lists, blobs = lists.where(LISTS.c.scope == scope), blobs.where(BLOBS.c.scope == scope)
            delete_lists(connection, list(connection.execute(lists).scalars()))
            connection.execute(blobs)
        self.database.compact()


_STORES: Shared[CacheStore] = Shared()


def share_store(url: str, *, max_bytes: int) -> CacheStore:
    """The store of the process for that address; `release_store` returns it. A store in memory is not shared."""
    return _STORES.acquire((_identity_of(url), max_bytes), partial(CacheStore, url, max_bytes=max_bytes))


def _identity_of(url: str) -> Hashable:
    address = make_url(url)
    if address.get_backend_name() != "sqlite":
        return address
    is_memory = address.database in {None, "", ":memory:"}
    return object() if is_memory else Path(str(address.database)).absolute()


def release_store(store: CacheStore) -> None:
    """Wait until all fetched data are written, and close the store if no other client uses it."""
    store.flush()
    _STORES.release(store)


def scope_of(base_url: str, api_key: SecretStr) -> str:
    """The service with the key, as the cache names it: a keyed digest, which does not reveal the key."""
    digest = hmac.new(api_key.get_secret_value().encode(), f"coachboard {base_url}".encode(), hashlib.sha256)
    return digest.hexdigest()[:32]


def _moment(at: float | None) -> datetime | None:
    return None if at is None else datetime.fromtimestamp(at, UTC)


def _size_of(table: sa.Table) -> sa.Select[Any]:
    return sa.select(sa.func.coalesce(sa.func.sum(table.c.bytes), 0)).select_from(table)


def _fetched_in(scope: str) -> sa.Subquery:
    lists = sa.select(SPANS.c.fetched_at).join(LISTS, LISTS.c.id == SPANS.c.list_id)
    blobs = sa.select(BLOBS.c.fetched_at).where(BLOBS.c.scope == scope)
    return sa.union_all(lists.where(LISTS.c.scope == scope), blobs).subquery()


_CONTENTS = tuple(
    sa.select(table.c.scope, kind, sa.func.count(), sa.func.sum(table.c.bytes), sa.func.max(table.c.used_at))
    .group_by(table.c.scope, kind)
    .order_by(table.c.scope, kind)
    for table, kind in ((LISTS, LISTS.c.resource), (BLOBS, BLOBS.c.kind))
)
_NO_TEXT = sa.literal(None, sa.Text)
_BY_USE = sa.union_all(
    sa.select(
        LISTS.c.id.label("list_id"),
        _NO_TEXT.label("scope"),
        _NO_TEXT.label("kind"),
        _NO_TEXT.label("key"),
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
