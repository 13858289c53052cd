"""Who reads: what stands for a service under a key in the cache, and the own id once it is known."""

import hashlib
import hmac
from collections.abc import Callable

from pydantic import SecretStr

from coachboard.client.budget import Budget
from coachboard.client.cache.blobs import BlobKey, Blobs
from coachboard.client.resources import ME


class OwnId:
    """The id of the owner of the key, kept with the cache: it never changes."""

    def __init__(self, blobs: Blobs, scope: str, budget: Budget, clock: Callable[[], float]) -> None:
        self._blobs = blobs
        self._at = BlobKey(scope, "own id", "")
        self._budget = budget
        self._clock = clock
        self._id: str | None = None

    def known(self) -> str | None:
        if self._id is None:
            blob = self._blobs.get(self._at)
            self._id = None if blob is None else blob.body.decode()
        return self._id

    def learn(self, own_id: str) -> str:
        """Keep it; calls that were made under `me` count for it from now on."""
        self._blobs.put(self._at, own_id.encode(), now=self._clock())
        self._budget.rename(ME, own_id)
        self._id = own_id
        return own_id

    def forget(self) -> None:
        self._id = None


def scope_of(base_url: str, api_key: SecretStr) -> str:
    """What stands for a service and a key: a keyed digest of the address, from which the key cannot be had."""
    digest = hmac.new(api_key.get_secret_value().encode(), f"coachboard {base_url}".encode(), hashlib.sha256)
    return digest.hexdigest()[:32]
