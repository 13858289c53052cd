"""Since when a person is a member; of those who joined by an invitation it is known."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.add_column("members", sa.Column("joined_at", sa.BigInteger))
    op.execute(
        "UPDATE members SET joined_at = (SELECT MAX(used_at) FROM invitations"
        " WHERE invitations.workspace_id = members.workspace_id AND invitations.used_by = members.user_id)"
    )
