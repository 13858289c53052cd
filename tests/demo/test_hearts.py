"""Hearts belong to the effort: equal repetitions rise by little and neatly, and what moves them can be seen."""

from dataclasses import replace

import numpy as np
import pytest

from coachboard_demo.cells import lag
from coachboard_demo.heart import Hearts, heart_rate
from coachboard_demo.session import Done
from coachboard_demo.simulation import simulate
from demo_sessions import RIDE, SESSIONS

WORK_S, REST_S, TIMES = 240, 180, 5


def ends_of(base, effort, seed):
    """The heart at the end of each of five repetitions."""
    sets = (Done(WORK_S, effort, 0.0, "active"), Done(REST_S, 0.45, 0.0, "intra-recovery")) * TIMES
    done = (Done(900, 0.65, 0.0, "warm up"), *sets)
    rate = simulate(
        replace(base, seed=seed, stops=(), pauses=(), faults=(), done=done, shape=None)
    ).heart_rate
    return np.array([rate[(900 + at * (WORK_S + REST_S) + WORK_S) // 5 - 1] for at in range(TIMES)])


@pytest.mark.parametrize("effort", [0.9, 1.08])
def test_each_of_equal_repetitions_ends_a_little_higher(effort):
    """Recorded: 160, 170, 175 and 178 beats at one speed; 179, 183 and 185 at one power."""
    row = replace(RIDE, practice="rowing machine")
    ends = np.array([ends_of(row, effort, 31 * seed) for seed in range(16)])

    assert 2 < np.mean(ends[:, -1] - ends[:, 0]) < 20
    assert np.mean(np.diff(ends) > -2) > 0.85
    assert np.median(np.ptp(ends[:, 2:], axis=1)) < 6


def test_what_a_heart_does_on_a_road_is_told_by_the_power():
    """Of the recorded rides 84 and 94 % of the variance; five minutes' means miss it by 3.2 to 4.2 beats."""
    told, missed = [], []
    for seed in range(8):
        ride = replace(RIDE, seed=101 * seed, stops=(), pauses=(), done=(Done(7200, 0.68),))
        trace = simulate(ride)
        causes = np.array([lag(trace.power_w, tau_s / 5) for tau_s in (15, 45, 120, 400)])
        known = np.vstack((np.ones(len(trace)), np.arange(len(trace)), causes)).T[60:]
        beats = trace.heart_rate[60:]
        rest = beats - known @ np.linalg.lstsq(known, beats, rcond=None)[0]
        told.append(1 - rest.var() / beats.var())
        missed.append(np.convolve(rest, np.full(60, 1 / 60), "valid").std())

    assert np.median(told) > 0.88
    assert np.median(missed) < 3.2


def test_hearts_rise_with_each_climb_of_a_trail_and_fall_with_each_descent():
    """Recorded: 165 beats where it rises and 147 where it falls."""
    trace = simulate(replace(SESSIONS["trail"], stops=(), pauses=(), faults=(), done=(Done(10_800, 0.72),)))
    grade = lag(trace.grade_pct, 12)
    rate = trace.heart_rate

    assert 12 < rate[grade > 4].mean() - rate[grade < -4].mean() < 40


def test_a_heart_is_up_sooner_than_down():
    """Recorded: two thirds of a rise within a minute; a fall as fast at first, and then minutes above where it ends."""
    effort = np.concatenate((np.full(240, 0.45), np.full(120, 0.95), np.full(240, 0.45)))
    beats = heart_rate(effort, np.zeros(len(effort)), Hearts(190, 50, 15.0))
    top, floor = beats[359], beats[239]
    risen = (beats[240 + 24] - floor) / (top - floor)
    fallen = (top - beats[360 + 24]) / (top - floor)

    assert risen > fallen + 0.08
    assert beats[360 + 48] - beats[-1] > 0.08 * (top - floor)
