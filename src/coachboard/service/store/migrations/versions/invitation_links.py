"""Invitation codes are stored as a hash, with inviter and use; keys have their last use."""

import hashlib

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_SAME = ("id", "workspace_id", "address", "email", "role", "expires_at")


def upgrade() -> None:
    op.add_column("keys", sa.Column("last_used_at", sa.BigInteger))
    connection = op.get_bind()
    old = connection.execute(sa.text(f"SELECT {', '.join(_SAME)}, code FROM invitations")).mappings().all()  # noqa: S608 # constants
    # SQLite cannot drop a column with a unique constraint.
    op.drop_table("invitations")
    table = op.create_table(
        "invitations",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("email", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("invited_by", sa.Text),
        sa.Column("used_at", sa.BigInteger),
        sa.Column("used_by", sa.Text),
        sa.PrimaryKeyConstraint("id", name="pk_invitations"),
        sa.UniqueConstraint("digest", name="uq_invitations_digest"),
        sa.UniqueConstraint("workspace_id", "address", name="uq_invitations_workspace_id_address"),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name="fk_invitations_workspace_id", ondelete="CASCADE"
        ),
    )
    rows = [
        {**{name: row[name] for name in _SAME}, "digest": hashlib.sha256(row["code"].encode()).hexdigest()}
        for row in old
    ]
    if rows:
        op.bulk_insert(table, rows)
