"""Comments with the people who have not read them, groups of athletes, and how a person gets mails about comments."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.add_column("users", sa.Column("comment_mail", sa.Text))
    op.add_column("users", sa.Column("mail_address", sa.Text))
    op.create_table(
        "comments",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("entry_id", sa.Text),
        sa.Column("activity_id", sa.Text),
        sa.Column("author_id", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("edited_at", sa.BigInteger),
        sa.PrimaryKeyConstraint("id", name="pk_comments"),
        _of("comments", "user_id", "users.id"),
        _of("comments", "author_id", "users.id"),
    )
    for name in ("user_id", "entry_id", "activity_id", "author_id"):
        op.create_index(f"ix_comments_{name}", "comments", [name])
    op.create_table(
        "unread_comments",
        sa.Column("reader_id", sa.Text, nullable=False),
        sa.Column("comment_id", sa.Text, nullable=False),
        sa.Column("mail_at", sa.BigInteger),
        sa.PrimaryKeyConstraint("reader_id", "comment_id", name="pk_unread_comments"),
        _of("unread_comments", "reader_id", "users.id"),
        _of("unread_comments", "comment_id", "comments.id"),
    )
    for name in ("comment_id", "mail_at"):
        op.create_index(f"ix_unread_comments_{name}", "unread_comments", [name])
    op.create_table(
        "athlete_groups",
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "user_id", "name", name="pk_athlete_groups"),
        sa.ForeignKeyConstraint(
            ["workspace_id", "user_id"],
            ["members.workspace_id", "members.user_id"],
            name="fk_athlete_groups_workspace_id_user_id",
            ondelete="CASCADE",
        ),
    )


def _of(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [target], name=f"fk_{table}_{column}", ondelete="CASCADE")
