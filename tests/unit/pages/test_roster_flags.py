"""A raised flag in one line: the rule, the value with its unit, the normal range, for how long it is active, how old it is."""

import math

import pytest
from streamlit.testing.v1 import AppTest

from coachboard.flags.engine import RULES, RULES_BY_ID
from coachboard.flags.flag import Flag
from coachboard.ui.widgets.flag_facts import facts_of


def line(rule_id, value=math.nan, low=math.nan, high=math.nan, limit=math.nan, **changes):
    rule = RULES_BY_ID[rule_id]
    fields = {
        "value": value,
        "low": low,
        "high": high,
        "limit": limit,
        "days_active": 3,
        "age_d": 1,
    } | changes
    return facts_of(Flag(rule=rule, threshold=rule.threshold, is_raised=True, **fields)).replace("\\", "")


@pytest.mark.parametrize(
    ("rule_id", "numbers", "says"),
    [
        (
            "hrv_low",
            (58.2, 62, 70, 60.9),
            "7-day mean 58 ms (limit 61 ms, normal 62–70 ms), flagged for 3 days, data from yesterday",
        ),
        ("hrv_low", (94.7, 95.2, 101.8, 94.9), "7-day mean 94.7 ms (limit 94.9 ms, normal 95.2–101.8 ms)"),
        ("resting_hr_high", (53, 46, 48, 52), "3-night mean 53 bpm (limit 52 bpm, normal 46–48 bpm)"),
        ("sleep_short", (5.42, 7, 7, 6), "3-night mean 5h25 (limit 6h00, normal 7h00)"),
        ("sleep_short", (5.42, 7, 8, 6), "3-night mean 5h25 (limit 6h00, normal 7h00–8h00)"),
        (
            "form_low",
            (-31.2, -20, 11, -10),
            "form −31 (limit −10), flagged",
        ),
        (
            "form_low",
            (-35.2, -20, 11, -35),
            "form −35.2 (limit −35.0), flagged",
        ),
        ("load_jump", (1.62, 0.74, 1.25, 1.5), "acute:chronic ratio 1.62 (limit 1.50), flagged"),
        ("monotony_high", (2.47, 0.86, 1.74, 2), "7-day monotony 2.47 (limit 2.00), flagged"),
        (
            "over_plan",
            (163, 80, 120, 150),
            "time done in 7 days 163 % of the planned time (limit 150 %), flagged",
        ),
        ("missed_sessions", (2, 0, 7, 2), "2 of 7 planned in the last 7 days (limit 2), flagged"),
        (
            "feeling_low",
            (1.67, 2.5, 3.5, 2),
            "mean of the last 3 feel scores 1.7 of 5 (limit 2.0 of 5, normal 2.5–3.5 of 5)",
        ),
        ("no_session", (21, 1, 1.2, 5), "21 days (limit 5 days), flagged"),
    ],
)
def test_each_number_names_its_quantity_and_its_reference(rule_id, numbers, says):
    assert says in line(rule_id, *numbers)


def test_a_combined_flag_names_its_signs_and_counts_none():
    found = line(
        "hard_meets_poor_recovery", 1, 0, 3, detail="threshold today; 3-night sleep 5h16", days_active=0
    )

    assert (
        found
        == "- **Hard session, poor recovery**: threshold today; 3-night sleep 5h16, data from yesterday."
    )


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_no_rule_shows_a_number_that_is_not_there(rule):
    assert "nan" not in line(rule.id).lower()


def test_data_of_today_have_the_age_today():
    assert "data from today" in line("medical_note", age_d=0)


def test_the_text_of_a_note_follows_its_flag_as_plain_text():
    found = line(
        "medical_note", detail="Cough is back (illness)", note="Only in the\nevening. <b>No</b> fever."
    )

    assert found.endswith("data from yesterday. “Only in the evening. <b>No</b> fever.”")


@pytest.mark.parametrize("length", [120, 121])
def test_a_long_note_is_cut_and_opens_whole(length):
    """It was whole in a hint alone."""

    def page(note):
        from coachboard.flags.engine import RULES_BY_ID  # noqa: PLC0415 (a script of its own)
        from coachboard.flags.flag import Flag  # noqa: PLC0415
        from coachboard.ui.widgets.flag_facts import draw_facts  # noqa: PLC0415

        draw_facts([Flag(rule=RULES_BY_ID["medical_note"], threshold=3, is_raised=True, note=note)])

    note = ("Calf hurts " * 20)[:length].strip().ljust(length, "!")
    at = AppTest.from_function(page, args=(note,)).run()
    inside = [whole.value.replace("\\", "") for box in at.expander for whole in box.markdown]

    is_whole = length == 120
    assert (note in at.markdown[0].value.replace("\\", "")) == is_whole
    assert inside == ([] if is_whole else [note])
