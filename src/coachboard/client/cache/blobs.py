"""What the cache keeps whole under a kind and a key: streams, users, profiles, derived results."""

from collections.abc import Iterable
from dataclasses import dataclass

import sqlalchemy as sa

from coachboard.client.cache.database import Database, steady
from coachboard.client.cache.tables import BLOBS


@dataclass(frozen=True, slots=True)
class BlobKey:
    """Where a value stands; the scope is a service under a key."""

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


_IS = sa.and_(
    BLOBS.c.scope == sa.bindparam("at_scope"),
    BLOBS.c.kind == sa.bindparam("at_kind"),
    BLOBS.c.key == sa.bindparam("at_key"),
)
_SELECT = sa.select(BLOBS.c.body, BLOBS.c.version, BLOBS.c.fetched_at, BLOBS.c.used_at).where(_IS)
_BODIES = sa.select(BLOBS.c.key, BLOBS.c.body).where(
    BLOBS.c.scope == sa.bindparam("at_scope"),
    BLOBS.c.kind == sa.bindparam("at_kind"),
    BLOBS.c.version == sa.bindparam("of_version"),
    BLOBS.c.key.in_(sa.bindparam("at_keys", expanding=True)),
)
_KEYS = sa.select(BLOBS.c.key).where(
    BLOBS.c.scope == sa.bindparam("at_scope"), BLOBS.c.kind == sa.bindparam("at_kind")
)
_DELETE = sa.delete(BLOBS).where(_IS)
_INSERT = sa.insert(BLOBS)
_TOUCH = sa.update(BLOBS).where(_IS).values(used_at=sa.bindparam("now"))


class Blobs:
    """The values of one cache."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @steady
    def get(self, key: BlobKey) -> Blob | None:
        with self._database.reading() as connection:
            found = connection.execute(_SELECT, _at(key)).one_or_none()
        return None if found is None else Blob(*found)

    @steady
    def bodies(self, scope: str, kind: str, version: int, keys: Iterable[str]) -> dict[str, bytes]:
        """The values of that version among the keys, in one query."""
        of = {"at_scope": scope, "at_kind": kind, "of_version": version, "at_keys": list(keys)}
        with self._database.reading() as connection:
            return {key: bytes(body) for key, body in connection.execute(_BODIES, of)}

    @steady
    def put(self, key: BlobKey, body: bytes, *, now: float, version: int = 0) -> int:
        """Keep a value in place of the one before, and say how many bytes that are."""
        with self._database.writing(key.name) as connection:
            connection.execute(_DELETE, _at(key))
            connection.execute(
                _INSERT,
                {
                    "scope": key.scope,
                    "kind": key.kind,
                    "key": key.key,
                    "version": version,
                    "body": body,
                    "bytes": len(body),
                    "fetched_at": now,
                    "used_at": now,
                },
            )
        return len(body)

    @steady
    def touch(self, key: BlobKey, now: float) -> None:
        with self._database.writing(key.name) as connection:
            connection.execute(_TOUCH, {**_at(key), "now": now})

    @steady
    def keys(self, scope: str, kind: str, version: int | None = None) -> frozenset[str]:
        """The keys of a kind, all or those of one version."""
        of = {"at_scope": scope, "at_kind": kind}
        wanted = _KEYS if version is None else _KEYS.where(BLOBS.c.version == version)
        with self._database.reading() as connection:
            return frozenset(connection.execute(wanted, of).scalars())

    @steady
    def drop(self, key: BlobKey) -> None:
        with self._database.writing(key.name) as connection:
            connection.execute(_DELETE, _at(key))


def _at(key: BlobKey) -> dict[str, str]:
    return {"at_scope": key.scope, "at_kind": key.kind, "at_key": key.key}
