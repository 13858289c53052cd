"""The effect of a changed threshold on the loaded rows: athletes it adds and removes, without snoozed flags."""

from datetime import timedelta

import pytest

import squad
import training
from coachboard.client import Client
from coachboard.loaders.flag_snooze import FlagOf
from coachboard.loaders.roster_row import load_row
from coachboard.pages.settings.flags import threshold_effect

TODAY = training.TODAY + timedelta(days=9)  # nine days without a session
EMPTY = frozenset()
COLD = FlagOf(squad.ANA, "medical_note")
"""Ana's note of the fortnight, still open: snoozed where the list is tested."""


@pytest.fixture
def rows(squad_store, squad_service, tmp_path):
    """Ana with the fortnight and then silence, Ben without any data."""
    training.seed(squad_store, squad.ANA)
    with Client(squad_service, squad.COACH_KEY, cache_url=f"sqlite:///{tmp_path / 'cache.db'}") as client:
        users = client.list_users().value
        yield lambda today=TODAY, **thresholds: [
            load_row(client, user, today=today, thresholds=thresholds) for user in users
        ]


def test_a_stricter_threshold_takes_an_athlete_off_the_list(rows):
    effect = threshold_effect(rows(), "no_session", 20, snoozed={COLD})

    assert (effect.rule.before, effect.rule.after) == ({squad.ANA}, EMPTY)
    assert (effect.rule.gone, effect.rule.new) == ({squad.ANA}, EMPTY)
    assert effect.any_flag.gone == {squad.ANA}


def test_a_threshold_is_compared_with_the_saved_one(rows):
    effect = threshold_effect(rows(no_session=20), "no_session", 5)

    assert (effect.rule.new, effect.rule.gone) == ({squad.ANA}, EMPTY)


def test_the_other_saved_thresholds_stay_in_force(rows):
    effect = threshold_effect(rows(no_session=20), "sleep_short", 6.1, snoozed={COLD})

    assert effect.any_flag == (EMPTY, EMPTY)


def test_a_snoozed_flag_does_not_count(rows):
    snoozed = {COLD, FlagOf(squad.ANA, "no_session")}
    effect = threshold_effect(rows(), "no_session", 4, snoozed=snoozed)

    assert (effect.rule.before, effect.rule.after) == (EMPTY, EMPTY)
    assert squad.ANA not in effect.any_flag.after


def test_a_to_do_counts_for_its_rule_and_not_for_the_list(rows):
    """Ana's next plan is for tomorrow."""
    effect = threshold_effect(rows(training.TODAY), "no_plan", 0.5, snoozed={COLD})

    assert effect.rule.new == {squad.ANA}
    assert effect.any_flag.new == EMPTY
