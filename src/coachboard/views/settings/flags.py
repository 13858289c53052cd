"""The rules of the roster's flags, each with its threshold, which can be changed."""

from dataclasses import replace

import streamlit as st

from coachboard.analytics.flags.flag_rules import RULES, FlagRule
from coachboard.loaders.preferences import Preferences, load_preferences
from coachboard.views.frame import choices, formats, state
from coachboard.views.frame.shell import Page
from coachboard.views.frame.text import md
from coachboard.views.widgets.lazy_section import is_near


@st.fragment
def draw_flags(page: Page) -> None:
    """A field per rule, with the rule in words; two columns if there is room."""
    if not is_near("settings.flags", shows="thresholds"):
        return
    # Read the settings again: a change reruns this fragment only, and the page's copy is older.
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


def _draw_rule(page: Page, rule: FlagRule) -> None:
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


def _key(rule: FlagRule) -> str:
    return f"settings.flag.{rule.id}"


def _step(rule: FlagRule) -> float:
    """Whole days, sessions and beats; tenths if the default is a small number."""
    return 1.0 if rule.unit in {"days", "sessions", "signs", "bpm", "%"} else 0.1


def _take_threshold(page: Page, rule: FlagRule) -> None:
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
