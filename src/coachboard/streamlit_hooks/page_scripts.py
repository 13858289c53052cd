"""The scripts that each page needs when it opens: Streamlit's for its elements, and the script that draws charts.

Streamlit asks for the script of an element when the first such element is drawn, and draws the element again when the
script has arrived; each kind is another wait. A browser test compares this table with the requests of the pages.
"""

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from coachboard.streamlit_hooks import SCRIPTS, entry_script

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
"""By the last part of the address, without the elements of lazy sections. A page without an entry loads more slowly."""
_WITH_CHARTS = frozenset({"activity", "athlete", "trends"})


def scripts_by_page(*, chart_script: str) -> dict[str, tuple[str, ...]]:
    """The addresses for each page; the charts' script, the largest, comes first."""
    entry = entry_script()
    known = _reached(entry, {entry})
    return {
        page: (
            # Compiling the script beside Streamlit's start would delay a page without charts.
            *((chart_script,) if page in _WITH_CHARTS else ()),
            *(f"/static/js/{name}" for name in _needed(elements, known)),
        )
        for page, elements in ELEMENTS.items()
    }


def _needed(elements: tuple[str, ...], known: set[str]) -> list[str]:
    needed: dict[str, None] = {}
    for element in elements:
        script = next(SCRIPTS.glob(f"{element}.*.js")).name
        needed |= dict.fromkeys(sorted(_reached(script, {script}) - known))
    return list(needed)


def _reached(script: str, seen: set[str]) -> set[str]:
    """The script and all its direct and indirect imports."""
    for name in _imports(script):
        if name not in seen:
            seen.add(name)
            _reached(name, seen)
    return seen


@cache
def _imports(script: str) -> tuple[str, ...]:
    # The pages share most scripts: reading them for each page delayed the start by 0.5 s.
    return tuple(_IMPORT.findall((SCRIPTS / script).read_text(encoding="utf-8")))
