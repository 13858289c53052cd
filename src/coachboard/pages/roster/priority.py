"""The priority that orders the list of flagged athletes; it opens to its calculation, next to the event that raises it."""

from math import isnan

import streamlit as st

from coachboard.flags.athlete_days import LOOK_BACK_D
from coachboard.flags.engine import RACE_NEAR_D
from coachboard.flags.flag import Flag
from coachboard.loaders.roster_row import RosterRow
from coachboard.pages.roster.visible_rows import VisibleRoster
from coachboard.ui.frame import formats, navigation
from coachboard.ui.frame.formats import number
from coachboard.ui.frame.page import Athlete
from coachboard.ui.frame.text import md


def draw_name(visible: VisibleRoster, athlete: Athlete, row: RosterRow) -> None:
    """The name as a link, with flags the number, which opens to its calculation, and an event of the next 14 days."""
    st.page_link(
        navigation.page_path("athlete"),
        label=f"**{md(athlete.name)}**",
        query_params={"athlete": athlete.id},
    )
    if visible.active_flags(row):
        # The key contains the athlete: otherwise an open popover moves to the next athlete in the list.
        key = f"roster.priority.{row.user.id}"
        box = st.popover(f"Priority {number(visible.priority(row), 1)}", type="tertiary", key=key)
        box.markdown(calculation(visible, row))
    if event := near_event(row):
        st.caption(f":material/flag: {md(event)}", width="content")


def near_event(row: RosterRow) -> str:
    """An event of the next 14 days with its day; empty without one."""
    days = row.race_in_d
    if row.next_event is None or days is None or not 0 <= days <= RACE_NEAR_D:
        return ""
    when = "today" if days == 0 else f"in {formats.count(days, 'day')}"
    return f"{row.next_event[1]} {when}"


def calculation(visible: VisibleRoster, row: RosterRow) -> str:
    """Formula, window, excluded data, and the athlete's own numbers as the worked example; Markdown."""
    active = visible.active_flags(row)
    lines = "\n".join(f"- {md(flag.rule.title)}: {_factors(flag)}" for flag in active)
    return (
        f"**{md(row.user.first_name or 'This athlete')}:** {_sum(visible, row)}\n\n{lines}\n\n"
        "**Scale:** 0 = no flag; the list starts with the highest number. There is no upper limit.\n\n"
        "**Formula:** weight of the rule × factor × how far × how long.\n"
        "- How far: (value − normal) ÷ (limit − normal), at least 1, at most 3; a hard session counts its strongest sign.\n"
        "- How long: 1 + 0.05 for each day after the first, at most 7; a medical note falls instead, 1 − 0.05 for each day "
        "after its second, at least 0.8.\n"
        "- How many: in each topic the most severe flag counts in full, the others by a fifth, since they share a cause, those of "
        "recovery by half; flags that only support others are no topic of their own. Topics add up.\n"
        f"- How close the event: + 3 % for each day that it is nearer than {RACE_NEAR_D + 1} days.\n\n"
        f"{_factor_table(active)}"
        "**Window:** this morning; each rule names its own days. Days active are counted over the last "
        f"{LOOK_BACK_D} days at most.\n\n"
        f"**Excluded:** {_excluded(visible, row)}."
    )


def _factor_table(flags: tuple[Flag, ...]) -> str:
    """The factors of these flags by condition, as a Markdown table; empty without any."""
    rows = [
        f"| {md(flag.rule.title)}: {md(condition)} | × {factor:g} |\n"
        for flag in flags
        for condition, factor in flag.rule.factors.items()
    ]
    return "".join(["| Condition | Factor |\n|---|---|\n", *rows, "\n"]) if rows else ""


def _excluded(visible: VisibleRoster, row: RosterRow) -> str:
    """Rules that do not count for this athlete, by name."""
    short = [flag.rule.title for flag in row.flags if flag.shortage]
    snoozed = [flag.rule.title for flag in row.raised if flag not in visible.active_flags(row)]
    lists = {"not enough data": short, "snoozed": snoozed}
    reasons = [f"{why}: {', '.join(titles)}" for why, titles in lists.items() if titles]
    return md("; ".join(["to-dos", *reasons]))


def _sum(visible: VisibleRoster, row: RosterRow) -> str:
    """`(1.78 + 0.5 × 1.04 + 0.69) × 1.25 = 3.7`."""
    total = " + ".join(
        number(flag.severity, 2) if factor == 1 else f"{factor:g} × {number(flag.severity, 2)}"
        for factor, flag in row.counted(visible.active_flags(row))
    )
    if near_event(row):
        total = f"({total}) × {number(row.race_factor, 2)} ({md(near_event(row))})"
    return f"{total} = **{number(visible.priority(row), 1)}**"


def _factors(flag: Flag) -> str:
    """`0.95 = 0.5 (weight) × 1.73 (how far) × 1.1 (3 days), topic recovery`."""
    days = formats.count(flag.days_active, "day")
    if flag.rule.fades:
        days = f"noted {formats.count(flag.age_d or 0, 'day')} ago"
    far = "how far" if isnan(flag.normal) else f"how far from {number(flag.normal, flag.rule.digits)}"
    factors = ((flag.urgency, flag.factor), (flag.distance, far), (flag.days_factor, days))
    terms = [f"{value:.3g} ({name})" for value, name in factors if value != 1]
    product = " × ".join([f"{flag.rule.weight:g} (weight)", *terms])
    return f"{number(flag.severity, 2)} = {product}, topic {flag.rule.topic}"
