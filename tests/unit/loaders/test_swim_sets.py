"""Swims that a coach knows by their sets: repetitions by distance and rests, or no count where the recording has none."""

from dataclasses import replace
from datetime import timedelta
from math import isnan

import numpy as np
import pytest

import rides
from coachboard.client import Result
from coachboard.execution.adherence import match_sessions
from coachboard.execution.compliance import ComplianceState, Measure, by_work_steps
from coachboard.execution.sessions import score_of, swim_work
from coachboard.execution.structure import References
from coachboard.execution.swim_sets import NoSets
from coachboard.loaders.done_and_planned import plans_of, sessions_of
from coachboard.pages.activity.execution import planned_and_done
from coachboard.pages.activity.planned_rows import StepState
from coachboard.service.importers.errors import ImportLimits
from coachboard.service.importers.laps import lengths
from coachboard.service.importers.reading import read_recording
from coachboard.wire.enums import LapIntensity, Sport, StepLabel, StrokeType
from coachboard.wire.prescriptions import (
    StructureIntensity,
    StructureRepetition,
    StructureStep,
    TrainingPrescription,
)
from session_data import data_of

DAY = rides.START.date()
PACE, NO_PACE = {"min_speed": 1.2, "max_speed": 1.3}, {"min_speed": None, "max_speed": None}
BLANK = dict.fromkeys(StructureIntensity.model_fields)


def metres(distance, label=StepLabel.ACTIVE, **wish):
    known = {"service_intensity": LapIntensity.THRESHOLD, **PACE}
    length = {"type": "distance", "distance": distance}
    return StructureStep(
        type="step", label=label, intensity=StructureIntensity(**(BLANK | known | wish)), length=length
    )


def rest(seconds):
    length = {"type": "duration", "duration": seconds}
    return StructureStep(
        type="step", label=StepLabel.REST, intensity=StructureIntensity(**BLANK), length=length
    )


def times(count, *steps):
    return StructureRepetition(type="repetition", n_repetitions=count, steps=steps)


def plan(*structure, **changes):
    fields = dict.fromkeys(TrainingPrescription.model_fields) | {
        "id": "tpr_1", "date": DAY, "title": "Swim", "sport": Sport.SWIMMING, "structure": structure,
        "activity_id": "act_1", "duration": 2400, "distance": 1800,
    }  # fmt: skip
    return TrainingPrescription(**(fields | changes))


def swim(*repetitions, pool_m=25.0, rests_recorded=True, speed=1.25, **changes):
    """Repetitions (metres, rest after them); with `rests_recorded` as gaps, else the watch saw none."""
    lengths, at = [], 0
    for distance, rest_s in repetitions:
        for _ in range(round(distance / pool_m)):
            took = round(pool_m / speed)
            lengths.append(rides.length(at, at + took, stroke=StrokeType.FREESTYLE, speed=pool_m / took))
            at += took
        at += rest_s if rests_recorded else 0
    total = sum(distance for distance, _ in repetitions)
    fields = {"sport": Sport.SWIMMING, "lengths": tuple(lengths), "distance": total, "moving_duration": total / speed,
              "total_duration": at, "average_speed": speed}  # fmt: skip
    return rides.activity(**(fields | changes))


def verdict_of(planned, done):
    now = rides.START
    plans, sessions = Result((planned,), now), Result((done,), now)
    found = match_sessions(
        plans_of(plans, ()), sessions_of(sessions, None), excuses=(), today=DAY + timedelta(days=3)
    )
    (match,) = found
    score = score_of(planned, done, None, References())
    return replace(match, compliance=by_work_steps(score)) if score else match


def section_of(planned, done):
    match = verdict_of(planned, done)
    seconds = int(done.total_duration or 600)
    streams = rides.streams(seconds, power=None, speed=np.full(seconds, 1.25))
    return planned_and_done(data_of(done, streams, prescription=planned, match=match))


WARM, COOL = metres(400, StepLabel.WARM_UP), metres(200, StepLabel.COOL_DOWN)
CSS = plan(WARM, rest(30), times(12, metres(100), rest(15)), COOL)
HUNDREDS = [(100, 16)] * 12
ON, OFF, FAR = ComplianceState.ON_TARGET, ComplianceState.OFF, ComplianceState.FAR_OFF

