"""Flags that a coach snoozed for some days, with the reason; stored in the dashboard's database, per key."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple

from sqlalchemy import Engine, delete, select

from coachboard.loaders.local_store import SNOOZED_FLAGS, StoreUnreachable, asked, changing

LONGEST_REASON = 500


class FlagOf(NamedTuple):
    """A rule and an athlete."""

    user_id: str
    rule_id: str


@dataclass(frozen=True, slots=True)
class Snooze:
    """The last day of the snooze, included, and the reason."""

    until: date
    reason: str


def load_snoozes(engine: Engine, owner: str, *, today: date) -> Mapping[FlagOf, Snooze]:
    """Flags snoozed on this day; empty if the store is unavailable."""
    table = SNOOZED_FLAGS.c
    mine = select(SNOOZED_FLAGS).where(table.owner == owner, table.until >= today)
    try:
        with asked(), engine.connect() as connection:
            rows = connection.execute(mine).all()
    except StoreUnreachable:
        return {}
    return {FlagOf(row.user_id, row.rule_id): Snooze(row.until, row.reason) for row in rows}


def snooze(engine: Engine, owner: str, flag: FlagOf, *, until: date, reason: str, now: datetime) -> None:
    """Snooze a flag; replaces an earlier snooze. Raises `StoreUnreachable`."""
    row = {"until": until, "reason": reason[:LONGEST_REASON], "put_off_at": now.replace(tzinfo=None)}
    with changing(engine, owner) as connection:
        connection.execute(delete(SNOOZED_FLAGS).where(*_of(owner, flag)))
        connection.execute(SNOOZED_FLAGS.insert().values(owner=owner, **flag._asdict(), **row))


def unsnooze(engine: Engine, owner: str, flag: FlagOf) -> None:
    """End a snooze. Raises `StoreUnreachable`."""
    with changing(engine, owner) as connection:
        connection.execute(delete(SNOOZED_FLAGS).where(*_of(owner, flag)))


def _of(owner: str, flag: FlagOf) -> tuple:  # type: ignore[type-arg] # SQLAlchemy's conditions
    table = SNOOZED_FLAGS.c
    return table.owner == owner, table.user_id == flag.user_id, table.rule_id == flag.rule_id
