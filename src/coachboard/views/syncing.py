"""The background sync of each key: keeps everybody's last months at hand, and never in the reader's way."""

import time
from datetime import date, datetime, timedelta

import streamlit as st

from coachboard import settings
from coachboard.client import Client
from coachboard.client.errors import ServiceError
from coachboard.client.sync import BackgroundSync, SyncProgress

SYNCED = timedelta(days=90)
"""How far back it keeps data; older days are fetched when somebody looks at them."""

PATIENCE_S = 60.0
"""How long it leaves the whole budget to the pages that are being opened for the first time."""


class Syncing:
    """A sync that begins when the reader has been here for a minute, or at once on demand."""

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
        """When all was there, the last time it was."""
        return self._sync.ended_at if self._sync else None

    def begin_when_due(self) -> None:
        if self._sync is None and time.monotonic() - self._rests_since >= PATIENCE_S:
            self.begin()

    def begin(self) -> None:
        """Start a pass now, in place of the one that runs or waits for its turn."""
        self.stop()
        today = settings.current().today or date.today()  # noqa: DTZ011 # the reader's day
        self._sync = BackgroundSync(self._client, since=today - SYNCED)
        self._sync.start()

    def rest(self) -> None:
        """End it and leave the budget to the pages once more, as after the first page."""
        self.stop()
        self._rests_since = time.monotonic()

    def stop(self) -> None:
        if self._sync is not None:
            self._sync.stop()
            self._sync = None


def of(owner: str, client: Client) -> Syncing:
    """The sync of a key by its fingerprint; called on each page, which is what lets it begin."""
    syncing = _syncing(owner, _client=client)
    syncing.begin_when_due()
    return syncing


def close_all() -> None:
    _syncing.clear()


@st.cache_resource(max_entries=256, show_spinner=False, on_release=Syncing.stop)
def _syncing(owner: str, *, _client: Client) -> Syncing:
    assert owner
    return Syncing(_client)
