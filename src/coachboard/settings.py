"""Every setting of Coachboard: frozen, read from the environment under one prefix, secrets masked."""

import os
from datetime import date
from functools import lru_cache
from pathlib import Path

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


def data_folder() -> Path:
    """Where databases, the outbox and the cache lie unless a setting says otherwise."""
    return Path("data")


_PREFIX = "COACHBOARD_"


class Settings(BaseSettings):
    """The settings; each is a row of the README's table, which a test compares with this class."""

    model_config = SettingsConfigDict(env_prefix=_PREFIX, frozen=True, extra="ignore")

    base_url: str | None = Field(
        default=None, description="address of the service to read; unset, the embedded one is used"
    )
    api_key: SecretStr | None = Field(
        default=None, description="key for that service, for one person's own machine; unset, the page asks"
    )
    database_url: str = Field(
        default_factory=lambda: f"sqlite:///{data_folder() / 'coachboard.db'}",
        description="store of the service: a SQLite file, or PostgreSQL (postgresql+psycopg://...)",
    )
    cache_url: str = Field(
        default_factory=lambda: f"sqlite:///{data_folder() / 'cache.db'}",
        description="store of the client's cache and budget: a SQLite file, or PostgreSQL",
    )
    cache_max_mb: int = Field(
        default=2_000, ge=10, description="size of the client's cache, oldest-used first out"
    )
    smtp_url: SecretStr | None = Field(
        default=None,
        description="mail server for invitations, smtp://user:password@host:587; unset, the outbox folder",
    )
    mail_from: str = Field(default="coachboard@localhost", description="sender of invitation mails")
    outbox: Path = Field(
        default_factory=lambda: data_folder() / "outbox",
        description="folder for mails where no mail server is set",
    )
    timeout_s: float = Field(
        default=15.0, gt=0, description="longest wait for a reply of the service, in seconds"
    )
    identity_secret: SecretStr | None = Field(
        default=None,
        description="secret that encrypts the keys held for signed-in identities; needed for OpenID Connect",
    )
    tile_url: str | None = Field(
        default=None,
        description="map tiles, https://host/{z}/{x}/{y}.png; unset, maps are drawn without tiles",
    )
    allowed_hosts: str = Field(
        default="localhost,127.0.0.1", description="names under which the dashboard answers, comma-separated"
    )
    today: date | None = Field(
        default=None, description="the day taken as today, for demos and tests; unset, today"
    )


def current() -> Settings:
    """The settings of this process; reading them anew for each question takes half the time of a page's script."""
    given = tuple((name, value) for name, value in os.environ.items() if name.upper().startswith(_PREFIX))
    return _read(given)


@lru_cache(maxsize=8)
def _read(_given: tuple[tuple[str, str], ...]) -> Settings:
    return Settings()
