"""Pairs of sessions and plans, and comparisons in which one side is unknown."""

import math
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest

from coachboard.execution.adherence import (
    Adherence,
    Done,
    Planned,
    last_week,
    match_sessions,
    summarize,
)
from coachboard.formulas.season.daily_load import daily_load
from coachboard.wire.enums import NoteType, Sport, TrainingStimulus

MONDAY = date(2026, 3, 2)
TODAY = MONDAY + timedelta(days=3)


def plan(name, after, **given):
    return Planned(name, MONDAY + timedelta(days=after), Sport.CYCLING, **given)


def test_without_the_sessions_a_plan_shows_its_own_values_only():
    plans = [plan("due", 0), plan("sick", 1), plan("paired", 2, activity_id="act_1"), plan("ahead", 4)]
    excuses = [(MONDAY + timedelta(days=1), NoteType.MEDICAL)]
    found = match_sessions(plans, None, excuses=excuses, today=TODAY)

    assert {match.planned.id: match.adherence for match in found} == {
        "due": Adherence.UNKNOWN,
        "sick": Adherence.EXCUSED,
        "paired": Adherence.ON_TIME,
        "ahead": Adherence.AHEAD,
    }
    assert (summarize(found).due, summarize(found).done) == (1, 1)


@pytest.mark.parametrize(
    ("unread", "expected"),
    [
        ((), ["missed", "missed"]),
        ((MONDAY,), ["unknown", "missed"]),
        ((MONDAY + timedelta(days=3),), ["missed", "unknown"]),
        ((MONDAY + timedelta(days=40),), ["missed", "missed"]),
        ((None,), ["unknown", "unknown"]),
    ],
)
def test_a_plan_is_not_missed_if_a_session_around_its_day_could_not_be_read(unread, expected):
    found = match_sessions([plan("a", 0), plan("b", 2)], [], excuses=[], today=TODAY, unread=unread)

    assert [str(match.adherence) for match in found] == expected


def test_without_the_plans_no_session_is_unplanned():
    done = [Done("late", TODAY, Sport.CYCLING), Done("early", MONDAY, Sport.CYCLING)]
    found = match_sessions(None, done, excuses=[], today=TODAY)

    assert [(match.done.id, match.adherence) for match in found] == [
        ("early", Adherence.UNKNOWN),
        ("late", Adherence.UNKNOWN),
    ]


def test_the_load_of_sessions_that_are_not_known_is_not_rest():
    known, unknown = (daily_load(sessions, first=MONDAY, start=MONDAY, end=TODAY) for sessions in ([], None))

    assert known.volume.tolist() == [0, 0, 0, 0]
    assert np.isnan(unknown.volume).all()
    assert unknown.frame.isna().to_numpy().all()


HOUR = 3600.0


def ride(name, after, hours=1.0, **given):
    fields = {"sport": Sport.CYCLING, "duration_s": hours * HOUR} | given
    return Done(name, MONDAY + timedelta(days=after), **fields)


def pairs_of(plans, sessions, *, today=TODAY):
    found = match_sessions(plans, sessions, excuses=[], today=today)
    return {
        match.planned.id: match.done.id
        for match in found
        if match.planned is not None and match.done is not None
    }


@pytest.mark.parametrize("after", [3, 4])
def test_a_plan_of_today_or_later_waits_for_its_day_to_end(after):
    """A second ride of the day before, or one of today, does not take it off the list of next sessions."""
    ahead = plan("ahead", after, duration_s=HOUR)
    (first, *_) = match_sessions([ahead], [ride("extra", after - 1)], excuses=[], today=TODAY)[::-1]

    assert (first.planned, first.adherence, first.done) == (ahead, Adherence.AHEAD, None)
    assert pairs_of([ahead], [ride("extra", 2), ride("today", 3)]) == {}
    by_service = replace(ahead, activity_id="today")
    assert pairs_of([by_service], [ride("today", 3)]) == {"ahead": "today"}


def test_the_session_of_todays_plan_is_not_the_moved_one_of_yesterday():
    plans = [plan("yesterday", 2, duration_s=HOUR), plan("today", 3, duration_s=HOUR)]

    assert pairs_of(plans, [ride("done", 3)]) == {}
    assert pairs_of(plans, [ride("done", 3), ride("second", 3, 0.8)]) == {"yesterday": "second"}
    assert pairs_of(plans[:1], [ride("done", 3)]) == {"yesterday": "done"}


