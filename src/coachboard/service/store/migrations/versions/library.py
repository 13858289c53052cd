"""Workouts of libraries: private ones of a person, or shared with a workspace."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.create_table(
        "library_workouts",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("user_id", sa.Text),
        sa.Column("workspace_id", sa.Text),
        sa.Column("creator_id", sa.Text, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_library_workouts"),
        *(
            sa.ForeignKeyConstraint([name], [target], name=f"fk_library_workouts_{name}", ondelete="CASCADE")
            for name, target in (("user_id", "users.id"), ("workspace_id", "workspaces.id"))
        ),
    )
    for name in ("user_id", "workspace_id"):
        op.create_index(f"ix_library_workouts_{name}", "library_workouts", [name])
