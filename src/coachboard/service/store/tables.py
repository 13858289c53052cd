"""The tables of the store. Rows are stored as their JSON, encoded once, with the columns that queries need.

Encoding an activity for each request takes eight times as long as reading its bytes.
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
    sa.Column("last_used_at", sa.BigInteger),  # s since 1970, written once an hour
    sa.Column(
        "made_by", sa.Text
    ),  # the id of the key whose request made it; null for a key of a command or an invitation
)


def _dated_rows(name: str, *columns: sa.Column[Any]) -> sa.Table:
    """A kind of a user's rows: ranges match `day`, the order follows `moment`."""
    return sa.Table(
        name,
        METADATA,
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("user_id", _owner("users"), nullable=False),
        sa.Column("day", sa.Date),
        sa.Column("moment", sa.Text, nullable=False),
        sa.Column("import_id", sa.Text),  # the job that brought the row
        *columns,
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Index(None, "user_id", "day"),
    )


activities = _dated_rows(
    "activities",
    sa.Column("parts", sa.Text),  # a JSON array of [digest of the file, index of its leg]
    sa.Column("corrections", sa.Text),  # a JSON object of the person's corrections; `body` contains them
    sa.Column("athlete", sa.Text),  # the references (weight, thresholds) of the load
    sa.Column("deleted_at", sa.BigInteger),  # s since 1970; null unless the person deleted it
)
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
    sa.Column("told", sa.Text, key="arguments", nullable=False),  # stored data keeps its names
)

recordings = sa.Table(
    "recordings",
    METADATA,
    sa.Column("user_id", _owner("users"), primary_key=True),
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("file_name", sa.Text, nullable=False),
    sa.Column("activity_ids", sa.Text, nullable=False),  # a JSON array
    sa.Column("imported_at", sa.BigInteger, nullable=False),  # s since 1970
    sa.Column("import_id", sa.Text),  # the job that brought the file
)

invitations = sa.Table(
    "invitations",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("workspace_id", _owner("workspaces"), nullable=False),
    sa.Column("address", sa.Text, nullable=False),  # the email with case folded
    sa.Column("email", sa.Text, nullable=False),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False, unique=True),  # of the code
    sa.Column("expires_at", sa.BigInteger, nullable=False),  # s since 1970
    sa.Column("invited_by", sa.Text),  # a user's id
    sa.Column("used_at", sa.BigInteger),  # s since 1970
    sa.Column("used_by", sa.Text),  # a user's id
    sa.UniqueConstraint("workspace_id", "address"),
)

# Mails whose invitation is committed and which are not known to be sent; written in the invitation's transaction.
queued_mails = sa.Table(
    "queued_mails",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("recipient", sa.Text, nullable=False),
    sa.Column("message", sa.LargeBinary, nullable=False),
    sa.Column("claimed_until", sa.BigInteger, nullable=False),  # s since 1970; by one process at a time
)

counters = sa.Table(
    "counters",
    METADATA,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("window", sa.BigInteger, nullable=False),
    sa.Column("used", sa.BigInteger, nullable=False),
)

# One row, incremented by every change; a process's cache is valid while the number is the same.
changes = sa.Table(
    "changes",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("number", sa.BigInteger, nullable=False),
)

# The version number at the last change of a person's rows, for caches.
stamps = sa.Table(
    "stamps",
    METADATA,
    sa.Column("user_id", _owner("users"), primary_key=True),
    sa.Column("number", sa.BigInteger, nullable=False),
)

jobs = sa.Table(
    "jobs",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("user_id", _owner("users"), nullable=False, index=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("arguments", sa.Text, nullable=False),  # a JSON object
    sa.Column("created_at", sa.BigInteger, nullable=False),  # s since 1970
    sa.Column("finished_at", sa.BigInteger),  # s since 1970
    sa.Column("done", sa.Integer, nullable=False),
    sa.Column("total", sa.Integer),
    sa.Column("current", sa.Text),  # the file or session in progress
    sa.Column("error", sa.Text),
    sa.Column("worker", sa.Text),  # the process that runs it: host and process id
    sa.Column("seen_at", sa.BigInteger),  # s since 1970; the worker's last heartbeat
)

job_files = sa.Table(
    "job_files",
    METADATA,
    sa.Column("job_id", _owner("jobs"), primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("place", sa.Integer, nullable=False),
    sa.Column("outcome", sa.Text, nullable=False),
    sa.Column("report", sa.Text, nullable=False),  # a JSON object
)
