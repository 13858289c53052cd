"""The planning API: who wrote a planned row and who may see it, batches, and the rows that each batch changed."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.add_column("stamps", sa.Column("unplanned_number", sa.BigInteger))
    op.execute("UPDATE stamps SET unplanned_number = number")
    for name in ("prescriptions", "notes", "events"):
        if name != "notes":
            op.add_column(name, sa.Column("creator_id", sa.Text))
            op.add_column(name, sa.Column("hidden_until", sa.Date))
        op.add_column(name, sa.Column("workspace_id", sa.Text))
        op.add_column(name, sa.Column("is_private", sa.Boolean))
        op.add_column(name, sa.Column("end_day", sa.Date))
        op.add_column(name, sa.Column("in_percent", sa.Boolean))
        op.add_column(name, sa.Column("entry", sa.Text))
    op.create_table(
        "plan_batches",
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("idempotency_key", sa.Text),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("results", sa.Text, nullable=False),
        sa.Column("warnings", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("user_id", "id", name="pk_plan_batches"),
        sa.UniqueConstraint("user_id", "idempotency_key", name="uq_plan_batches_user_id_idempotency_key"),
        _of_a_person("plan_batches"),
    )
    op.create_index("ix_plan_batches_id", "plan_batches", ["id"])
    op.create_table(
        "plan_changes",
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("batch_id", sa.Text, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("op", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("entry_id", sa.Text, nullable=False),
        sa.Column("before", sa.LargeBinary),
        sa.Column("after", sa.LargeBinary),
        sa.Column("author_id", sa.Text, nullable=False),
        sa.Column("source", sa.Text),
        sa.Column("undo_of", sa.Text),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("user_id", "batch_id", "place", name="pk_plan_changes"),
        _of_a_person("plan_changes"),
    )
    op.create_index("ix_plan_changes_user_id_created_at", "plan_changes", ["user_id", "created_at"])
    op.create_index("ix_plan_changes_user_id_entry_id", "plan_changes", ["user_id", "entry_id"])


def _of_a_person(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=f"fk_{table}_user_id", ondelete="CASCADE")
