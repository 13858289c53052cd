"""A raised flag in one line: the rule, the value with its unit, the normal range, for how long it is active, how old it is."""

import math

import pytest

from coachboard.analytics.flags.flag_rules import BY_ID, RULES
from coachboard.analytics.flags.flags import Flag, Standing
from coachboard.views.roster.flags import line_of


def line(rule_id, value=math.nan, low=math.nan, high=math.nan, **changes):
    rule = BY_ID[rule_id]
    fields = {"days_standing": 3, "as_of": None, "age_d": 1} | changes
    flag = Flag(rule, Standing.RAISED, rule.threshold, value, low, high, **fields)
    return line_of(flag).replace("\\", "")


@pytest.mark.parametrize(
    ("rule_id", "numbers", "says"),
    [
        (
            "hrv_low",
            (58.2, 62, 70),
            "7-day mean 58 ms, normal 62–70 ms, flagged for 3 days, data 1 day old",
        ),
        ("hrv_low", (94.7, 95.2, 101.8), "7-day mean 94.7 ms, normal 95.2–101.8 ms"),
        ("resting_hr_high", (53, 46, 48), "3-night mean 53 bpm, normal 46–48 bpm"),
        ("sleep_short", (5.42, 7, 8), "3-night mean 5:25 h, normal 7:00–8:00 h"),
        ("form_low", (-41.2, -37, 2), "form −41 % of fitness, normal −37 to 2 %"),
        ("load_jump", (1.62, 0.74, 1.25), "acute:chronic ratio 1.62, normal 0.74–1.25"),
        ("monotony_high", (2.47, 0.86, 1.74), "monotony 2.47, normal 0.86–1.74"),
        ("over_plan", (163, 80, 120), "time done 163 % of the planned time, on target: 80–120 %"),
        ("missed_sessions", (2, 0, 7), "2 of 7 sessions"),
        ("hard_meets_poor_recovery", (2, 0, 3), "2 of 3 signs"),
        ("hard_meets_poor_recovery", (1, 0, 3), "1 of 3 signs"),
        ("feeling_low", (1.67, 2.5, 3.5), "mean feel score 1.7 of 5, normal 2.5–3.5 of 5"),
        ("no_session", (21, 1, 1.2), "21 days, normal 1 day,"),
    ],
)
def test_each_number_names_its_quantity_and_its_reference(rule_id, numbers, says):
    assert says in line(rule_id, *numbers)


def test_the_rule_is_shown_with_its_threshold():
    assert "last 3 nights below 6 h of sleep" in line("sleep_short", 5, 7, 8)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_no_rule_shows_a_number_that_is_not_there(rule):
    assert "nan" not in line(rule.id).lower()


def test_what_came_in_today_is_not_called_old():
    assert "data from today" in line("medical_note", age_d=0)
