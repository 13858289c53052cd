"""The first schema: people, keys, dated rows, streams, recordings, invitations, counters."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    _people()
    _rows()
    _streams()
    _recordings()
    _invitations()
    op.create_table(
        "counters",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("window", sa.BigInteger, nullable=False),
        sa.Column("used", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_counters"),
    )
    changes = op.create_table(
        "changes",
        sa.Column("id", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_changes"),
    )
    op.bulk_insert(changes, [{"id": 1, "number": 1}])


def _rows() -> None:
    _dated_rows("activities")
    _dated_rows("prescriptions")
    _dated_rows(
        "notes",
        sa.Column("creator_id", sa.Text, nullable=False),
        sa.Column("hidden_until", sa.Date),
    )
    _dated_rows("events")
    _dated_rows(
        "metrics",
        sa.Column("sport", sa.Text, nullable=False),
        sa.Column("type", sa.Text, nullable=False),
        sa.Column("source", sa.Text),
    )
    _dated_rows("sleeps")


def _owned_by(table: str, column: str, owner: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{owner}.id"], name=f"fk_{table}_{column}", ondelete="CASCADE")


def _people() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("first_name", sa.Text),
        sa.Column("last_name", sa.Text),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
    )
    op.create_table(
        "workspaces",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("slug", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_workspaces"),
        sa.UniqueConstraint("slug", name="uq_workspaces_slug"),
    )
    op.create_table(
        "members",
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "user_id", name="pk_members"),
        _owned_by("members", "workspace_id", "workspaces"),
        _owned_by("members", "user_id", "users"),
    )
    op.create_index("ix_members_user_id", "members", ["user_id"])
    op.create_table(
        "keys",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("revoked_at", sa.BigInteger),
        sa.PrimaryKeyConstraint("id", name="pk_keys"),
        sa.UniqueConstraint("digest", name="uq_keys_digest"),
        _owned_by("keys", "user_id", "users"),
    )
    op.create_index("ix_keys_user_id", "keys", ["user_id"])


def _dated_rows(name: str, *columns: sa.Column[Any]) -> None:
    op.create_table(
        name,
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("day", sa.Date),
        sa.Column("moment", sa.Text, nullable=False),
        *columns,
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("id", name=f"pk_{name}"),
        _owned_by(name, "user_id", "users"),
    )
    op.create_index(f"ix_{name}_user_id_day", name, ["user_id", "day"])


def _streams() -> None:
    op.create_table(
        "streams",
        sa.Column("activity_id", sa.Text, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("activity_id", name="pk_streams"),
        _owned_by("streams", "activity_id", "activities"),
    )
    op.create_table(
        "recipes",
        sa.Column("activity_id", sa.Text, nullable=False),
        sa.Column("maker", sa.Text, nullable=False),
        sa.Column("recipe", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("activity_id", name="pk_recipes"),
        _owned_by("recipes", "activity_id", "activities"),
    )


def _recordings() -> None:
    op.create_table(
        "recordings",
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("file_name", sa.Text, nullable=False),
        sa.Column("activity_ids", sa.Text, nullable=False),
        sa.Column("imported_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("user_id", "digest", name="pk_recordings"),
        _owned_by("recordings", "user_id", "users"),
    )


def _invitations() -> None:
    op.create_table(
        "invitations",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("email", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("code", sa.Text, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_invitations"),
        sa.UniqueConstraint("code", name="uq_invitations_code"),
        sa.UniqueConstraint("workspace_id", "address", name="uq_invitations_workspace_id_address"),
        _owned_by("invitations", "workspace_id", "workspaces"),
    )
