"""Long rides: where the cranks stand still, what the heart makes of hills and of level roads."""

from dataclasses import replace

import numpy as np
import pytest

from coachboard_demo.cells import smooth
from coachboard_demo.session import Done, Session
from coachboard_demo.simulation import simulate
from coachboard_demo.squad import ANNECY, GHENT
from coachboard_demo.streams import make_streams
from coachboard_demo.trace import Trace
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


def test_seconds_differ_less_uphill_than_downhill():
    """Recorded steps from one second to the next: 4 % of the mean power on climbs, 10 % on level roads, 17 % on descents."""
    session = _ride(ANNECY, 3, [0.62] * 12)
    power, grade = (make_streams(session.to_bytes()).columns[name] for name in ("power", "grade"))
    step = np.abs(np.diff(power, prepend=power[0])) / power[power > 20].mean()
    turns = power > 20
    climbs, descends = (smooth(each, 60) for each in ((grade > 3).astype(float), (grade < -2).astype(float)))

    assert np.median(step[turns & (climbs > 0.9)]) < 0.06
    assert np.median(step[turns & (descends > 0.9)]) > 0.08


def test_the_hardest_seconds_of_descents_are_those_out_of_bends(hilly):
    """Recorded below 2.5 %: a twentieth of what is turned exceeds the ride's median 1.6 times, a hundredth 2.4 times."""
    hard = []
    for ride in hilly:
        median = np.median(ride.power_w[ride.power_w > 20])
        turned = ride.power_w[(ride.grade_pct < -3) & (ride.power_w > 20)]
        hard.append(np.quantile(turned, 0.95) / median)

    assert 1.33 < np.median(hard) < 2.5


def test_some_minutes_of_a_level_ride_are_livelier_than_others(level):
    """Recorded: half a minute's deviations are 5 % on one level ride, 20 % on another."""
    shares = []
    for ride in level:
        turned = np.where(ride.power_w > 20, ride.power_w, np.nan)[:1620].reshape(-1, 36)
        spread = np.nanstd(turned, axis=1) / np.nanmean(turned, axis=1)
        shares.append(np.quantile(spread, 0.8) / np.quantile(spread, 0.2))

    assert np.median(shares) > 2.2


def test_steep_climbs_are_ground_up_at_low_cadence(hilly):
    """Recorded: 95 turns on climbs, 50 to 65 where they are steep."""
    lost = [
        ride.cadence[(abs(ride.grade_pct) < 1) & (ride.cadence > 0)].mean()
        - ride.cadence[(ride.grade_pct > 8) & (ride.cadence > 0)].mean()
        for ride in hilly
        if (ride.grade_pct > 8).sum() > 20
    ]

    assert len(lost) > 2
    assert 14 < np.mean(lost) < 35


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