def test_a_plan_of_today_takes_no_session_of_another_day():
    """It fits yesterday's ride better, and left the plan of the day before without a session."""
    plans = [plan("before", 1, duration_s=HOUR), plan("today", 3, duration_s=1.3 * HOUR)]

    assert pairs_of(plans, [ride("yesterday", 2, 1.3)]) == {"before": "yesterday"}


def test_a_move_is_inferred_only_where_neither_side_has_a_better_partner():
    """Pair by pair from the nearest on, Monday's ride went to Monday's plan and left Tuesday's with none."""
    monday, tuesday = plan("monday", 0, duration_s=HOUR), plan("tuesday", 1, duration_s=1.4 * HOUR)

    assert pairs_of([monday, tuesday], [ride("a", 0)]) == {"monday": "a"}
    assert pairs_of([monday, tuesday], [ride("a", 1)]) == {"tuesday": "a"}
    assert pairs_of([monday, tuesday], [ride("a", 0), ride("b", 0, 1.4)]) == {"monday": "a", "tuesday": "b"}
    two = [plan("short", 0, duration_s=HOUR), plan("long", 0, duration_s=1.6 * HOUR)]
    assert pairs_of(two, [ride("a", 0, 0.78), ride("b", 0, 1.2)]) == {"short": "a", "long": "b"}


@pytest.mark.parametrize("share", [0.1, 0.4, 1.0, 1.9, 4.0])
def test_a_session_of_the_planned_day_and_sport_is_paired_whatever_its_length(share):
    assert pairs_of([plan("monday", 0, duration_s=HOUR)], [ride("a", 0, share)]) == {"monday": "a"}


def test_a_session_of_another_length_is_taken_only_where_no_other_fits():
    monday = plan("monday", 0, duration_s=HOUR)

    assert pairs_of([monday], [ride("short", 0, 0.2), ride("whole", 0, 1.4)]) == {"monday": "whole"}
    assert pairs_of([monday], [ride("short", 1, 0.2)]) == {}
    assert pairs_of([monday], [ride("run", 0, 0.2, sport=Sport.RUNNING)]) == {}


def test_a_race_is_paired_with_no_workout_but_a_planned_race():
    workout = plan("workout", 0, duration_s=HOUR)
    race = replace(workout, id="race", stimulus=TrainingStimulus.RACE)

    assert pairs_of([workout], [ride("raced", 0, is_race=True)]) == {}
    assert pairs_of([workout, race], [ride("raced", 0, is_race=True)]) == {"race": "raced"}


def test_a_perfect_pair_is_not_given_up_for_two_moves():
    plans = [plan("sunday", -1, duration_s=HOUR), plan("monday", 0, duration_s=HOUR)]

    assert pairs_of(plans, [ride("a", -1), ride("b", -2)]) == {"sunday": "a"}


def test_the_legs_of_one_session_are_paired_as_one():
    legs = [
        ride("swim", 0, 0.5, sport=Sport.SWIMMING, group_id="grp", distance_m=1500.0, volume=40.0),
        ride("bike", 0, 1.5, group_id="grp", distance_m=40_000.0, volume=80.0),
        ride("run", 0, 1.0, sport=Sport.RUNNING, group_id="grp", distance_m=10_000.0),
    ]
    race = replace(plan("race", 0, duration_s=3 * HOUR), sport=Sport.MULTISPORT)
    for given in (race, replace(race, activity_id="bike")):
        (match,) = match_sessions([given], legs, excuses=[], today=TODAY)
        assert (match.done.id, match.done.duration_s, match.done.distance_m) == ("swim", 3 * HOUR, 51_500)
        assert (match.done.volume, match.compliance.ratio, match.is_inferred) == (120, 1.0, given is race)


