"""The tables of the store. Rows are stored as their JSON, encoded once, with the columns that queries need.

Encoding an activity for each request takes eight times as long as reading its bytes.
"""

from typing import Any

import sqlalchemy as sa

METADATA = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _owner(table: str) -> sa.ForeignKey:
    return sa.ForeignKey(f"{table}.id", ondelete="CASCADE")


users = sa.Table(
    "users",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("first_name", sa.Text),
    sa.Column("last_name", sa.Text),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Column("time_zone", sa.Text),  # an IANA name
    sa.Column("comment_mail", sa.Text),  # when comments are mailed; null is the default
    sa.Column("mail_address", sa.Text),  # null: that of the invitation which the person accepted
)

workspaces = sa.Table(
    "workspaces",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("slug", sa.Text, nullable=False, unique=True),
)

members = sa.Table(
    "members",
    METADATA,
    sa.Column("workspace_id", _owner("workspaces"), primary_key=True),
    sa.Column("user_id", _owner("users"), primary_key=True, index=True),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("joined_at", sa.BigInteger),  # s since 1970; null for a member of an earlier version
)

keys = sa.Table(
    "keys",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("user_id", _owner("users"), nullable=False, index=True),
    sa.Column("label", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False, unique=True),
    sa.Column("created_at", sa.BigInteger, nullable=False),  # s since 1970
    sa.Column("revoked_at", sa.BigInteger),  # s since 1970
    sa.Column("expires_at", sa.BigInteger),  # s since 1970; null for one that does not expire
    sa.Column("last_used_at", sa.BigInteger),  # s since 1970, written once an hour
    sa.Column(
        "made_by", sa.Text
    ),  # the id of the key whose request made it; null for a key of a command or an invitation
)


def _person() -> sa.Column[str]:
    """The first column of the primary key of each table of athletes' data, by which PostgreSQL can distribute them."""
    return sa.Column("user_id", _owner("users"), primary_key=True)


def _of_person(table: str, column: str) -> tuple[sa.Column[str], sa.Column[str], sa.ForeignKeyConstraint]:
    """The person and the id of the row of another table that a row belongs to, as the start of the primary key."""
    return (
        sa.Column("user_id", sa.Text, primary_key=True),
        sa.Column(column, sa.Text, primary_key=True),
        sa.ForeignKeyConstraint(["user_id", column], [f"{table}.user_id", f"{table}.id"], ondelete="CASCADE"),
    )


def _dated_rows(name: str, *columns: sa.Column[Any]) -> sa.Table:
    """A kind of a user's rows: ranges match `day`, the order follows `moment`."""
    return sa.Table(
        name,
        METADATA,
        _person(),
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("day", sa.Date),
        sa.Column("moment", sa.Text, nullable=False),
        sa.Column("import_id", sa.Text),  # the job that brought the row
        *columns,
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Index(None, "user_id", "day"),
    )


activities = _dated_rows(
    "activities",
    sa.Column("parts", sa.Text),  # a JSON array of [digest of the file, index of its leg]
    sa.Column("corrections", sa.Text),  # a JSON object of the person's corrections; `body` contains them
    sa.Column("athlete", sa.Text),  # the references (weight, thresholds) of the load
    sa.Column("deleted_at", sa.BigInteger),  # s since 1970; null unless the person deleted it
)
_IS_DELETED = activities.c.deleted_at.is_not(None)
sa.Index(None, activities.c.deleted_at, sqlite_where=_IS_DELETED, postgresql_where=_IS_DELETED)


def _planned_rows(name: str, *, has_creator: bool) -> sa.Table:
    """A kind of entries of a calendar; `entry` is null for a row that the planning API has not changed."""
    return _dated_rows(
        name,
        sa.Column("creator_id", sa.Text, nullable=not has_creator),  # null: an import, a generator
        sa.Column("hidden_until", sa.Date),
        sa.Column("workspace_id", sa.Text),  # of the coach who wrote it; null for an athlete's own
        sa.Column("is_private", sa.Boolean),  # for coaches of the workspace only
        sa.Column("end_day", sa.Date),  # last day of a span
        sa.Column("in_percent", sa.Boolean),  # targets and length follow the athlete's values at each read
        sa.Column("entry", sa.Text),  # a JSON object: text, lock, skip, pairing, who changed it last
    )


