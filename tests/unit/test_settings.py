"""Settings come from the environment, mask their secrets and do not change."""

import pytest
from pydantic import ValidationError

from coachboard import settings
from coachboard.settings import Settings


@pytest.fixture(autouse=True)
def _no_settings_of_the_machine(monkeypatch):
    for name in Settings.model_fields:
        monkeypatch.delenv(f"COACHBOARD_{name.upper()}", raising=False)


def test_nothing_needs_to_be_set():
    settings = Settings()

    assert settings.base_url is None
    assert settings.database_url.startswith("sqlite:///")


def test_settings_are_read_from_the_environment(monkeypatch):
    monkeypatch.setenv("COACHBOARD_BASE_URL", "http://127.0.0.1:9/api")
    monkeypatch.setenv("COACHBOARD_CACHE_MAX_MB", "50")

    settings = Settings()

    assert (settings.base_url, settings.cache_max_mb) == ("http://127.0.0.1:9/api", 50)


def test_a_key_is_masked_in_every_text_of_the_settings(monkeypatch):
    monkeypatch.setenv("COACHBOARD_API_KEY", "very-secret")

    settings = Settings()

    assert settings.api_key.get_secret_value() == "very-secret"
    assert (
        "very-secret" not in f"{settings!r} {settings} {settings.model_dump()} {settings.model_dump_json()}"
    )


def test_settings_do_not_change():
    with pytest.raises(ValidationError, match="frozen"):
        Settings().timeout_s = 1


@pytest.mark.parametrize(
    ("name", "value"), [("TIMEOUT_S", "0"), ("CACHE_MAX_MB", "1"), ("TODAY", "yesterday")]
)
def test_a_setting_that_makes_no_sense_is_refused_by_name(monkeypatch, name, value):
    monkeypatch.setenv(f"COACHBOARD_{name}", value)

    with pytest.raises(ValidationError, match=name.lower()):
        Settings()


def test_the_settings_of_the_process_are_read_once_until_the_environment_changes(monkeypatch):
    monkeypatch.setenv("COACHBOARD_CACHE_MAX_MB", "50")
    before = settings.current()
    monkeypatch.setenv("UNRELATED", "x")

    assert settings.current() is before
    monkeypatch.setenv("COACHBOARD_CACHE_MAX_MB", "60")
    assert settings.current().cache_max_mb == 60


@pytest.mark.parametrize(
    ("platform", "env", "folder"),
    [
        ("linux", {"XDG_DATA_HOME": "/x"}, "/x/coachboard"),
        ("linux", {}, "/home/ada/.local/share/coachboard"),
        ("darwin", {}, "/home/ada/Library/Application Support/Coachboard"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/Coachboard"),
    ],
)
def test_the_data_folder_is_the_platforms(monkeypatch, platform, env, folder):
    monkeypatch.setenv("HOME", "/home/ada")

    assert settings.user_data_folder(platform, env).as_posix() == folder


def test_one_setting_moves_every_file_of_the_data_folder(monkeypatch):
    monkeypatch.setenv("COACHBOARD_DATA", "/data")

    found = Settings()

    assert found.database_url == "sqlite:////data/coachboard.db"
    assert found.cache_url == "sqlite:////data/cache.db"
    assert found.outbox.as_posix() == "/data/outbox"
