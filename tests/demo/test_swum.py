"""A pool session as recorded: blocks with breaks between them, repetitions that descend, strokes that are remembered."""

from dataclasses import replace
from random import Random

import numpy as np

from coachboard.models.enums import StrokeType
from coachboard_demo.execution import swum_of
from coachboard_demo.outing import with_lengths
from coachboard_demo.pool import lengths_of
from coachboard_demo.routes import Shape
from coachboard_demo.session import Done, Swum, Weather
from coachboard_demo.simulation import simulate
from coachboard_demo.streams import make_streams
from coachboard_demo.swim_workouts import css
from coachboard_demo.workouts import steps_of
from demo_sessions import SESSIONS

BY_LENGTH = SESSIONS["pool by length"]
SWIMS = [
    with_lengths(replace(BY_LENGTH, seed=seed, swum=swum_of(css(60), Random(seed), share=1.0, pool_m=25.0)))
    for seed in range(8)
]


LAKE = replace(
    BY_LENGTH, practice="open water", shape=Shape.LAKE, route_m=1500.0, route="buoys", done=(Done(1800, 0.9),), swum=(),
    weather=Weather(17.9, -0.7, 2.0, 1.0), faults=(),
)  # fmt: skip


def mains(swim):
    """The sets of 100 m."""
    return [swum for swum in swim.swum if swum.lengths == 4]


def test_there_is_a_breath_between_blocks_that_is_seen():
    """The recorded swim: two thirds of the rests below 30 s, a tenth of a minute or two."""
    for swim in SWIMS:
        rests = np.array([swum.rest_s for swum in swim.swum[:-1]])

        assert np.quantile(rests, 0.4) < 30
        assert (rests > 50).sum() >= 3
        assert rests.max() < 180


def test_in_some_blocks_each_repetition_is_faster_than_the_one_before():
    rising = [
        np.mean(np.diff([swum.effort for swum in mains(swim)[at : at + 4]]) > 0)
        for swim in SWIMS
        for at in range(len(mains(swim)) - 4)
    ]

    assert 0.05 < np.mean(np.array(rising) == 1) < 0.6


def test_a_drill_has_neither_strokes_nor_speed_in_the_stream():
    for swim in SWIMS:
        lengths, columns = lengths_of(swim), make_streams(swim.to_bytes()).columns
        drills = [
            end - 1
            for end, kind in zip(lengths.end_s, lengths.stroke, strict=True)
            if kind is StrokeType.DRILL
        ]

        assert len(drills) == 4
        assert (columns["cadence"][drills] == 0).all()
        assert (columns["speed"][drills] == 0).all()


def test_neighbouring_lengths_take_about_the_same_number_of_strokes():
    """Of the recorded steps within a set half are none and hardly one is of more than one stroke."""
    even = replace(BY_LENGTH, swum=(Swum(16, 0.9, 20, "freestyle"),) * 12)
    strokes = lengths_of(even).strokes.reshape(12, 16)
    steps = np.abs(np.diff(strokes[:, 1:], axis=1))

    assert (steps == 0).mean() > 0.45
    assert (steps > 1).mean() < 0.1
    assert strokes[:, 0].mean() < strokes[:, 1:].mean() - 0.8


def test_no_two_rests_at_the_wall_are_alike_for_the_heart():
    rate = simulate(with_lengths(replace(BY_LENGTH, swum=(Swum(4, 0.95, 30, "freestyle"),) * 20))).heart_rate
    lows = [part.min() for part in np.array_split(rate, 20)[2:]]

    assert np.std(lows) > 1.5


def test_a_watch_in_a_lake_counts_strokes_before_it_tells_them():
    """Recorded: nothing for 15 seconds, then 34 at once."""
    for seed in range(6):
        rate = make_streams(replace(LAKE, seed=seed).to_bytes()).columns["cadence"]
        first = int(np.flatnonzero(rate > 0)[0])

        assert 10 <= first <= 20
        assert rate[first] > 25


def test_a_thermometer_flickers_where_one_degree_becomes_another_and_nowhere_else():
    """Recorded: 18 and 17 in turn for 50 s three minutes after the start, and 17 from there on."""
    counts = []
    for seed in range(8):
        degrees = make_streams(replace(LAKE, seed=seed).to_bytes()).columns["temperature"][300:]
        changes = np.flatnonzero(np.diff(degrees))
        counts.append(len(changes))
        assert np.ptp(changes) < 700

    assert np.median(counts) >= 3


def test_a_long_pool_session_is_of_several_kinds():
    """Recorded: legs alone, arms alone, hundreds, two hundreds and seven fast fifties within 75 minutes."""
    steps = [step for step in steps_of(css(79)) if step.metres]
    hundreds = [at for at, step in enumerate(steps) if step.metres == 100]
    within = steps[hundreds[0] : hundreds[-1]]

    assert len(hundreds) == 24
    assert {step.stroke for step in within} == {"freestyle", "drill"}
    assert {step.metres for step in within} == {50, 100}


def test_hearts_do_not_stay_at_their_highest():
    """Recorded: the highest beat for 0.1 % of a swim; it was a ceiling that 2 % of the session stood at."""
    at_top = []
    for seed in range(12):
        swim = with_lengths(replace(SESSIONS["pool"], seed=1 + 997 * seed, faults=()))
        beats = make_streams(swim.to_bytes()).columns["heartRate"]
        at_top.append((beats == np.nanmax(beats)).mean())

    assert np.median(at_top) < 0.015
