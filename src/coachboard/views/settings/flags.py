"""The rules of the roster's flags, each with the threshold in force, which may be changed."""

from dataclasses import replace

import streamlit as st

from coachboard.analytics.flag_rules import RULES, Rule
from coachboard.loaders.preferences import Preferences, load_preferences
from coachboard.views import choices, formats, state
from coachboard.views.lazy_section import is_near
from coachboard.views.shell import Page
from coachboard.views.text import md


@st.fragment
def draw_flags(page: Page) -> None:
    """A field a rule, with the rule in words beside it; two columns where there is room."""
    if not is_near("settings.flags", shows="thresholds"):
        return
    # Read again: a change runs this part alone, and the page that was handed over is older than it.
    page = replace(page, preferences=load_preferences(page.store, page.fingerprint))
    half = (len(RULES) + 1) // 2
    for column, rules in zip(st.columns(2, gap="large"), (RULES[:half], RULES[half:]), strict=True):
        with column:
            for rule in rules:
                _draw_rule(page, rule)
    if page.preferences.flag_thresholds:
        st.button(
            "Reset to defaults",
            key="settings.flags_default",
            icon=":material/undo:",
            on_click=_take_defaults,
            args=(page,),
        )


def _draw_rule(page: Page, rule: Rule) -> None:
    key = _key(rule)
    in_force = float(page.preferences.flag_thresholds.get(rule.id, rule.threshold))
    state.put_default(key, in_force)
    field, words = st.columns([2, 3], vertical_alignment="bottom", gap="small")
    with field:
        st.number_input(
            rule.title,
            float(rule.bounds[0]),
            float(rule.bounds[1]),
            in_force,
            key=key,
            step=_step(rule),
            format="%g",
            on_change=_take_threshold,
            args=(page, rule),
            help=md(f"Needs {rule.minimum_data}. Source: {rule.source}."),
        )
    with words:
        default = "" if in_force == rule.threshold else f" Default: {formats.number(rule.threshold, 1)}."
        st.caption(md(f"{rule.says(in_force)}.{default}"))


def _key(rule: Rule) -> str:
    return f"settings.flag.{rule.id}"


def _step(rule: Rule) -> float:
    """Whole days, sessions and beats; tenths where the default itself is a small number."""
    return 1.0 if rule.unit in {"days", "sessions", "signs", "bpm", "%"} else 0.1


def _take_threshold(page: Page, rule: Rule) -> None:
    key = _key(rule)
    value = state.get(key)

    def change(kept: Preferences) -> Preferences:
        thresholds = dict(kept.flag_thresholds)
        if value is None or value == rule.threshold:
            thresholds.pop(rule.id, None)
        else:
            thresholds[rule.id] = float(value)
        return replace(kept, flag_thresholds=thresholds)

    choices.keep(page, change, key)


def _take_defaults(page: Page) -> None:
    for rule in RULES:
        state.put(_key(rule), float(rule.threshold))
    choices.keep(page, lambda kept: replace(kept, flag_thresholds={}), *map(_key, RULES))
