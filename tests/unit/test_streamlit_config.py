"""Streamlit's configuration: every option exists in the installed version, every one has its reason."""

import re
import tomllib
from pathlib import Path

import pytest
from streamlit import config

from coachboard.charts import palette

FILE = Path(__file__).parents[2] / ".streamlit" / "config.toml"
TEXT = FILE.read_text(encoding="utf-8")
GIVEN = tomllib.loads(TEXT)
TABLES = ("client", "runner", "server", "browser")


@pytest.mark.parametrize("option", [f"{table}.{name}" for table in TABLES for name in GIVEN[table]])
def test_every_option_exists(option):
    assert option in config.get_config_options()


def test_the_options_that_keep_data_in_and_sessions_quick_are_set():
    assert GIVEN["runner"]["postScriptGC"] is False
    assert GIVEN["browser"]["gatherUsageStats"] is False
    assert GIVEN["client"]["showErrorDetails"] == "none"
    assert GIVEN["client"]["showErrorLinks"] is False
    assert GIVEN["client"]["disableDataExport"] is True
    assert GIVEN["server"]["allowedHosts"]
    assert GIVEN["client"]["allowedOrigins"] == []


def test_the_theme_is_understood(monkeypatch):
    known = {
        option.partition(".")[2] for option in config.get_config_options() if option.startswith("theme.")
    }
    given = {name for name, value in GIVEN["theme"].items() if not isinstance(value, dict)}

    assert given <= known


def test_every_option_has_its_reason_above_it():
    """A comment right above, or above the lines that belong to it."""
    for table in TABLES:
        block = re.search(rf"^\[{table}\]\n(.*?)(?=^\[|\Z)", TEXT, re.MULTILINE | re.DOTALL)
        lines = [line for line in block.group(1).splitlines() if line]
        options = [at for at, line in enumerate(lines) if not line.startswith("#")]
        assert all(lines[at - 1].startswith("#") for at in options)


def test_the_fonts_are_in_the_package():

    static = FILE.parents[1] / "src" / "coachboard" / "ui" / "frame" / "static"

    for face in GIVEN["theme"]["fontFaces"]:
        assert (static / Path(face["url"]).name).stat().st_size > 10_000
    assert "SIL Open Font License" in (static / "inter-LICENSE.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("script", ["Arabic", "Hebrew", "CJK", "Emoji"])
def test_pages_and_charts_name_a_font_for_each_script_of_names(script):
    theme = GIVEN["theme"]

    assert theme["font"] == theme["headingFont"] == palette.FONT
    assert script in theme["font"]
    assert theme["font"].startswith("Inter,")
    assert theme["font"].endswith("sans-serif")
