"""One section of the trends page at a time, because ten charts would slow the page down."""

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import streamlit as st

from coachboard.analytics.recovery.circumstances import Circumstance, circumstances
from coachboard.charts.shades import COLOURS
from coachboard.loaders.trends.page_data import TrendsData
from coachboard.plurals import count
from coachboard.views.frame import formats
from coachboard.views.frame.page import Page
from coachboard.views.frame.text import md
from coachboard.views.trends.load import draw_load_and_body
from coachboard.views.trends.metrics import draw_metrics
from coachboard.views.trends.nights import draw_nights
from coachboard.views.trends.opening import TrendsChoice
from coachboard.views.trends.relations import draw_relations
from coachboard.views.trends.season import draw_performance
from coachboard.views.widgets import formulas
from coachboard.views.widgets.pickers import pick_one

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
        draw_performance(page, choice, data)
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
    kinds = Counter(one.kind for one in data.circumstances)
    st.caption(f"Shaded days: {_legend(kinds)}.", help=_listed(page, data.circumstances))


def _legend(kinds: Mapping[str, int]) -> str:
    """Each colour once, with all its kinds: "1 illness (red), 1 medical note (red)" looked like two reds."""
    by_colour: dict[str, list[str]] = {}
    for kind, n in kinds.items():
        by_colour.setdefault(COLOURS.get(kind, "grey"), []).append(_counted(kind, n))
    return ", ".join(f"{', '.join(named)} ({colour})" for colour, named in by_colour.items())


def _counted(kind: str, n: int) -> str:
    one, many = _NOUNS.get(kind, (formats.label(kind).lower(), None))
    return count(n, md(one), many)


def _listed(page: Page, shown: Sequence[Circumstance]) -> str:
    lines = [f"- {_days(page, one)}: {md(one.kind)}, {md(one.title, longest=80)}" for one in shown]
    more = len(lines) - _MOST_LISTED
    rest = [f"- and {more} more"] if more > 0 else []
    how = formulas.on_demand(circumstances, window="the selected range.")
    return "\n".join([*lines[:_MOST_LISTED], *rest]) + f"\n\n{how}"


def _days(page: Page, one: Circumstance) -> str:
    first = formats.day(one.start, today=page.today)
    return first if one.start == one.end else f"{first}–{formats.day(one.end, today=page.today)}"
