"""Settings of an athlete by coaches and themselves: who set a value, threshold heart rate, availability, weekly targets."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.add_column("metrics", sa.Column("set_by", sa.Text))
    op.create_table(
        "athlete_settings",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("set_by", sa.Text),
        sa.PrimaryKeyConstraint("id", name="pk_athlete_settings"),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_athlete_settings_user_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_athlete_settings_user_id_kind_day", "athlete_settings", ["user_id", "kind", "day"])
