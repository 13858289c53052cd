"""The key that the page uses, and its client. Two keys never share a client."""

import logging
import os
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, partial
from math import ceil
from typing import TypeVar
from urllib.parse import urlsplit

import streamlit as st
from pydantic import SecretStr
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError
from streamlit.errors import StreamlitSecretNotFoundError

from coachboard import settings
from coachboard.client import Client, NotFound, Options, ServiceError, Unauthorized, own_data
from coachboard.client.http import check_accepted
from coachboard.loaders import memo
from coachboard.loaders.identities import Identities
from coachboard.loaders.local_store import StoreUnreachable, asked, fingerprint, open_store, store_at
from coachboard.server.address import EMBEDDED_URL, HAS_DEMO_KEYS
from coachboard.server.session_keys import COOKIE, SESSION_KEYS
from coachboard.streamlit_hooks import browser_sessions, hooks
from coachboard.streamlit_hooks.browser_sessions import BROWSERS
from coachboard.throttle import Throttle
from coachboard.ui.frame import session_cookie, state, syncing
from coachboard.ui.frame.clients import Clients, Use
from coachboard.wire.own_data import AcceptedInvitation, AcceptInvitation, InvitationOffer

V = TypeVar("V")

DEMO_KEYS = {
    "coach": SecretStr("demo-coach-key"),
    "athlete": SecretStr("demo-athlete-key"),
    "admin": SecretStr("demo-admin-key"),
}
"""Names of the demo's users, offered only while this process serves the demo database."""

_LOG = logging.getLogger(__name__)
_KEY = "shell.key"
_WAY = "shell.way"
_SIGNED_OUT = "shell.signed_out"
_LEAVES = "shell.leaves"
_NAME = "shell.browser"
_REFUSED = "shell.refused"
_USE = "shell.client_use"


class Way(StrEnum):
    """How the user signed in."""

    DEMO = "demo key"
    SETTINGS = "key from the settings"
    TYPED = "typed key (this browser session)"
    IDENTITY = "your account"


@dataclass(frozen=True, slots=True)
class Access:
    """A key at a service, and how the user signed in with it."""

    base_url: str
    key: SecretStr
    way: Way

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.base_url, self.key.get_secret_value())


def base_url() -> str:
    """The address of the service: from the settings, else the embedded service."""
    return settings.current().base_url or os.environ.get(EMBEDDED_URL, "http://127.0.0.1:8501/api")


def public_url() -> str:
    """The address of the dashboard, for links: from the settings, else the one in the user's browser."""
    parts = urlsplit(settings.current().public_url or st.context.url or "")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/') if settings.current().public_url else ''}"


def is_embedded() -> bool:
    return settings.current().base_url is None


def has_demo_keys() -> bool:
    """Whether the demo's keys work at this process's store."""
    return is_embedded() and HAS_DEMO_KEYS in os.environ


def is_own_computer() -> bool:
    """Whether `coachboard open` created the data folder: its links sign in, so there is no key to type."""
    return is_embedded() and (settings.current().data / settings.KEYS_FOLDER).is_dir()


def current_access() -> Access | None:
    """The key of this session, browser cookie, identity, settings or demo; else None."""
    if key := state.get(_KEY):
        return Access(base_url(), key, state.get(_WAY, Way.TYPED))
    if state.get(_SIGNED_OUT) or st.context.headers.get(browser_sessions.ENDED) == "1":
        return None
    access = _kept_access() or _identity_access()
    return access if access or has_login() else _set_access()


def _kept_access() -> Access | None:
    """The key that the browser's cookie holds: signs in after a reload and in a second tab."""
    key = SESSION_KEYS.key_of(st.context.cookies.get(COOKIE))
    if key is None:
        return None
    access = Access(base_url(), key, Way.TYPED)
    return replace(access, way=Way.DEMO) if demo_name(access) else access


def _identity_access() -> Access | None:
    identity, keys = signed_in_identity(), identities()
    key = keys.key_of(*identity) if identity and keys else None
    if key is None and identity and keys and (email := verified_email()):
        key = keys.bind(*identity, email)
    return Access(base_url(), key, Way.IDENTITY) if key else None


def _set_access() -> Access | None:
    key = settings.current().api_key
    if key is not None and key.get_secret_value():
        return Access(base_url(), key, Way.SETTINGS)
    if not has_demo_keys() or BROWSERS.was_signed_out(st.context.cookies.get(browser_sessions.COOKIE)):
        return None
    return Access(base_url(), DEMO_KEYS["coach"], Way.DEMO)


