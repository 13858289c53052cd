"""The flags of sixty mornings are those that a coach wants to see: precision and recall over all rules."""

import re
from functools import cache
from math import isnan

import pytest

from coachboard.flags.engine import RULES, evaluate, priority, raised, todos, with_threshold
from flag_cases import CASES, ORDER


@cache
def mornings():
    """The flags of each morning, by its name."""
    return {case.name: evaluate(case.athlete) for case in CASES}


def shown(case):
    flags = mornings()[case.name]
    return {flag.rule.id for flag in (*raised(flags), *todos(flags))}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_coach_sees_the_flags_of_the_morning_and_no_others(case):
    assert shown(case) == case.sees


def test_precision_and_recall_over_all_mornings_are_one():
    """Stated as numbers: a change of a rule that costs either is visible here."""
    pairs = [(shown(case), case.sees) for case in CASES]
    right = sum(len(found & wanted) for found, wanted in pairs)

    assert right / sum(len(found) for found, _ in pairs) == 1.0
    assert right / sum(len(wanted) for _, wanted in pairs) == 1.0
    assert len(CASES) >= 60


@pytest.mark.parametrize(("first", "second"), ORDER, ids=lambda case: case.name)
def test_a_coach_calls_the_first_athlete_before_the_second(first, second):
    assert priority(evaluate(first.athlete)) > priority(evaluate(second.athlete)) > 0


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_morning_raises_each_rule(rule):
    assert any(rule.id in case.sees for case in CASES)


def test_the_heaviest_rules_come_first_and_to_dos_last():
    groups = [(rule.is_todo, rule.is_supporting) for rule in RULES]
    weights = [rule.weight for rule in RULES if not (rule.is_todo or rule.is_supporting)]

    assert groups == sorted(groups)
    assert weights == sorted(weights, reverse=True)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_is_one_sentence_that_a_coach_can_repeat(rule):
    text = rule.sentence()

    assert len(text.split()) <= 30, len(text.split())
    assert not re.search(r"[.!?](\s|$)", text)


@pytest.mark.parametrize("case", CASES[::9], ids=lambda case: case.name)
def test_one_changed_threshold_gives_the_same_flags_as_a_full_evaluation(case):
    before = mornings()[case.name]

    for rule in RULES:
        for value in rule.bounds:
            quick = with_threshold(before, case.athlete, rule.id, value)
            full = evaluate(case.athlete, {rule.id: value})
            assert [(f.rule.id, f.is_raised, f.threshold) for f in quick] == [
                (f.rule.id, f.is_raised, f.threshold) for f in full
            ]


NORMAL = {"form_low": 0, "load_jump": 1, "monotony_high": 0, "over_plan": 100, "missed_sessions": 0, "no_session": 0,
          "feeling_low": 5}  # fmt: skip
"""The others have the mean of the athlete, in the middle of the normal range; of HRV the geometric one."""


@pytest.mark.parametrize("rule", [rule for rule in RULES if not rule.is_todo], ids=lambda rule: rule.id)
def test_how_far_is_the_distance_from_normal_where_that_of_the_limit_is_one(rule):
    found = [flag for flags in mornings().values() for flag in flags if flag.rule is rule and flag.is_raised]

    assert found
    for flag in found:
        if isnan(flag.limit) or isnan(flag.normal):
            assert flag.distance >= 1
            continue
        middle = (flag.low * flag.high) ** 0.5 if rule.id == "hrv_low" else (flag.low + flag.high) / 2
        normal = NORMAL.get(rule.id, middle if rule.has_normal else flag.normal)
        assert flag.far == pytest.approx((flag.value - normal) / (flag.limit - normal))
        assert flag.far >= 1


def test_the_limit_that_a_flag_names_is_the_one_that_decides():
    """In each morning: a raised flag has passed its limit, and a value far on the other side raises none."""
    too_low = {"hrv_low", "sleep_short", "form_low", "feeling_low"}
    found = [flag for flags in mornings().values() for flag in flags if not isnan(flag.limit)]

    for flag in found:
        beyond = flag.limit - flag.value if flag.rule.id in too_low else flag.value - flag.limit
        if flag.is_raised:
            assert beyond >= -1e-9, flag
    raised_rules = {flag.rule.id for flag in found if flag.is_raised}
    assert raised_rules >= too_low | {"resting_hr_high", "over_plan", "missed_sessions", "no_session"}
    for flag in found:
        if flag.rule.id == "resting_hr_high":
            mean, deviation = (flag.low + flag.high) / 2, flag.high - flag.low
            above = min(flag.threshold, max(2 * deviation, 3))
            assert flag.limit == pytest.approx(max(mean + above, flag.high + 1))
        if flag.rule.id == "sleep_short" and not isnan(flag.low):
            assert flag.limit == pytest.approx(min(flag.threshold, flag.low - 0.25))
        if flag.rule.id == "hrv_low":
            assert flag.limit <= flag.low - 1 + 1e-9
