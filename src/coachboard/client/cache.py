"""The cache: months of lists and single values by service, key and user.

There are no migrations: a cache of another version is deleted and filled again.
"""

import hashlib
import hmac
import logging
import threading
from collections.abc import Collection, Hashable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa
from pydantic import SecretStr
from sqlalchemy.engine import make_url

from coachboard.client.database import ENTRIES, CacheError, DamagedCache, Database
from coachboard.client.resources import ACTIVITIES, DECISIONS, LOADS, RANGED, VERSIONED
from coachboard.client.waiting import Memo

_LOGGER = logging.getLogger(__name__)

MEMORY_BYTES = 64 * 2**20
"""Fetched data in memory while the database cannot be used."""

DECODED_BYTES = 32 * 2**20
"""Bodies whose decoded rows are in memory, for all clients of the process: a year of 50 athletes."""

CHECK_EVERY_BYTES = 8 * 2**20
"""How many bytes are written between two checks of the size."""

SHRINK_TO = 0.9
"""The share of the limit that remains after the cache exceeded it, so that not every write shrinks the cache."""

_PERSON_KINDS = (*(resource.name for resource in RANGED), "profile")
_PLAN_KINDS = (*(resource.name for resource in RANGED if resource.is_plan), DECISIONS, LOADS, *VERSIONED)
_KEYS_PER_STATEMENT = 500  # SQLite limits the parameters of a statement


class CacheKey(NamedTuple):
    """A list of a user, or a single value. The scope is a service with an API key: no key reads the data of another."""

    scope: str
    kind: str
    key: str


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """A month of a list or a single value, and when it was fetched."""

    fetched_at: float
    digest: bytes
    body: bytes | None = None  # None: in the database
    version: int = 0
    ids: str = ""  # of the activities of a month

    @classmethod
    def of(cls, body: bytes, fetched_at: float, *, version: int = 0, ids: str = "") -> "CacheEntry":
        return cls(fetched_at, _digest_of(body), body, version, ids)


CacheEntries = Mapping[int, CacheEntry]
"""The entries of a key by month; the one of a single value has the number 0."""


@dataclass(frozen=True, slots=True)
class CacheContent:
    """How much of one kind the cache has for one service with one key."""

    scope: str
    kind: str
    entries: int
    bytes: int
    fetched_at: float  # of the newest entry


@dataclass(frozen=True, slots=True)
class CacheUsage:
    """The bytes of one scope, and when its oldest and newest entry were fetched; None where there is none."""

    size_bytes: int
    oldest: datetime | None
    newest: datetime | None