def has_login() -> bool:
    """Whether OpenID Connect is configured: `[auth]` in .streamlit/secrets.toml, and the secret that encrypts keys."""
    return has_auth_secrets() and identity_secret() is not None


def identity_secret() -> SecretStr | None:
    """The secret of the settings; an empty one would encrypt with a key that everybody knows."""
    secret = settings.current().identity_secret
    return secret if secret is not None and secret.get_secret_value().strip() else None


@cache
def has_auth_secrets() -> bool:
    """Read once: without the file, Streamlit takes a lock and looks for the file at each question, 1 ms in each run."""
    try:
        return "auth" in st.secrets
    except StreamlitSecretNotFoundError:
        return False


def signed_in_identity() -> tuple[str, str] | None:
    """Issuer and subject of the user's OpenID Connect identity."""
    if not has_login() or not st.user.is_logged_in:
        return None
    return str(st.user.get("iss", "")), str(st.user.get("sub", ""))


def verified_email() -> str | None:
    """The identity's email address if the provider verified it; anybody can enter an address that is not verified."""
    return str(st.user.get("email") or "") or None if st.user.get("email_verified") is True else None


def identities() -> Identities | None:
    """The stored keys of OpenID Connect identities; None without a secret."""
    secret = identity_secret()
    return Identities(local_store(), secret) if secret is not None else None


def check_typed(key: SecretStr) -> None:
    """Raise `ServiceError` unless the service accepts the key, and `TooManyAttempts` after many wrong ones.

    A client opens files and threads: 73 wrong keys ended a process that may have 1,024 file descriptors.
    """
    address = _network_address()
    if (wait_s := _ATTEMPTS.wait_s(address)) > 0:
        raise TooManyAttempts(wait_s)
    try:
        check_accepted(base_url(), key, timeout_s=settings.current().timeout_s)
    except Unauthorized:
        _ATTEMPTS.note_failure(address)
        raise


def look_up_invitation(code: str) -> InvitationOffer:
    """The pending invitation of a code; raises `ServiceError`, and `TooManyAttempts` after many wrong codes."""
    with _limited_codes():
        return own_data.look_up_invitation(base_url(), code, timeout_s=settings.current().timeout_s)


def accept_invitation(asked: AcceptInvitation, access: Access | None) -> AcceptedInvitation:
    """Accept an invitation for the signed-in person, or without access for a new one; raises as `look_up_invitation`."""
    key = access.key if access else None
    with _limited_codes():
        return own_data.accept_invitation(base_url(), key, asked, timeout_s=settings.current().timeout_s)


@contextmanager
def _limited_codes() -> Iterator[None]:
    """Limit wrong codes per address and log each one without the code: the service sees the dashboard's address only."""
    address = _network_address()
    if (wait_s := _CODES.wait_s(address)) > 0:
        raise TooManyAttempts(wait_s, "codes")
    try:
        yield
    except NotFound as error:
        if error.code == "invitation_unknown":
            _CODES.note_failure(address)
            _LOG.warning("A wrong invitation code came from %s", address)
        raise


class TooManyAttempts(Exception):  # noqa: N818 (what happened; the form shows it)
    """Too many wrong keys or codes came from one address."""

    def __init__(self, wait_s: float, what: str = "keys") -> None:
        super().__init__(f"Too many wrong {what} from your network address. Try again in {ceil(wait_s)} s.")


_ATTEMPTS, _CODES = Throttle(), Throttle()


def _network_address() -> str:
    return st.context.ip_address or "this machine"


def take_typed(key: SecretStr) -> None:
    """Use a typed key. Store it for the OpenID Connect identity if there is one, else for the browser session."""
    if store_key(key):
        state.forget_all()
    else:
        _keep_for_browser(key, Way.TYPED)


def store_key(key: SecretStr) -> bool:
    """Store a key for the signed-in identity; False without one, or if the store fails."""
    identity, keys = signed_in_identity(), identities()
    if not identity or not keys:
        return False
    try:
        keys.keep(*identity, key)
    except (SQLAlchemyError, StoreUnreachable):
        return False
    return True


def remove_identity_key() -> None:
    """Delete the server's stored key of the signed-in identity; raises `StoreUnreachable`."""
    identity, keys = signed_in_identity(), identities()
    if identity and keys:
        keys.forget(*identity)
    state.forget_all()


