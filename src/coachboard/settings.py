"""The settings of Coachboard: frozen, read from the environment under one prefix, secrets masked."""

import os
import sys
from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from ipaddress import ip_network
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


def user_data_folder(platform: str = sys.platform, env: Mapping[str, str] = os.environ) -> Path:
    """The platform's folder for user data; does not depend on the current directory."""
    if platform == "win32":
        return Path(env.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "Coachboard"
    if platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "Coachboard"
    return Path(env.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "coachboard"


KEYS_FOLDER = "keys"
"""The folder inside the data folder that holds the keys of the people who use `coachboard open`."""
_PREFIX = "COACHBOARD_"


class Settings(BaseSettings):
    """The settings; each is a row of `docs/settings.md`, which a test compares with this class."""

    model_config = SettingsConfigDict(env_prefix=_PREFIX, frozen=True, extra="ignore")

    data: Path = Field(
        default_factory=user_data_folder,
        description="folder for databases, keys and the outbox; unset: the platform's folder for user data "
        "(Linux: `~/.local/share/coachboard`)",
    )
    base_url: str | None = Field(
        default=None, description="address of the service; unset: the built-in service"
    )
    api_key: SecretStr | None = Field(
        default=None,
        description="API key for that service, for a single-user machine; unset: users sign in with their own key",
    )
    database_url: str = Field(
        default_factory=lambda given: f"sqlite:///{given['data'] / 'coachboard.db'}",
        description="database of the service: an SQLite file or PostgreSQL (postgresql+psycopg://...)",
    )
    replica_url: str | None = Field(
        default=None,
        description="PostgreSQL replica from which `coachboard serve` reads sessions, streams, metrics and nights, which "
        "may be seconds old: for a service that programs read, not for dashboards; unset: `COACHBOARD_DATABASE_URL`",
    )
    cache_url: str = Field(
        default_factory=lambda given: f"sqlite:///{given['data'] / 'cache.db'}",
        description="database of the client's cache and request count: an SQLite file or PostgreSQL",
    )
    cache_max_mb: int = Field(
        default=2_000,
        ge=10,
        description="maximum size of the client's cache; least recently used entries are deleted first",
    )
    smtp_url: SecretStr | None = Field(
        default=None,
        description="mail server for invitations, smtp://user:password@host:587; unset: mails go to the outbox folder",
    )
    mail_from: str = Field(default="coachboard@localhost", description="sender of invitation mails")
    public_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^/?#\s@]+(/[^?#\s]*)?$",
        description="address of the dashboard, https://host, for the link in invitation mails; "
        "unset: mails have the code only",
    )
    outbox: Path = Field(
        default_factory=lambda given: given["data"] / "outbox",
        description="folder for mails if no mail server is set",
    )
    intervals_url: str = Field(
        default="https://intervals.icu",
        pattern=r"^https?://[^/?#\s@]+(/[^?#\s]*)?$",
        description="address of intervals.icu, for athletes who have their planned workouts pushed there",
    )
    timeout_s: float = Field(default=15.0, gt=0, description="timeout for a reply of the service, in seconds")
    identity_secret: SecretStr | None = Field(
        default=None,
        description="secret that encrypts the stored keys of signed-in users; required for OpenID Connect",
    )
    tile_url: str | None = Field(
        default=None,
        description="map tiles, https://host/{z}/{x}/{y}.png; unset: routes without a map",
    )
    tile_attribution: str | None = Field(
        default=None,
        max_length=200,
        description="credit on the map, as the owner of the tiles asks for it; unset: `© OpenStreetMap contributors` "
        "for openstreetmap.org, else the host of the tiles",
    )
    allowed_hosts: str = Field(
        default="localhost,127.0.0.1", description="host names of the dashboard, comma-separated"
    )
    streamlit_hooks_off: str = Field(
        default="",
        description="uses of Streamlit's private parts to leave out, comma-separated, or `all`; "
        "`browser_sessions` protects downloads",
    )
    log_format: Literal["text", "json"] = Field(
        default="text", description="format of log lines: `text` or `json`, with time, level and request id"
    )
    metrics_from: str | None = Field(
        default=None,
        description="network addresses that may read `/metrics` of a dashboard and `/api/metrics` of a service "
        "(Prometheus), comma-separated: `127.0.0.1,10.0.0.0/8`; unset: no metrics",
    )
    trusted_proxies: str | None = Field(
        default=None,
        description="network addresses of the proxy in front, comma-separated: `127.0.0.1,10.0.0.0/8`; its "
        "`X-Forwarded-For` and `X-Forwarded-Proto` count; unset: the address of the connection counts",
    )
    today: date | None = Field(
        default=None, description="date used as today, for demos and tests; unset: the current date"
    )

    @field_validator("metrics_from", "trusted_proxies")
    @classmethod
    def _are_networks(cls, text: str | None) -> str | None:
        if text is not None and not [ip_network(each.strip()) for each in text.split(",") if each.strip()]:
            raise ValueError("expected network addresses such as 127.0.0.1 or 10.0.0.0/8")
        return text


def name_of(field: str, given: Settings) -> str:
    """The variable that decides this value: its own, or the data folder's if a file in it is the default."""
    return f"{_PREFIX}{field.upper() if field in given.model_fields_set else 'DATA'}"


def current() -> Settings:
    """The settings of this process, cached because reading them for each use takes half the time of a page's script."""
    return _read(tuple(map(os.environ.get, _NAMES)))


@lru_cache(maxsize=8)
def _read(_given: tuple[str | None, ...]) -> Settings:
    return Settings()


_NAMES = tuple(f"{_PREFIX}{name.upper()}" for name in Settings.model_fields)
