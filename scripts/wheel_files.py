"""Adds the script, the pages and Streamlit's settings to the wheel; `coachboard.listening` finds them there."""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FILES = ("app.py", "pages", ".streamlit/config.toml")


class WheelFiles(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "standard":  # an editable package uses the files of the checkout
            build_data["force_include"] |= {name: f"coachboard/dashboard/{name}" for name in FILES}
