"""Standstills as recorded: how many, how long, how they are come to, what the heart and the device do meanwhile."""

import itertools
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from coachboard_demo.interruptions import interruptions
from coachboard_demo.practice import PRACTICES
from coachboard_demo.session import Done
from coachboard_demo.simulation import simulate
from coachboard_demo.standing import ragged
from coachboard_demo.streams import make_streams
from demo_sessions import RIDE, SESSIONS

HOURS = 6
EVEN = tuple(Done(600, 0.6) for _ in range(6 * HOURS))


def lasted_s(practice):
    """How long each interruption of thirty long days was."""
    found = []
    for seed in range(30):
        stops, pauses = interruptions(PRACTICES[practice], EVEN, Random(seed))
        found += [cells * 5 for _, cells in stops] + [gap_s for _, gap_s in pauses]
    return np.array(found)


@pytest.mark.parametrize(
    ("practice", "an_hour", "median_s"),
    [
        ("road", (2.5, 6), (12, 40)),
        ("mountain bike", (10, 28), (10, 30)),
        ("run", (2, 6), (5, 15)),
        ("trail", (2, 7), (12, 30)),
        ("hike", (8, 20), (12, 30)),
    ],
)
def test_interruptions_are_as_many_and_as_long_as_recorded(practice, an_hour, median_s):
    lasted = lasted_s(practice)

    assert an_hour[0] < len(lasted) / (30 * HOURS) < an_hour[1]
    assert median_s[0] <= np.median(lasted) <= median_s[1]
    assert np.quantile(lasted, 0.95) > 4 * np.median(lasted)


@pytest.mark.parametrize(("practice", "longest_gaps_s"), [("mountain bike", 450), ("hike", 700)])
def test_one_interruption_brings_the_next_and_few_last_long(practice, longest_gaps_s):
    """Half of the recorded gaps between two are below a minute; three of a hundred are longer than 454 and 890 s."""
    gaps = []
    for seed in range(30):
        stops, pauses = interruptions(PRACTICES[practice], EVEN, Random(seed))
        spots = sorted((*stops, *((cell, 0) for cell, _ in pauses)))
        gaps += [5 * (after[0] - sum(before)) for before, after in itertools.pairwise(spots)]
    lasted = lasted_s(practice)

    assert np.median(gaps) < 60
    assert np.quantile(gaps, 0.97) > longest_gaps_s
    assert np.quantile(lasted, 0.97) > 8 * np.median(lasted)


def test_a_standstill_is_come_to_and_left_by_degrees():
    """Recorded: the ten seconds before are ridden at a fifth to a half of the usual speed."""
    ride = replace(RIDE, stops=tuple((cell, 6) for cell in range(260, 1400, 60)), pauses=())
    speed = make_streams(ride.to_bytes()).columns["speed"]
    before = np.mean([speed[cell * 5 - 10 : cell * 5].mean() for cell, _ in ride.stops])
    after = np.mean([speed[cell * 5 + 30 : cell * 5 + 40].mean() for cell, _ in ride.stops])

    assert 0.2 < before / np.median(speed) < 0.75
    assert 0.2 < after / np.median(speed) < 0.75


def test_who_stands_long_steps_aside_now_and_then():
    hike = replace(
        SESSIONS["trail"],
        practice="hike",
        pauses=(),
        stops=tuple((cell, 60) for cell in range(100, 1000, 90)),
    )
    moving = simulate(hike).moving
    within = np.concatenate([moving[cell : cell + 60] for cell, _ in hike.stops])

    assert 0.02 < (within > 0).mean() < 0.4
    assert within.max() < 0.3


def test_hearts_fall_differently_at_each_stop():
    """Recorded falls: from none at all in two minutes to 46 beats in 42 seconds."""
    stops = tuple((cell, 12) for cell in range(260, 1400, 60))
    rate = simulate(replace(RIDE, stops=stops, pauses=())).heart_rate
    falls = np.array([rate[cell] - rate[cell : cell + 16].min() for cell, _ in stops])

    assert falls.std() > 6
    assert 6 < np.median(falls) < 46


def test_after_a_pause_the_heart_is_calmer_and_the_place_the_same():
    ride = replace(RIDE, stops=(), pauses=((1000, 240),))
    trace = simulate(ride)

    assert trace.heart_rate[1000] < trace.heart_rate[999] - 15
    assert trace.altitude_m[1000] == pytest.approx(trace.altitude_m[999], abs=2)
    assert trace.heart_rate.min() > ride.body.hr_rest


def test_beats_wobble_more_where_somebody_stands():
    ride = replace(RIDE, practice="mountain bike", stops=((300, 100), (700, 100)), pauses=())
    beats = make_streams(ride.to_bytes()).columns["heartRate"]
    even = np.repeat(simulate(ride).heart_rate, 5)
    off = np.abs(beats - even)

    assert 1.2 < off[1600:1950].mean() < 4
    assert 0.6 < off[2200:3200].mean() < off[1600:1950].mean()


def test_beats_wobble_where_a_rider_rolls():
    """Recorded off the road: minutes deviate by 1.8 bpm, standing and moving alike, and by three times that at most."""
    ride = replace(SESSIONS["mountain bike"], stops=(), pauses=(), faults=(), done=(Done(7200, 0.62),))
    trace = simulate(ride)
    even = np.full(5 * len(trace), 130.0)
    wobble = np.abs(ragged(ride, trace, even) - 130).reshape(-1, 5).mean(axis=1)
    rolls = np.convolve(trace.effort < 0.08, np.full(12, 1 / 12), "same")

    assert 1.2 < wobble[rolls == 0].mean() < 2
    assert wobble[rolls > 0.7].mean() > wobble[rolls == 0].mean()


def test_a_strap_wobbles_in_bouts_and_most_while_it_is_dry():
    """Recorded rides: minutes differ by a factor of three to four, and the first eight are twice as ragged as the rest."""
    shares, first = [], []
    for seed in range(6):
        ride = replace(RIDE, seed=seed, stops=(), pauses=(), faults=())
        trace = simulate(ride)
        trace.effort = np.full(len(trace), 0.6)
        wobble = np.abs(ragged(ride, trace, np.full(5 * len(trace), 130.0)) - 130)
        minutes = wobble[: len(wobble) // 60 * 60].reshape(-1, 60).mean(axis=1)
        shares.append(np.quantile(minutes, 0.9) / np.quantile(minutes, 0.1))
        first.append(minutes[:5].mean() / minutes[20:].mean())

    assert 2 < np.mean(shares) < 6
    assert np.mean(first) > 1.3


def test_many_a_long_ride_off_the_road_has_a_long_rest():
    """The recorded one stands for a quarter of an hour."""
    rests = [
        max(cells * 5 for cells in [0, *(cells for _, cells in stops)])
        for stops, _ in (
            interruptions(PRACTICES["mountain bike"], EVEN[:15], Random(seed)) for seed in range(40)
        )
    ]

    assert 0.3 < np.mean(np.array(rests) >= 350) < 0.95