prescriptions = _planned_rows("prescriptions", has_creator=False)
notes = _planned_rows("notes", has_creator=True)
events = _planned_rows("events", has_creator=False)
metrics = _dated_rows(
    "metrics",
    sa.Column("sport", sa.Text, nullable=False),
    sa.Column("type", sa.Text, nullable=False),
    sa.Column("source", sa.Text),
    sa.Column("set_by", sa.Text),  # the id of the person who entered it; null for an import or an estimate
)
sleeps = _dated_rows("sleeps")

# Settings of an athlete by coaches and themselves, beside the interface; `kind` as `SettingKind`.
athlete_settings = sa.Table(
    "athlete_settings",
    METADATA,
    _person(),
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("day", sa.Date, nullable=False),  # the first day, or the Monday of a week
    sa.Column("body", sa.LargeBinary, nullable=False),  # a JSON object
    sa.Column("set_by", sa.Text),  # the id of a person
    sa.Index("ix_athlete_settings_user_id_kind_day", "user_id", "kind", "day"),
)

streams = sa.Table(
    "streams",
    METADATA,
    *_of_person("activities", "activity_id"),
    sa.Column("body", sa.LargeBinary, nullable=False),  # JSON, zstd
)

recipes = sa.Table(
    "recipes",
    METADATA,
    *_of_person("activities", "activity_id"),
    sa.Column("maker", sa.Text, nullable=False),
    sa.Column("recipe", sa.LargeBinary, nullable=False),
)

makers = sa.Table(
    "makers",
    METADATA,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("version", sa.Text, nullable=False),
    sa.Column("told", sa.Text, key="arguments", nullable=False),  # stored data keeps its names
)

recordings = sa.Table(
    "recordings",
    METADATA,
    _person(),
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("file_name", sa.Text, nullable=False),
    sa.Column("activity_ids", sa.Text, nullable=False),  # a JSON array
    sa.Column("imported_at", sa.BigInteger, nullable=False),  # s since 1970
    sa.Column("import_id", sa.Text),  # the job that brought the file
)

invitations = sa.Table(
    "invitations",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("workspace_id", _owner("workspaces"), nullable=False),
    sa.Column("address", sa.Text, nullable=False),  # the email with case folded
    sa.Column("email", sa.Text, nullable=False),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False, unique=True),  # of the code
    sa.Column("expires_at", sa.BigInteger, nullable=False),  # s since 1970
    sa.Column("invited_by", sa.Text),  # a user's id; empty if several people have the code
    sa.Column("used_at", sa.BigInteger),  # s since 1970
    sa.Column("used_by", sa.Text),  # a user's id
    sa.UniqueConstraint("workspace_id", "address"),
)

# Mails whose invitation is committed and which are not known to be sent; written in the invitation's transaction.
queued_mails = sa.Table(
    "queued_mails",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("recipient", sa.Text, nullable=False),
    sa.Column("message", sa.LargeBinary, nullable=False),
    sa.Column("claimed_until", sa.BigInteger, nullable=False),  # s since 1970; by one process at a time
)

counters = sa.Table(
    "counters",
    METADATA,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("window", sa.BigInteger, nullable=False),
    sa.Column("used", sa.BigInteger, nullable=False),
)

# The number of a person, which rises with each change of their rows; a cache is valid while it is the same.
stamps = sa.Table(
    "stamps",
    METADATA,
    _person(),
    sa.Column("number", sa.BigInteger, nullable=False),
    sa.Column("unplanned_number", sa.BigInteger),  # at the last change of more than the plan
)

