"""What gives made-up sessions away at a glance: held to the bands that the real recordings show."""

from dataclasses import replace

import numpy as np
import pytest

from coachboard_demo.motion import feet
from coachboard_demo.pool import lengths_of
from coachboard_demo.practice import PRACTICES
from coachboard_demo.roads import spaced
from coachboard_demo.routes import METRES_PER_DEGREE, Shape, route
from coachboard_demo.session import Done
from coachboard_demo.simulation import simulate
from coachboard_demo.squad import ANNECY, GIRONA
from coachboard_demo.streams import make_streams
from demo_sessions import RIDE, SESSIONS

SWIM = replace(
    RIDE, practice="open water", seed=15, shape=Shape.LAKE, route_m=1500.0, route="buoys", stops=(), pauses=(),
    done=(Done(1800, 0.9),), body=replace(RIDE.body, speed_mps=1.3),
)  # fmt: skip


WATCH_RUN = replace(SESSIONS["run"], sensors=(*SESSIONS["run"].sensors, "wrist"))


def turns_deg(east, north):
    """How much a way turns from one stretch of 20 m to the next."""
    along = np.append(0.0, np.cumsum(np.hypot(np.diff(east), np.diff(north))))
    even = np.arange(0, along[-1], 20.0)
    heading = np.arctan2(np.diff(np.interp(even, along, north)), np.diff(np.interp(even, along, east)))
    return np.abs(np.degrees(np.diff(np.unwrap(heading))))


@pytest.mark.parametrize(
    ("length_m", "fewest", "most"), [(9_000, 1.0, 5.0), (30_000, 0.4, 3.0), (100_000, 0.04, 1.0)]
)
def test_ways_turn_sharply_at_junctions_the_oftener_the_shorter_they_are(length_m, fewest, most):
    """Recordings: 0.3 to 3 turns of more than 45 degrees a km on runs, 5 off the road, 0.04 to 0.6 on long rides."""
    ways = [route(GIRONA, Shape.LOOP, length_m, f"test {number}") for number in range(6)]
    sharp = np.mean([(turns_deg(way.east_m, way.north_m) > 45).sum() for way in ways]) / (length_m / 1000)

    assert fewest < sharp < most


def test_between_junctions_roads_bend_gently():
    way = route(GIRONA, Shape.LOOP, 60_000, "test")

    assert np.median(turns_deg(way.east_m, way.north_m)) < 4


def test_a_swim_goes_straight_from_buoy_to_buoy_and_has_no_heights():
    streams = make_streams(SWIM.to_bytes())
    east = streams.columns["positionLong"] * METRES_PER_DEGREE * np.cos(np.radians(GIRONA.latitude))
    north = streams.columns["positionLat"] * METRES_PER_DEGREE
    turns = turns_deg(east, north)

    assert {"altitude", "grade"}.isdisjoint(streams.columns)
    assert np.median(turns) < 8
    assert 1 < (turns > 35).sum() < 14


@pytest.mark.parametrize(
    ("practice", "column", "steps"),
    [
        ("road", "power", (0.035, 0.12)),
        ("road", "speed", (0.006, 0.02)),
        ("trainer", "power", (0.03, 0.09)),
        ("run", "power", (0.002, 0.012)),
        ("run", "speed", (0.002, 0.012)),
        ("trail", "speed", (0.005, 0.025)),
    ],
)
def test_seconds_follow_each_other_as_smoothly_as_devices_write_them(practice, column, steps):
    """The median step from one second to the next, against the mean; the bands are those of the recordings."""
    values = make_streams(SESSIONS[practice].to_bytes()).columns[column]

    assert steps[0] < np.median(np.abs(np.diff(values))) / values.mean() < steps[1]


@pytest.mark.parametrize(
    ("session", "least", "most"),
    [
        (SESSIONS["run"], 0.4, 0.8),
        (SESSIONS["road"], 0.4, 0.8),
        (WATCH_RUN, 0.8, 2.6),
        (SWIM, 0.3, 0.8),
        (SESSIONS["pool"], 1.0, 2.6),
        (SESSIONS["strength"], 1.0, 2.6),
    ],
    ids=["strap on a run", "strap on a ride", "watch on a run", "strap in open water", "pool", "gym"],
)
def test_the_heart_rate_of_a_watch_trembles_and_that_of_a_strap_does_not(session, least, most):
    """Recordings: steps deviate by 0.5 to 0.7 bpm with a strap, by 1.1 to 2.5 in the pool, the gym and with a watch."""
    beats = make_streams(replace(session, pauses=()).to_bytes()).columns["heartRate"]

    assert least < np.diff(beats).std() < most


