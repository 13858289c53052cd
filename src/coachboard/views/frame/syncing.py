"""The background sync of each key: the last months of every athlete, then the year's best efforts, at low priority."""

import threading
import time
from datetime import date, datetime, timedelta
from functools import partial

from coachboard import settings
from coachboard.client import Client
from coachboard.client.errors import ServiceError
from coachboard.client.sync import BackgroundSync, SyncProgress
from coachboard.loaders.power_curves import fill_year

SYNCED = timedelta(days=90)
"""Days that the sync covers; pages fetch older days on request."""

PATIENCE_S = 60.0
"""Delay before the sync starts, to leave the request budget to the first pages."""


class Syncing:
    """A sync that starts a minute after the first page, or immediately on demand."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._rests_since = time.monotonic()
        self._sync: BackgroundSync | None = None

    @property
    def has_begun(self) -> bool:
        return self._sync is not None

    @property
    def progress(self) -> SyncProgress | None:
        return self._sync.progress if self._sync else None

    @property
    def error(self) -> ServiceError | None:
        return self._sync.error if self._sync else None

    @property
    def ended_at(self) -> datetime | None:
        """When the last complete pass ended."""
        return self._sync.ended_at if self._sync else None

    def begin_when_due(self) -> None:
        if self._sync is None and time.monotonic() - self._rests_since >= PATIENCE_S:
            self.begin()

    def begin(self) -> None:
        """Start a pass now; ends a running or waiting one."""
        self.stop()
        today = settings.current().today or date.today()  # noqa: DTZ011 # the reader's day
        self._sync = BackgroundSync(
            self._client, since=today - SYNCED, between=partial(fill_year, self._client, today=today)
        )
        self._sync.start()

    def rest(self) -> None:
        """Stop the sync and delay the next pass again, as after the first page."""
        self.stop()
        self._rests_since = time.monotonic()

    def end(self) -> None:
        if self._sync is not None:
            self._sync.end()

    def stop(self) -> None:
        if self._sync is not None:
            self._sync.stop()
            self._sync = None


def of(client: Client) -> Syncing:
    """The sync of a client; each page calls this, and a call after a minute starts the sync."""
    with _LOCK:
        syncing = _SYNCINGS.setdefault(client, Syncing(client))
        syncing.begin_when_due()  # in the lock: of two syncs that began together, one ran until the process ended
    return syncing


def end(client: Client) -> None:
    """Let the sync of a client that is about to be closed end after its running request."""
    with _LOCK:
        syncing = _SYNCINGS.pop(client, None)
    if syncing is not None:
        syncing.end()


_LOCK = threading.Lock()
_SYNCINGS: dict[Client, Syncing] = {}
