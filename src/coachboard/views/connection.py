"""Whose key the page reads with, and the client for it; clients are never shared between keys."""

import os
from dataclasses import dataclass, replace
from enum import StrEnum

import streamlit as st
from pydantic import SecretStr
from sqlalchemy import Engine
from streamlit.errors import StreamlitSecretNotFoundError

from coachboard import settings
from coachboard.client import Client, Options, ServiceError
from coachboard.launch.address import EMBEDDED_URL
from coachboard.launch.vault import COOKIE, VAULT
from coachboard.loaders.identities import Identities
from coachboard.loaders.local_store import StoreUnreachable, fingerprint, open_store, store_at
from coachboard.views import keeper, state, syncing

DEMO_KEYS = {
    "coach": SecretStr("demo-coach-key"),
    "athlete": SecretStr("demo-athlete-key"),
    "admin": SecretStr("demo-admin-key"),
}
"""They exist in the demo database only; another store refuses them like any unknown key."""

_KEY = "shell.key"
_WAY = "shell.way"
_SIGNED_OUT = "shell.signed_out"
_LEAVES = "shell.leaves"
_NAME = "shell.browser"
_REFUSED = "shell.refused"


class Way(StrEnum):
    """How the reader came in."""

    DEMO = "demo key"
    SETTINGS = "key from the settings"
    TYPED = "typed key (this browser session)"
    IDENTITY = "your account"


@dataclass(frozen=True, slots=True)
class Access:
    """A key at a service, and how it came here."""

    base_url: str
    key: SecretStr
    way: Way

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.base_url, self.key.get_secret_value())


def base_url() -> str:
    """The service to read: the one set, else the embedded one."""
    return settings.current().base_url or os.environ.get(EMBEDDED_URL, "http://127.0.0.1:8501/api")


def is_embedded() -> bool:
    return settings.current().base_url is None


def current_access() -> Access | None:
    """The key of this session, of this browser, of this identity, of the settings, of the demo; else None."""
    if key := state.get(_KEY):
        return Access(base_url(), key, state.get(_WAY, Way.TYPED))
    if state.get(_SIGNED_OUT):
        return None
    found = _kept_access() or _identity_access()
    return found if found or has_login() else _set_access()


def _kept_access() -> Access | None:
    """After a reload, or in a second tab, the key that was typed or chosen before."""
    key = VAULT.key_of(st.context.cookies.get(COOKIE))
    if key is None:
        return None
    access = Access(base_url(), key, Way.TYPED)
    return replace(access, way=Way.DEMO) if demo_name(access) else access


def _identity_access() -> Access | None:
    identity, keys = signed_in_identity(), identities()
    key = keys.key_of(*identity) if identity and keys else None
    return Access(base_url(), key, Way.IDENTITY) if key else None


def _set_access() -> Access | None:
    key = settings.current().api_key
    if key is not None and key.get_secret_value():
        return Access(base_url(), key, Way.SETTINGS)
    return Access(base_url(), DEMO_KEYS["coach"], Way.DEMO) if is_embedded() else None


def has_login() -> bool:
    """Whether OpenID Connect is set up: `[auth]` in .streamlit/secrets.toml, and the secret that seals keys."""
    try:
        is_set_up = "auth" in st.secrets
    except StreamlitSecretNotFoundError:
        return False
    return is_set_up and settings.current().identity_secret is not None


def signed_in_identity() -> tuple[str, str] | None:
    """Issuer and subject of whoever signed in with OpenID Connect."""
    if not has_login() or not st.user.is_logged_in:
        return None
    return str(st.user.get("iss", "")), str(st.user.get("sub", ""))


def identities() -> Identities | None:
    """The keys held for identities; None where no secret is set."""
    secret = settings.current().identity_secret
    return Identities(local_store(), secret) if secret is not None else None


