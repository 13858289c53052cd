"""No row that all people share: each person has a number, and the number of the whole store goes."""

from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.drop_table("changes")
