"""The theme of `.streamlit/config.toml`, told with the page itself instead of by each session.

Streamlit's script draws a page in its own colours and its own face until a session tells it others, and then draws all
of it again: 100 of 790 ms until the frame of a page is there, and a face of 170 KB that no page of ours is set in.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from streamlit import config

_BASES = MappingProxyType({"light": 0, "dark": 1})  # as Streamlit's CustomThemeConfig numbers them
_NAMES = MappingProxyType({"font": "bodyFont"})
_NAMES_OF_FACES = MappingProxyType({"weight": "weightRange"})


def take() -> dict[str, dict[str, Any]]:
    """Both themes under the names by which Streamlit's script looks for them; from then on no session tells one."""
    themes = {f"{base.upper()}_THEME": _theme(base) for base in _BASES}
    sections = ("theme", *(f"theme.{base}" for base in _BASES))
    for section in (*sections, *(f"{one}.sidebar" for one in sections)):
        for name in _options(section):
            config.set_option(f"{section}.{name}", None)
    return themes


def _theme(base: str) -> dict[str, Any]:
    told = _options("theme") | _options(f"theme.{base}")
    told["fontFaces"] = [_renamed(face, _NAMES_OF_FACES) for face in told.get("fontFaces", ())]
    told["sidebar"] = _renamed(_options("theme.sidebar") | _options(f"theme.{base}.sidebar"), _NAMES)
    return _renamed(told, _NAMES) | {"base": _BASES[base]}


def _options(section: str) -> dict[str, Any]:
    found = config.get_options_for_section(section)
    return {name: value for name, value in found.items() if value is not None}


def _renamed(options: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """As Streamlit's message calls them, which has other names for a few."""
    return {names.get(name, name): value for name, value in options.items()}
