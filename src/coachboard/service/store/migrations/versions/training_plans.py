"""Plans of several weeks, who has one on their calendar, and the reply of a batch that is not its entries."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.add_column("plan_batches", sa.Column("reply", sa.Text))
    op.create_table(
        "training_plans",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("user_id", sa.Text),
        sa.Column("workspace_id", sa.Text),
        sa.Column("changed_by", sa.Text, nullable=False),
        sa.Column("changed_at", sa.BigInteger, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_training_plans"),
        _owner("training_plans", "user_id", "users"),
        _owner("training_plans", "workspace_id", "workspaces"),
    )
    for name in ("user_id", "workspace_id"):
        op.create_index(f"ix_training_plans_{name}", "training_plans", [name])
    op.create_table(
        "plan_uses",
        sa.Column("plan_id", sa.Text, nullable=False),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("batch_id", sa.Text, nullable=False),
        sa.Column("first_day", sa.Date, nullable=False),
        sa.PrimaryKeyConstraint("plan_id", "user_id", "batch_id", name="pk_plan_uses"),
        _owner("plan_uses", "plan_id", "training_plans"),
        _owner("plan_uses", "user_id", "users"),
    )
    op.create_index("ix_plan_uses_user_id", "plan_uses", ["user_id"])


def _owner(table: str, name: str, target: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([name], [f"{target}.id"], name=f"fk_{table}_{name}", ondelete="CASCADE")
