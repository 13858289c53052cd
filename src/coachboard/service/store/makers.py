"""The version of each maker that wrote rows and recipes."""

import sqlalchemy as sa

from coachboard.service.store.records import Maker
from coachboard.service.store.tables import makers
from coachboard.service.store.upsert import upsert


def put(connection: sa.Connection, maker: Maker) -> None:
    upsert(connection, makers, [{"name": maker.name, "version": maker.version, "told": maker.arguments}])


def find(connection: sa.Connection, name: str) -> Maker | None:
    row = connection.execute(sa.select(makers).where(makers.c.name == name)).one_or_none()
    return None if row is None else Maker(row.name, row.version, row.told)
