"""Verdicts that a coach expects of sessions made by hand, and the same verdict on every page."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import isnan

import numpy as np
import pytest

import plain_rows
import rides
from coachboard.client import Client, Result
from coachboard.execution.adherence import match_sessions
from coachboard.execution.compliance import ComplianceState, Measure, by_work_steps
from coachboard.execution.sessions import score_of
from coachboard.execution.structure import References
from coachboard.execution.work_steps import WorkOutcome
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.formulas.session.zones import intensity_of
from coachboard.loaders.done_and_planned import plans_of, sessions_of
from coachboard.loaders.roster_row import load_row
from coachboard.wire.enums import Sport, StepLabel
from coachboard.wire.prescriptions import (
    DistanceLength,
    StructureIntensity,
    StructureRepetition,
    StructureStep,
    TrainingPrescription,
)
from plain_service import plain_app
from serving import served

CRITICAL_W = 250
DAY = rides.START.date()
ON, OFF, FAR = ComplianceState.ON_TARGET, ComplianceState.OFF, ComplianceState.FAR_OFF


def step(low, high, seconds, label=StepLabel.ACTIVE, **wish):
    """A step in watts, with the intensity that the service gives it."""
    blank = dict.fromkeys(StructureIntensity.model_fields)
    middle = (low + high) / 2 if high else None
    known = {"min_power": low, "max_power": high} if high else {}
    if middle:
        known["service_intensity"] = intensity_of(middle / CRITICAL_W * 100)
    length = {"type": "duration", "duration": seconds}
    return StructureStep(
        type="step", label=label, intensity=StructureIntensity(**(blank | known | wish)), length=length
    )


def by_distance(timed, metres):
    return timed.model_copy(update={"length": DistanceLength(type="distance", distance=metres)})


def times(count, *steps):
    return StructureRepetition(type="repetition", n_repetitions=count, steps=steps)


def plan(*structure, **changes):
    fields = dict.fromkeys(TrainingPrescription.model_fields) | {
        "id": "tpr_1", "date": DAY, "title": "Plan", "sport": Sport.CYCLING, "structure": structure or None,
        "activity_id": "act_1",
    }  # fmt: skip
    return TrainingPrescription(**(fields | changes))


WARM, COOL = step(125, 160, 900, StepLabel.WARM_UP), step(100, 140, 600, StepLabel.COOL_DOWN)
REST = step(105, 130, 180, StepLabel.INTRA_RECOVERY)
INTERVALS = plan(WARM, times(5, step(270, 290, 240), REST), COOL, duration=3600)
WARMED, COOLED = (140, 900), (120, 600)
HARD, EASY = (280, 240), (118, 180)


def ride(*blocks, **changes):
    """A ride of laps (watts, seconds), with the load of those laps."""
    edges = np.cumsum([0, *(seconds for _, seconds in blocks)]).tolist()
    laps = tuple(
        rides.lap(
            start, end, power=None if isnan(watts) else watts,
            intensity=intensity_of(100 if isnan(watts) else watts / CRITICAL_W * 100),
        )
        for (start, end), (watts, _) in zip(pairwise(edges), blocks, strict=True)
    )  # fmt: skip
    fourth = np.average([watts**4.0 for watts, _ in blocks], weights=[seconds for _, seconds in blocks])
    return rides.activity(
        **({"laps": laps, "moving_duration": edges[-1], "normalized_power": fourth**0.25} | changes)
    )


def samples_of(done):
    """The recording that the laps of a ride describe, one sample a second."""
    if not done.laps:
        return None
    power = np.concatenate([np.full(int(lap.duration), float(lap.average_power)) for lap in done.laps])
    return SessionStreams.from_streams(rides.streams(len(power), power=power))


def verdict_of(planned, done):
    now = datetime.now(UTC)
    plans, sessions = Result((planned,), now), Result((done,), now)
    (match,) = match_sessions(
        plans_of(plans, ()), sessions_of(sessions, None), excuses=(), today=DAY + timedelta(days=3)
    )
    score = score_of(planned, done, samples_of(done), References(critical_power_w=CRITICAL_W))
    return by_work_steps(score) if score else match.compliance


PERFECT = ride(WARMED, *[HARD, EASY] * 5, COOLED)
BUNCH = ride(*[(230, 300), (150, 420), (260, 240), (170, 480), (210, 360)] * 2)
ENDURANCE = plan(step(140, 175, 10_800), duration=10_800)
RUN = plan(
    step(0, 0, 900, StepLabel.WARM_UP),
    times(4, step(0, 0, 240, min_speed=4.0, max_speed=4.2), step(0, 0, 120, StepLabel.REST)),
    sport=Sport.RUNNING, duration=2340,
)  # fmt: skip


CASES = {
    "perfect 5 x 4 min": (INTERVALS, PERFECT, ON, Measure.WORK_STEPS, 1.0),
    "perfect intervals, recoveries far too hard": (
        INTERVALS, ride(WARMED, *[HARD, (175, 180)] * 5, COOLED), ON, Measure.WORK_STEPS, 1.0,
    ),
    "perfect intervals, recoveries twice as long": (
        INTERVALS, ride(WARMED, *[HARD, (100, 360)] * 5, COOLED), ON, Measure.WORK_STEPS, 1.0,
    ),
    "perfect intervals, no cool-down": (
        INTERVALS, ride(WARMED, *[HARD, EASY] * 5), ON, Measure.WORK_STEPS, 1.0,
    ),
    "one repetition missed": (
        INTERVALS, ride(WARMED, *[HARD, EASY] * 4, COOLED), OFF, Measure.WORK_STEPS, 0.8,
    ),
    "two repetitions missed": (
        INTERVALS, ride(WARMED, *[HARD, EASY] * 3, COOLED), OFF, Measure.WORK_STEPS, 0.6,
    ),
    "cut short after one repetition": (
        INTERVALS, ride(WARMED, HARD, EASY), FAR, Measure.WORK_STEPS, 0.2,
    ),
    "last repetition given up after two thirds": (
        INTERVALS, ride(WARMED, *[HARD, EASY] * 4, (280, 160), EASY, COOLED), ON, Measure.WORK_STEPS, 0.9,
    ),
    "all repetitions too hard": (
        INTERVALS, ride(WARMED, *[(340, 240), EASY] * 5, COOLED), OFF, Measure.WORK_STEPS, 0.5,
    ),
    "all repetitions a little too easy": (
        INTERVALS, ride(WARMED, *[(250, 240), EASY] * 5, COOLED), OFF, Measure.WORK_STEPS, 0.5,
    ),
    "a watt or two outside the range": (
        INTERVALS, ride(WARMED, *[(268, 240), EASY, (292, 240), EASY] * 2, HARD, EASY, COOLED), ON,
        Measure.WORK_STEPS, 1.0,
    ),
    "the right time ridden easily": (
        INTERVALS, ride((150, 1800), (160, 1800)), FAR, Measure.WORK_STEPS, 0.0,
    ),
    "a group ride of the same time and load": (INTERVALS, BUNCH, FAR, Measure.WORK_STEPS, 0.2),
    "a planned group ride ridden as one": (
        plan(step(150, 195, 3600), duration=3600), BUNCH, ON, Measure.WORK_STEPS, 1.0,
    ),
    "perfect intervals and four more hours": (
        INTERVALS, ride(WARMED, *[HARD, EASY] * 5, COOLED, (150, 14_400)), ON, Measure.WORK_STEPS, 1.0,
    ),
    "an endurance ride of lights and hills": (
        ENDURANCE, ride(*[(180, 600), (120, 240), (210, 360), (140, 600)] * 6), ON, Measure.WORK_STEPS, 1.0,
    ),
    "an endurance ride turned round half way": (
        ENDURANCE, ride((160, 3000), (150, 1500)), FAR, Measure.WORK_STEPS, 0.0,
    ),
    "a warm-up at tempo left out": (
        plan(step(190, 210, 600, StepLabel.WARM_UP), times(5, step(270, 290, 240), REST), COOL, duration=3300),
        ride(*[HARD, EASY] * 5, COOLED), ON, Measure.WORK_STEPS, 1.0,
    ),
    "last repetition given up at once": (
        INTERVALS, ride(WARMED, *[HARD, EASY] * 4, (280, 100), EASY, COOLED), OFF, Measure.WORK_STEPS, 0.8,
    ),
    "repetitions by distance on a trainer without speed": (
        plan(WARM, times(4, by_distance(step(270, 290, 250), 2000), REST), COOL),
        ride(WARMED, *[(280, 250), EASY] * 4, COOLED, average_speed=None), ON, Measure.WORK_STEPS, 1.0,
    ),
    "a run by pace has no classified laps": (
        RUN, rides.activity(sport=Sport.RUNNING, moving_duration=2300), ON, Measure.DURATION, 2300 / 2340,
    ),
    "a plan by distance": (
        plan(distance=40_000), ride((180, 4000), distance=38_000.0), ON, Measure.DISTANCE, 0.95,
    ),
    "a plan by distance, half of it": (
        plan(distance=40_000), ride((180, 2000), distance=19_000.0), FAR, Measure.DISTANCE, 0.475,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_session_has_the_verdict_that_a_coach_expects(case):
    planned, done, state, measure, ratio = CASES[case]

    found = verdict_of(planned, done)

    assert (found.state, found.measure) == (state, measure)
    assert ratio is None or found.ratio == pytest.approx(ratio, abs=0.005)


def test_the_outcomes_of_repetitions_say_why_they_count_half():
    found = verdict_of(
        INTERVALS, ride(WARMED, HARD, EASY, (340, 240), EASY, (255, 240), EASY, (280, 150), EASY, COOLED)
    )

    assert [step.outcome for step in found.work.steps] == [
        WorkOutcome.DONE, WorkOutcome.TOO_HARD, WorkOutcome.TOO_EASY, WorkOutcome.CUT_SHORT, WorkOutcome.MISSED,
    ]  # fmt: skip
    assert found.ratio == pytest.approx(2.5 / 5)


def percentages(step):
    """The step with targets in percent of critical power alone, as most plans have them."""
    if "steps" in step:
        return step | {"steps": [percentages(inner) for inner in step["steps"]]}
    return step | {"intensity": step["intensity"] | {"minPower": None, "maxPower": None}}


def test_a_kept_score_is_computed_again_after_a_change_of_the_athletes_value(tmp_path):
    """The key had the plan and the session's id: after a new critical power an old score stayed on every page."""
    rows = plain_rows.plain()
    rows.lists["training-prescriptions"] = [
        plan | {"structure": [percentages(step) for step in plan["structure"]]}
        for plan in rows.lists["training-prescriptions"]
    ]
    app = plain_app(rows)
    with served(app) as url, Client(url, "key", cache_url=f"sqlite:///{tmp_path / 'cache.db'}") as client:
        client.get_streams(plain_rows.RIDE)

        def score():
            (user,) = client.list_users().value
            row = load_row(client, user, today=plain_rows.TODAY, thresholds={})
            (ride,) = [match for match in row.week if match.done and match.done.id == plain_rows.RIDE]
            return ride.compliance

        before, again = score(), score()
        for metric in rows.lists["metrics"]:
            if metric["type"] == "critical power":
                metric["value"] = 300
        days = (plain_rows.TODAY + timedelta(days=days) for days in (-500, 0))
        client.list_metrics(plain_rows.ATHLETE, *days, max_age_s=0)  # as a page reads them when they are old
        after = score()

    assert before == again
    assert before.state is not ComplianceState.OPEN
    low = [step.target.low for step in before.work.steps]
    assert {150, 250} <= set(low)
    assert [step.target.low for step in after.work.steps] == pytest.approx([300 / 250 * each for each in low])


