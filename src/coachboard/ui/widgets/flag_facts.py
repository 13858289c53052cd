"""Flags in words, the same on every page: value, limit, normal range, days flagged, age of the data, and the rule."""

from collections.abc import Iterable, Sequence
from math import isnan

import streamlit as st

from coachboard.flags.flag import Flag
from coachboard.ui.frame import formats
from coachboard.ui.frame.formats import number
from coachboard.ui.frame.text import md, md_lines, plain
from coachboard.ui.widgets import formula_help

_LONGEST_NOTE = 120


def draw_facts(flags: Sequence[Flag]) -> None:
    """A line per flag with its values and the text of its note; a long note opens whole below."""
    st.markdown("\n".join(map(facts_of, flags)) or "No active flags.")
    if long := [flag.note for flag in flags if len(flag.note) > _LONGEST_NOTE]:
        with st.expander("Whole note" if len(long) == 1 else "Whole notes"):
            st.markdown("\n\n".join(map(md_lines, long)))


def note_words(flags: Iterable[Flag], *, longest: int) -> str:
    """The text of the first note behind the flags, shortened, for a table; of a flag below the first with its title."""
    for place, flag in enumerate(flags):
        if text := plain(flag.note, longest=longest):
            return f"“{text}”" if place == 0 else f"{flag.rule.title}: “{text}”"
    return ""


def draw_rules(flags: Iterable[Flag]) -> None:
    """The rule of each kind of flag, once and on demand; each opens to its window, missing data and an example."""
    by_rule = {flag.rule.id: flag for flag in flags}
    if by_rule:
        with st.expander("When is an athlete flagged?"):
            for flag in by_rule.values():
                st.markdown(
                    f"**{md(flag.rule.title)}**: {md(flag.rule.sentence(flag.threshold))}.",
                    help=formula_help.text_of(
                        flag.rule.read, window="this morning; the rule names its days."
                    ),
                )
            st.caption("The page Settings changes these limits.")


def facts_of(flag: Flag) -> str:
    """The flag's values as a line of a list."""
    facts = [_value_with_bounds(flag), flag.detail, _days_active(flag), _data_age(flag)]
    note = f" “{md(flag.note, longest=_LONGEST_NOTE)}”" if flag.note else ""
    return f"- **{md(flag.rule.title)}**: {', '.join(md(fact) for fact in facts if fact)}.{note}"


def reason_of(flag: Flag) -> str:
    """The flag in a sentence about a plan: `low HRV (7-day mean 53 ms, normal 66–79 ms)`, or the words of its note."""
    value = _value(flag) if flag.rule.has_normal else ""
    facts = ", ".join(fact for fact in (value, _normal(flag)) if fact)
    if facts:
        return f"{title_inside(flag)} ({facts})"
    note = f"“{flag.note}”" if flag.note else ""
    words = " ".join(text for text in (flag.detail, note) if text)
    return f"{title_inside(flag)}: {words}" if words else title_inside(flag)


def title_inside(flag: Flag) -> str:
    """The title within a sentence."""
    return f"{flag.rule.title[:1].lower()}{flag.rule.title[1:]}"


def _value_with_bounds(flag: Flag) -> str:
    value = _value(flag)
    limit = "" if isnan(flag.limit) else f"limit {_written(flag, flag.limit)}"
    bounds = ", ".join(bound for bound in (limit, _normal(flag)) if bound)
    return f"{value} ({bounds})" if value and bounds else value


def _value(flag: Flag) -> str:
    if isnan(flag.value):
        return ""
    return flag.rule.detail.format(value=_written(flag, flag.value), high=number(flag.high))


def _normal(flag: Flag) -> str:
    if isnan(flag.low) or isnan(flag.high) or not flag.rule.has_normal:
        return ""
    low, high = _number(flag, flag.low), _written(flag, flag.high)
    return f"normal {high}" if low == _number(flag, flag.high) else f"normal {low}–{high}"


def _written(flag: Flag, value: float) -> str:
    """The value or bound with its unit; hours as a duration."""
    unit = "" if flag.rule.unit == "h" else flag.rule.unit_of_value(value)
    return f"{_number(flag, value)} {unit}".rstrip()


def _number(flag: Flag, value: float) -> str:
    """Precise enough to show on which side of the limit the value is."""
    return formats.hours(value) if flag.rule.unit == "h" else number(value, flag.shown_digits)


def _days_active(flag: Flag) -> str:
    return f"flagged for {formats.count(flag.days_active, 'day')}" if flag.days_active else ""


def _data_age(flag: Flag) -> str:
    if flag.age_d is None:
        return ""
    near = {0: "today", 1: "yesterday"}
    return f"data from {near.get(flag.age_d) or formats.count(flag.age_d, 'day') + ' ago'}"
