"""Trails and hikes: what the ground makes of pace, steps and the heart, and what a watch misses of it."""

from dataclasses import replace

import numpy as np
import pytest

from coachboard_demo.cells import smooth
from coachboard_demo.routes import Shape, route
from coachboard_demo.session import Done
from coachboard_demo.simulation import simulate
from coachboard_demo.squad import ANNECY, GIRONA
from coachboard_demo.streams import make_streams
from demo_sessions import SESSIONS

TRAIL = replace(
    SESSIONS["trail"], stops=(), pauses=(), faults=(), done=(Done(14_400, 0.72),), shape=Shape.HILL, route_m=4_500.0, route="hill"
)  # fmt: skip
TRAILS = [replace(TRAIL, seed=1 + 997 * number) for number in range(6)]
HIKE = replace(TRAIL, practice="hike", shape=Shape.LOOP, route_m=12_000.0, done=(Done(7200, 0.6),))


@pytest.fixture(scope="module")
def trails():
    return [simulate(session) for session in TRAILS]


@pytest.mark.parametrize("place", [GIRONA, ANNECY])
def test_a_hill_is_gone_up_and_down(place):
    """The recorded trail run goes up 250 m and down again eight times, and hardly anything else."""
    way = route(place, Shape.HILL, 4_500.0, "hill", steeper=2.3)

    assert way.altitude_m == pytest.approx(way.altitude_m[::-1], abs=6)
    assert np.ptp(way.altitude_m) > 0.6 * way.gain_m[-1]
    assert np.ptp(way.altitude_m) > 60


def test_a_hill_is_climbed_without_a_valley_or_a_level_on_the_way():
    """The recorded hill is a clean triangle; by the rise from home alone a third of the way was rolling valley floor."""
    for length_m in (3_000.0, 4_000.0, 5_000.0, 6_000.0):
        way = route(ANNECY, Shape.HILL, length_m, "hill", steeper=2.3)
        up = way.altitude_m[: len(way.altitude_m) // 2 + 1]
        assert np.abs(np.diff(up)).sum() < 1.25 * (up[-1] - up[0])
        assert (np.diff(up) < 0.25 * np.diff(up).mean()).mean() < 0.35


def test_hearts_go_with_the_hills_of_a_trail(trails):
    """Recorded: 168 beats up and 150 down, correlated with the grade by 0.7; it was 0.0 to 0.3."""
    ups = [
        np.corrcoef(smooth(trace.grade_pct, 36)[60:-12], smooth(trace.heart_rate, 12)[66:-6])[0, 1]
        for trace in trails
    ]

    assert np.mean(ups) > 0.5


def test_a_watch_misses_steps_for_some_minutes_and_then_none():
    """Three of the eight recorded climbs have most of them; spread evenly half of the quarter hours had some."""
    shares = []
    for session in (*TRAILS, replace(HIKE, seed=5), replace(HIKE, seed=77)):
        still = make_streams(session.to_bytes()).columns["cadence"] == 0
        minutes = still[: len(still) // 240 * 240].reshape(-1, 240).mean(axis=1)
        shares.append(np.sort(minutes)[: len(minutes) // 2].sum() / minutes.sum())

    assert np.mean(shares) < 0.1


def test_spikes_of_steps_have_all_heights_and_are_few():
    """They were all cut at the highest value there was, 94 or 102 on end, at two restarts of five."""
    tops, restarts = [], 0
    for seed in range(8):
        steps = make_streams(replace(HIKE, seed=9 + 997 * seed).to_bytes()).columns["cadence"]
        first = np.flatnonzero((steps[1:-3] > 0) & (steps[:-4] == 0)) + 1
        spikes = steps[first] - steps[first + 3]
        tops += ((steps[first] - np.median(steps[steps > 0])) / (steps.max() - np.median(steps)))[
            spikes > 3
        ].tolist()
        restarts += len(first)

    assert len(tops) < 0.2 * restarts
    assert np.mean(np.array(tops) > 0.95) < 0.2
    assert np.std(tops) > 0.15


def test_strides_shorten_and_quicken_downhill_and_differ_on_rocks(trails):
    """Recorded: 80 a minute uphill, 85 to 95 downhill, each minute's deviating by 2 where the road's do by 0.5 to 1."""
    for trace in trails:
        runs = ~trace.walks & (trace.cadence > 60)
        up, down = (trace.cadence[runs & way] for way in (trace.grade_pct > 3, trace.grade_pct < -6))

        assert down.mean() > up.mean() + 4
        assert (trace.cadence - smooth(trace.cadence, 12))[runs].std() > 1


def test_hikers_step_slower_the_steeper_it_goes_up():
    """Recorded: 52 steps a minute on the level and downhill, 48 up 8 % and 44 up more than 12 %; it was 1 to 3 fewer."""
    lost = []
    for seed in range(6):
        trace = simulate(replace(HIKE, seed=9 + 997 * seed))
        goes = trace.cadence > 30
        level, steep = (trace.cadence[goes & way] for way in (abs(trace.grade_pct) < 2, trace.grade_pct > 12))
        lost.append(np.median(level) - np.median(steep))

    assert 6 < np.mean(lost) < 11


def test_hikers_go_as_unevenly_as_the_recorded_one_and_in_some_minutes_more_so():
    """Recorded: in half of the stretches of five minutes 8 % off a minute's mean, in a tenth 9 %; it was 5 %."""
    usual, liveliest = [], []
    for seed in range(6):
        speed = make_streams(replace(HIKE, seed=9 + 997 * seed).to_bytes()).columns["speed"][:7200]
        stretches = np.abs(speed / smooth(speed, 60) - 1).reshape(-1, 300)
        each = np.median(stretches, axis=1)
        usual.append(np.median(each))
        liveliest.append(np.quantile(each, 0.9) / np.quantile(each, 0.1))

    assert 0.05 < np.mean(usual) < 0.09
    assert 1.5 < np.mean(liveliest) < 4


def test_no_run_is_told_with_the_same_strides_from_second_to_second():
    """A fifth to a third of the recorded runs' steps are not none; they were changed every five seconds at most."""
    steps = np.diff(make_streams(SESSIONS["run"].to_bytes()).columns["cadence"])

    assert 0.55 < (steps == 0).mean() < 0.85
