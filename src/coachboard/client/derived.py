"""Results that are dear to compute, kept with the cache by the version of the function that makes them."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from coachboard.client.cache.blobs import BlobKey
from coachboard.client.cache.store import Store
from coachboard.client.flights import Flights

REASON = "a calculation"


class Derived:
    """The derived results under one key; many who ask at once for the same have it computed once."""

    def __init__(self, store: Store, scope: str, flights: Flights, clock: Callable[[], float]) -> None:
        self._store = store
        self._scope = scope
        self._flights = flights
        self._clock = clock

    def get(self, kind: str, version: int, key: str, compute: Callable[[], bytes]) -> bytes:
        """The kept result, else the computed one, which is kept."""
        known = self.known(kind, version, key)
        if known is not None:
            return known
        at = self._at(kind, key)
        return self._flights.join(
            (at, version), partial(self._compute, at, version, compute), what=kind, reason=REASON
        )

    def known(self, kind: str, version: int, key: str) -> bytes | None:
        """The kept result of that version."""
        known = self._store.blobs.get(self._at(kind, key))
        return known.body if known is not None and known.version == version else None

    def known_of(self, kind: str, version: int, keys: Iterable[str]) -> Mapping[str, bytes]:
        """The kept results of that version among the keys, in one query."""
        return self._store.blobs.bodies(self._scope, _kind(kind), version, keys)

    def _at(self, kind: str, key: str) -> BlobKey:
        return BlobKey(self._scope, _kind(kind), key)

    def _compute(self, at: BlobKey, version: int, compute: Callable[[], bytes]) -> bytes:
        body = compute()
        self._store.grew(self._store.blobs.put(at, body, now=self._clock(), version=version))
        return body


def _kind(kind: str) -> str:
    return f"derived {kind}"
