"""Long rides: where the cranks stand still, what the heart makes of hills and of level roads."""

from dataclasses import replace

import numpy as np
import pytest

from coachboard.service.demo.cells import smooth
from coachboard.service.demo.session import Done, Session
from coachboard.service.demo.simulation import simulate
from coachboard.service.demo.squad import ANNECY, GHENT
from coachboard.service.demo.trace import Trace
from demo_sessions import RIDE

_FIVE_MINUTES, _QUARTER_HOUR = 60, 180


def _rides(place) -> list[Trace]:
    uneven = np.random.default_rng(1).normal(1, 0.09, (8, 14)) * 0.62
    return [simulate(_ride(place, seed, efforts.tolist())) for seed, efforts in enumerate(uneven)]


def _ride(place, seed: int, efforts: list[float]) -> Session:
    done = tuple(Done(600, effort) for effort in efforts)
    still = replace(RIDE, stops=(), pauses=(), faults=(), done=done, place=place)
    return replace(still, seed=1 + 997 * seed, route_m=60_000 + 3_000 * seed)


@pytest.fixture(scope="module")
def level() -> list[Trace]:
    return _rides(GHENT)


@pytest.fixture(scope="module")
def hilly() -> list[Trace]:
    return _rides(ANNECY)


def test_coasting_comes_in_a_row_and_then_for_miles_there_is_none(level):
    """Recorded level rides: half of their stretches of five minutes have 1 to 4 %; spread evenly it was 6 %."""
    shares = np.concatenate(
        [(ride.cadence[:1680] == 0).reshape(-1, _FIVE_MINUTES).mean(axis=1) for ride in level]
    )

    assert np.quantile(shares, 0.5) < 0.04
    assert np.quantile(shares, 0.95) > 0.12


def test_descents_are_rolled_with_some_turns_in_between(hilly):
    """Recorded below 3 %: 54 to 85 % without pedalling."""
    turns = [(ride.cadence[ride.grade_pct < -3] > 0).mean() for ride in hilly]

    assert 0.15 < np.mean(turns) < 0.46


def test_power_is_steadier_uphill_than_downhill(hilly):
    """Nothing comes between a rider and a climb; out of bends it is all or nothing."""
    for ride in hilly:
        off = np.abs(ride.power_w / np.maximum(smooth(ride.power_w, 24), 1) - 1)
        climbs, descends = smooth(ride.grade_pct, 36) > 3, smooth(ride.grade_pct, 36) < -2

        assert np.median(off[climbs]) < 0.095
        assert np.median(off[descends]) > 4 * np.median(off[climbs])


def test_hearts_stay_where_they_are_on_level_roads(level):
    """Recorded with as uneven power: 5 to 7 beats around the mean and 5 beats a minute up or down; it was 12 and 9."""
    later = [ride.heart_rate[_QUARTER_HOUR:] for ride in level]

    assert np.mean([beats.std() for beats in later]) < 9
    assert np.mean([np.abs(np.diff(smooth(beats, 6))).mean() * 12 for beats in later]) < 6.5


def test_hearts_fall_over_the_top_of_a_climb(hilly):
    """Recorded hills: 170 beats up and 140 down."""
    falls = []
    for ride in hilly:
        grade = smooth(ride.grade_pct, _FIVE_MINUTES)
        late = np.roll(ride.heart_rate, -12)
        falls.append(late[grade > 2].mean() - late[grade < -2].mean())

    assert np.mean(falls) > 12


def test_nobody_climbs_at_one_speed():
    """Who cannot go slower went uphill at 5.76 km/h for minutes."""
    slow = []
    for seed in range(4):
        weak = replace(_ride(ANNECY, seed, [0.3] * 12), practice="gravel", route=f"way {seed}")
        speed = simulate(weak).speed_mps
        slow += speed[(speed < 2.2) & (speed > 1.2)].tolist()

    assert len(slow) > 50
    assert np.mean(np.abs(np.array(slow) - 1.6) < 0.01) < 0.1
