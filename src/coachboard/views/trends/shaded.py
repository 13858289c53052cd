"""What the shades behind the charts stand for, said once above them."""

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from coachboard.analytics.circumstances import Circumstance, circumstances
from coachboard.charts.shades import COLOURS
from coachboard.loaders.trends import TrendsData
from coachboard.views import formats, formulas
from coachboard.views.shell import Page
from coachboard.views.text import md

_MOST_LISTED = 20


def draw_shaded(page: Page, data: TrendsData) -> None:
    """Which kind of day has which colour; each stretch with its days and title on demand."""
    if not data.circumstances:
        return
    kinds = Counter(one.kind for one in data.circumstances)
    told = ", ".join(
        f"{md(formats.label(kind).lower())} ({COLOURS.get(kind, 'grey')}) {n}" for kind, n in kinds.items()
    )
    st.caption(f"Shaded days: {told}.", help=_listed(page, data.circumstances))


def _listed(page: Page, shown: Sequence[Circumstance]) -> str:
    lines = [f"- {_days(page, one)}: {md(one.kind)}, {md(one.title, longest=80)}" for one in shown]
    more = len(lines) - _MOST_LISTED
    rest = [f"- and {more} more"] if more > 0 else []
    how = formulas.on_demand(circumstances, window="the selected range.")
    return "\n".join([*lines[:_MOST_LISTED], *rest]) + f"\n\n{how}"


def _days(page: Page, one: Circumstance) -> str:
    first = formats.day(one.start, today=page.today)
    return first if one.start == one.end else f"{first}–{formats.day(one.end, today=page.today)}"
