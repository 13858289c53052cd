"""Whether the service still accepts the key, so that a revoked one does not go on showing what was kept for it."""

import copy
import threading
from collections.abc import Callable
from math import inf

from coachboard.client.errors import ServiceError, Unauthorized

LOOK_EVERY_S = 45.0
"""How long nothing may have been asked of the service before what is shown is worth a look at the key."""

REST_S = 15.0
"""How long a refusal is believed before the service is asked again."""


class Acceptance:
    """What the replies of the service say about the key."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._asked_at = -inf
        self._refused_at = -inf
        self._refusal: Unauthorized | None = None

    def asked(self) -> None:
        """Note that a request is on its way or back: whatever it says, it is the latest there is."""
        self._asked_at = self._clock()

    def told(self, error: ServiceError | None) -> None:
        """Note what came of it: None is a reply as it should be."""
        self.asked()
        with self._lock:
            if error is None:
                self._refusal = None
            elif isinstance(error, Unauthorized):
                self._refusal, self._refused_at = error, self._clock()

    @property
    def is_due(self) -> bool:
        """Whether nothing has told for a while."""
        return not 0 <= self._clock() - self._asked_at < LOOK_EVERY_S

    def require(self, ask: Callable[[], object]) -> None:
        """Raise `Unauthorized` where the key was refused; after a rest, `ask` finds out whether it still is."""
        refusal = self._refusal
        if refusal is None:
            return
        if not 0 <= self._clock() - self._refused_at < REST_S:
            try:
                ask()
            except Unauthorized:
                raise
            except ServiceError as error:
                raise copy.copy(refusal) from error
            return
        # Each thread raises its own, or they would all write into one traceback.
        raise copy.copy(refusal)
