"""Keys of the people in this computer's own store, each in a file that only the user account can read.

The store has hashes only. A new key at every start would lose the cache and the settings, which belong to a key.
"""

import os
from contextlib import suppress
from pathlib import Path

from pydantic import SecretStr

from coachboard.service.ids import is_id
from coachboard.service.store import Store
from coachboard.service.store.keys import digest_of
from coachboard.settings import KEYS_FOLDER

_LABEL = "coachboard open"


def read_key(folder: Path, user_id: str) -> SecretStr | None:
    """The key of that person; None without a file. `user_id` may come from a request."""
    if not is_id(user_id):
        return None
    with suppress(OSError):
        if text := _file(folder, user_id).read_text(encoding="ascii").strip():
            return SecretStr(text)
    return None


def owner_key(folder: Path, store: Store, user_id: str) -> SecretStr:
    """The key of that person; a new one if the file is missing or the store rejects its key."""
    stored_key = read_key(folder, user_id)
    if stored_key is not None and _is_accepted(store, stored_key, user_id):
        return stored_key
    new_key = store.add_key(user_id, label=_LABEL)
    path = _file(folder, user_id)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.unlink(missing_ok=True)  # a file with wider permissions would keep them
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(new_key)
    return SecretStr(new_key)


def _is_accepted(store: Store, key: SecretStr, user_id: str) -> bool:
    caller = store.caller(digest_of(key.get_secret_value()))
    return caller is not None and caller.user_id == user_id


def _file(folder: Path, user_id: str) -> Path:
    return folder / KEYS_FOLDER / user_id
