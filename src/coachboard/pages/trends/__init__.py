"""The trends page, one section at a time, because ten charts would slow the page down."""

from collections import Counter
from collections.abc import Mapping
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
from coachboard.ui.widgets import formulas
from coachboard.ui.widgets.pickers import pick_one

__all__ = ["draw_look", "draw_summary", "load", "pick"]


LOOKS = MappingProxyType(
    {
        "load": "Load and recovery",
        "nights": "Nights",
        "metrics": "Metrics",
        "training": "Training analysis",
        "relations": "Night vs next day",
    }
)


@st.fragment
def draw_look(page: Page, choice: TrendsChoice, data: TrendsData) -> None:
    """The section in the URL; load and recovery by default."""
    look = pick_one("Section", LOOKS, param="look", wrap=True)
    if look != "relations":
        draw_shaded(page, data)
    if look == "nights":
        draw_nights(page, choice, data)
    elif look == "metrics":
        draw_metrics(page, choice, data)
    elif look == "training":
        draw_training(page, choice, data)
    elif look == "relations":
        draw_relations(data)
    else:
        draw_load_and_body(page, choice, data)


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
    how = formulas.on_demand(circumstances, window="the selected range.")
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