class CacheStore:
    """A cache over one database; safe for many threads and processes. While the database cannot be used, memory is all."""

    def __init__(self, url: str, *, max_bytes: int) -> None:
        self.database = Database(url)
        self.decoded: Memo[Any] = Memo(DECODED_BYTES)
        """Decoded rows and values, by scope and by what they were decoded from."""
        self._memory: Memo[CacheEntries] = Memo(MEMORY_BYTES)
        self.users = 0
        """The open clients that share the store."""
        self._max_bytes = max_bytes
        self._unchecked = 0

    def close(self) -> None:
        self.database.close()

    def read(self, key: CacheKey) -> CacheEntries:
        """The entries of a key without their bodies, see `with_bodies`; after a failed write, those in memory with them."""
        return self._read(key, _STATE)

    def get(self, key: CacheKey) -> CacheEntry | None:
        """A single value with its body."""
        return self._read(key, _WHOLE).get(0)

    def _read(self, key: CacheKey, query: sa.Select[Any]) -> CacheEntries:
        in_memory = self._memory.get(key) or {}
        try:
            with self.database.reading() as connection:
                stored = {row.month: _entry(row) for row in connection.execute(query, key._asdict()).all()}
        except CacheError:
            return in_memory
        if self.database.trouble is None:
            return stored
        newer = {
            month: entry
            for month, entry in in_memory.items()
            if month not in stored or entry.fetched_at >= stored[month].fetched_at
        }
        return {**stored, **newer}

    def with_bodies(self, key: CacheKey, entries: CacheEntries) -> CacheEntries | None:
        """The entries with their bodies of now; None if one has left the cache meanwhile."""
        if all(entry.body is not None for entry in entries.values()):
            return entries
        try:
            with self.database.reading() as connection:
                lacking = [month for month, entry in entries.items() if entry.body is None]
                query = _WHOLE.where(ENTRIES.c.month.in_(lacking))
                stored = {row.month: _entry(row) for row in connection.execute(query, key._asdict()).all()}
        except CacheError:
            return None
        whole = {**entries, **stored}
        return None if any(entry.body is None for entry in whole.values()) else whole

    def put(self, key: CacheKey, entries: CacheEntries, *, replaces: Collection[int] = ()) -> None:
        """Write entries; the months of `replaces` that are not among them are deleted. Without a database, in memory.

        Most refreshes return the rows of before: then only the time of the fetch is written.
        """
        try:
            with self.database.writing(key.scope) as connection:
                stored = {row.month: _entry(row) for row in connection.execute(_STATE, key._asdict())}
                changed = [
                    month for month, entry in entries.items() if not _is_same(entry, stored.get(month))
                ]
                gone = [month for month in stored if month in replaces and month not in entries]
                if changed or gone:
                    months = ENTRIES.c.month.in_([*changed, *gone])
                    connection.execute(sa.delete(ENTRIES).where(_is(key), months))
                if changed:
                    rows = [_row(key, month, entries[month]) for month in changed]
                    connection.execute(sa.insert(ENTRIES), rows)
                for month in entries.keys() - set(changed):
                    same = sa.update(ENTRIES).where(_is(key), ENTRIES.c.month == month)
                    connection.execute(same.values(fetched_at=entries[month].fetched_at))
        except CacheError:
            before = (self._memory.get(key) or {}).items()
            held = {month: entry for month, entry in before if month not in replaces} | dict(entries)
            self._memory.put(key, held, 1 + sum(len(entry.body or b"") for entry in held.values()))
        else:
            self._grew(sum(len(entry.body or b"") for entry in entries.values()))

    def drop(self, *keys: CacheKey) -> None:
        """Delete the entries of these keys."""
        if not keys:
            return
        self._memory.remove_if(lambda key: key in keys)
        with suppress(CacheError), self.database.writing(keys[0].scope) as connection:
            for key in keys:
                connection.execute(sa.delete(ENTRIES).where(_is(key)))

    def keys(self, scope: str, kind: str, *, version: int | None = None) -> frozenset[str]:
        """The keys of a kind of single values, all or those of one version."""
        query = sa.select(ENTRIES.c.key).where(ENTRIES.c.scope == scope, ENTRIES.c.kind == kind)
        if version is not None:
            query = query.where(ENTRIES.c.version == version)
        try:
            with self.database.reading() as connection:
                return frozenset(connection.execute(query).scalars())
        except CacheError:
            held = self._memory.matching(lambda key: key[:2] == (scope, kind))
            return frozenset(
                key.key for key, entries in held.items() if version in {None, entries[0].version}
            )

    def bodies(self, scope: str, kind: str, version: int, keys: Iterable[str]) -> dict[str, bytes]:
        """The single values of that version for the keys, in one query."""
        wanted = list(keys)
        query = sa.select(ENTRIES.c.key, ENTRIES.c.body).where(
            ENTRIES.c.scope == scope,
            ENTRIES.c.kind == kind,
            ENTRIES.c.version == version,
            ENTRIES.c.key.in_(wanted),
        )
        try:
            with self.database.reading() as connection:
                rows = connection.execute(query).all()
                if not all(isinstance(row.body, bytes) for row in rows):
                    raise DamagedCache("malformed entry")
                return {row.key: row.body for row in rows}
        except CacheError:
            held = self._memory.matching(lambda key: key[:2] == (scope, kind) and key[2] in wanted)
            return {
                key.key: entries[0].body or b""
                for key, entries in held.items()
                if entries[0].version == version
            }

    def people(self, scope: str) -> frozenset[str]:
        """The ids of the people whose lists or profiles the cache has."""
        return frozenset().union(*(self.keys(scope, kind) for kind in _PERSON_KINDS))

    def drop_plans(self, scope: str, people: Collection[str]) -> None:
        """Delete plans of people and what belongs to them, and each part of a calendar: its version is over."""
        plans = {kind: self.keys(scope, kind) for kind in _PLAN_KINDS}
        theirs = [
            CacheKey(scope, kind, key)
            for kind, keys in plans.items()
            for key in keys
            if kind in VERSIONED or key.partition(" ")[0] in people
        ]
        self.drop(*theirs)

    def drop_people(self, scope: str, people: Collection[str]) -> None:
        """Delete the cached data of people: lists, profiles, and the streams and results of their activities.

        One transaction for all people: 200 transactions took 20 s. An activity that no list of another person names may be
        theirs too.
        """
        self._forget(scope)
        with suppress(CacheError), self.database.writing(scope) as connection:
            of_scope = ENTRIES.c.scope == scope
            is_theirs = ENTRIES.c.kind.in_(_PERSON_KINDS) & ENTRIES.c.key.in_(people)
            connection.execute(sa.delete(ENTRIES).where(of_scope, is_theirs))
            named = sa.select(ENTRIES.c.ids).where(of_scope, ENTRIES.c.kind == ACTIVITIES.name)
            of_others = {
                activity_id for ids in connection.execute(named).scalars() for activity_id in ids.split()
            }
            is_of_activity = (ENTRIES.c.kind == "streams") | ENTRIES.c.kind.startswith("derived ")
            keys = connection.execute(sa.select(ENTRIES.c.key).where(of_scope, is_of_activity)).scalars()
            gone = sorted({key for key in keys if key.partition(" ")[0] not in of_others})
            for start in range(0, len(gone), _KEYS_PER_STATEMENT):
                some = ENTRIES.c.key.in_(gone[start : start + _KEYS_PER_STATEMENT])
                connection.execute(sa.delete(ENTRIES).where(of_scope, is_of_activity, some))

    def clear(self, scope: str | None = None) -> None:
        """Delete everything, or everything of one service with one key; the request log stays."""
        self._forget(scope)
        with suppress(CacheError), self.database.writing(scope or "") as connection:
            everything = sa.delete(ENTRIES)
            connection.execute(everything if scope is None else everything.where(ENTRIES.c.scope == scope))
        self.database.compact()

    def free(self, scope: str) -> None:
        """Free the decoded rows of a scope."""
        self.decoded.remove_if(lambda key: key[0] == scope)

    def _forget(self, scope: str | None) -> None:
        for memo in (self.decoded, self._memory):
            memo.remove_if(lambda key: scope in {None, key[0]})

    def usage(self, scope: str) -> CacheUsage:
        """How much the cache has for one service with one key, and how old it is."""
        try:
            with self.database.reading() as connection:
                size, oldest, newest = connection.execute(_USAGE.where(ENTRIES.c.scope == scope)).one()
        except CacheError:
            held = self._memory.matching(lambda key: key.scope == scope).values()
            entries = [entry for entries in held for entry in entries.values()]
            size = sum(len(entry.body or b"") for entry in entries)
            times = [entry.fetched_at for entry in entries]
            oldest, newest = min(times, default=None), max(times, default=None)
        return CacheUsage(int(size), _moment(oldest), _moment(newest))

    def size(self) -> int:
        """The bytes of all entries."""
        with self.database.reading() as connection:
            return int(connection.execute(_USAGE).one()[0])

    def contents(self) -> list[CacheContent]:
        """The entries of the cache by scope and kind."""
        with self.database.reading() as connection:
            return [CacheContent(*row) for row in connection.execute(_CONTENTS).all()]

    def _grew(self, size: int) -> None:
        """Count written bytes, and shrink the cache where it may exceed its limit."""
        self._unchecked += size
        if self._unchecked >= min(CHECK_EVERY_BYTES, self._max_bytes // 10):
            self._unchecked = 0
            with suppress(CacheError):
                self.shrink()

    def shrink(self) -> None:
        """Delete the lists and values that were fetched the longest time ago until the limit is kept.

        A list goes as a whole: a month without an entry, between others, is known to be empty.
        """
        excess = self.size() - self._max_bytes
        if excess <= 0:
            return
        excess += int(self._max_bytes * (1 - SHRINK_TO))
        with self.database.writing() as connection:
            for row in connection.execute(_BY_AGE).all():
                if excess <= 0:
                    break
                connection.execute(sa.delete(ENTRIES).where(_is(CacheKey(row.scope, row.kind, row.key))))
                excess -= row.bytes
        self.database.compact()
        _LOGGER.info(
            "the cache exceeded its limit of %d bytes; the oldest entries were deleted", self._max_bytes
        )


_STORES: dict[Hashable, CacheStore] = {}
_STORES_LOCK = threading.Lock()


def share_store(url: str, *, max_bytes: int) -> CacheStore:
    """The store of the process for that address; `release_store` returns it. A store in memory is not shared."""
    key = _identity_of(url), max_bytes
    with _STORES_LOCK:
        if key not in _STORES:
            _STORES[key] = CacheStore(url, max_bytes=max_bytes)
        _STORES[key].users += 1
        return _STORES[key]


def _identity_of(url: str) -> Hashable:
    address = make_url(url)
    if address.get_backend_name() != "sqlite":
        return address
    is_memory = address.database in {None, "", ":memory:"}
    return object() if is_memory else Path(str(address.database)).absolute()


def release_store(store: CacheStore) -> None:
    """Close the store if no other client uses it."""
    with _STORES_LOCK:
        store.users -= 1
        if store.users:
            return
        for key in [key for key, shared in _STORES.items() if shared is store]:
            del _STORES[key]
    store.close()


def scope_of(base_url: str, api_key: SecretStr) -> str:
    """The service with the key, as the cache names it: a keyed digest, which does not reveal the key."""
    digest = hmac.new(api_key.get_secret_value().encode(), f"coachboard {base_url}".encode(), hashlib.sha256)
    return digest.hexdigest()[:32]


def _digest_of(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=12).digest()


def _moment(unix_s: float | None) -> datetime | None:
    return None if unix_s is None else datetime.fromtimestamp(unix_s, UTC)


def _is(key: CacheKey) -> sa.ColumnElement[bool]:
    return sa.and_(ENTRIES.c.scope == key.scope, ENTRIES.c.kind == key.kind, ENTRIES.c.key == key.key)


def _is_same(entry: CacheEntry, stored: CacheEntry | None) -> bool:
    return stored is not None and (entry.digest, entry.version) == (stored.digest, stored.version)


def _row(key: CacheKey, month: int, entry: CacheEntry) -> dict[str, Any]:
    return {
        **key._asdict(),
        "month": month,
        "version": entry.version,
        "fetched_at": entry.fetched_at,
        "digest": entry.digest,
        "ids": entry.ids,
        "bytes": len(entry.body or b""),
        "body": entry.body,
    }


_WHICH = sa.and_(
    ENTRIES.c.scope == sa.bindparam("scope"),
    ENTRIES.c.kind == sa.bindparam("kind"),
    ENTRIES.c.key == sa.bindparam("key"),
)
_STATE = sa.select(
    ENTRIES.c.month,
    ENTRIES.c.fetched_at,
    ENTRIES.c.digest,
    ENTRIES.c.version,
    ENTRIES.c.ids,
).where(_WHICH)
_WHOLE = _STATE.add_columns(ENTRIES.c.body)
_USAGE = sa.select(
    sa.func.coalesce(sa.func.sum(ENTRIES.c.bytes), 0),
    sa.func.min(ENTRIES.c.fetched_at),
    sa.func.max(ENTRIES.c.fetched_at),
)
_CONTENTS = (
    sa.select(
        ENTRIES.c.scope,
        ENTRIES.c.kind,
        sa.func.count(),
        sa.func.sum(ENTRIES.c.bytes),
        sa.func.max(ENTRIES.c.fetched_at),
    )
    .group_by(ENTRIES.c.scope, ENTRIES.c.kind)
    .order_by(ENTRIES.c.scope, ENTRIES.c.kind)
)
_BY_AGE = (
    sa.select(
        ENTRIES.c.scope,
        ENTRIES.c.kind,
        ENTRIES.c.key,
        sa.func.sum(ENTRIES.c.bytes).label("bytes"),
    )
    .group_by(ENTRIES.c.scope, ENTRIES.c.kind, ENTRIES.c.key)
    .order_by(sa.func.max(ENTRIES.c.fetched_at))
)


def _entry(row: Any) -> CacheEntry:
    """The entry of a row. A value of another type is damage: each page failed with it until it was deleted."""
    body = getattr(row, "body", None)
    is_sound = isinstance(row.digest, bytes) and isinstance(row.ids, str) and isinstance(body, bytes | None)
    if not is_sound or not all(isinstance(number, int | float) for number in (row.fetched_at, row.version)):
        raise DamagedCache("malformed entry")
    if body is not None and row.digest != _digest_of(body):
        raise DamagedCache("malformed body")
    return CacheEntry(row.fetched_at, row.digest, body, row.version, row.ids)
