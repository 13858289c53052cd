"""Flags that a coach has seen and put off for some days, with the reason; kept here alone, per key."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import NamedTuple

from sqlalchemy import Engine, delete, select

from coachboard.loaders.local_store import PUT_OFF, StoreUnreachable, asked

LONGEST_REASON = 500


class FlagOf(NamedTuple):
    """A rule on an athlete."""

    user_id: str
    rule_id: str


@dataclass(frozen=True, slots=True)
class PutOff:
    """Until which day, the day included, and why."""

    until: date
    reason: str
    put_off_at: datetime


def load_put_off(engine: Engine, owner: str, *, today: date) -> Mapping[FlagOf, PutOff]:
    """What is put off on this day; nothing where the store cannot be reached."""
    table = PUT_OFF.c
    mine = select(PUT_OFF).where(table.owner == owner, table.until >= today)
    try:
        with asked(), engine.connect() as connection:
            rows = connection.execute(mine).all()
    except StoreUnreachable:
        return {}
    return {
        FlagOf(row.user_id, row.rule_id): PutOff(row.until, row.reason, row.put_off_at.replace(tzinfo=UTC))
        for row in rows
    }


def put_off(engine: Engine, owner: str, flag: FlagOf, *, until: date, reason: str, now: datetime) -> None:
    """Put a flag off; a second time replaces the first. Raises `StoreUnreachable`."""
    row = {"until": until, "reason": reason[:LONGEST_REASON], "put_off_at": now.replace(tzinfo=None)}
    with asked(), engine.begin() as connection:
        connection.execute(delete(PUT_OFF).where(*_of(owner, flag)))
        connection.execute(PUT_OFF.insert().values(owner=owner, **flag._asdict(), **row))


def take_back(engine: Engine, owner: str, flag: FlagOf) -> None:
    """Show a flag again. Raises `StoreUnreachable`."""
    with asked(), engine.begin() as connection:
        connection.execute(delete(PUT_OFF).where(*_of(owner, flag)))


def _of(owner: str, flag: FlagOf) -> tuple:  # type: ignore[type-arg] # SQLAlchemy's conditions
    table = PUT_OFF.c
    return table.owner == owner, table.user_id == flag.user_id, table.rule_id == flag.rule_id
