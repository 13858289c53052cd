"""The person first in each key of athletes' data, and a directory of the people of older rows.

PostgreSQL changes the keys of the tables. SQLite copies each table to one with the new keys: it cannot change them. It
deletes the old ones from the last child to the first parent, as a parent takes the rows of its children along.
"""

from typing import NamedTuple

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


class _Key(NamedTuple):
    """A foreign key to columns of another table."""

    columns: tuple[str, ...]
    table: str
    targets: tuple[str, ...]


class _Table(NamedTuple):
    name: str
    key: tuple[str, ...]
    foreign: tuple[_Key, ...]


def _to_users(column: str) -> _Key:
    return _Key((column,), "users", ("id",))


_PERSON = _to_users("user_id")
_DATED = ("activities", "prescriptions", "notes", "events", "metrics", "sleeps")
_PARENTS = {
    "streams": ("activities", "activity_id"),
    "recipes": ("activities", "activity_id"),
    "job_files": ("jobs", "job_id"),
    "unread_comments": ("comments", "comment_id"),
}
"""Tables without the person, each with the table and the column from which the person follows."""


def _of_parent(name: str, *last: str, foreign: tuple[_Key, ...] = ()) -> _Table:
    parent, column = _PARENTS[name]
    key = _Key(("user_id", column), parent, ("user_id", "id"))
    return _Table(name, ("user_id", column, *last), (key, *foreign))


_TABLES = (
    *(_Table(name, ("user_id", "id"), (_PERSON,)) for name in (*_DATED, "athlete_settings", "jobs")),
    _Table("comments", ("user_id", "id"), (_PERSON, _to_users("author_id"))),
    _of_parent("streams"),
    _of_parent("recipes"),
    _of_parent("job_files", "name"),
    _of_parent("unread_comments", "reader_id", foreign=(_to_users("reader_id"),)),
)
"""Parents before their children."""
_ROUTED = ("activities", "prescriptions", "notes", "events", "metrics", "jobs", "comments", "plan_batches")


_OLD_INDEXES = (
    ("plan_batches", "id"),
    ("jobs", "user_id"),
    ("comments", "user_id"),
    ("comments", "entry_id"),
    ("comments", "activity_id"),
    ("unread_comments", "comment_id"),
)
_NEW_INDEXES = (
    ("comments", "user_id", "entry_id"),
    ("comments", "user_id", "activity_id"),
    ("unread_comments", "reader_id"),
)


def upgrade() -> None:
    connection = op.get_bind()
    for table, column in _OLD_INDEXES:
        op.drop_index(f"ix_{table}_{column}", table)
    op.create_table(
        "directory",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", "user_id", name="pk_directory"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_directory_user_id", ondelete="CASCADE"),
    )
    for name in _ROUTED:
        rows = f"SELECT id, user_id FROM {name} WHERE true"  # noqa: S608 # constants
        op.execute(f"INSERT INTO directory (id, user_id) {rows} ON CONFLICT DO NOTHING")
    op.create_index("ix_directory_user_id", "directory", ["user_id"])
    if connection.dialect.name == "postgresql":
        _change_keys(connection)
    else:
        _copy(connection)
    for table, *columns in _NEW_INDEXES:
        op.create_index(f"ix_{table}_{'_'.join(columns)}", table, columns)


def _change_keys(connection: sa.Connection) -> None:
    old = sa.inspect(connection)
    for name in _PARENTS:
        for old_key in old.get_foreign_keys(name):
            op.drop_constraint(old_key["name"] or "", name, type_="foreignkey")
    for name, (parent, column) in _PARENTS.items():
        op.add_column(name, sa.Column("user_id", sa.Text))
        op.execute(f"UPDATE {name} SET user_id = p.user_id FROM {parent} p WHERE p.id = {name}.{column}")  # noqa: S608 # constants
        op.alter_column(name, "user_id", nullable=False)
    for table in _TABLES:
        op.drop_constraint(f"pk_{table.name}", table.name, type_="primary")
        op.create_primary_key(f"pk_{table.name}", table.name, list(table.key))
    for table in _TABLES:
        if table.name in _PARENTS:
            _create_foreign_keys(table)


def _create_foreign_keys(table: _Table) -> None:
    for key in table.foreign:
        columns, targets = list(key.columns), list(key.targets)
        op.create_foreign_key(
            _name_of(table, key), table.name, key.table, columns, targets, ondelete="CASCADE"
        )


def _copy(connection: sa.Connection) -> None:
    copied = {table.name for table in _TABLES}
    indexes = sa.text("SELECT tbl_name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
    statements = [sql for table, sql in connection.execute(indexes) if table in copied]
    for table in _TABLES:
        _create_copy(connection, table, copied)
    for table in reversed(_TABLES):
        op.drop_table(table.name)
    for table in _TABLES:
        op.rename_table(f"new_{table.name}", table.name)
    for statement in statements:
        op.execute(statement)


def _create_copy(connection: sa.Connection, table: _Table, copied: set[str]) -> None:
    columns = {column["name"]: column for column in sa.inspect(connection).get_columns(table.name)}
    types = {"user_id": sa.Text(), **{name: column["type"] for name, column in columns.items()}}
    op.create_table(
        f"new_{table.name}",
        *(
            sa.Column(name, of_type, nullable=name not in table.key and columns[name]["nullable"])
            for name, of_type in types.items()
        ),
        sa.PrimaryKeyConstraint(*table.key, name=f"pk_{table.name}"),
        *(_constraint(table, key, copied) for key in table.foreign),
    )
    names, source = ", ".join(f'"{name}"' for name in types), f"{table.name} t"
    selected = ", ".join(f't."{name}"' for name in types)
    if table.name in _PARENTS:
        parent, column = _PARENTS[table.name]
        source += f" JOIN {parent} p ON p.id = t.{column}"
        selected = selected.replace('t."user_id"', 'p."user_id"')
    op.execute(f"INSERT INTO new_{table.name} ({names}) SELECT {selected} FROM {source}")  # noqa: S608 # constants


def _constraint(table: _Table, key: _Key, copied: set[str]) -> sa.ForeignKeyConstraint:
    parent = f"new_{key.table}" if key.table in copied else key.table
    targets = [f"{parent}.{column}" for column in key.targets]
    return sa.ForeignKeyConstraint([*key.columns], targets, name=_name_of(table, key), ondelete="CASCADE")


def _name_of(table: _Table, key: _Key) -> str:
    return f"fk_{table.name}_{'_'.join(key.columns)}"
