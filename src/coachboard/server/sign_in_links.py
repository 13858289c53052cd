"""Links that sign a browser in once, and the keys that sign them: those of the people in this computer's own store.

`coachboard open` creates a link, this process exchanges it for the session cookie. A link is a message signed with the
person's key (HMAC-SHA256); neither URL nor log contain the key. It works once and for ten minutes, because browsers keep
URLs in their history and other users see them in the process list.

Each key is in a file that only the user account can read, because the store has hashes only. A new key at every start
would lose the cache and the settings, which belong to a key.
"""

import hmac
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from math import inf
from pathlib import Path
from secrets import token_urlsafe

import msgspec
from pydantic import SecretStr
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from coachboard.server.session_keys import PATH, SESSION_KEYS, SessionKeys, set_session_cookie
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


VALID_S = 600.0
_SIGN_IN = f"{PATH}/open"
FOLDER = f"{PATH}/folder"
"""The path at which a running dashboard returns a digest of its data folder."""


@dataclass(frozen=True, slots=True)
class SignIn:
    """The user to sign in, the page to open, and the link's time."""

    user_id: str
    page: str
    made_at: float
    nonce: str = field(default_factory=lambda: token_urlsafe(16))


def link(key: SecretStr, user_id: str, page: str, *, clock: Callable[[], float] = time.time) -> str:
    """The URL, relative to the dashboard's, that signs this person in and opens `page`."""
    message = msgspec.json.encode(SignIn(user_id, page, clock()))
    return f"{_SIGN_IN}?token={_text(message)}.{_text(_signature(key, message))}"


class Links:
    """Verifies links with the keys of the data folder; accepts each link once."""

    def __init__(
        self, data: Path, *, keys: SessionKeys = SESSION_KEYS, clock: Callable[[], float] = time.time
    ) -> None:
        self._data = data
        self._keys = keys
        self._clock = clock
        self._started_at = clock()
        self._used: dict[str, float] = {}

    def routes(self) -> list[Route]:
        return [Route(_SIGN_IN, self._open), Route(FOLDER, self._name_folder)]

    def accept(self, token: str) -> tuple[SignIn, SecretStr] | None:
        """The sign-in with its key; None for a link that is forged, used, too old or from an earlier process."""
        sign_in = self._verified(token)
        if sign_in is None or sign_in[0].nonce in self._used:
            return None
        made_at = sign_in[0].made_at
        if not max(self._started_at, self._clock() - VALID_S) <= made_at <= self._clock():
            return None
        self._used[sign_in[0].nonce] = made_at
        return sign_in

    def _verified(self, token: str) -> tuple[SignIn, SecretStr] | None:
        message, _, signature = (_bytes(part) for part in token.partition("."))
        asked = _read(message)
        key = read_key(self._data, asked.user_id) if asked else None
        if asked is None or key is None or not hmac.compare_digest(signature, _signature(key, message)):
            return None
        return asked, key

    async def _open(self, request: Request) -> Response:
        accepted = self.accept(request.query_params.get("token", ""))
        if accepted is None:
            return RedirectResponse("/", 303)  # its sign-in form says how to get a new link
        asked, key = accepted
        name, _ = self._keys.keep(key, idle_s=inf)  # the user's own computer: no sign-in every morning
        reply = RedirectResponse(f"/{asked.page}", 303, {"Cache-Control": "no-store"})
        set_session_cookie(reply, name, request)
        return reply

    async def _name_folder(self, _request: Request) -> PlainTextResponse:
        return PlainTextResponse(folder_name(self._data))


def folder_name(data: Path) -> str:
    """A digest of the data folder's path, which does not reveal the path."""
    return sha256(str(data.resolve()).encode()).hexdigest()


def _signature(key: SecretStr, message: bytes) -> bytes:
    return hmac.digest(key.get_secret_value().encode(), b"coachboard sign-in\0" + message, "sha256")


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    try:
        return urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        return b""


def _read(message: bytes) -> SignIn | None:
    try:
        return msgspec.json.decode(message, type=SignIn)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
