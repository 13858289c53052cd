"""Which scripts each page needs when it opens: Streamlit's own for its elements, and the one that draws charts.

Streamlit asks for an element's script when the first such element is drawn, and draws the element once more when it
is there; each kind is another wait. A browser test compares what stands here with what the pages ask for.
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

import streamlit

_STATIC = Path(streamlit.__file__).parent / "static"
_SCRIPTS = _STATIC / "static" / "js"
_IMPORT = re.compile(r'(?:from|import)"\./([^"]+\.js)"')

ELEMENTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "": ("BidiComponent",),
        "athlete": ("BidiComponent",),
        "activity": ("BidiComponent", "Selectbox"),
        "calendar": ("BidiComponent",),
        "trends": ("BidiComponent", "ButtonGroup"),
        "workspaces": ("BidiComponent", "TextInput", "ButtonGroup", "Checkbox", "Button"),
        "settings": ("BidiComponent", "Button", "ButtonGroup", "Selectbox"),
    }
)
"""By the last part of the address; what is drawn when the reader comes near is not among them."""
_WITH_CHARTS = frozenset({"activity", "trends"})
"""The athlete's first chart is a picture until somebody comes to it."""


def scripts_by_page(*, chart_script: str) -> dict[str, tuple[str, ...]]:
    """The addresses for each page; the charts' script, the largest, comes first."""
    entry = _entry()
    known = _reached(entry, {entry})
    return {
        page: (
            # Compiling it beside Streamlit's own start would hold up a page that draws no chart.
            *((chart_script,) if page in _WITH_CHARTS else ()),
            *(f"/static/js/{name}" for name in _needed(elements, known)),
        )
        for page, elements in ELEMENTS.items()
    }


def _entry() -> str:
    page = (_STATIC / "index.html").read_text(encoding="utf-8")
    found = re.search(r'src="\./static/js/(index\.[^"]+\.js)"', page)
    assert found is not None
    return found[1]


def _needed(elements: tuple[str, ...], known: set[str]) -> list[str]:
    needed: dict[str, None] = {}
    for element in elements:
        script = next(_SCRIPTS.glob(f"{element}.*.js")).name
        needed |= dict.fromkeys(sorted(_reached(script, {script}) - known))
    return list(needed)


def _reached(script: str, seen: set[str]) -> set[str]:
    """The script and all that it imports, however far away."""
    for name in _imports(script):
        if name not in seen:
            seen.add(name)
            _reached(name, seen)
    return seen


@cache
def _imports(script: str) -> tuple[str, ...]:
    # The pages share most scripts: read for each of them anew, they held up the start by half a second.
    return tuple(_IMPORT.findall((_SCRIPTS / script).read_text(encoding="utf-8")))
