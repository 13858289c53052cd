"""What a service says anew from the start is forgotten here: what is kept for good would never be asked for again."""

from collections.abc import Iterable

from pydantic import SecretStr
from sqlalchemy.engine import make_url

from coachboard.client.cache.engines import path_of
from coachboard.client.cache.store import Store
from coachboard.client.identity import scope_of
from coachboard.settings import Settings


def forget(base_url: str, api_keys: Iterable[str]) -> None:
    """Drop what the cache of the settings holds of a service under those keys; where there is none, none is made."""
    settings = Settings()
    path = path_of(make_url(settings.cache_url))
    if path is not None and not path.exists():
        return
    store = Store(settings.cache_url, max_bytes=settings.cache_max_mb * 2**20)
    try:
        for key in api_keys:
            store.clear(scope_of(base_url, SecretStr(key)))
    finally:
        store.close()
