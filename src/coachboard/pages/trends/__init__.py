"""The trends page, one section at a time, because ten charts would slow the page down."""

from collections import Counter
from collections.abc import Callable, Mapping
from types import MappingProxyType

import streamlit as st

from coachboard.charts.shades import COLOURS
from coachboard.formulas.recovery.circumstances import Circumstance, circumstances
from coachboard.pages.trends.data import TrendsData
from coachboard.pages.trends.load import draw_load_and_body
from coachboard.pages.trends.metrics import draw_metrics
from coachboard.pages.trends.nights import draw_nights
from coachboard.pages.trends.opening import TrendsChoice, draw_summary, load, pick
from coachboard.pages.trends.relations import draw_relations
from coachboard.pages.trends.training import draw_training
from coachboard.plurals import count
from coachboard.ui.frame import formats
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md
from coachboard.ui.widgets import formula_help
from coachboard.ui.widgets.pickers import pick_one

__all__ = ["draw_look", "draw_summary", "load", "pick"]

_LOOKS: Mapping[str, tuple[str, bool, Callable[[Page, TrendsChoice, TrendsData], None]]] = MappingProxyType(
    {
        "load": ("Load and recovery", True, draw_load_and_body),
        "nights": ("Nights", True, draw_nights),
        "metrics": ("Metrics", True, draw_metrics),
        "training": ("Training analysis", True, draw_training),
        "relations": ("Night vs next day", False, lambda _page, _choice, data: draw_relations(data)),
    }
)
"""The sections by their name in the URL: title, whether circumstances shade days of their charts, and function."""


@st.fragment
def draw_look(page: Page, choice: TrendsChoice, data: TrendsData) -> None:
    """The section in the URL; load and recovery by default."""
    look = pick_one("Section", {name: title for name, (title, *_) in _LOOKS.items()}, param="look", wrap=True)
    _, is_shaded, draw = _LOOKS[look]
    if is_shaded:
        draw_shaded(page, data)
    draw(page, choice, data)


_MOST_LISTED = 20
_NOUNS = MappingProxyType(
    {
        "illness": ("illness", "illnesses"),
        "injury": ("injury", "injuries"),
        "medical": ("medical note", "medical notes"),
        "travel": ("trip", "trips"),
        "availability": ("availability note", "availability notes"),
    }
)


def draw_shaded(page: Page, data: TrendsData) -> None:
    """The colour of each kind of day; the help lists each period with its days and title."""
    if not data.circumstances:
        return
    kinds = Counter(shade.kind for shade in data.circumstances)
    lines = [
        f"- {_days(page, shade)}: {md(shade.kind)}, {md(shade.title, longest=80)}"
        for shade in data.circumstances
    ]
    rest = [f"- and {len(lines) - _MOST_LISTED} more"] if len(lines) > _MOST_LISTED else []
    how = formula_help.text_of(circumstances, window="the selected range.")
    listed = "\n".join([*lines[:_MOST_LISTED], *rest])
    st.caption(f"Shaded days: {shades_legend(kinds)}.", help=f"{listed}\n\n{how}")


def shades_legend(kinds: Mapping[str, int]) -> str:
    """Each colour once, with all its kinds: "1 illness (red), 1 medical note (red)" looked like two reds."""
    by_colour: dict[str, list[str]] = {}
    for kind, n in kinds.items():
        noun, plural = _NOUNS.get(kind, (formats.label(kind).lower(), None))
        by_colour.setdefault(COLOURS.get(kind, "grey"), []).append(count(n, md(noun), plural))
    return ", ".join(f"{', '.join(nouns)} ({colour})" for colour, nouns in by_colour.items())


def _days(page: Page, shade: Circumstance) -> str:
    first = formats.day(shade.start, today=page.today)
    return first if shade.start == shade.end else f"{first}–{formats.day(shade.end, today=page.today)}"
