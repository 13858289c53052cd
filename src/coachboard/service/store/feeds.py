"""Subscriptions of calendars: a secret address is stored as a hash, and ends with the key that made it."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from coachboard.service.store.keys import digest_of
from coachboard.service.store.tables import feeds, keys


@dataclass(frozen=True, slots=True)
class StoredFeed:
    """A subscription of one athlete's calendar, or of those of a workspace or of its group, with the rights of its owner."""

    id: str
    owner_id: str
    athlete_id: str | None
    workspace_id: str | None
    group: str | None
    is_busy_only: bool
    created_at: datetime
    digest: str = ""  # of the secret; empty for one that is not stored yet


def new_secret() -> str:
    """The secret part of an address, of 256 random bits."""
    return f"cbf_{secrets.token_urlsafe(32)}"


def add(connection: sa.Connection, feed: StoredFeed, *, key_id: str, secret: str) -> None:
    values = {
        "id": feed.id,
        "user_id": feed.owner_id,
        "key_id": key_id,
        "athlete_id": feed.athlete_id,
        "workspace_id": feed.workspace_id,
        "group_name": feed.group,
        "is_busy_only": feed.is_busy_only,
        "digest": digest_of(secret),
        "created_at": int(feed.created_at.timestamp()),
    }
    connection.execute(sa.insert(feeds).values(values))


def renew(connection: sa.Connection, feed: StoredFeed, *, key_id: str, secret: str) -> bool:
    """Give a subscription another address; False if it has changed since. The old address is unknown from now on."""
    changed = sa.update(feeds).where(_is(feed)).values(digest=digest_of(secret), key_id=key_id)
    return connection.execute(changed).rowcount > 0


def remove(connection: sa.Connection, feed: StoredFeed) -> bool:
    """Returns whether the subscription is as it was read."""
    return connection.execute(sa.delete(feeds).where(_is(feed))).rowcount > 0


def _is(feed: StoredFeed) -> sa.ColumnElement[bool]:
    return sa.and_(feeds.c.id == feed.id, feeds.c.user_id == feed.owner_id, feeds.c.digest == feed.digest)


def of_owner(connection: sa.Connection, owner_id: str, now: datetime) -> Sequence[StoredFeed]:
    """The subscriptions of a person that work, oldest first."""
    chosen = _valid(now).where(feeds.c.user_id == owner_id).order_by(feeds.c.created_at, feeds.c.id)
    return [_stored(row) for row in connection.execute(chosen)]


def of_secret(connection: sa.Connection, secret: str, now: datetime) -> StoredFeed | None:
    row = connection.execute(_valid(now).where(feeds.c.digest == digest_of(secret))).one_or_none()
    return None if row is None else _stored(row)


def _valid(now: datetime) -> sa.Select[Any]:
    moment = int(now.timestamp())
    return (
        sa.select(feeds)
        .join(keys, keys.c.id == feeds.c.key_id)
        .where(keys.c.revoked_at.is_(None), sa.or_(keys.c.expires_at.is_(None), keys.c.expires_at > moment))
    )


def _stored(row: sa.Row[Any]) -> StoredFeed:
    return StoredFeed(
        row.id,
        row.user_id,
        row.athlete_id,
        row.workspace_id,
        row.group_name,
        bool(row.is_busy_only),
        datetime.fromtimestamp(row.created_at, UTC),
        row.digest,
    )
