"""Values of the cache by kind and key: users, profiles, streams, derived results."""

from collections.abc import Iterable
from dataclasses import dataclass

import sqlalchemy as sa

from coachboard.client.cache.database import Database, steady
from coachboard.client.cache.schema import BLOBS, require_types


@dataclass(frozen=True, slots=True)
class BlobKey:
    """The key of a value; the scope is a service with an API key."""

    scope: str
    kind: str
    key: str

    @property
    def name(self) -> str:
        return f"{self.scope} {self.kind} {self.key}"


@dataclass(frozen=True, slots=True)
class Blob:
    """A value with its age."""

    body: bytes
    version: int
    fetched_at: float
    used_at: float


_BLOB = sa.select(BLOBS.c.body, BLOBS.c.version, BLOBS.c.fetched_at, BLOBS.c.used_at).where(
    BLOBS.c.scope == sa.bindparam("scope"),
    BLOBS.c.kind == sa.bindparam("kind"),
    BLOBS.c.key == sa.bindparam("key"),
)


class Blobs:
    """The values of one cache."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @steady
    def get(self, key: BlobKey) -> Blob | None:
        of = {"scope": key.scope, "kind": key.kind, "key": key.key}
        found = self._database.rows(_BLOB, of, bytes, int, int | float, int | float)
        return Blob(*found[0]) if found else None

    @steady
    def bodies(self, scope: str, kind: str, version: int, keys: Iterable[str]) -> dict[str, bytes]:
        """The values of that version for the keys, in one query."""
        query = sa.select(BLOBS.c.key, BLOBS.c.body).where(
            BLOBS.c.scope == scope,
            BLOBS.c.kind == kind,
            BLOBS.c.version == version,
            BLOBS.c.key.in_(list(keys)),
        )
        with self._database.reading() as connection:
            found = connection.execute(query).all()
            for row in found:
                require_types(row, str, bytes)
        return dict(found)

    @steady
    def put(self, key: BlobKey, body: bytes, *, now: float, version: int = 0) -> int:
        """Replace the value, and return its size in bytes."""
        ages = {"version": version, "bytes": len(body), "fetched_at": now, "used_at": now}
        with self._database.writing(key.name) as connection:
            connection.execute(sa.delete(BLOBS).where(_is(key)))
            values = {"scope": key.scope, "kind": key.kind, "key": key.key, "body": body, **ages}
            connection.execute(sa.insert(BLOBS).values(values))
        return len(body)

    @steady
    def touch(self, key: BlobKey, now: float) -> None:
        """Note that the value was used."""
        with self._database.writing(key.name) as connection:
            connection.execute(sa.update(BLOBS).where(_is(key)).values(used_at=now))

    @steady
    def keys(self, scope: str, kind: str, version: int | None = None) -> frozenset[str]:
        """The keys of a kind, all or those of one version."""
        query = sa.select(BLOBS.c.key).where(BLOBS.c.scope == scope, BLOBS.c.kind == kind)
        if version is not None:
            query = query.where(BLOBS.c.version == version)
        with self._database.reading() as connection:
            return frozenset(connection.execute(query).scalars())

    @steady
    def drop(self, key: BlobKey) -> None:
        with self._database.writing(key.name) as connection:
            connection.execute(sa.delete(BLOBS).where(_is(key)))


def _is(key: BlobKey) -> sa.ColumnElement[bool]:
    return sa.and_(BLOBS.c.scope == key.scope, BLOBS.c.kind == key.kind, BLOBS.c.key == key.key)
