"""Many athletes for measurements: copies of the demo squad with short streams, written to PostgreSQL with COPY.

Each copy has ids of its own; a workspace has 25 athletes and a coach.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import sqlalchemy as sa

from coachboard.service.store import Store
from coachboard.service.store.streams import packed
from coachboard.service.store.tables import METADATA, members, recipes, streams, users, workspaces
from coachboard.wire.enums import DataOnboardingStatus, WorkspaceRole
from coachboard.wire.streams import ActivityStreams
from coachboard_demo.chance import new_id
from coachboard_demo.coaching import PLANNED_ATHLETE
from coachboard_demo.generate import generate
from coachboard_demo.people import SQUAD_ID, Size, user_id
from coachboard_demo.squad import SQUAD
from coachboard_demo.streams import make_streams

ATHLETES_A_COACH = 25
_STREAM_S = 60
_AT_ONCE = 2 * ATHLETES_A_COACH
_ID = re.compile(rb"\b((?:usr|wke|act|tpr|not|evt|mtr|slp|cmt|set)_[0-9a-z]{20})\b")
_TYPES: dict[type[Any], str] = {
    sa.Text: "text",
    sa.BigInteger: "int8",
    sa.Integer: "int4",
    sa.Date: "date",
    sa.Boolean: "bool",
    sa.LargeBinary: "bytea",
}

Row = dict[str, Any]
Rows = dict[sa.Table, list[Row]]
Models = dict[sa.Table, list["_Model"]]


def coach_id(number: int) -> str:
    return new_id("usr", "federation", "coach", number)


def athlete_id(number: int) -> str:
    return new_id("usr", "federation", number)


def write_federation(url: str, size: Size) -> None:
    """Write that many athletes into an empty database."""
    with TemporaryDirectory() as folder, closing(Store.open(url)):
        models = _models(Path(folder) / "squad.db", size)
        engine = sa.create_engine(url, poolclass=sa.NullPool)
        for first in range(0, size.athletes, _AT_ONCE):
            rows = defaultdict[sa.Table, list[Row]](list)
            for number in range(first, min(first + _AT_ONCE, size.athletes)):
                for table, added in _copied(models, number):
                    rows[table] += added
            with engine.begin() as connection:
                _copy(connection, rows)
        with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
            connection.exec_driver_sql("VACUUM ANALYZE")
        engine.dispose()


def _models(path: Path, size: Size) -> dict[str, Models]:
    """The rows of each athlete of the demo squad with complete data, and of the coach, by the person's id."""
    with closing(Store.open(f"sqlite:///{path}", is_bulk=True)) as store:
        generate(store, Size(size.today, len(SQUAD), size.years, size.seed))
    complete = (each.key for each in SQUAD if each.status is DataOnboardingStatus.DONE)
    people = ("coach", *(key for key in complete if key != PLANNED_ATHLETE))
    engine = sa.create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        models = {user_id(key): _rows_of(connection, user_id(key)) for key in people}
    engine.dispose()
    return models


def _rows_of(connection: sa.Connection, person: str) -> Models:
    rows = {
        table: _read(connection, table, person) for table in METADATA.sorted_tables if table is not members
    }
    made = rows.pop(recipes)
    body = _short_streams(made[0]["recipe"]) if made else b""
    rows[streams] = [{name: row[name] for name in row if name in streams.c} | {"body": body} for row in made]
    # The body of streams is compressed and contains no id.
    kept = {streams: "body"}
    return {
        table: [_Model(row, kept.get(table, "")) for row in found] for table, found in rows.items() if found
    }


def _read(connection: sa.Connection, table: sa.Table, person: str) -> list[Row]:
    if table is users:
        chosen = table.c.id == person
    elif "user_id" in table.c:
        chosen = table.c.user_id == person
    else:
        return []
    return [
        {column.name: getattr(row, column.key) for column in table.c}
        for row in connection.execute(sa.select(table).where(chosen))
    ]


def _short_streams(recipe: bytes) -> bytes:
    made = make_streams(recipe)
    moments = None if made.timestamps is None else made.timestamps[:_STREAM_S]
    return packed(
        ActivityStreams({name: column[:_STREAM_S] for name, column in made.columns.items()}, moments)
    )


def _copied(models: dict[str, Models], number: int) -> Iterator[tuple[sa.Table, list[Row]]]:
    """The rows of one athlete, and before the first one of a workspace those of the workspace and its coach."""
    squad = number // ATHLETES_A_COACH
    model_coach, *athletes = models
    model, workspace = athletes[number % len(athletes)], new_id("wke", "federation", squad)
    names = _Names(number)
    for old, new in ((model, athlete_id(number)), (model_coach, coach_id(squad)), (SQUAD_ID, workspace)):
        names[old.encode()] = new.encode()
    if number % ATHLETES_A_COACH == 0:
        yield workspaces, [{"id": workspace, "name": f"Club {squad}", "slug": f"club-{squad}"}]
        yield users, [row.copied(names) for row in models[model_coach][users]]
        yield members, [_member(workspace, coach_id(squad), WorkspaceRole.COACH)]
    for table, rows in models[model].items():
        yield table, [row.copied(names) for row in rows]
    yield members, [_member(workspace, athlete_id(number), WorkspaceRole.ATHLETE)]


class _Names(dict[bytes, bytes]):
    """The ids of a copy by those of its model: the number of the copy is part of each."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = b"%05x" % number

    def __missing__(self, old: bytes) -> bytes:
        new = self[old] = old[:-5] + self._number
        return new


class _Model:
    """A row whose ids are to be replaced."""

    def __init__(self, row: Row, kept: str = "") -> None:
        self._row = row
        self._parts: dict[str, list[bytes]] = {}  # text and ids in turn
        for name, value in row.items():
            raw = value.encode() if isinstance(value, str) else value
            if name != kept and isinstance(raw, bytes) and len(parts := _ID.split(raw)) > 1:
                self._parts[name] = parts

    def copied(self, names: _Names) -> Row:
        row = dict(self._row)
        for name, parts in self._parts.items():
            new = parts.copy()
            new[1::2] = [names[old] for old in parts[1::2]]
            joined = b"".join(new)
            row[name] = joined.decode() if isinstance(row[name], str) else joined
        return row


def _member(workspace: str, person: str, role: WorkspaceRole) -> Row:
    return {"workspace_id": workspace, "user_id": person, "role": role.value, "joined_at": None}


def _copy(connection: sa.Connection, rows: Rows) -> None:
    cursor: Any = connection.connection.cursor()
    for table in METADATA.sorted_tables:
        if not rows.get(table):
            continue
        names: Sequence[str] = list(rows[table][0])
        columns = ", ".join(f'"{name}"' for name in names)
        with cursor.copy(f"COPY {table.name} ({columns}) FROM STDIN WITH (FORMAT BINARY)") as copy:
            copy.set_types([_TYPES[type(table.columns[_key(table, name)].type)] for name in names])
            for row in rows[table]:
                copy.write_row([row[name] for name in names])


def _key(table: sa.Table, name: str) -> str:
    return next(column.key for column in table.c if column.name == name)
