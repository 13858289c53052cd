"""The page carries the theme of the configuration, under Streamlit's own names for it, and no session sends another theme."""

import tomllib
from pathlib import Path

import pytest
from google.protobuf.json_format import MessageToDict, ParseDict
from streamlit import config
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session

from coachboard.streamlit_hooks import theme

GIVEN = tomllib.loads((Path(__file__).parents[3] / ".streamlit" / "config.toml").read_text())["theme"]


@pytest.fixture
def options():
    """The theme's options as the file gives them, before and after."""
    config.get_config_options(force_reparse=True)
    yield config.get_options_for_section
    config.get_config_options(force_reparse=True)


def theme_of_a_session():
    """The message of Streamlit's own script: both themes in one."""
    message = CustomThemeConfig()
    app_session._populate_theme_msg(message)
    for base in ("light", "dark"):
        app_session._populate_theme_msg(getattr(message, base), f"theme.{base}")
        app_session._populate_theme_msg(getattr(message, base).sidebar, f"theme.{base}.sidebar")
    return MessageToDict(message)


@pytest.mark.parametrize(("base", "number"), [("light", 0), ("dark", 1)])
def test_the_page_has_the_theme_that_a_session_would_send(options, base, number):
    taken = theme.take()[f"{base.upper()}_THEME"]
    config.get_config_options(force_reparse=True)

    sent = theme_of_a_session()
    both = {name: value for name, value in sent.items() if name not in {"light", "dark"}}
    assert taken == both | sent[base] | {"base": number}
    assert taken["primaryColor"] == GIVEN[base]["primaryColor"]
    assert taken["sidebar"]["backgroundColor"] == GIVEN[base]["sidebar"]["backgroundColor"]
    ParseDict(taken, CustomThemeConfig())  # refuses a name that the message does not have


def test_no_session_sends_a_theme_after_that(options):
    assert theme_of_a_session()

    theme.take()

    assert not theme_of_a_session()
