"""The statements of the budget's log: the calls that were made, and the holds on more of them."""

from typing import Any

import sqlalchemy as sa

from coachboard.client.cache.plain import Plain
from coachboard.client.cache.tables import CALLS, DROP_HOLD, HOLDS

_SCOPE: sa.BindParameter[Any] = sa.bindparam("of_scope")
_ENTRY: sa.BindParameter[Any] = sa.bindparam("of_entry")
_USER: sa.BindParameter[Any] = sa.bindparam("of_user")
_NOW: sa.BindParameter[Any] = sa.bindparam("now")

SINCE = Plain(
    sa.select(CALLS.c.user_id, CALLS.c.at)
    .where(CALLS.c.scope == _SCOPE, CALLS.c.at > sa.bindparam("after"))
    .order_by(CALLS.c.at)
)
LOG = Plain(sa.insert(CALLS).values(scope=_SCOPE, user_id=_USER, at=_NOW).returning(CALLS.c.id))
RESTAMP = Plain(sa.update(CALLS).where(CALLS.c.scope == _SCOPE, CALLS.c.id == _ENTRY).values(at=_NOW))
STRIKE = Plain(sa.delete(CALLS).where(CALLS.c.scope == _SCOPE, CALLS.c.id == _ENTRY))
RENAME = Plain(
    sa.update(CALLS)
    .where(CALLS.c.scope == _SCOPE, CALLS.c.user_id == _USER)
    .values(user_id=sa.bindparam("known_as"))
)
FORGET = Plain(sa.delete(CALLS).where(CALLS.c.scope == _SCOPE, CALLS.c.at <= sa.bindparam("before")))
PULL_BACK = Plain(
    sa.update(CALLS).where(CALLS.c.scope == _SCOPE, CALLS.c.at > sa.bindparam("after")).values(at=_NOW)
)

HELD = Plain(sa.select(HOLDS.c.name, HOLDS.c.until, HOLDS.c.seconds).where(HOLDS.c.scope == _SCOPE))
HOLD = Plain(
    sa.text(  # both databases know these words, and SQLAlchemy writes them for one at a time
        f"INSERT INTO {HOLDS.name} (scope, name, until, seconds) "  # noqa: S608 (our own name)
        "VALUES (:of_scope, :of_name, :until, :seconds) "
        "ON CONFLICT (scope, name) DO UPDATE SET until = excluded.until, seconds = excluded.seconds"
    )
)
LET_GO = Plain(DROP_HOLD)
RESTART_HOLDS = Plain(
    sa.update(HOLDS)
    .where(HOLDS.c.scope == _SCOPE, HOLDS.c.until - HOLDS.c.seconds > _NOW)
    .values(until=_NOW + HOLDS.c.seconds)
)
FORGET_HOLDS = Plain(sa.delete(HOLDS).where(HOLDS.c.scope == _SCOPE, HOLDS.c.until <= sa.bindparam("before")))
