"""The tables of the store. Rows of the wire lie as their JSON, encoded once, beside the columns that queries need.

Encoding an activity for each request costs eight times what reading its bytes does.
"""

from typing import Any

import sqlalchemy as sa

METADATA = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _owner(table: str) -> sa.ForeignKey:
    return sa.ForeignKey(f"{table}.id", ondelete="CASCADE")


users = sa.Table(
    "users",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("first_name", sa.Text),
    sa.Column("last_name", sa.Text),
    sa.Column("body", sa.LargeBinary, nullable=False),
)

workspaces = sa.Table(
    "workspaces",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("slug", sa.Text, nullable=False, unique=True),
)

members = sa.Table(
    "members",
    METADATA,
    sa.Column("workspace_id", _owner("workspaces"), primary_key=True),
    sa.Column("user_id", _owner("users"), primary_key=True, index=True),
    sa.Column("role", sa.Text, nullable=False),
)

keys = sa.Table(
    "keys",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("user_id", _owner("users"), nullable=False, index=True),
    sa.Column("label", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False, unique=True),
    sa.Column("created_at", sa.BigInteger, nullable=False),  # s since 1970
    sa.Column("revoked_at", sa.BigInteger),  # s since 1970
    sa.Column("expires_at", sa.BigInteger),  # s since 1970; null for one that does not expire
)


def _dated_rows(name: str, *columns: sa.Column[Any]) -> sa.Table:
    """One kind of a user's rows: `day` is what a range matches, `moment` what the order follows."""
    return sa.Table(
        name,
        METADATA,
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("user_id", _owner("users"), nullable=False),
        sa.Column("day", sa.Date),
        sa.Column("moment", sa.Text, nullable=False),
        *columns,
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Index(None, "user_id", "day"),
    )


activities = _dated_rows("activities")
prescriptions = _dated_rows("prescriptions")
notes = _dated_rows(
    "notes",
    sa.Column("creator_id", sa.Text, nullable=False),
    sa.Column("hidden_until", sa.Date),
)
events = _dated_rows("events")
metrics = _dated_rows(
    "metrics",
    sa.Column("sport", sa.Text, nullable=False),
    sa.Column("type", sa.Text, nullable=False),
    sa.Column("source", sa.Text),
)
sleeps = _dated_rows("sleeps")

streams = sa.Table(
    "streams",
    METADATA,
    sa.Column("activity_id", _owner("activities"), primary_key=True),
    sa.Column("body", sa.LargeBinary, nullable=False),  # JSON, zstd
)

recipes = sa.Table(
    "recipes",
    METADATA,
    sa.Column("activity_id", _owner("activities"), primary_key=True),
    sa.Column("maker", sa.Text, nullable=False),
    sa.Column("recipe", sa.LargeBinary, nullable=False),
)

makers = sa.Table(
    "makers",
    METADATA,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("version", sa.Text, nullable=False),
    sa.Column("told", sa.Text, nullable=False),
)

recordings = sa.Table(
    "recordings",
    METADATA,
    sa.Column("user_id", _owner("users"), primary_key=True),
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("file_name", sa.Text, nullable=False),
    sa.Column("activity_ids", sa.Text, nullable=False),  # a JSON array
    sa.Column("imported_at", sa.BigInteger, nullable=False),  # s since 1970
)

invitations = sa.Table(
    "invitations",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("workspace_id", _owner("workspaces"), nullable=False),
    sa.Column("address", sa.Text, nullable=False),  # the email with case folded
    sa.Column("email", sa.Text, nullable=False),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("code", sa.Text, nullable=False, unique=True),
    sa.Column("expires_at", sa.BigInteger, nullable=False),  # s since 1970
    sa.UniqueConstraint("workspace_id", "address"),
)

counters = sa.Table(
    "counters",
    METADATA,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("window", sa.BigInteger, nullable=False),
    sa.Column("used", sa.BigInteger, nullable=False),
)

# One row, counted up by every change; what a process remembers is good while this number stands.
changes = sa.Table(
    "changes",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("number", sa.BigInteger, nullable=False),
)
