"""The background sync of each key: the last months of every athlete, then the year's best efforts, at low priority."""

import logging
import time
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta

from coachboard import settings
from coachboard.client import Client
from coachboard.client.errors import ServiceError
from coachboard.client.sync import SyncProgress
from coachboard.client.waiting import Closed
from coachboard.loaders.power_curves import fill_year

_LOGGER = logging.getLogger(__name__)

SYNCED = timedelta(days=90)
"""Days that the sync covers; pages fetch older days on request."""

PATIENCE_S = 60.0
"""Delay before the sync starts, to leave the request budget to the first pages."""

EVERY_S = 900.0


class Syncing:
    """Passes of a sync: the first a minute after the first page, then every 15 minutes while a page is open, or on demand.

    Its requests have low priority. The profile of the user, the list of athletes and missing activities have the priority
    of a page. The worker is its own, so that pages keep all workers of the client.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._worker = ThreadPoolExecutor(1, "coachboard-sync")
        self._running: Future[None] | None = None
        self._passes = 0
        self.rest()

    def rest(self) -> None:
        """Stop the sync after its running request, and delay the next pass again, as after the first page."""
        self._passes += 1
        self._due_at = time.monotonic() + PATIENCE_S
        self.has_begun = False
        self.progress: SyncProgress | None = None
        self.error: ServiceError | None = None
        self.ended_at: datetime | None = None
        """When the last complete pass ended."""

    def begin_when_due(self) -> None:
        """Start a pass if none runs and the last one began 15 minutes ago; each open page calls this once a minute."""
        is_running = self._running is not None and not self._running.done()
        if time.monotonic() >= self._due_at and not is_running:
            self.begin()

    def begin(self) -> None:
        """Start a pass now; a running one ends after its request."""
        self._passes += 1
        self._due_at = time.monotonic() + EVERY_S
        self.has_begun = True
        today = settings.current().today or date.today()  # noqa: DTZ011 # the reader's day
        self._running = self._worker.submit(self._pass, self._passes, today)

    def end(self) -> None:
        """End after the running request."""
        self._passes += 1
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _pass(self, number: int, today: date) -> None:
        def is_over() -> bool:
            return self._passes != number

        try:
            failures = self._client.sync(today - SYNCED).run(self._note, is_over).failures
            if is_over():
                return
            self.error = failures[-1] if failures else None
            self.ended_at = self.ended_at if failures else datetime.now(UTC)
            fill_year(self._client, lambda: is_over() or time.monotonic() >= self._due_at, today=today)
        except Closed:
            return
        except ServiceError as error:
            self.error = error
            _LOGGER.info("sync: %s", error)
        except Exception:  # a row that this program misreads must not end the sync for good
            _LOGGER.exception("the sync failed; it tries again in %s s", EVERY_S)

    def _note(self, progress: SyncProgress) -> None:
        self.progress = progress


def of(client: Client) -> Syncing:
    """The sync of a client; each page calls this, and a call after a minute starts the sync."""
    syncing = _SYNCINGS.setdefault(client, Syncing(client))
    syncing.begin_when_due()  # of two calls at once each may begin a pass: its worker makes one after the other
    return syncing


def end(client: Client) -> None:
    """Let the sync of a client that is about to be closed end after its running request."""
    syncing = _SYNCINGS.pop(client, None)
    if syncing is not None:
        syncing.end()


_SYNCINGS: dict[Client, Syncing] = {}