jobs = sa.Table(
    "jobs",
    METADATA,
    _person(),
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False, index=True),
    sa.Column("arguments", sa.Text, nullable=False),  # a JSON object
    sa.Column("created_at", sa.BigInteger, nullable=False),  # s since 1970
    sa.Column("finished_at", sa.BigInteger),  # s since 1970
    sa.Column("done", sa.Integer, nullable=False),
    sa.Column("total", sa.Integer),
    sa.Column("current", sa.Text),  # the file or session in progress
    sa.Column("error", sa.Text),
    sa.Column("worker", sa.Text),  # the process that runs it: host and process id
    sa.Column("seen_at", sa.BigInteger),  # s since 1970; the worker's last heartbeat
)

job_files = sa.Table(
    "job_files",
    METADATA,
    *_of_person("jobs", "job_id"),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("place", sa.Integer, nullable=False),
    sa.Column("outcome", sa.Text, nullable=False),
    sa.Column("report", sa.Text, nullable=False),  # a JSON object
)

# A batch of the planning API, under its author.
plan_batches = sa.Table(
    "plan_batches",
    METADATA,
    _person(),
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("idempotency_key", sa.Text),
    sa.Column("digest", sa.Text, nullable=False),  # of the request
    sa.Column("results", sa.Text, nullable=False),  # a JSON array: [kind, user, entry] of each operation
    sa.Column("warnings", sa.Text, nullable=False),  # a JSON array
    sa.Column("reply", sa.Text),  # a JSON object, of a plan that was applied or rolled out
    sa.UniqueConstraint("user_id", "idempotency_key"),
)

# Each entry that a batch changed, under its athlete, as it was before and after; null if it did not exist.
plan_changes = sa.Table(
    "plan_changes",
    METADATA,
    _person(),
    sa.Column("batch_id", sa.Text, primary_key=True),
    sa.Column("place", sa.Integer, primary_key=True),
    sa.Column("op", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("entry_id", sa.Text, nullable=False),
    sa.Column("before", sa.LargeBinary),  # a JSON object of the row's columns
    sa.Column("after", sa.LargeBinary),
    sa.Column("author_id", sa.Text, nullable=False),
    sa.Column("source", sa.Text),
    sa.Column("undo_of", sa.Text),  # the id of the batch that this one undoes
    sa.Column("created_at", sa.BigInteger, nullable=False),  # microseconds since 1970: the order of batches
    sa.Index("ix_plan_changes_user_id_created_at", "user_id", "created_at"),
    sa.Index("ix_plan_changes_user_id_entry_id", "user_id", "entry_id"),
)

# A subscription of an athlete's calendar or of a workspace's, with the rights of the person who made it.
feeds = sa.Table(
    "feeds",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("user_id", _owner("users"), nullable=False, index=True),
    sa.Column("key_id", _owner("keys"), nullable=False),  # the address works as long as this key
    sa.Column("athlete_id", _owner("users")),
    sa.Column("workspace_id", _owner("workspaces")),
    sa.Column("group_name", sa.Text),  # of the workspace; null for all its athletes
    sa.Column("is_busy_only", sa.Boolean, nullable=False),
    sa.Column("digest", sa.Text, nullable=False, unique=True),  # of the secret in the address
    sa.Column("created_at", sa.BigInteger, nullable=False),  # s since 1970
)

# A workout of a library: private, with its person as `user_id`, or of a workspace, with `workspace_id`; never both.
library_workouts = sa.Table(
    "library_workouts",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("user_id", _owner("users"), index=True),
    sa.Column("workspace_id", _owner("workspaces"), index=True),
    sa.Column("creator_id", sa.Text, nullable=False),  # a shared workout stays when its creator leaves
    sa.Column("updated_at", sa.BigInteger, nullable=False),  # microseconds since 1970: the version of the row
    sa.Column("body", sa.LargeBinary, nullable=False),  # a JSON object
)

# A plan of several weeks: private, with its person as `user_id`, or of a workspace, with `workspace_id`; never both.
training_plans = sa.Table(
    "training_plans",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("user_id", _owner("users"), index=True),
    sa.Column("workspace_id", _owner("workspaces"), index=True),
    sa.Column("changed_by", sa.Text, nullable=False),  # a user's id
    sa.Column("changed_at", sa.BigInteger, nullable=False),  # s since 1970
    sa.Column("version", sa.Integer, nullable=False),  # counts the changes
    sa.Column("body", sa.LargeBinary, nullable=False),  # a JSON object with title, length and entries
)

# An athlete's calendar to which a plan was applied, by the batch that did it.
plan_uses = sa.Table(
    "plan_uses",
    METADATA,
    sa.Column("plan_id", _owner("training_plans"), primary_key=True),
    sa.Column("user_id", _owner("users"), primary_key=True, index=True),
    sa.Column("batch_id", sa.Text, primary_key=True),
    sa.Column("first_day", sa.Date, nullable=False),  # the first day of the plan
)

# A comment on an entry of a calendar or on a session, under its athlete; the entry may be gone and come back by an undo.
comments = sa.Table(
    "comments",
    METADATA,
    _person(),
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("entry_id", sa.Text),
    sa.Column("activity_id", sa.Text),
    sa.Column("author_id", _owner("users"), nullable=False, index=True),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),  # microseconds since 1970: the order of comments
    sa.Column("edited_at", sa.BigInteger),  # s since 1970
    sa.Index(None, "user_id", "entry_id"),
    sa.Index(None, "user_id", "activity_id"),
)

