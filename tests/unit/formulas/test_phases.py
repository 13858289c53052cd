"""Training phases from races and load, with days and loads counted by hand."""

from datetime import date, timedelta

import numpy as np
import pytest

from coachboard.formulas.season.phases import Phase, PhaseKind, season_phases

FIRST = date(2026, 1, 1)
BASE, BUILD, TAPER, RACE, RECOVERY = PhaseKind


def on(number):
    return FIRST + timedelta(days=number)


def weeks(*loads):
    """Weeks of equal days with these loads."""
    return np.repeat(np.array(loads, float) / 7, 7)


def phases(load, races, *, length=None, first_at=0):
    days = [on(n) for n in range(length or len(load))]
    found = season_phases(days, load, [on(n) for n in races], first_at=first_at)
    return [(one.kind, (one.first - FIRST).days, (one.last - FIRST).days) for one in found]


def test_a_year_towards_a_race_has_base_build_taper_race_and_recovery():
    """30 weeks, race on the first day of week 31: base from 24 weeks before it, build from 12 weeks, taper of 2 weeks."""
    load = np.concatenate([weeks(*[400] * 28, 240, 200), [300], weeks(100, 200, 400)])

    assert phases(load, [210]) == [
        (BASE, 42, 125),
        (BUILD, 126, 195),
        (TAPER, 196, 209),
        (RACE, 210, 210),
        (RECOVERY, 211, 224),
    ]


def test_a_phase_has_its_mean_weekly_load():
    load = np.concatenate([weeks(*[400] * 28, 240, 200), [300]])
    found = season_phases([on(n) for n in range(211)], load, [on(210)])

    assert found[2] == Phase(TAPER, on(196), on(209), pytest.approx(220))
    assert [round(one.load_per_week) for one in found] == [400, 400, 220, 2100]


@pytest.mark.parametrize(
    ("before", "taper_weeks"),
    [
        ((319, 319, 319), 3),  # 80 % of 400 = 320
        ((330, 300, 300), 2),  # 80 % of (3 · 400 + 330) / 4 = 306
        ((330, 330, 290), 1),  # 80 % of 365 = 292
        ((330, 330, 300), 0),
        ((400, 400, 61), 1),  # 15 % of 400 = 60
        ((400, 400, 59), 0),  # a week without training is no taper
        ((200, 330, 260), 1),  # the week in between is not reduced; 80 % of 332.5 = 266
    ],
)
def test_the_taper_is_the_longest_run_of_reduced_weeks_before_the_race(before, taper_weeks):
    found = phases(np.concatenate([weeks(*[400] * 10, *before), [0]]), [91])
    tapers = [one for one in found if one[0] is TAPER]

    assert tapers == ([(TAPER, 91 - 7 * taper_weeks, 90)] if taper_weeks else [])


def test_a_recovery_week_of_the_plan_stays_in_its_phase_and_an_illness_has_none():
    """240 is 60 % of the usual 400; 120 is 30 %."""
    load = weeks(*[400] * 6, 240, 400, 120, *[400] * 3)

    assert phases(load, [84], length=85) == [(BUILD, 28, 55), (BUILD, 63, 83), (RACE, 84, 84)]


def test_recovery_ends_at_the_first_week_that_is_not_reduced_and_after_four_weeks():
    short = phases(np.concatenate([weeks(*[400] * 8), [0], weeks(319, 330, 100)]), [56])
    long = phases(np.concatenate([weeks(*[400] * 8), [0], weeks(*[100] * 6)]), [56])

    assert short[-1] == (RECOVERY, 57, 63)
    assert long[-1] == (RECOVERY, 57, 84)


def test_training_for_the_next_race_begins_after_the_recovery():
    """The second race is 10 weeks after the first: its build would begin in the recovery."""
    load = np.concatenate([weeks(*[400] * 8), [0], weeks(100, 100, *[400] * 7)])

    assert phases(load, [56, 126], length=127) == [
        (BUILD, 28, 55), (RACE, 56, 56), (RECOVERY, 57, 70), (BUILD, 71, 118), (RACE, 126, 126),
    ]  # fmt: skip


@pytest.mark.parametrize(("gap", "spans"), [(14, [(56, 70)]), (15, [(56, 56), (71, 71)])])
def test_races_two_weeks_apart_are_one_phase(gap, spans):
    found = phases(weeks(*[400] * 12), [56 + gap, 56])

    assert [(first, last) for kind, first, last in found if kind is RACE] == spans


def test_the_first_weeks_and_the_days_after_the_plan_have_no_phase():
    """The first session is on day 21; the plan ends after 12 weeks, the race is 16 weeks ahead."""
    load = np.concatenate([np.zeros(21), weeks(*[400] * 9)])

    assert phases(load, [112], length=113, first_at=21) == [(BUILD, 49, 83), (RACE, 112, 112)]


@pytest.mark.parametrize("load", [np.zeros(200), weeks(*[400] * 20)])
def test_without_a_race_or_load_there_is_no_training_phase(load):
    races = [] if load.any() else [150]

    assert phases(load, races) == [(RACE, day, day) for day in races]


def test_a_race_after_the_days_shown_still_makes_build_and_base():
    """The race is 10 weeks after the last day: the last 2 weeks are build, those before are base."""
    assert phases(weeks(*[400] * 10), [140]) == [(BASE, 28, 55), (BUILD, 56, 69)]
    assert phases(weeks(*[400] * 10), [70 + 24 * 7]) == []


def test_a_rest_from_the_second_week_after_a_race_is_no_recovery_from_it():
    load = np.concatenate([weeks(*[400] * 8), [0], weeks(400, 100, 100)])

    assert [one for one in phases(load, [56]) if one[0] is RECOVERY] == []


def test_no_days_have_no_phases():
    assert season_phases([], [], [FIRST]) == ()
