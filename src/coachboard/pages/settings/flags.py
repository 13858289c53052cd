"""The rules of the roster's flags, each with its threshold; a change shows its effect on the squad before it is saved."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from coachboard.flags.engine import RULES, raised, todos, with_threshold
from coachboard.flags.flag import Flag, FlagRule
from coachboard.loaders.flag_snooze import FlagOf, load_snoozes
from coachboard.loaders.preferences import Preferences, load_preferences
from coachboard.loaders.roster_row import RosterRow
from coachboard.pages.squad_rows import Roster, squad_rows
from coachboard.ui.frame import choices, formats, state, theme
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md
from coachboard.ui.widgets.lazy_section import is_near

_LOADING = "settings.flags_loading"
_FIRST_LOOK_S, _TICK_S = 1.0, 1.0
_MOST_NAMES = 6


class Change(NamedTuple):
    """Ids of athletes before and after a change."""

    before: frozenset[str]
    after: frozenset[str]

    @property
    def new(self) -> frozenset[str]:
        return self.after - self.before

    @property
    def gone(self) -> frozenset[str]:
        return self.before - self.after


class ThresholdEffect(NamedTuple):
    """The athletes that the rule flags, and those with any flag."""

    rule: Change
    any_flag: Change


def threshold_effect(
    rows: Iterable[RosterRow],
    rule_id: str,
    threshold: float,
    *,
    snoozed: Collection[FlagOf] = (),
) -> ThresholdEffect:
    """Evaluate the loaded rows with the rule's new threshold; no request. Snoozed flags do not count, as on the roster."""
    athletes = tuple(rows)
    after = {row.user.id: with_threshold(row.flags, row.days, rule_id, threshold) for row in athletes}
    before = {row.user.id: row.flags for row in athletes}
    named = [_by_rule(flags_by_athlete, rule_id, snoozed) for flags_by_athlete in (before, after)]
    listed = [_by_any(flags_by_athlete, snoozed) for flags_by_athlete in (before, after)]
    return ThresholdEffect(Change(*named), Change(*listed))


def _by_rule(
    flags_by_athlete: Mapping[str, tuple[Flag, ...]], rule_id: str, snoozed: Collection[FlagOf]
) -> frozenset[str]:
    return frozenset(
        user_id
        for user_id, flags in flags_by_athlete.items()
        if FlagOf(user_id, rule_id) not in snoozed
        and any(flag.rule.id == rule_id for flag in (*raised(flags), *todos(flags)))
    )


def _by_any(flags_by_athlete: Mapping[str, tuple[Flag, ...]], snoozed: Collection[FlagOf]) -> frozenset[str]:
    return frozenset(
        user_id
        for user_id, flags in flags_by_athlete.items()
        if any(FlagOf(user_id, flag.rule.id) not in snoozed for flag in raised(flags))
    )


def draw_flags(page: Page) -> None:
    """A field per rule, with the rule in words, in two columns if there is room; for people who coach.

    While a shown effect waits for rows, the section redraws itself.
    """
    if not page.coaches:
        return
    st.header("Flag thresholds", anchor=False)
    st.fragment(_draw, run_every=_TICK_S if state.get(_LOADING) else None)(page)


def _draw(page: Page) -> None:
    if not is_near("settings.flags", shows="thresholds"):
        return
    # Read the settings again: a change reruns this fragment only, and the page's copy is older.
    page = replace(page, preferences=load_preferences(page.store, page.fingerprint))
    half = (len(RULES) + 1) // 2
    is_loading = False
    for column, rules in zip(st.columns(2, gap="large"), (RULES[:half], RULES[half:]), strict=True):
        with column:
            for rule in rules:
                is_loading |= _draw_rule(page, rule)
    if page.preferences.flag_thresholds:
        st.button(
            "Reset to defaults",
            key="settings.flags_default",
            icon=":material/undo:",
            on_click=_take_defaults,
            args=(page,),
        )
    if is_loading != bool(state.get(_LOADING)):
        state.put(_LOADING, is_loading)
        st.rerun()


def _draw_rule(page: Page, rule: FlagRule) -> bool:
    """The field; with an unsaved value also its effect. True while the effect waits for rows."""
    key, in_force = _key(rule), _in_force(page, rule)
    state.put_default(key, in_force)
    field, words = st.columns([2, 3], gap="small")
    with field:
        value = st.number_input(
            f"{rule.title} ({rule.unit})" if rule.unit else rule.title,
            float(rule.bounds[0]),
            float(rule.bounds[1]),
            in_force,
            key=key,
            step=_step(rule),
            format="%g",
            help=md(f"Source: {rule.source}."),
        )
    # A cleared field and a stepper's 0.30000000000000004 change nothing.
    value = in_force if value is None else round(value, 6)
    with words:
        default = "" if in_force == rule.threshold else f" Default: {formats.number(rule.threshold, 1)}."
        st.caption(md(f"{rule.sentence(value)}.{default}"))
    return value != in_force and _draw_change(page, rule, value)


