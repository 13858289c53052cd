"""Settings that are wrong, empty or missing, and addresses that do not answer: one sentence each with the setting's name.

The sentences are in the log and on pages, so they name hosts and files but no user and no password.
"""

import logging
import re
from functools import lru_cache
from urllib.parse import urlsplit

import httpx
from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from coachboard import settings
from coachboard.client import ServiceError, Unreachable
from coachboard.client.http import check_accepted, check_base_url
from coachboard.loaders.local_store import beside_cache, trouble_of
from coachboard.ui.frame import connection

_LOG = logging.getLogger(__name__)
_TILES_S = 5.0
_NO_MAP = "Routes have no map until it is corrected."
_HOST = re.compile(r"[\w.-]+(:\d+)?|\[[\da-fA-F:.]+\](:\d+)?", re.ASCII)
_unanswered: list[str] = []
"""The faults that `look` found last. Pages read them here, because a request to a dead address would delay a page."""


def stopping() -> str | None:
    """The fault of the service's or the store's address, without which no page can be drawn; None without a fault."""
    current = settings.current()
    return _wrong_service(current.base_url) or _wrong_cache(current.cache_url)


def wrong() -> list[str]:
    """Settings that are wrong, missing or empty although others need them."""
    current = settings.current()
    faults = [fault for fault in (stopping(), wrong_tiles(current.tile_url)) if fault]
    if connection.has_auth_secrets() and connection.identity_secret() is None:
        faults.append(
            "COACHBOARD_IDENTITY_SECRET is not set, so sign-in with OpenID Connect is off "
            "although .streamlit/secrets.toml has [auth]."
        )
    if not current.allowed_hosts.strip(" ,"):
        faults.append("COACHBOARD_ALLOWED_HOSTS is empty, so every page is refused with 403.")
    return faults


def look() -> list[str]:
    """Ask each address of the settings; returns the faults that the look before did not find."""
    faults = [fault for fault in (unreachable_service(), unusable_store(), unreachable_tiles()) if fault]
    new = [fault for fault in faults if fault not in _unanswered]
    _unanswered[:] = faults
    return new


def about_tiles() -> str | None:
    """Why routes have no map although tiles are set; from the last look, without a request."""
    return wrong_tiles(settings.current().tile_url) or next(
        (fault for fault in _unanswered if fault.startswith("COACHBOARD_TILE_URL")), None
    )


def unreachable_service() -> str | None:
    """Why the service of the settings does not answer; None if it does, with whatever status."""
    current = settings.current()
    if connection.is_embedded() or _wrong_service(current.base_url) is not None:
        return None
    base_url = connection.base_url()
    try:
        check_accepted(base_url, None, timeout_s=current.timeout_s)
    except Unreachable as error:
        why = (error.text or "no reply").rstrip(".")
        return f"COACHBOARD_BASE_URL: the service at {base_url} cannot be reached ({why}). Start it, or correct the address."
    except ServiceError:
        pass
    return None


def unusable_store() -> str | None:
    """Why the dashboard's own database, which is beside the client's cache, cannot be used."""
    current = settings.current()
    if _wrong_cache(current.cache_url) is not None or (why := trouble_of(connection.local_store())) is None:
        return None
    url = beside_cache(current.cache_url)
    place = URL.create(url.drivername, host=url.host, port=url.port, database=url.database)
    return (
        f"{settings.name_of('cache_url', current)}: the dashboard's database at {place} cannot be used ({why.rstrip('.')}). "
        "Preferences and sent invitations are not kept until it can: start it, or correct the setting."
    )


def unreachable_tiles() -> str | None:
    """Why the server of map tiles does not answer with a picture."""
    template = settings.current().tile_url
    if not template or wrong_tiles(template) is not None:
        return None
    first = template.replace("{z}", "0").replace("{x}", "0").replace("{y}", "0")
    try:
        status = httpx.get(first, timeout=_TILES_S, follow_redirects=True).status_code
        why = "" if status == httpx.codes.OK else f"status {status}"
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        why = "no answer"
        if not any(why in fault for fault in _unanswered):
            _LOG.warning("COACHBOARD_TILE_URL: %s: %s", type(error).__name__, error)
    return (
        f"COACHBOARD_TILE_URL: no tile from {urlsplit(template).hostname} ({why}). {_NO_MAP}" if why else None
    )


def wrong_tiles(template: str | None) -> str | None:
    """The fault in the form of the address of map tiles; None without one."""
    if template is None:
        return None
    if not template.strip():
        return f"COACHBOARD_TILE_URL is empty. Set it, or remove it. {_NO_MAP}"
    is_web = template.startswith(("http://", "https://"))
    if not is_web or not all(part in template for part in ("{z}", "{x}", "{y}")):
        return f"COACHBOARD_TILE_URL is wrong: expected https://host/{{z}}/{{x}}/{{y}}.png. {_NO_MAP}"
    try:
        netloc = urlsplit(template).netloc
        # The host becomes a part of a header, which every reader sees: no separators, no password.
        why = None if _HOST.fullmatch(netloc) else f"it has {'a wrong' if netloc else 'no'} host"
    except ValueError as error:
        why = str(error)
    return f"COACHBOARD_TILE_URL is wrong: {why}. {_NO_MAP}" if why else None


def _wrong_service(given: str | None) -> str | None:
    if given is None:
        return None
    if not given.strip():
        return "COACHBOARD_BASE_URL is empty. Set the address of the service, or remove the setting to use the built-in service."
    try:
        check_base_url(given)
    except ValueError as error:
        return f"COACHBOARD_BASE_URL is wrong: {error}."
    return None


@lru_cache(maxsize=4)
def _wrong_cache(given: str) -> str | None:
    """The fault in the form of the cache's address; cached, because each run of a page asks."""
    if not given.strip():
        return "COACHBOARD_CACHE_URL is empty. Set a database, or remove the setting to use a file in the data folder."
    try:
        url = make_url(given)
        url.get_dialect().import_dbapi()
    except (ArgumentError, NoSuchModuleError, ImportError, ValueError):
        return "COACHBOARD_CACHE_URL is wrong: expected sqlite:///path or postgresql+psycopg://user@host/database."
    return None
