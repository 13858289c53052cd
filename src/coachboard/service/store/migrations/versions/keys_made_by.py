"""A key has the key that made it: revoking one revokes those that it made."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.add_column("keys", sa.Column("made_by", sa.Text))
