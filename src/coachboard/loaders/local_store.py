"""What the dashboard itself keeps: preferences, the ledger of invitations, flags put off, keys of signed-in identities.

One small database beside the client's cache, apart from it so that clearing the cache loses none of this.
Every row belongs to the fingerprint of one key at one service address.
"""

import hashlib
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import (
    Boolean,
    Column,
    Date,
    DateTime,
    Engine,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    event,
    make_url,
)
from sqlalchemy.engine import URL
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import ConnectionPoolEntry

from coachboard.write_ahead import use_write_ahead_log

_LOGGER = logging.getLogger(__name__)

METADATA = MetaData()

PREFERENCES = Table(
    "dashboard_preferences",
    METADATA,
    Column("owner", String(64), primary_key=True),
    Column("body", Text, nullable=False),
)

LEDGER = Table(
    "dashboard_invitations",
    METADATA,
    Column("owner", String(64), primary_key=True),
    # One press of the button for one address: a second run with the same token sends nothing.
    Column("token", String(80), primary_key=True),
    Column("sent_at", DateTime, nullable=False, index=True),
    Column("sent_by", Text, nullable=False),
    Column("workspace_id", Text, nullable=False),
    Column("workspace_name", Text, nullable=False),
    Column("email", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("with_mail", Boolean, nullable=False),
    Column("outcome", String(16), nullable=False),
    Column("code", Text),
    Column("expires_at", DateTime),
    Column("extensions", Integer, nullable=False, default=0),
    Column("says", Text),
)

PUT_OFF = Table(
    "dashboard_put_off_flags",
    METADATA,
    Column("owner", String(64), primary_key=True),
    Column("user_id", String(100), primary_key=True),
    Column("rule_id", String(64), primary_key=True),
    Column("until", Date, nullable=False),
    Column("reason", Text, nullable=False),
    Column("put_off_at", DateTime, nullable=False),
)

IDENTITY_KEYS = Table(
    "dashboard_identity_keys",
    METADATA,
    Column("identity", String(64), primary_key=True),
    Column("sealed_key", LargeBinary, nullable=False),
)


def fingerprint(base_url: str, api_key: str) -> str:
    """What stands for a key at an address in files and tables; the key cannot be had back from it."""
    text = f"coachboard dashboard\0{base_url.rstrip('/')}\0{api_key}"
    return hashlib.sha256(text.encode()).hexdigest()


def beside_cache(cache_url: str) -> URL:
    """The address of this store: `dashboard.db` in the cache's folder, or the cache's PostgreSQL database."""
    url = make_url(cache_url)
    if url.get_backend_name() == "sqlite" and url.database and url.database != ":memory:":
        return url.set(database=str(Path(url.database).with_name("dashboard.db")))
    return url


class StoreUnreachable(Exception):  # noqa: N818 (what happened, as in the client's errors)
    """The store cannot be used at present: its server is down, its disk full."""


@contextmanager
def asked() -> Iterator[None]:
    """Have what goes wrong with the store itself told as `StoreUnreachable`."""
    try:
        yield
    except (OperationalError, PoolTimeout) as error:
        _LOGGER.warning("cannot use the dashboard's database: %s", str(error.args[0]).splitlines()[0])
        raise StoreUnreachable from error


def open_store(cache_url: str) -> Engine:
    """Open the store, making its folder and tables where they are missing; raises `StoreUnreachable`."""
    engine = store_at(cache_url)
    try:
        with asked():
            METADATA.create_all(engine)
    except StoreUnreachable:
        engine.dispose()
        raise
    return engine


def store_at(cache_url: str) -> Engine:
    """The store unopened: where it cannot be reached each use of it says so."""
    url = beside_cache(cache_url)
    is_file = url.get_backend_name() == "sqlite" and url.database
    if is_file:
        Path(str(url.database)).parent.mkdir(parents=True, exist_ok=True)
    waits = {"connect_timeout": _CONNECT_S} if url.get_backend_name() == "postgresql" else {}
    engine = create_engine(url, pool_pre_ping=not is_file, connect_args=waits)
    if is_file:
        event.listen(engine, "connect", _set_up_sqlite)
    return engine


_CONNECT_S, _BUSY_S = 3, 5


def _set_up_sqlite(connection: object, _entry: ConnectionPoolEntry) -> None:
    # Readers and the one writer do not hold each other up, and a second process waits instead of failing.
    use_write_ahead_log(connection, busy_s=_BUSY_S)
    for pragma in ("synchronous=NORMAL", f"busy_timeout={1000 * _BUSY_S}"):
        connection.execute(f"PRAGMA {pragma}")  # type: ignore[attr-defined] # sqlite3's own, typed as object by SQLAlchemy
