"""The cache's tables, and those of the budget's log, which outlives the versions of the cache.

No migrations: a cache of another version is set aside and filled again.
"""

from dataclasses import dataclass

import sqlalchemy as sa

VERSION = 2
"""Raised with every change of the tables or of what stands in them."""

PREFIX = "coachboard_cache_"
_PREFIX = f"{PREFIX}{VERSION}_"  # versions live side by side on PostgreSQL

METADATA = sa.MetaData()

_Id = sa.BigInteger().with_variant(sa.Integer, "sqlite")  # SQLite counts up INTEGER keys alone

LISTS = sa.Table(
    f"{_PREFIX}lists",
    METADATA,
    sa.Column("id", _Id, primary_key=True, autoincrement=True),
    sa.Column("scope", sa.Text, nullable=False),
    sa.Column("resource", sa.Text, nullable=False),
    sa.Column("user_id", sa.Text, nullable=False),
    sa.Column("version", sa.BigInteger, nullable=False, default=0),
    sa.Column("bytes", sa.BigInteger, nullable=False, default=0),
    sa.Column("used_at", sa.Double, nullable=False),
    sa.UniqueConstraint("scope", "resource", "user_id"),
)
"""One list of one user; `version` counts the changes, so that what was decoded from it can be kept."""

SPANS = sa.Table(
    f"{_PREFIX}spans",
    METADATA,
    sa.Column("list_id", sa.BigInteger, primary_key=True),
    sa.Column("first_day", sa.Integer, primary_key=True),
    sa.Column("last_day", sa.Integer, nullable=False),
    sa.Column("fetched_at", sa.Double, nullable=False),
    sa.Column("fetched_on", sa.Integer, nullable=False),
)

ITEMS = sa.Table(
    f"{_PREFIX}items",
    METADATA,
    sa.Column("list_id", sa.BigInteger, primary_key=True),
    sa.Column("item_id", sa.Text, primary_key=True),
    sa.Column("day", sa.Integer, nullable=False),
    sa.Column("rank", sa.BigInteger, nullable=False),
    sa.Column("is_odd", sa.Boolean, nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Column("nested", sa.LargeBinary, nullable=True),
)
"""The rows as they came; the large nested lists stand apart, because most readers need the rest alone."""
sa.Index(f"{_PREFIX}items_by_day", ITEMS.c.list_id, ITEMS.c.day)

BLOBS = sa.Table(
    f"{_PREFIX}blobs",
    METADATA,
    sa.Column("scope", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Column("bytes", sa.BigInteger, nullable=False),
    sa.Column("fetched_at", sa.Double, nullable=False),
    sa.Column("used_at", sa.Double, nullable=False),
)
"""What is kept whole: streams, profiles, derived results."""

META = sa.Table(
    f"{_PREFIX}meta",
    METADATA,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)


BUDGET_VERSION = 1
"""Raised with every change of the two tables below: processes of two versions would then not share a budget."""

BUDGET_METADATA = sa.MetaData()
BUDGET_PREFIX = "coachboard_budget_"
_BUDGET_PREFIX = f"{BUDGET_PREFIX}{BUDGET_VERSION}_"

CALLS = sa.Table(
    f"{_BUDGET_PREFIX}calls",
    BUDGET_METADATA,
    sa.Column("id", _Id, primary_key=True, autoincrement=True),
    sa.Column("scope", sa.Text, nullable=False),
    sa.Column("user_id", sa.Text, nullable=False),
    sa.Column("at", sa.Double, nullable=False),
)
"""The budget's sliding log; `user_id` is empty for calls that queried no user."""
sa.Index(f"{_BUDGET_PREFIX}calls_by_time", CALLS.c.scope, CALLS.c.at)

HOLDS = sa.Table(
    f"{_BUDGET_PREFIX}holds",
    BUDGET_METADATA,
    sa.Column("scope", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("until", sa.Double, nullable=False),
    sa.Column("seconds", sa.Double, nullable=False),  # how long it was to last when it was noted
)
"""Moments before which something is not to be done: calls after a 429, a fetch that another process does."""

DROP_HOLD = sa.delete(HOLDS).where(
    HOLDS.c.scope == sa.bindparam("of_scope"), HOLDS.c.name == sa.bindparam("of_name")
)
"""Ends a hold."""


@dataclass(frozen=True, slots=True)
class Schema:
    """The tables that one file holds."""

    metadata: sa.MetaData
    prefix: str
    version: int
    probe: sa.Table
    """A table that is looked at when the file is opened."""


CACHE = Schema(METADATA, PREFIX, VERSION, ITEMS)
BUDGET = Schema(BUDGET_METADATA, BUDGET_PREFIX, BUDGET_VERSION, CALLS)
