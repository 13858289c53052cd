"""Add indexes of background work, which read the rows of all people: deleted sessions, unfinished jobs, due pushes."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    is_deleted = sa.text("deleted_at IS NOT NULL")
    op.create_index(
        "ix_activities_deleted_at",
        "activities",
        ["deleted_at"],
        sqlite_where=is_deleted,
        postgresql_where=is_deleted,
    )
    op.create_index("ix_jobs_state", "jobs", ["state"])
    op.create_index("ix_intervals_accounts_next_try_at", "intervals_accounts", ["next_try_at"])