def test_two_equal_plans_that_name_one_session_are_scored_again_after_a_change_of_a_value(tmp_path):
    rows = plain_rows.plain()
    (plan,) = [row for row in rows.lists["training-prescriptions"] if row["activityId"] == plain_rows.RIDE]
    plan["structure"] = [percentages(step) for step in plan["structure"]]
    rows.lists["training-prescriptions"].append(plan | {"id": "tpr_twin"})
    with (
        served(plain_app(rows)) as url,
        Client(url, "key", cache_url=f"sqlite:///{tmp_path / 'cache.db'}") as client,
    ):
        client.get_streams(plain_rows.RIDE)

        def scores():
            (user,) = client.list_users().value
            row = load_row(client, user, today=plain_rows.TODAY, thresholds={})
            return [match.compliance for match in row.week if match.done and match.done.id == plain_rows.RIDE]

        before = scores()
        for metric in rows.lists["metrics"]:
            if metric["type"] == "critical power":
                metric["value"] = 300
        days = (plain_rows.TODAY + timedelta(days=days) for days in (-500, 0))
        client.list_metrics(plain_rows.ATHLETE, *days, max_age_s=0)
        after = scores()

    assert [score.state is ComplianceState.OPEN for score in before] == [False, False]
    assert len(after) == 2
    assert after[0].work.steps != before[0].work.steps
