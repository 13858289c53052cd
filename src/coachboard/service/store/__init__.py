"""Where the service keeps people, rows and streams: SQLite by default, PostgreSQL by URL."""

from coachboard.service.store.records import (
    DEMO_MAKER,
    ApiKey,
    Caller,
    Maker,
    Member,
    NewNote,
    NewUser,
    PendingInvitation,
    Recording,
    StoredStreams,
    StreamRecipe,
    Workspace,
)
from coachboard.service.store.rows import RowKind
from coachboard.service.store.store import Store

__all__ = [
    "DEMO_MAKER",
    "ApiKey",
    "Caller",
    "Maker",
    "Member",
    "NewNote",
    "NewUser",
    "PendingInvitation",
    "Recording",
    "RowKind",
    "Store",
    "StoredStreams",
    "StreamRecipe",
    "Workspace",
]
