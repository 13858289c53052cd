"""Figures of the known days that the roster and the athlete page share: the load of plans, a failed import."""

from dataclasses import replace
from datetime import timedelta
from math import isnan, nan

import pytest

import squad
import training
from coachboard.formulas.season.load import CLASSIC
from coachboard.loaders.known_days import known_of, load_known, read_lists
from coachboard.loaders.load_state import load_states
from coachboard.wire.enums import DataOnboardingStatus

TODAY = training.TODAY


@pytest.mark.parametrize(("days", "is_known"), [(6, True), (7, False)])
def test_form_is_unknown_a_week_after_the_last_session_before_a_failed_import(
    squad_store, client, days, is_known
):
    """Days without data counted as rest: the form of an athlete whose import had failed was +26."""
    squad_store.put_activities(squad.BEN, [training.activity("Last", TODAY)])
    known = load_known(client, squad.BEN, today=TODAY + timedelta(days=days))

    def seen(status):
        return known.no_data_since(status), isnan(load_states(known, status)[CLASSIC.id].form)

    assert seen(DataOnboardingStatus.DONE) == (None, False)
    assert seen(DataOnboardingStatus.FAILED) == ((None, False) if is_known else (TODAY, True))


def test_an_athlete_without_sessions_has_no_last_session_before_a_failed_import(client):
    known = load_known(client, squad.BEN, today=TODAY)

    assert known.no_data_since(DataOnboardingStatus.FAILED) is None


@pytest.mark.parametrize("status", list(DataOnboardingStatus))
def test_flags_do_not_judge_the_sessions_after_a_failed_import(client, status):
    known = load_known(client, squad.ANA, today=TODAY)

    unread = known.judged_days(status).unread - known.days.unread

    assert unread == ({"sessions"} if status is DataOnboardingStatus.FAILED else set())


def test_values_are_computed_again_for_another_profile_and_other_unread_days(client):
    read = read_lists(client, squad.ANA, today=TODAY)
    changed = [
        read._replace(profile=client.get_user(squad.BEN)),
        read._replace(unread=frozenset({TODAY - timedelta(days=1)})),
        read._replace(notes=client.list_notes(squad.BEN)),
    ]

    assert known_of(read_lists(client, squad.ANA, today=TODAY)).kept is known_of(read).kept
    for other in changed:
        assert other.identity != read.identity
        assert known_of(other).kept is not known_of(read).kept
        assert len(other.listed) == 5


def test_load_of_plans_is_the_sum_of_those_that_have_one(client):
    known = load_known(client, squad.ANA, today=TODAY)
    plans = [match for match in known.matches if match.planned is not None]
    loads = [known.rates.volume_of(match.planned) for match in plans]
    unplanned = next(match for match in known.matches if match.planned is None)
    unknown = replace(plans[0], planned=replace(plans[0].planned, volume=nan, duration_s=nan, distance_m=nan))

    assert len(loads) > 1
    assert known.planned_volume([*plans, unplanned, unknown]) == pytest.approx(sum(loads))
    assert isnan(known.planned_volume([unplanned, unknown]))
