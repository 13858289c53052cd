"""Keys may expire."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("keys", sa.Column("expires_at", sa.BigInteger))