def use_key(key: SecretStr, way: Way) -> None:
    """Use this key from now on; delete the session's data of the former key."""
    _forget_browser()
    state.forget_all()
    state.put(_KEY, key)
    state.put(_WAY, way)


def _keep_for_browser(key: SecretStr, way: Way) -> None:
    """Keep the key for reloads and further tabs, by a cookie that the browser fetches."""
    name, ticket = SESSION_KEYS.keep(key)
    use_key(key, way)
    state.put(_NAME, name)
    session_cookie.hand_out(ticket)


def _forget_browser() -> None:
    """Delete the key behind this browser's cookie, for all its tabs."""
    SESSION_KEYS.forget(st.context.cookies.get(COOKIE))
    SESSION_KEYS.forget(state.get(_NAME))


def _end_other_tabs() -> None:
    """Close the sockets of this browser's other tabs: they show what the key could read."""
    own = st.context.headers.get(browser_sessions.CONNECTION)
    BROWSERS.end(st.context.cookies.get(browser_sessions.COOKIE), but=own)


def use_demo(name: str) -> None:
    """Sign in with a demo key."""
    _keep_for_browser(DEMO_KEYS[name], Way.DEMO)


def demo_name(access: Access) -> str | None:
    """The name of the demo user; None for other keys."""
    key = access.key.get_secret_value()
    names = (name for name, demo in DEMO_KEYS.items() if demo.get_secret_value() == key)
    return next(names, None) if has_demo_keys() else None


def sign_out() -> None:
    """Delete the key and the session's data; also sign an OpenID Connect identity out."""
    is_identity = signed_in_identity() is not None
    _forget_browser()
    _end_other_tabs()
    state.forget_all()
    st.query_params.clear()
    state.put(_SIGNED_OUT, True)
    state.put(_LEAVES, is_identity)


def leave_identity() -> None:
    """Sign the identity out after `sign_out`. Call it in a full run of the page only.

    Streamlit drops the messages of a fragment run if the whole page runs right after it.
    """
    if state.get(_LEAVES):
        state.forget(_LEAVES)
        st.logout()


def refuse(access: Access) -> None:
    """Remember that the service rejected this key, so that no page shows its cached data."""
    _forget_browser()
    _end_other_tabs()
    state.forget_all()
    state.put(_REFUSED, access.fingerprint)
    state.put(_SIGNED_OUT, True)


def was_refused() -> bool:
    return state.get(_REFUSED) is not None


def client_for(access: Access) -> Client:
    """The only client of this key in this process."""
    use = state.get(_USE) or Use(hooks.own_tab())
    state.put(_USE, use)
    return _CLIENTS.get(access.fingerprint, use, partial(_make_client, access))


def shared(client: Client, key: Hashable, make: Callable[[], V]) -> V:
    """A value that the sessions of this client share, made on first use and dropped when the client is closed."""
    return _CLIENTS.shared(client, key, make)


def close_idle() -> None:
    """Close the clients that no open tab has used for a while."""
    _CLIENTS.close_idle()


def close_all() -> None:
    """Stop the background work and close all clients when the process ends."""
    _CLIENTS.close_all()
    _local_store.clear()


def probe(client: Client) -> ServiceError | None:
    """Fetch the user's profile from the service, past the cache; the error, or None."""
    try:
        return client.get_user(state.OWN, max_age_s=0).error
    except ServiceError as error:
        return error


def local_store() -> Engine:
    """The dashboard's own store. If it cannot be opened, the next page tries again."""
    try:
        return _local_store(settings.current().cache_url)
    except StoreUnreachable:
        return store_at(settings.current().cache_url)


def can_use_local_store() -> bool:
    try:
        with asked(), local_store().connect() as connection:
            connection.exec_driver_sql("SELECT 1")
            return True
    except StoreUnreachable:
        return False


def _make_client(access: Access) -> Client:
    current = settings.current()
    return Client(access.base_url, access.key, cache_url=current.cache_url, options=Options.of(current))


def _end(client: Client) -> None:
    syncing.end(client)
    memo.forget(client.scope)


_CLIENTS = Clients(end=_end)


@st.cache_resource(max_entries=4, show_spinner=False, on_release=Engine.dispose)
def _local_store(cache_url: str) -> Engine:
    return open_store(cache_url)
