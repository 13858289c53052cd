"""Accounts at intervals.icu: what was pushed, what failed, and which are due."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

import orjson
import sqlalchemy as sa

from coachboard.service.store.tables import intervals_accounts, stamps
from coachboard.service.store.upsert import upsert

LEASE_S = 120
"""How long an account belongs to the process that pushes; longer than the requests of one push may take."""

_TABLE = intervals_accounts.c


@dataclass(frozen=True, slots=True)
class IntervalsAccount:
    """An account with its last push; the key is in no representation."""

    user_id: str
    athlete_id: str
    api_key: str = field(repr=False)
    days: int
    pushed: Mapping[str, date]
    digest: str | None
    pushed_at: datetime | None
    error: str | None
    failures: int
    stamp: int


def find(connection: sa.Connection, user_id: str) -> IntervalsAccount | None:
    row = connection.execute(_ACCOUNTS.where(_TABLE.user_id == user_id)).one_or_none()
    return None if row is None else _account(row)


def put(connection: sa.Connection, user_id: str, *, athlete_id: str, api_key: str | None, days: int) -> bool:
    """Connect a person's account, or change it; without a key the stored one stays. Returns whether there is a key."""
    before = find(connection, user_id)
    key = api_key if api_key is not None else (None if before is None else before.api_key)
    if key is None:
        return False
    is_same = before is not None and before.athlete_id == athlete_id
    row = {
        "user_id": user_id,
        "athlete_id": athlete_id,
        "api_key": key,
        "days": days,
        "pushed": _packed(before.pushed) if before is not None and is_same else "{}",
        "digest": None,
        "stamp": None,
        "error": None,
        "failures": 0,
        "next_try_at": 0,
        "claimed_until": 0,
    }
    upsert(connection, intervals_accounts, [row])
    return True


def remove(connection: sa.Connection, user_id: str) -> bool:
    return connection.execute(sa.delete(intervals_accounts).where(_TABLE.user_id == user_id)).rowcount > 0


def ask(connection: sa.Connection, user_id: str) -> bool:
    """Make the account due, whatever failed before; returns whether there is one."""
    change = sa.update(intervals_accounts).where(_TABLE.user_id == user_id)
    return connection.execute(change.values(stamp=None, digest=None, error=None, next_try_at=0)).rowcount > 0


def take_due(connection: sa.Connection, today: date, now: int) -> Sequence[IntervalsAccount]:
    """Claim the accounts whose person's rows changed since the last push, or whose last push was on another day."""
    number = sa.select(stamps.c.number).where(stamps.c.user_id == _TABLE.user_id).scalar_subquery()
    is_due = sa.and_(
        _TABLE.claimed_until <= now,
        _TABLE.next_try_at <= now,
        sa.or_(_TABLE.stamp.is_(None), _TABLE.day.is_(None), _TABLE.day != today, _TABLE.stamp < number),
    )
    taken = sa.update(intervals_accounts).where(is_due).values(claimed_until=now + LEASE_S)
    ids = connection.scalars(taken.returning(_TABLE.user_id)).all()
    return [_account(row) for row in connection.execute(_ACCOUNTS.where(_TABLE.user_id.in_(ids)))]


def note_sending(connection: sa.Connection, account: IntervalsAccount, pushed: Mapping[str, date]) -> bool:
    """Note which workouts may be at intervals.icu from now on; False if the account was changed or removed meanwhile."""
    return _update(connection, account, {"pushed": _packed(pushed)})


def finish(
    connection: sa.Connection,
    account: IntervalsAccount,
    *,
    pushed: Mapping[str, date],
    digest: str,
    today: date,
    now: int,
) -> None:
    values = {
        "pushed": _packed(pushed),
        "digest": digest,
        "stamp": account.stamp,
        "day": today,
        "pushed_at": now,
        "error": None,
        "failures": 0,
        "next_try_at": 0,
        "claimed_until": 0,
    }
    _update(connection, account, values)


def fail(connection: sa.Connection, account: IntervalsAccount, error: str, next_try_at: int | None) -> None:
    values = {
        "error": error,
        "failures": account.failures + 1,
        "next_try_at": next_try_at,
        "claimed_until": 0,
    }
    _update(connection, account, values)


def _update(connection: sa.Connection, account: IntervalsAccount, values: Mapping[str, Any]) -> bool:
    is_same = sa.and_(
        _TABLE.user_id == account.user_id,
        _TABLE.athlete_id == account.athlete_id,
        _TABLE.api_key == account.api_key,
        _TABLE.days == account.days,
    )
    return connection.execute(sa.update(intervals_accounts).where(is_same).values(values)).rowcount > 0


_ACCOUNTS = sa.select(intervals_accounts, stamps.c.number).outerjoin(
    stamps, stamps.c.user_id == intervals_accounts.c.user_id
)


def _packed(pushed: Mapping[str, date]) -> str:
    return orjson.dumps(dict(pushed)).decode()


def _account(row: sa.Row[Any]) -> IntervalsAccount:
    return IntervalsAccount(
        user_id=row.user_id,
        athlete_id=row.athlete_id,
        api_key=row.api_key,
        days=row.days,
        pushed={name: date.fromisoformat(day) for name, day in orjson.loads(row.pushed).items()},
        digest=row.digest,
        pushed_at=None if row.pushed_at is None else datetime.fromtimestamp(row.pushed_at, UTC),
        error=row.error,
        failures=row.failures,
        stamp=row.number or 0,
    )
