"""Subscriptions of the athletes of a group."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.add_column("feeds", sa.Column("group_name", sa.Text))