# A comment that a person has not read, with the time at which a mail is to name it.
unread_comments = sa.Table(
    "unread_comments",
    METADATA,
    *_of_person("comments", "comment_id"),
    sa.Column("reader_id", _owner("users"), primary_key=True, index=True),
    sa.Column("mail_at", sa.BigInteger, index=True),  # s since 1970; null once sent, or if no mail is wanted
)

# The groups of a workspace that an athlete is in; they end with the membership.
athlete_groups = sa.Table(
    "athlete_groups",
    METADATA,
    sa.Column("workspace_id", sa.Text, primary_key=True),
    sa.Column("user_id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.ForeignKeyConstraint(
        ["workspace_id", "user_id"], ["members.workspace_id", "members.user_id"], ondelete="CASCADE"
    ),
)

# A person's account at intervals.icu, to which the service pushes their planned workouts.
intervals_accounts = sa.Table(
    "intervals_accounts",
    METADATA,
    _person(),
    sa.Column("athlete_id", sa.Text, nullable=False),
    sa.Column("api_key", sa.Text, nullable=False),  # in no reply, log or error
    sa.Column("days", sa.Integer, nullable=False),
    sa.Column("pushed", sa.Text, nullable=False),  # a JSON object: day by external id
    sa.Column("digest", sa.Text),  # of the workouts of the last push
    sa.Column("stamp", sa.BigInteger),  # the person's stamp at the last push
    sa.Column("day", sa.Date),  # of the last push
    sa.Column("pushed_at", sa.BigInteger),  # s since 1970
    sa.Column("error", sa.Text),  # of the last attempt, for the person
    sa.Column("failures", sa.Integer, nullable=False),  # one after another
    sa.Column("next_try_at", sa.BigInteger, index=True),  # s since 1970; null until the person acts
    sa.Column("claimed_until", sa.BigInteger, nullable=False),  # s since 1970; by one process at a time
)

# The people of rows whose id does not name them.
directory = sa.Table(
    "directory",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("user_id", _owner("users"), primary_key=True, index=True),
)

# Tables of the reference part: small, the same for everyone, and on every machine if PostgreSQL distributes the others.
REFERENCE = (
    users,
    workspaces,
    members,
    athlete_groups,
    keys,
    invitations,
    queued_mails,
    makers,
    feeds,
    library_workouts,
    training_plans,
    plan_uses,
    counters,
    directory,
)
