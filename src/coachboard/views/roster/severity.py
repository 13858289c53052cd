"""The severity that orders the list of flagged athletes, with its calculation, and the event that raises it."""

from math import isnan

import streamlit as st

from coachboard.analytics.flags.flags import RACE_NEAR_D, Flag
from coachboard.loaders.roster.row import RosterRow
from coachboard.views.frame import formats
from coachboard.views.frame.formats import number
from coachboard.views.frame.text import md
from coachboard.views.roster.visible_rows import VisibleRoster


def draw(shown: VisibleRoster, row: RosterRow) -> None:
    """The number with its calculation as a tooltip, and an event of the next 14 days."""
    event = near_event(row)
    st.caption(f"severity {number(shown.concern(row), 1)}", help=calculation(shown, row), width="content")
    if event:
        st.caption(f":material/flag: {md(event)}", width="content")


def near_event(row: RosterRow) -> str:
    """An event of the next 14 days with its day; empty without one."""
    days = row.race_in_d
    if row.next_event is None or days is None or not 0 <= days <= RACE_NEAR_D:
        return ""
    when = "today" if days == 0 else f"in {formats.count(days, 'day')}"
    return f"{row.next_event[1]} {when}"


def calculation(shown: VisibleRoster, row: RosterRow) -> str:
    """How the severity comes about, as Markdown."""
    lines = "\n".join(f"- {md(flag.rule.title)}: {_factors(flag)}" for flag in shown.standing(row))
    event = f"\n\n{md(near_event(row))}: × 1.25." if near_event(row) else ""
    return (
        "Order of this list. Each flag: weight of its rule, × 1.25 for each SD beyond the first, × 1.05 for each "
        f"further day.\n\n{lines}\n\nFurther flags of one topic count a quarter; each further topic adds half.{event}"
    )


def _factors(flag: Flag) -> str:
    far = "" if isnan(flag.deviations) else f", {number(flag.deviations, 1)} SD from the mean"
    days = f", {formats.count(flag.days_standing, 'day')}" if flag.days_standing else ""
    return f"{number(flag.severity, 2)} (weight {number(flag.rule.weight, 1)}{far}{days})"
