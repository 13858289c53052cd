"""Drop `changes`, a single row that each change of any person counted up: `stamps` has a number for each person."""

from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.drop_table("changes")
