"""Keys of the people in this computer's own store, each in a file that only the user account can read.

The store has hashes only. A new key at every start would lose the cache and the settings, which belong to a key.
"""

from contextlib import suppress
from pathlib import Path

from pydantic import SecretStr

from coachboard.service.ids import is_id
from coachboard.service.store import Store
from coachboard.service.store.keys import digest_of
from coachboard.service.store.originals import replacing
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
    with replacing(_file(folder, user_id)) as file:
        file.write(new_key.encode("ascii"))
    return SecretStr(new_key)


def _is_accepted(store: Store, key: SecretStr, user_id: str) -> bool:
    caller = store.caller(digest_of(key.get_secret_value()))
    return caller is not None and caller.user_id == user_id


def _file(folder: Path, user_id: str) -> Path:
    return folder / KEYS_FOLDER / user_id
