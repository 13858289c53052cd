"""The verdict on the morning: cases from `flag_cases` with a coach's verdict, and data that allow no verdict."""

from dataclasses import replace

import numpy as np
import pytest

import flag_cases
from coachboard.flags.morning import RULE, SIGN, SIGNS, Morning, morning_verdict
from coachboard.pages.athlete.headline import morning_words
from coachboard.plurals import duration_hm
from flag_cases import CASES, HEART, HIGH_HEART, HRV, LOW_HRV, SHORT_SLEEP, note, tail

OF_NAME = {case.name: case for case in CASES}


@pytest.mark.parametrize(
    ("name", "morning"),
    [
        ("steady weeks", "normal recovery"),
        ("steady weeks, one bad night", "normal recovery"),
        ("steady weeks, one low HRV", "normal recovery"),
        ("HRV at the edge of the normal range", "normal recovery"),
        ("habitual short sleeper", "normal recovery"),
        ("napper with short nights", "normal recovery"),
        ("lower HRV than usual with everything else normal", "poor recovery"),
        ("infection brewing: no note, HRV low and heart rate high", "poor recovery"),
        ("jet lag: three short nights", "poor recovery"),
        ("fever noted today", "ill"),
        ("cold noted two days ago, no training since", "ill"),
        ("cold closed by a note", "normal recovery"),
        ("cold closed by a normal week", "normal recovery"),
        ("blood test", "normal recovery"),
        ("sprained ankle noted yesterday", "normal recovery"),
        ("taper, HRV higher than usual", "normal recovery"),
    ],
)
def test_a_coach_would_say_the_same(name, morning):
    assert str(morning_verdict(OF_NAME[name].athlete).morning) == morning


def test_one_sign_within_a_standard_deviation_is_a_watch():
    """Resting heart rate varies by 5 bpm: 3.2 bpm more than usual is 0.9 SD."""
    wide = [44.0, 54.0, 49.0, 47.0, 51.0, 45.0, 53.0] * 13
    found = morning_verdict(flag_cases.case("", heart=tail(wide, 52.2, 52.2, 52.2)).athlete)

    assert found.morning is Morning.WATCH
    assert [words[:26] for words in found.deciding] == ["3-night resting heart rate"]
    assert len(found.normal) == 2
    assert "); no concern: 7-day HRV " in morning_words(found)


def test_two_signs_decide_and_both_are_named():
    found = morning_verdict(flag_cases.case("", hrv=LOW_HRV, heart=HIGH_HEART, sleep=SHORT_SLEEP).athlete)

    assert found.morning is Morning.POOR
    assert [" ".join(words.split()[:2]) for words in found.deciding] == [
        "7-day HRV",
        "3-night resting",
        "3-night sleep",
    ]
    assert found.normal == found.unknown == ()


def test_illness_decides_with_its_own_words_before_the_signs():
    found = morning_verdict(flag_cases.case("", medical=[note(1, "Fever")], hrv=LOW_HRV).athlete)

    assert found.morning is Morning.ILL
    assert found.deciding[0] == "Fever"
    assert found.deciding[1].startswith("7-day HRV")


def test_one_known_sign_that_is_normal_is_no_verdict():
    steady = OF_NAME["steady weeks"].athlete
    nothing = np.full(91, np.nan)

    one = morning_verdict(replace(steady, hrv_ms=nothing, resting_hr_bpm=nothing))
    two = morning_verdict(replace(steady, hrv_ms=nothing))

    assert (one.morning, two.morning) == (Morning.UNKNOWN, Morning.NORMAL)
    assert one.unknown == ("HRV: needs 14 nights, has 0", "resting heart rate: needs 14 nights, has 0")
    assert morning_words(one).startswith("3-night sleep 7h")
    assert "; HRV: needs 14 nights, has 0; resting heart rate: needs" in morning_words(one)


def test_a_single_known_sign_that_is_poor_is_not_hidden():
    steady = OF_NAME["steady weeks"].athlete
    nothing = np.full(91, np.nan)
    found = morning_verdict(
        replace(steady, hrv_ms=nothing, asleep_h=nothing, resting_hr_bpm=np.array(HIGH_HEART))
    )

    assert found.morning is Morning.POOR


def test_old_nights_are_no_verdict_on_this_morning():
    old = flag_cases.case(
        "", hrv=tail(HRV, *[np.nan] * 3), heart=tail(HEART, *[np.nan] * 3), sleep=[np.nan] * 91
    )
    found = morning_verdict(old.athlete)

    assert found.morning is Morning.UNKNOWN
    assert found.unknown[:2] == (
        "HRV: newest night 3 days ago",
        "resting heart rate: newest night 3 days ago",
    )


def test_the_rule_next_to_the_verdict_names_every_limit():
    assert "2 signs" in RULE
    assert "1 SD off the mean" in RULE
    assert "at least 2 of HRV, resting heart rate and sleep" in RULE
    assert "more than the measurement error" in RULE


def test_the_rule_of_the_verdict_defines_a_sign_by_the_limits_in_use():
    limits = [f"{limit:g} {unit}" for (*_, limit), unit in zip(SIGNS[:2], ("SD", "bpm"), strict=True)]

    assert SIGN in RULE
    assert all(words in SIGN for words in [*limits, duration_hm(SIGNS[2][-1] * 3600)])
