"""Subscriptions of calendars by secret address, and the time zone of a person."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.add_column("users", sa.Column("time_zone", sa.Text))
    op.create_table(
        "feeds",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("key_id", sa.Text, nullable=False),
        sa.Column("athlete_id", sa.Text),
        sa.Column("workspace_id", sa.Text),
        sa.Column("is_busy_only", sa.Boolean, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_feeds"),
        sa.UniqueConstraint("digest", name="uq_feeds_digest"),
        *(
            sa.ForeignKeyConstraint([name], [target], name=f"fk_feeds_{name}", ondelete="CASCADE")
            for name, target in (
                ("user_id", "users.id"),
                ("key_id", "keys.id"),
                ("athlete_id", "users.id"),
                ("workspace_id", "workspaces.id"),
            )
        ),
    )
    op.create_index("ix_feeds_user_id", "feeds", ["user_id"])
