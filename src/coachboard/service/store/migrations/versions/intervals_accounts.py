"""Accounts at intervals.icu to which planned workouts are pushed."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.create_table(
        "intervals_accounts",
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("athlete_id", sa.Text, nullable=False),
        sa.Column("api_key", sa.Text, nullable=False),
        sa.Column("days", sa.Integer, nullable=False),
        sa.Column("pushed", sa.Text, nullable=False),
        sa.Column("digest", sa.Text),
        sa.Column("stamp", sa.BigInteger),
        sa.Column("day", sa.Date),
        sa.Column("pushed_at", sa.BigInteger),
        sa.Column("error", sa.Text),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("next_try_at", sa.BigInteger),
        sa.Column("claimed_until", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("user_id", name="pk_intervals_accounts"),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_intervals_accounts_user_id", ondelete="CASCADE"
        ),
    )
