"""The severity that orders the list of flagged athletes; it opens to its calculation, next to the event that raises it."""

from math import isnan

import streamlit as st

from coachboard.analytics.flags.flag_readings import LOOK_BACK_D
from coachboard.analytics.flags.flags import RACE_NEAR_D, Flag, Standing
from coachboard.loaders.roster.row import RosterRow
from coachboard.views.frame import formats
from coachboard.views.frame.formats import number
from coachboard.views.frame.text import md
from coachboard.views.roster.visible_rows import VisibleRoster


def draw(shown: VisibleRoster, row: RosterRow) -> None:
    """The number, which opens to its calculation, and an event of the next 14 days."""
    event = near_event(row)
    # The key contains the athlete: otherwise an open popover moves to the next athlete in the list.
    box = st.popover(
        f"Priority {number(shown.concern(row), 1)}", type="tertiary", key=f"roster.severity.{row.user.id}"
    )
    box.markdown(calculation(shown, row))
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
    """Formula, window, excluded data, and the athlete's own numbers as the worked example; Markdown."""
    standing = shown.standing(row)
    lines = "\n".join(f"- {md(flag.rule.title)}: {_factors(flag)}" for flag in standing)
    return (
        f"**{md(row.user.first_name or 'This athlete')}:** {_sum(shown, row)}\n\n{lines}\n\n"
        "**Scale:** 0 = no flag; the list starts with the highest number. There is no upper limit.\n\n"
        "**Formula:** each flag has the weight of its rule × distance from the mean in SD (at least 1, at most 3) × "
        "(1 + 0.05 for each further day, at most 7); an illness noted in the last 3 days × 6. In each topic the most severe flag counts in full, the others "
        "by half; load spike and high monotony are no topic of their own. The sum of the topics grows by a quarter for "
        f"each further topic, and by a quarter with an event within {RACE_NEAR_D} days.\n\n"
        "**Window:** this morning; each rule names its own days. Days active are counted over the last "
        f"{LOOK_BACK_D} days at most.\n\n"
        f"**Excluded:** {_excluded(shown, row)}."
    )


def _excluded(shown: VisibleRoster, row: RosterRow) -> str:
    """Rules that do not count for this athlete, by name."""
    short = [flag.rule.title for flag in row.flags if flag.standing is Standing.TOO_LITTLE_DATA]
    snoozed = [flag.rule.title for flag in row.raised if flag not in shown.standing(row)]
    lists = {"not enough data": short, "snoozed": snoozed}
    found = [f"{why}: {', '.join(titles)}" for why, titles in lists.items() if titles]
    return md("; ".join(["to-dos", *found]))


def _sum(shown: VisibleRoster, row: RosterRow) -> str:
    """`(1.78 + 0.5 × 1.04 + 0.69) × 1.25 = 3.7`."""
    parts = row.topics_of(shown.standing(row))
    topics = [
        " + ".join([number(first, 2), *([f"0.5 × {number(sum(rest), 2)}"] if rest else [])])
        for first, *rest in parts
    ]
    factors = [
        *([f"× {number(row.topics_factor(parts), 2)} ({len(parts)} topics)"] if len(parts) > 1 else []),
        *([f"× 1.25 ({md(near_event(row))})"] if near_event(row) else []),
    ]
    total = " + ".join(topics)
    if factors and (len(parts) > 1 or "+" in total):
        total = f"({total})"
    return f"{' '.join([total, *factors])} = **{number(shown.concern(row), 1)}**"


def _factors(flag: Flag) -> str:
    days = f"{formats.count(flag.days_standing, 'day')}" if flag.days_standing else ""
    urgency = f"× {number(flag.urgency)} new illness" if flag.urgency > 1 else ""
    far = "" if isnan(flag.deviations) else f"{number(flag.deviations, 1)} SD from the mean"
    known = (f"topic {flag.rule.topic}", f"weight {number(flag.rule.weight, 1)}", urgency, far, days)
    facts = ", ".join(part for part in known if part)
    return f"{number(flag.severity, 2)} ({facts})"