CASES = {
    "all of 12 x 100 m": (CSS, swim((400, 35), *HUNDREDS, (200, 0)), ON, Measure.WORK_STEPS, 1.0),
    "all of it, twice the rest": (
        CSS, swim((400, 60), *[(100, 32)] * 12, (200, 0)), ON, Measure.WORK_STEPS, 1.0,
    ),
    "all of it, warm-up as 8 x 50 m": (
        CSS, swim(*[(50, 10)] * 8, *HUNDREDS, (200, 0)), ON, Measure.WORK_STEPS, 1.0,
    ),
    "three repetitions left out, cool-down swum": (
        CSS, swim((400, 35), *HUNDREDS[3:], (200, 0)), OFF, Measure.WORK_STEPS, 9 / 12,
    ),
    "the swim ends after four repetitions": (
        CSS, swim((400, 35), *HUNDREDS[8:]), FAR, Measure.WORK_STEPS, 4 / 12,
    ),
    "the last four as 50 m": (
        CSS, swim((400, 35), *HUNDREDS[4:], *[(50, 16)] * 4, (200, 0)), OFF, Measure.WORK_STEPS, 10 / 12,
    ),
    "four more than planned": (
        CSS, swim((400, 35), *HUNDREDS, *HUNDREDS[:4], (200, 0)), ON, Measure.WORK_STEPS, 1.0,
    ),
    "an unplanned 4 x 50 m before the set": (
        CSS, swim((400, 35), *[(50, 20)] * 4, *HUNDREDS, (200, 0)), ON, Measure.WORK_STEPS, 1.0,
    ),
    "two rests that the watch did not see": (
        CSS, swim((400, 35), *HUNDREDS[4:], (200, 16), (200, 16), (200, 0)), ON, Measure.WORK_STEPS, 1.0,
    ),
    "a pool of 25 yards": (
        CSS, swim((411, 35), *[(91.44, 16)] * 12, (205, 0), pool_m=22.86), ON, Measure.WORK_STEPS, 1.0,
    ),
    "no rest planned, none swum": (
        plan(WARM, times(8, metres(50)), COOL), swim((400, 20), (400, 20), (200, 0)), ON, Measure.WORK_STEPS, 1.0,
    ),
    "a medley without rests between the strokes": (
        plan(WARM, rest(30), times(5, *[metres(50)] * 4, rest(40))), swim((400, 35), *[(200, 41)] * 5), ON,
        Measure.WORK_STEPS, 1.0,
    ),
    "sprints with an easy 100 m between the sets, one set left out": (
        plan(times(3, times(6, metres(50), rest(40)), metres(100, StepLabel.INTRA_RECOVERY)), duration=1500,
             distance=1200),
        swim(*[*[(50, 42)] * 6, (100, 20)] * 2), OFF, Measure.WORK_STEPS, 12 / 18,
    ),
    "no rests in the recording: by distance": (
        CSS, swim((400, 35), *HUNDREDS, (200, 0), rests_recorded=False), ON, Measure.DISTANCE, 1.0,
    ),
    "no lengths in the recording: by distance": (
        CSS, swim((400, 35), *HUNDREDS[6:], (200, 0), lengths=()), OFF, Measure.DISTANCE, 1200 / 1800,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_swim_has_the_verdict_that_a_coach_expects(case):
    planned, done, state, measure, ratio = CASES[case]

    found = verdict_of(planned, done).compliance

    assert (found.state, found.measure, found.ratio) == (state, measure, pytest.approx(ratio, abs=0.02))


def test_a_swim_without_recorded_rests_says_why_its_repetitions_are_not_counted():
    without = swim((400, 35), *HUNDREDS, (200, 0), rests_recorded=False)

    found = section_of(CSS, without)

    assert (found.rows, found.sets, found.no_sets) == ((), (), NoSets.NO_RESTS)
    assert isnan(found.work.ratio)
    assert (found.distance.done, found.distance.planned) == (1800, 1800)
    assert section_of(CSS, swim((400, 0), lengths=())).no_sets is NoSets.NO_LENGTHS
    blind = swim((400, 35), *HUNDREDS)
    blind = blind.model_copy(
        update={"lengths": tuple(one.model_copy(update={"average_speed": None}) for one in blind.lengths)}
    )
    assert swim_work(CSS, blind) is NoSets.NO_POOL


def test_equal_repetitions_are_one_row_of_a_set():
    found = section_of(CSS, swim((400, 35), *HUNDREDS[1:], (50, 20), (200, 0)))

    assert [(one.step.label, len(one.planned_m), one.done_m) for one in found.sets if one.step] == [
        (StepLabel.WARM_UP, 1, (400,)), (StepLabel.ACTIVE, 12, (100,) * 11 + (50,)), (StepLabel.COOL_DOWN, 1, (200,)),
    ]  # fmt: skip
    main = found.sets[1]
    assert (main.credit, main.speed_mps, main.planned_rest_s) == (11.5, pytest.approx(1.25), 15)
    assert main.rest_s == pytest.approx((11 * 16 + 20) / 12)
    assert main.strokes == ("freestyle",)
    assert isnan(found.sets[0].credit)


def test_two_kinds_of_repetition_in_one_set_are_two_rows():
    mixed = plan(times(4, metres(50, min_speed=0.9, max_speed=1.0), rest(15), metres(50), rest(35)))

    found = section_of(mixed, swim(*[(50, 15), (50, 35)] * 4))

    assert [(len(one.planned_m), one.planned_rest_s, one.rest_s) for one in found.sets] == [
        (4, 15, 15), (4, 35, 35),
    ]  # fmt: skip


def test_two_sets_of_the_same_repetition_stay_two_rows():
    twice = plan(times(4, metres(100), rest(15)), times(4, metres(100), rest(15)))

    found = section_of(twice, swim(*[(100, 15)] * 8))

    assert [len(one.planned_m) for one in found.sets] == [4, 4]


def test_unplanned_repetitions_are_a_row_of_their_own():
    found = section_of(CSS, swim((400, 35), *[(75, 20)] * 4, *HUNDREDS, (200, 0)))

    (added,) = [one for one in found.sets if one.step is None]
    assert added.done_m == (75,) * 4
    assert (added.planned_m, added.span.from_s) == ((), pytest.approx(355))
    assert [row.state for row in found.rows if row.step is None] == [StepState.ADDED] * 4


def test_sets_in_another_order_are_done_and_each_length_is_in_one_row():
    both = plan(WARM, rest(30), times(4, metres(200), rest(30)), times(8, metres(50), rest(15)), COOL)

    found = section_of(both, swim((400, 35), *[(50, 15)] * 8, (75, 20), *[(200, 30)] * 4, (200, 0)))

    assert [(one.step is None, len(one.planned_m), sum(one.done_m)) for one in found.sets] == [
        (False, 1, 400), (True, 0, 75), (False, 4, 800), (False, 8, 400), (False, 1, 200),
    ]  # fmt: skip
    assert found.work.ratio == 1


def test_a_planned_rest_has_the_time_at_the_wall():
    found = section_of(CSS, swim((400, 35), *HUNDREDS, (200, 0)))

    rests = [row for row in found.rows if row.step.label is StepLabel.REST]
    assert [row.done_s for row in rests] == pytest.approx([35, *[16] * 12], abs=1)
    assert [row.state for row in found.rows if row.step.label is StepLabel.ACTIVE] == [StepState.DONE] * 12
    assert found.work.ratio == found.compliance.ratio == 1
    assert found.duration.done == 320 + 960 + 160 + 35 + 12 * 16


def test_a_swim_is_as_fast_as_its_lengths():
    """A drill has no speed in the streams."""
    done = swim((400, 35), *HUNDREDS, (200, 0))
    seconds = int(done.total_duration)
    streams = rides.streams(seconds, power=None, speed=np.zeros(seconds))

    found = planned_and_done(data_of(done, streams, prescription=CSS, match=verdict_of(CSS, done)))

    assert found.rows[2].achieved == pytest.approx(1.25)
    assert found.rows[2].level_pct == pytest.approx(1.25 / 4 * 100)


def test_a_repetition_swum_short_counts_half_and_one_left_out_counts_nothing():
    found = verdict_of(CSS, swim((400, 35), *HUNDREDS[3:], (50, 16), (50, 16), (200, 0))).compliance

    assert (found.work.done, len(found.work.steps)) == (10, 12)


def test_a_swim_without_work_steps_is_judged_by_its_distance():
    easy = plan(metres(1800, service_intensity=LapIntensity.AEROBIC))

    found = verdict_of(easy, swim((1700, 0))).compliance

    assert (found.measure, found.ratio) == (Measure.DISTANCE, pytest.approx(1700 / 1800, abs=0.01))


YARD_M = 0.9144
O15 = plan(
    metres(500 * YARD_M, StepLabel.WARM_UP, **NO_PACE), rest(100), times(10, metres(100 * YARD_M, **NO_PACE), rest(15)),
    distance=1500 * YARD_M,
)  # fmt: skip


@pytest.fixture(scope="module")
def recorded(recordings):

    def read(name):
        (path,) = recordings.glob(f"{name}_*")
        leg = read_recording(path.read_bytes(), ImportLimits()).legs[0]
        return rides.activity(sport=Sport.SWIMMING, lengths=lengths(leg), average_speed=1.0)

    return read


@pytest.mark.recordings
def test_a_recorded_swim_of_500_and_10_x_100_yards_is_complete(recorded):
    work = swim_work(O15, recorded("o15"))

    assert (work.done, len(work.steps)) == (10, 10)
    assert [len(match.stretches) for match in work.alignment.matches] == [20, *[4] * 10]


@pytest.mark.recordings
def test_a_recorded_swim_has_the_sets_that_its_lengths_show(recorded):
    """Eleven repetitions of 25 yards with about 38 s of rest, in the middle of a session of 114 lengths."""
    sprints = plan(times(11, metres(25 * YARD_M, **NO_PACE), rest(38)))

    work = swim_work(sprints, recorded("o14"))

    spans = [match.stretches for match in work.alignment.matches]
    assert all(len(span) == 1 for span in spans)
    assert work.done == 11


def test_a_repetition_slower_than_its_pace_counts_half_or_not_at_all_but_no_drill():
    def credits_of(speed, stroke=StrokeType.FREESTYLE):
        done = swim((400, 35), *HUNDREDS, (200, 0), speed=speed)
        lengths = tuple(length.model_copy(update={"stroke_type": stroke}) for length in done.lengths)
        return swim_work(CSS, done.model_copy(update={"lengths": lengths})).share

    assert [credits_of(speed) for speed in (1.25, 1.13, 1.0)] == [1.0, 0.5, 0.0]
    assert credits_of(1.0, StrokeType.DRILL) == 1.0
    assert credits_of(1.4) == 1.0
