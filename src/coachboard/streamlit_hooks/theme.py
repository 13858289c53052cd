"""The theme of `.streamlit/config.toml`, sent with the page itself instead of by each session.

Streamlit's script draws a page in its default colours and font until a session sends others, and then draws the page
again: a flash at each load (0 to 40 ms, median of 6 loads each), and a font of 170 KB that no page uses.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from streamlit import config

_BASES = MappingProxyType({"light": 0, "dark": 1})  # as Streamlit's CustomThemeConfig numbers them
_NAMES = MappingProxyType({"font": "bodyFont"})
_NAMES_OF_FACES = MappingProxyType({"weight": "weightRange"})


def take() -> dict[str, dict[str, Any]]:
    """Both themes under the names that Streamlit's script looks for; sessions send no theme afterwards."""
    themes = {f"{base.upper()}_THEME": _theme(base) for base in _BASES}
    sections = ("theme", *(f"theme.{base}" for base in _BASES))
    for section in (*sections, *(f"{one}.sidebar" for one in sections)):
        for name in _options(section):
            config.set_option(f"{section}.{name}", None)
    return themes


def _theme(base: str) -> dict[str, Any]:
    options_of = _options("theme") | _options(f"theme.{base}")
    options_of["fontFaces"] = [_renamed(face, _NAMES_OF_FACES) for face in options_of.get("fontFaces", ())]
    options_of["sidebar"] = _renamed(_options("theme.sidebar") | _options(f"theme.{base}.sidebar"), _NAMES)
    return _renamed(options_of, _NAMES) | {"base": _BASES[base]}


def _options(section: str) -> dict[str, Any]:
    found = config.get_options_for_section(section)
    return {name: value for name, value in found.items() if value is not None}


def _renamed(options: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """The options under the names of Streamlit's message, which differ for a few."""
    return {names.get(name, name): value for name, value in options.items()}
