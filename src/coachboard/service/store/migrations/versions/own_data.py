"""People's own changes: import batches, corrections, soft deletion, jobs and change stamps."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_BROUGHT = ("activities", "prescriptions", "notes", "events", "metrics", "sleeps", "recordings")


def upgrade() -> None:
    for name in _BROUGHT:
        op.add_column(name, sa.Column("import_id", sa.Text))
    op.add_column("activities", sa.Column("parts", sa.Text))
    op.add_column("activities", sa.Column("corrections", sa.Text))
    op.add_column("activities", sa.Column("athlete", sa.Text))
    op.add_column("activities", sa.Column("deleted_at", sa.BigInteger))
    _jobs()
    op.create_table(
        "stamps",
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("user_id", name="pk_stamps"),
        _owned_by("stamps", "user_id", "users"),
    )


def _jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("arguments", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("finished_at", sa.BigInteger),
        sa.Column("done", sa.Integer, nullable=False),
        sa.Column("total", sa.Integer),
        sa.Column("current", sa.Text),
        sa.Column("error", sa.Text),
        sa.Column("worker", sa.Text),
        sa.Column("seen_at", sa.BigInteger),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
        _owned_by("jobs", "user_id", "users"),
    )
    op.create_index("ix_jobs_user_id", "jobs", ["user_id"])
    op.create_table(
        "job_files",
        sa.Column("job_id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("report", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("job_id", "name", name="pk_job_files"),
        _owned_by("job_files", "job_id", "jobs"),
    )


def _owned_by(table: str, column: str, owner: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{owner}.id"], name=f"fk_{table}_{column}", ondelete="CASCADE")
