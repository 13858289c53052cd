"""Where one side of the comparison is not known, nothing is called missed, unplanned or a day of rest."""

from datetime import date, timedelta

import numpy as np

from coachboard.analytics.adherence import Adherence, Done, Planned, match_sessions, summarize
from coachboard.analytics.daily_load import daily_load
from coachboard.models.enums import NoteType, Sport

MONDAY = date(2026, 3, 2)
TODAY = MONDAY + timedelta(days=3)


def plan(name, after, **given):
    return Planned(name, MONDAY + timedelta(days=after), Sport.CYCLING, **given)


def test_without_the_sessions_a_plan_is_what_is_known_of_it_alone():
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