def take_typed(key: SecretStr) -> None:
    """Read with a typed key: held for the identity where somebody is signed in, else for the browser session."""
    identity, keys = signed_in_identity(), identities()
    if identity and keys:
        keys.keep(*identity, key)
        state.forget_all()
        return
    _keep_for_browser(key, Way.TYPED)


def remove_identity_key() -> None:
    """Delete the key that the server holds for whoever is signed in."""
    identity, keys = signed_in_identity(), identities()
    if identity and keys:
        keys.forget(*identity)
    state.forget_all()


def use_key(key: SecretStr, way: Way) -> None:
    """Read with this key from now on; everything that the session knew under another one is dropped."""
    _forget_browser()
    state.forget_all()
    state.put(_KEY, key)
    state.put(_WAY, way)


def _keep_for_browser(key: SecretStr, way: Way) -> None:
    """Read with this key also after a reload and in further tabs, by the cookie that the browser fetches."""
    name, ticket = VAULT.keep(key)
    use_key(key, way)
    state.put(_NAME, name)
    keeper.hand_out(ticket)


def _forget_browser() -> None:
    """Forget the key that this browser's cookie stands for, in all its tabs."""
    VAULT.forget(st.context.cookies.get(COOKIE))
    VAULT.forget(state.get(_NAME))


def use_demo(name: str) -> None:
    """Read with one of the demo's keys."""
    _keep_for_browser(DEMO_KEYS[name], Way.DEMO)


def demo_name(access: Access) -> str | None:
    """Which of the demo's people this is; None for anybody else."""
    key = access.key.get_secret_value()
    names = (name for name, demo in DEMO_KEYS.items() if demo.get_secret_value() == key)
    return next(names, None) if is_embedded() else None


def sign_out() -> None:
    """Forget the key and all that was read with it; of an identity also that it is signed in."""
    is_identity = signed_in_identity() is not None
    _forget_browser()
    state.forget_all()
    st.query_params.clear()
    state.put(_SIGNED_OUT, True)
    state.put(_LEAVES, is_identity)


def leave_identity() -> None:
    """End the identity's session where the reader has just signed out; in a whole run of the page alone.

    What a fragment's run sends to the browser is dropped when the whole page runs right after it.
    """
    if state.get(_LEAVES):
        state.forget(_LEAVES)
        st.logout()


def refuse(access: Access) -> None:
    """Remember that the service does not accept this key, so that no page shows its data again."""
    _forget_browser()
    state.forget_all()
    state.put(_REFUSED, access.fingerprint)
    state.put(_SIGNED_OUT, True)


def was_refused() -> bool:
    return state.get(_REFUSED) is not None


def client_for(access: Access) -> Client:
    """The one client of this key in this process."""
    return _client(access.fingerprint, access.base_url, settings.current().cache_url, _key=access.key)


def close_all() -> None:
    """End what runs in the background and close all clients, as the process ends."""
    syncing.close_all()
    _client.clear()
    _local_store.clear()


def probe(client: Client) -> ServiceError | None:
    """Ask the service for the reader's profile anew; what went wrong, None where all is well."""
    try:
        return client.get_user(state.OWN, max_age_s=0).error
    except ServiceError as error:
        return error


def local_store() -> Engine:
    """The dashboard's own store; where it cannot be opened now, it is tried again by the next page."""
    try:
        return _local_store(settings.current().cache_url)
    except StoreUnreachable:
        return store_at(settings.current().cache_url)


# The fingerprint is hashed into the cache's key, the key itself is not: it must not be found in any key of a cache.
@st.cache_resource(max_entries=256, show_spinner=False, on_release=Client.close)
def _client(owner: str, address: str, cache_url: str, *, _key: SecretStr) -> Client:
    assert owner
    return Client(address, _key, cache_url=cache_url, options=Options.of(settings.current()))


@st.cache_resource(max_entries=4, show_spinner=False, on_release=Engine.dispose)
def _local_store(cache_url: str) -> Engine:
    return open_store(cache_url)
