"""The outlook of tomorrow's workout: W′ with the repetitions that fit, recovery, and the last three sessions like it."""

from datetime import date, timedelta

import pytest

import squad
import training
from coachboard.execution.adherence import Done, Planned, match_sessions
from coachboard.execution.feasibility import feasibility
from coachboard.execution.structure import FlatStep, Target
from coachboard.flags.engine import evaluate, raised
from coachboard.pages.workout_outlook import against_plan, alike_of, load_outlook, recovery_words
from coachboard.wire.enums import LapIntensity, Sport, StepLabel, TrainingStimulus
from coachboard.wire.prescriptions import TrainingPrescription
from flag_cases import CASES

TODAY = date(2026, 3, 10)
BLANK = dict.fromkeys(TrainingPrescription.model_fields)
VO2, TEMPO = TrainingStimulus.VO2MAX, TrainingStimulus.TEMPO


def prescribed(**changes):
    fields = {"id": "tpr_next", "date": TODAY + timedelta(days=1), "title": "5 x 4 min", "sport": Sport.CYCLING,
              "training_stimulus": VO2}  # fmt: skip
    return TrainingPrescription(**(BLANK | fields | changes))


def matches(*plans):
    """Plans (days ago, title, stimulus), each done on its day unless it is marked as missed."""
    planned = [
        Planned(
            f"tpr_{at}",
            TODAY - timedelta(days=ago),
            Sport.CYCLING,
            stimulus,
            3600.0,
            activity_id=None if missed else f"act_{at}",
            title=title,
        )
        for at, (ago, title, stimulus, missed) in enumerate(plans)
    ]
    done = [
        Done(f"act_{plan.id[4:]}", plan.day, Sport.CYCLING, duration_s=3600.0)
        for plan in planned
        if plan.activity_id
    ]
    return tuple(match_sessions(planned, done, excuses=[], today=TODAY))


def ids(found):
    return [match.planned.id for match in found]


def test_the_last_three_of_the_same_title_are_like_it_newest_first():
    past = matches(
        (30, "5 x 4 min", VO2, False), (20, "5 X 4 MIN", VO2, True), (9, "Other", VO2, False),
        (8, "5 x 4 min", VO2, False), (2, "5 x 4 min", VO2, False), (1, "Easy", TEMPO, False),
    )  # fmt: skip

    assert ids(alike_of(prescribed(), past)) == ["tpr_4", "tpr_3", "tpr_1"]


def test_too_few_of_the_same_title_are_filled_up_with_the_same_sport_and_stimulus():
    past = matches((30, "5 x 4 min", VO2, False), (9, "Hills", VO2, False), (3, "Easy", TEMPO, False))

    assert ids(alike_of(prescribed(), past)) == ["tpr_1", "tpr_0"]
    assert alike_of(prescribed(sport=Sport.RUNNING), past) == ()


def test_a_plan_of_the_same_day_is_not_a_session_like_it():
    past = matches((8, "5 x 4 min", VO2, False), (2, "5 x 4 min", VO2, False))

    assert ids(alike_of(prescribed(date=TODAY - timedelta(days=2)), past)) == ["tpr_0"]


def test_a_plan_to_come_is_not_a_session_like_it():
    ahead = match_sessions(
        [Planned("tpr_x", TODAY, Sport.CYCLING, VO2, title="5 x 4 min")], [], excuses=[], today=TODAY
    )

    assert alike_of(prescribed(), tuple(ahead)) == ()


def step(index, seconds, watts, *, is_rest=False):
    label = StepLabel.INTRA_RECOVERY if is_rest else StepLabel.ACTIVE
    return FlatStep(index, ((1, 5),), label, None if is_rest else LapIntensity.VO2MAX, None, seconds, None,
                    Target(watts, watts), None, None, None)  # fmt: skip


@pytest.mark.parametrize(("watts", "fits"), [(270, 5), (340, 2), (500, 0)])
def test_as_many_repetitions_fit_as_end_before_w_prime_is_used_up(watts, fits):
    """Each of 4 min at 340 W uses 21.6 of 30 kJ, and the rest gives some of it back."""
    steps = [
        one for n in range(5) for one in (step(2 * n, 240, watts), step(2 * n + 1, 200, 100, is_rest=True))
    ]

    found = feasibility(steps, critical_power_w=250, w_prime_j=30_000)

    assert (found.fitting, found.repetitions, found.is_feasible) == (fits, 5, fits == 5)


def test_a_flag_about_the_session_of_another_day_says_nothing_about_the_plan():
    """Next to tomorrow's easy run: "Poor recovery argues against it: Hard session, poor recovery: threshold today"."""
    morning = next(case for case in CASES if case.name == "return with a hard session too early")
    found = evaluate(morning.athlete)

    about = [
        {one.rule.id for one in raised(against_plan(found, morning.athlete.today + timedelta(days=n)))}
        for n in (0, 1)
    ]
    assert about == [{"hard_meets_poor_recovery", "hrv_low"}, {"hrv_low"}]


def test_the_flags_about_a_plan_repeat_no_value_of_each_other_or_of_the_flags_above():
    """Three values came twice: "7-day HRV 53 ms (normal 66–79) ...; Low HRV (53 ms, normal 66–79)"."""
    morning = next(case for case in CASES if case.name == "return with a hard session too early")
    signs = raised(against_plan(evaluate(morning.athlete), morning.athlete.today))
    alone, below = (recovery_words(signs, (), is_below_flags=is_below) for is_below in (False, True))

    assert alone.startswith("**Against it:** 7\\-day HRV ")
    assert alone.count("HRV") == 1
    assert below == "**Against it:** low HRV."
    hard_alone = [flag for flag in signs if flag.due]
    assert recovery_words(hard_alone, (), is_below_flags=True) == alone
    assert recovery_words((), (), is_below_flags=True).startswith(
        "Nothing argues against it: no flag for recovery"
    )


def test_an_outlook_has_the_flags_of_recovery_alone(client):
    plan = next(one for one in client.list_prescriptions(squad.ANA).value if one.date >= training.TODAY)

    found = load_outlook(client, squad.ANA, plan, today=training.TODAY, thresholds={"sleep_short": 12.0})

    assert all(flag.rule.argues_against_plan for flag in (*found.signs, *found.unknown))
    assert len(found.alike) <= 3