def _draw_change(page: Page, rule: FlagRule, value: float) -> bool:
    is_loading = _draw_effect(page, rule, value) if page.athletes else False
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Save",
            key=f"{_key(rule)}.save",
            type=theme.main_button(),
            on_click=_save,
            args=(page, rule, value),
            help=md(f"Save {rule.title}: {_amount(rule, value)}"),
        )
        st.button("Discard", key=f"{_key(rule)}.discard", on_click=_discard, args=(page, rule))
    return is_loading


def _draw_effect(page: Page, rule: FlagRule, value: float) -> bool:
    fill = squad_rows(page)
    fill.go_on()
    fill.wait(_FIRST_LOOK_S)
    roster = fill.look()
    st.markdown(_effect_words(page, rule, value, roster))
    return roster.is_filling


def _effect_words(page: Page, rule: FlagRule, value: float, roster: Roster) -> str:
    rows = roster.rows.values()
    snoozed = {
        flag
        for flag, snooze in load_snoozes(page.store, page.fingerprint, today=page.today).items()
        if flag.user_id in roster.rows and snooze.until >= roster.rows[flag.user_id].today
    }
    effect = threshold_effect(rows, rule.id, value, snoozed=snoozed)
    names = {athlete.id: athlete.name for athlete in page.athletes}
    athletes = formats.count(len(roster.rows), "athlete")
    if missing := len(page.athletes) - len(roster.rows):
        athletes += (
            f" loaded so far; {missing} missing" if roster.waiting else f"; {missing} could not be loaded"
        )
    parts = [f"With {_amount(rule, value)}, this rule flags {_count(effect.rule)} of {athletes}"]
    parts += _names(effect.rule, names)
    if rule.is_todo:
        return f"{'. '.join(parts)}."
    parts.append(f"Athletes with a flag: {_count(effect.any_flag)}")
    parts += _names(effect.any_flag, names)
    return f"{'. '.join(parts)}."


def _amount(rule: FlagRule, value: float) -> str:
    """`20 days`, `−40 %`, `1.5`."""
    return f"{value:g} {rule.unit_of(value)}".rstrip().replace("-", "−")


def _count(change: Change) -> str:
    return f"**{len(change.after)}** (saved: {len(change.before)})"


def _names(change: Change, names: dict[str, str]) -> list[str]:
    """The athletes who come and go; empty without a change."""
    lists = {"New": change.new, "No longer": change.gone}
    return [f"{word}: {_listed(ids, names)}" for word, ids in lists.items() if ids]


def _listed(ids: frozenset[str], names: dict[str, str]) -> str:
    sorted_names = sorted((names.get(user_id, user_id) for user_id in ids), key=str.casefold)
    more = len(sorted_names) - _MOST_NAMES
    # Isolated, so that a name written from right to left does not reorder the sentence.
    return ", ".join(
        [
            *(f"\u2068{md(name)}\u2069" for name in sorted_names[:_MOST_NAMES]),
            *([f"{more} more"] if more > 0 else []),
        ]
    )


def _in_force(page: Page, rule: FlagRule) -> float:
    return float(page.preferences.flag_thresholds.get(rule.id, rule.threshold))


def _key(rule: FlagRule) -> str:
    return f"settings.flag.{rule.id}"


def _step(rule: FlagRule) -> float:
    """Whole days, sessions and beats; tenths if the default is a small number."""
    return 1.0 if rule.is_counted or rule.unit in {"bpm", "%"} else 0.1


def _save(page: Page, rule: FlagRule, value: float) -> None:
    def change(kept: Preferences) -> Preferences:
        thresholds = dict(kept.flag_thresholds)
        if value == rule.threshold:
            thresholds.pop(rule.id, None)
        else:
            thresholds[rule.id] = value
        return replace(kept, flag_thresholds=thresholds)

    choices.keep(page, change, _key(rule))


def _discard(page: Page, rule: FlagRule) -> None:
    state.put(_key(rule), _in_force(page, rule))


def _take_defaults(page: Page) -> None:
    for rule in RULES:
        state.put(_key(rule), float(rule.threshold))
    choices.keep(page, lambda kept: replace(kept, flag_thresholds={}), *map(_key, RULES))