def test_legs_that_are_planned_one_by_one_are_paired_one_by_one():
    legs = [
        ride("bike", 0, 1.5, group_id="grp"),
        ride("run", 0, 0.5, sport=Sport.RUNNING, group_id="grp"),
    ]
    bike, run = (
        plan("p1", 0, duration_s=1.5 * HOUR),
        replace(plan("p2", 0, duration_s=HOUR / 2), sport=Sport.RUNNING),
    )
    by_service = [replace(bike, activity_id="bike"), replace(run, activity_id="run")]

    assert pairs_of([bike, run], legs) == pairs_of(by_service, legs) == {"p1": "bike", "p2": "run"}
    alone = match_sessions([], legs, excuses=[], today=TODAY)
    assert [(match.done.id, match.adherence) for match in alone] == [
        ("bike", Adherence.UNPLANNED),
        ("run", Adherence.UNPLANNED),
    ]


def test_a_session_without_a_sport_is_paired_by_day_and_duration_and_takes_the_sport_of_its_plan():
    monday = plan("monday", 0, duration_s=HOUR)
    (match,) = match_sessions([monday], [ride("a", 0, sport=None)], excuses=[], today=TODAY)

    assert (match.done.id, match.done.sport, match.is_inferred) == ("a", Sport.CYCLING, True)
    assert pairs_of([monday], [ride("a", 1, sport=None)]) == {}
    assert pairs_of([monday], [ride("a", 0, 2.0, sport=None)]) == {}
    assert pairs_of([monday], [ride("a", 0, sport=None, duration_s=math.nan)]) == {}
    assert pairs_of([monday], [ride("a", 0, sport=Sport.RUNNING)]) == {}


def test_a_plan_by_distance_is_compared_by_distance():
    far = plan("far", 0, distance_m=80_000.0)
    (match,) = match_sessions([far], [ride("a", 0, 3.0, distance_m=60_000.0)], excuses=[], today=TODAY)

    assert (str(match.compliance.measure), match.compliance.ratio) == ("distance", 0.75)
    assert pairs_of([far], [ride("a", 1, 3.0, distance_m=20_000.0)]) == {}


@pytest.mark.parametrize(
    ("planned_ago", "done_ago", "is_counted"), [(7, 6, True), (6, 7, False), (-1, 0, True), (6, 5, True)]
)
def test_the_week_counts_a_moved_session_on_the_day_on_which_it_was_done(planned_ago, done_ago, is_counted):
    plan_day, done_day = (TODAY - timedelta(days=ago) for ago in (planned_ago, done_ago))
    plan = Planned("tpr_1", plan_day, Sport.RUNNING, duration_s=3600, activity_id="act_1")
    ride = Done("act_1", done_day, Sport.RUNNING, duration_s=3600)
    week = last_week(match_sessions([plan], [ride], excuses=[], today=TODAY), TODAY)

    assert len(week) == is_counted


DECIDED = [
    # decision, days of the ride after the plan, (adherence, has the ride, words of an excuse)
    ({}, 0, ("on time", True, None)),
    ({"is_unpaired": True}, 0, ("missed", False, None)),
    ({"skip_reason": "No time"}, 0, ("excused", False, "skipped: No time")),
    ({"skip_reason": ""}, 1, ("excused", False, "skipped: ")),
    ({"activity_id": "ride"}, 5, ("moved", True, None)),
    ({"activity_id": "ride", "skip_reason": "No time"}, 1, ("moved", True, None)),
]


@pytest.mark.parametrize(("decision", "after", "expected"), DECIDED)
def test_a_decision_of_a_person_wins_over_a_likely_match(decision, after, expected):
    matches = match_sessions(
        [plan("a", 0, **decision)], [ride("ride", after)], excuses=[], today=MONDAY + timedelta(days=9)
    )

    (match,) = (match for match in matches if match.planned)
    words = match.excuse_words if match.adherence is Adherence.EXCUSED else None
    assert (str(match.adherence), match.done is not None, words) == expected
    assert (
        sum(match.done is not None for match in matches) == 1
    )  # the ride has a place, with the plan or alone


def test_a_workout_of_the_future_that_is_skipped_is_not_ahead():
    (match,) = match_sessions([plan("a", 9, skip_reason="Exam")], [], excuses=[], today=TODAY)

    assert match.adherence is Adherence.EXCUSED


def test_a_session_of_an_unpaired_plan_may_belong_to_another_plan():
    plans = [plan("a", 0, is_unpaired=True, duration_s=HOUR), plan("b", 0, duration_s=3 * HOUR)]
    matches = match_sessions(plans, [ride("ride", 0)], excuses=[], today=TODAY)

    assert {match.planned.id: match.done is not None for match in matches} == {"a": False, "b": True}
