"""The legend of the shaded days, once above the charts."""

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from coachboard.analytics.recovery.circumstances import Circumstance, circumstances
from coachboard.charts.shades import COLOURS
from coachboard.loaders.trends.page_data import TrendsData
from coachboard.views.frame import formats
from coachboard.views.frame.shell import Page
from coachboard.views.frame.text import md
from coachboard.views.widgets import formulas

_MOST_LISTED = 20


def draw_shaded(page: Page, data: TrendsData) -> None:
    """The colour of each kind of day; the help lists each period with its days and title."""
    if not data.circumstances:
        return
    kinds = Counter(one.kind for one in data.circumstances)
    legend = ", ".join(
        f"{n} × {md(formats.label(kind).lower())} ({COLOURS.get(kind, 'grey')})" for kind, n in kinds.items()
    )
    st.caption(f"Shaded days: {legend}.", help=_listed(page, data.circumstances))


def _listed(page: Page, shown: Sequence[Circumstance]) -> str:
    lines = [f"- {_days(page, one)}: {md(one.kind)}, {md(one.title, longest=80)}" for one in shown]
    more = len(lines) - _MOST_LISTED
    rest = [f"- and {more} more"] if more > 0 else []
    how = formulas.on_demand(circumstances, window="the selected range.")
    return "\n".join([*lines[:_MOST_LISTED], *rest]) + f"\n\n{how}"


def _days(page: Page, one: Circumstance) -> str:
    first = formats.day(one.start, today=page.today)
    return first if one.start == one.end else f"{first}–{formats.day(one.end, today=page.today)}"