def test_a_watch_is_sure_of_a_steady_pulse_but_for_moments():
    """The recorded run with a watch alone: no step in most seconds, one in a hundred of four beats or more."""
    steps = np.abs(np.diff(make_streams(WATCH_RUN.to_bytes()).columns["heartRate"]))

    assert 0.45 < (steps == 0).mean() < 0.75
    assert 3 <= np.quantile(steps, 0.99) <= 6


def test_a_hikers_watch_counts_no_step_now_and_then():
    """The recorded hike has no cadence for a quarter of its time, in many short stretches."""
    hike = replace(SESSIONS["trail"], practice="hike", stops=(), pauses=(), faults=())
    still = make_streams(hike.to_bytes()).columns["cadence"] == 0

    assert 0.1 < still.mean() < 0.3
    assert np.count_nonzero(np.diff(still.astype(int)) == 1) / (len(still) / 3600) > 15


def test_a_rowing_machine_tells_one_pull_until_the_next():
    """Of the recorded steps of power from second to second 0.78 are none."""
    done = (Done(1200, 0.9),)
    row = replace(RIDE, practice="rowing machine", shape=None, stops=(), pauses=(), faults=(), done=done)
    power = make_streams(row.to_bytes()).columns["power"]

    assert 0.6 < (np.diff(power) == 0).mean() < 0.85
    assert np.quantile(np.abs(np.diff(power)), 0.99) > 5


@pytest.mark.parametrize(
    ("practice", "least", "most"), [("trail", 10.0, 22.0), ("hike", 7.0, 14.0), ("run", 2.0, 8.0)]
)
def test_paths_are_steeper_than_roads(practice, least, most):
    """Nineteen of twenty ways: 21 % on the recorded trail run in the Alps, 12 % on the hike, 2.5 % on the run."""
    kind = PRACTICES[practice]
    ways = [route(ANNECY, Shape.LOOP, 15_000, f"test {number}", steeper=kind.steeper) for number in range(6)]

    assert least < np.quantile(np.abs(np.concatenate([way.grade_pct for way in ways])), 0.95) < most


def test_a_watch_is_off_until_it_has_found_the_pulse_and_no_higher_than_the_summary_says():
    runs = [replace(WATCH_RUN, seed=seed) for seed in range(8)]
    off = []
    for run in runs:
        strap = make_streams(replace(run, sensors=SESSIONS["run"].sensors).to_bytes()).columns["heartRate"]
        watch = make_streams(run.to_bytes()).columns["heartRate"]
        off.append(np.abs(watch - strap))
        assert watch.mean() == pytest.approx(strap.mean(), abs=0.5)
        assert watch.max() <= strap.max()

    assert np.mean([each[:20].mean() for each in off]) > 5
    assert np.mean([each[300:].mean() for each in off]) < 2


