"""API keys: stored as a hash, revocable, with an expiry; and the requests counted for the rate limits."""

import hashlib
import hmac
import secrets
from datetime import UTC, datetime

import sqlalchemy as sa

from coachboard.service.ids import new_id
from coachboard.service.store import people
from coachboard.service.store.records import ApiKey, Caller
from coachboard.service.store.tables import counters, keys, stamps
from coachboard.service.store.upsert import insert_into


def new_key() -> str:
    """A key of 256 random bits."""
    return f"cbk_{secrets.token_urlsafe(32)}"


def digest_of(key: str) -> str:
    """The stored digest of a key.

    One round of SHA-256 without salt: slow hashes protect secrets that can be guessed, such as passwords. 256 random
    bits cannot be guessed, and each request would pay for the slow hash.
    """
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def add(  # noqa: PLR0913 (the columns of a row)
    connection: sa.Connection,
    user_id: str,
    *,
    label: str,
    key: str,
    now: datetime,
    expires_at: datetime | None,
    made_by: str | None = None,
) -> bool:
    """Insert a key; False if the key that makes it is revoked meanwhile."""
    if made_by is not None and not _is_locked_valid(connection, made_by):
        return False
    row = {
        "id": new_id("key"),
        "made_by": made_by,
        "user_id": user_id,
        "label": label,
        "digest": digest_of(key),
        "created_at": int(now.timestamp()),
        "expires_at": None if expires_at is None else int(expires_at.timestamp()),
    }
    connection.execute(sa.insert(keys).values(row))
    return True


def _is_locked_valid(connection: sa.Connection, key_id: str) -> bool:
    """Whether the key is valid; until the end of the transaction nobody revokes it."""
    valid = sa.select(keys.c.id).where(keys.c.id == key_id, keys.c.revoked_at.is_(None)).with_for_update()
    return connection.execute(valid).first() is not None


def caller_of(connection: sa.Connection, digest: str) -> Caller | None:
    """The key's owner and the athletes they coach; None for a key that is unknown or revoked.

    The result includes the expiry, because a cached caller must be checked with each request.
    """
    number = sa.func.coalesce(stamps.c.number, 0).label("number")
    chosen = (
        sa.select(keys.c.id, keys.c.user_id, keys.c.digest, keys.c.expires_at, number)
        .outerjoin(stamps, stamps.c.user_id == keys.c.user_id)
        .where(keys.c.digest == digest, keys.c.revoked_at.is_(None))
    )
    row = connection.execute(chosen).one_or_none()
    # The index lookup uses a hash that the caller cannot control; this comparison runs in constant time.
    if row is None or not hmac.compare_digest(row.digest, digest):
        return None
    # After the number: a caller who is older than their number would stay in a cache.
    athletes = people.athlete_ids(connection, row.user_id)
    return Caller(row.id, row.user_id, athletes, _moment(row.expires_at), row.number)


def every(connection: sa.Connection, user_id: str | None) -> list[ApiKey]:
    chosen = sa.select(
        keys.c.id,
        keys.c.user_id,
        keys.c.label,
        keys.c.created_at,
        keys.c.revoked_at,
        keys.c.expires_at,
        keys.c.last_used_at,
        keys.c.made_by,
    )
    if user_id is not None:
        chosen = chosen.where(keys.c.user_id == user_id)
    return [
        ApiKey(
            row.id,
            row.user_id,
            row.label,
            created_at=datetime.fromtimestamp(row.created_at, UTC),
            revoked_at=_moment(row.revoked_at),
            expires_at=_moment(row.expires_at),
            last_used_at=_moment(row.last_used_at),
            made_by=row.made_by,
        )
        for row in connection.execute(chosen.order_by(keys.c.created_at, keys.c.id))
    ]


def rename(connection: sa.Connection, key_id: str, label: str) -> None:
    connection.execute(sa.update(keys).where(keys.c.id == key_id).values(label=label))


def note_use(connection: sa.Connection, key_id: str, moment: int) -> None:
    """Write a key's last use; another process may have written a later one."""
    is_older = sa.or_(keys.c.last_used_at.is_(None), keys.c.last_used_at < moment)
    connection.execute(sa.update(keys).where(keys.c.id == key_id, is_older).values(last_used_at=moment))


def revoke(connection: sa.Connection, key_id: str, *, now: datetime) -> list[str]:
    """Revoke a key and all keys that it made, also through others; returns their ids, none for a key that is not valid.

    Each generation is read after the one before is locked: a key that is made meanwhile is seen, or not made.
    """
    revoked, next_ids = list[str](), [key_id]
    while next_ids:
        is_meant = sa.and_(keys.c.id.in_(next_ids), keys.c.revoked_at.is_(None))
        done = sa.update(keys).where(is_meant).values(revoked_at=int(now.timestamp())).returning(keys.c.id)
        generation = list(connection.scalars(done))
        revoked += generation
        next_ids = list(connection.scalars(sa.select(keys.c.id).where(keys.c.made_by.in_(generation))))
    return revoked


def _moment(seconds: int | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def count_request(connection: sa.Connection, name: str, window: int) -> int:
    """Increment the counter of that window in one statement, for all processes; returns the new value."""
    statement = insert_into(connection, counters).values(name=name, window=window, used=1)
    is_same = counters.c.window == statement.excluded.window
    used = sa.case((is_same, counters.c.used + 1), else_=1)
    so_far: int = connection.execute(
        statement.on_conflict_do_update(
            index_elements=["name"], set_={"used": used, "window": statement.excluded.window}
        ).returning(counters.c.used)
    ).scalar_one()
    return so_far


def forget_counts_before(connection: sa.Connection, window: int) -> None:
    """Delete counters of past windows, except one that is being counted; otherwise the table grows with every user."""
    over = sa.select(counters.c.name).where(counters.c.window < window).with_for_update(skip_locked=True)
    connection.execute(sa.delete(counters).where(counters.c.name.in_(over), counters.c.window < window))