def test_open_water_goes_unevenly_and_slowly_round_the_buoys():
    """Recordings: speeds deviate by a fifth to two fifths, the median step of a second is 2.5 %."""
    speed = make_streams(SWIM.to_bytes()).columns["speed"]
    tens = speed[: len(speed) // 10 * 10].reshape(-1, 10).mean(axis=1)

    assert 0.1 < speed.std() / speed.mean() < 0.45
    assert np.quantile(tens, 0.05) < 0.85 * np.median(tens)
    assert 0.01 < np.median(np.abs(np.diff(speed))) / speed.mean() < 0.032


def test_the_steepest_of_a_trail_is_walked_with_the_steps_of_a_walk():
    """The recorded trail run: 80 strides a minute and 56 walking, in bursts of 10 to 180 s, 0.75 as fast."""
    trail = replace(SESSIONS["trail"], stops=(), pauses=())
    trace = simulate(trail)
    walks, strides = trace.walks, trace.cadence
    edges = np.flatnonzero(np.diff(walks.astype(int)))
    bursts_s = np.diff(edges)[int(walks[0]) :: 2] * 5

    assert 0.04 < walks.mean() < 0.4
    assert 15 <= np.median(bursts_s) <= 90
    assert trace.grade_pct[walks].mean() > trace.grade_pct[~walks].mean() + 2
    assert np.median(strides[walks]) == pytest.approx(57, abs=3)
    assert np.median(strides[~walks & (trace.effort > 0.5)]) == pytest.approx(84, abs=6)
    steep = trace.grade_pct > 3
    assert trace.speed_mps[walks & steep].mean() < 0.85 * trace.speed_mps[~walks & steep].mean()


@pytest.mark.parametrize("practice", ["rowing machine", "water rowing"])
def test_rowers_lift_the_rate_for_pressure_and_rest_without_strokes(practice):
    done = (Done(600, 0.55), Done(720, 0.97), Done(60, 0.0), Done(300, 0.5), Done(360, 1.14))
    shape = PRACTICES[practice].shape
    row = replace(
        RIDE, practice=practice, seed=12, shape=shape, route_m=6000.0, stops=(), pauses=(), done=done
    )
    rate = make_streams(row.to_bytes()).columns["cadence"]
    easy, piece, rest, _, race = np.split(rate, np.cumsum([part.duration_s for part in done])[:-1])

    assert np.median(easy) == pytest.approx(18.5, abs=2.5)
    assert np.median(piece) == pytest.approx(24.5, abs=2.5)
    assert np.median(race) == pytest.approx(31.5, abs=2.5)
    assert (rest == 0).all()
    assert 0.2 < piece[60:].std() < 1.2
    assert piece[:10].mean() > np.median(piece)


def test_open_water_has_no_speed_that_lasts_for_one_point_of_the_way():
    """A swim of blocks stands still for 20 s, then steps: its steps are rarer and larger than a recording's."""
    speed = simulate(SWIM).speed_mps
    steps = np.abs(np.diff(speed))

    assert np.quantile(steps, 0.98) < 6 * np.median(steps)
    assert speed[0] < 0.5 * np.median(speed)


@pytest.mark.parametrize(("grade_pct", "share"), [(6.5, 0.87), (10.0, 0.79), (18.0, 0.57)])
def test_hikers_lose_as_much_speed_uphill_as_the_recorded_one(grade_pct, share):
    """Of the speed on the flat, as the recording shows it by bands of grade."""
    hike = PRACTICES["hike"]
    table = feet(3.5 * hike.speed_share, hike.uphill, hike.top_mps)
    flat, uphill = table.speed(np.full(2, 0.5), np.array([0.0, grade_pct]))

    assert uphill / flat == pytest.approx(share, abs=0.07)


def test_lengths_of_a_set_begin_fresh_and_fade():
    swim = SESSIONS["pool"]
    swim = replace(swim, swum=(replace(swim.swum[0], lengths=16, stroke="freestyle"),) * 12)
    found = lengths_of(swim)
    speed = (swim.pool_m / (found.end_s - found.start_s)).reshape(12, 16).mean(axis=0)

    assert speed[0] > 1.02 * speed[1:4].mean()
    assert speed[1:4].mean() > 1.01 * speed[12:15].mean()


def test_points_of_a_way_stand_at_equal_distances():
    east, north = spaced(np.array([0.0, 900.0, 900.0]), np.array([0.0, 0.0, 600.0]), 1500.0, rounded=False)
    steps = np.hypot(np.diff(east), np.diff(north))

    assert steps.sum() == pytest.approx(1500)
    assert steps == pytest.approx(25.0, rel=0.05)


def test_nobody_on_foot_goes_at_one_speed_from_one_point_of_the_way_to_the_next():
    hike = replace(
        SESSIONS["trail"], practice="hike", stops=(), pauses=(), faults=(), done=(Done(3600, 0.5),)
    )
    steps = np.abs(np.diff(simulate(hike).speed_mps))

    assert (steps > 0.02).mean() > 0.75


def test_repetitions_begin_faster_than_they_end_and_standing_has_no_steps():
    done = [Done(900, 0.7)]
    for _ in range(6):
        done += [Done(210, 1.02), Done(60, 0.05), Done(90, 0.36)]
    reps = replace(SESSIONS["track"], stops=(), pauses=(), faults=(), done=tuple(done))
    columns = make_streams(reps.to_bytes()).columns
    first, last, standing = [], [], []
    for start in range(900, len(columns["speed"]), 360):
        first.append(columns["speed"][start + 40 : start + 70].mean())
        last.append(columns["speed"][start + 170 : start + 200].mean())
        standing.append(columns["cadence"][start + 215 : start + 265].max())

    assert 0.01 < 1 - np.mean(last) / np.mean(first) < 0.12
    assert max(standing) == 0


@pytest.mark.parametrize("practice", ["trainer", "rowing machine"])
def test_a_flywheel_follows_within_seconds(practice):
    ride = replace(
        RIDE,
        practice=practice,
        shape=None,
        stops=(),
        pauses=(),
        faults=(),
        done=(Done(300, 0.5), Done(120, 1.0)),
    )
    speed = make_streams(ride.to_bytes()).columns["speed"]
    low, high = speed[200:290].mean(), speed[360:410].mean()

    assert speed[310:320].mean() > low + 0.6 * (high - low)


def test_speed_does_not_leap_up_before_it_falls():
    row = replace(RIDE, practice="rowing machine", shape=None, stops=(), pauses=(), faults=(),
                  done=(Done(300, 0.9), Done(60, 0.0), Done(300, 0.9)))  # fmt: skip
    speed = make_streams(row.to_bytes()).columns["speed"]

    assert speed[290:300].max() < 1.03 * np.median(speed[200:290])
