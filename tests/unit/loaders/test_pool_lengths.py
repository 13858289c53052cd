"""Pool swims: lengths apart from rests, drills without a count, the pool that nobody names."""

import dataclasses
from math import isnan, nan

import numpy as np
import pandas as pd
import pytest

import rides
from coachboard.execution.pool_lengths import pool_length_m, rests, swum
from coachboard.loaders import pool_lengths
from coachboard.pages.activity.session_parts import Part, counts_of, parts_of
from coachboard.wire.enums import Sport, StrokeType
from session_data import data_of, recorded

FREE, BACK, DRILL = StrokeType.FREESTYLE, StrokeType.BACKSTROKE, StrokeType.DRILL
REST = {"speed": None, "strokes": None}
SWIM = rides.activity(
    lengths=(
        rides.length(0, 20, stroke=FREE),
        rides.length(20, 40, stroke=FREE),
        rides.length(40, 75, **REST),
        rides.length(75, 85, **REST),
        rides.length(85, 110, stroke=BACK, speed=1.0, strokes=14),
        rides.length(110, 140, stroke=DRILL, speed=0.0, strokes=0),
    )
)


def test_rests_are_no_lengths_and_belong_to_the_length_before():
    parts = parts_of(data_of(SWIM), Part.LENGTHS)

    assert counts_of(data_of(SWIM))[Part.LENGTHS] == 4
    assert len(parts.stretches) == 4
    assert parts.table["rest_after_s"].tolist() == pytest.approx([nan, 45, nan, nan], nan_ok=True)
    assert sum(rest.duration for rest in rests(SWIM)) == 45


def test_swolf_is_seconds_and_strokes_and_a_drill_has_none():
    table = parts_of(data_of(SWIM), Part.LENGTHS).table

    assert table["swolf"].tolist()[:3] == [30, 30, 39]
    assert isnan(table["swolf"].iloc[3])
    assert isnan(table["stroke_count"].iloc[3])


def test_lengths_are_summed_up_by_stroke_without_rests():
    by_stroke = pool_lengths.strokes_of(parts_of(data_of(SWIM), Part.LENGTHS).table).set_index("stroke")

    assert by_stroke["lengths"].to_dict() == {"freestyle": 2, "backstroke": 1, "drill": 1}


def test_the_pace_of_a_stroke_is_its_way_over_its_time():
    """Two lengths of 25 m in 20 and 30 s are 50 m in 50 s; the mean of their speeds would be 4 % faster."""
    swim = rides.activity(
        lengths=(
            rides.length(0, 20, stroke=FREE, speed=25 / 20),
            rides.length(20, 50, stroke=FREE, speed=25 / 30),
        )
    )

    by_stroke = pool_lengths.strokes_of(parts_of(data_of(swim), Part.LENGTHS).table)

    assert by_stroke["average_speed_mps"].tolist() == pytest.approx([1.0])


def test_the_pool_length_follows_from_the_lengths():
    assert pool_length_m(SWIM) == 25
    assert isnan(pool_length_m(rides.activity()))


def test_repetitions_are_lengths_between_rests_with_the_mean_of_their_strokes():
    """2 x 50 m with 30 s of rest, and 25 m of drill; a turn of 1 s counts as swum."""
    swim = rides.activity(
        lengths=(
            rides.length(0, 20, stroke=FREE, strokes=10),
            rides.length(21, 40, stroke=BACK, strokes=12),
            rides.length(40, 70, **REST),
            rides.length(70, 90, stroke=FREE, strokes=8),
            rides.length(90, 110, stroke=FREE, strokes=10),
            rides.length(140, 170, stroke=DRILL, speed=0.0, strokes=0),
        )
    )
    data = data_of(swim)
    table = parts_of(data, Part.REPETITIONS).table

    assert list(counts_of(data).items()) == [(Part.REPETITIONS, 3), (Part.LENGTHS, 5)]
    assert table["distance_m"].tolist() == [50, 50, 25]
    assert table["duration_s"].tolist() == [40, 40, 30]
    assert table["average_speed_mps"].tolist() == pytest.approx([1.25, 1.25, 25 / 30])
    assert table["rest_after_s"].tolist() == pytest.approx([30, 30, nan], nan_ok=True)
    assert table["stroke"].tolist() == ["mixed", "freestyle", "drill"]
    assert table["strokes_per_length"].tolist() == pytest.approx([11, 9, nan], nan_ok=True)
    assert pool_lengths.sets_of(table) == []


def test_a_set_is_repetitions_of_one_distance_and_stroke_with_its_usual_rest():
    """A warm-up of 400 m mixed, 4 x 400 m freestyle with a pause after the third, and 200 m."""
    rows = [(400, "mixed", 420, 30), *[(400, "freestyle", time_s, rest_s) for time_s, rest_s in
            ((320, 20), (330, 20), (310, 90), (340, 60))], (200, "freestyle", 180, nan)]  # fmt: skip
    table = pd.DataFrame(rows, columns=["distance_m", "stroke", "duration_s", "rest_after_s"])
    table["average_speed_mps"] = table["distance_m"] / table["duration_s"]
    (four,) = pool_lengths.sets_of(table)

    assert (four.count, four.distance_m, four.rest_s) == (4, 400, 20)
    assert (four.speed_mps, four.slowest_mps, four.fastest_mps) == (1600 / 1300, 400 / 340, 400 / 310)


def test_without_lengths_repetitions_lie_between_stops_of_six_seconds_in_a_pool_alone():
    """3 x 60 m with 20 s at the wall, a turn of 3 s in each."""
    speed = np.tile(np.repeat([1.2, 0.0, 1.2, 0.0], [25, 3, 25, 20]), 3)
    pool = recorded(speed=speed, distance=np.cumsum(speed) - speed)
    swim = rides.activity(sport=Sport.SWIMMING, total_duration=len(speed))
    lake = recorded(
        speed=speed, distance=np.cumsum(speed) - speed, positionLat=np.linspace(47, 47.01, len(speed))
    )
    table = parts_of(data_of(swim, pool), Part.REPETITIONS).table

    assert table["distance_m"].tolist() == pytest.approx([60, 60, 60])
    assert table["duration_s"].tolist() == [53, 53, 53]
    assert table["rest_after_s"].tolist() == pytest.approx([20, 20, nan], nan_ok=True)
    assert Part.REPETITIONS not in counts_of(data_of(swim, lake))
    assert Part.REPETITIONS not in counts_of(data_of(rides.activity(total_duration=len(speed)), pool))


def test_a_lap_at_the_wall_is_a_rest():
    speed = np.repeat([1.2, 0.0, 1.2], [50, 20, 50])
    laps = tuple(rides.provider_lap(start, end) for start, end in ((0, 50), (50, 70), (70, 120)))
    pool = recorded(speed=speed, distance=np.cumsum(speed) - speed)
    swim = rides.activity(sport=Sport.SWIMMING, provider_laps=laps, total_duration=120)
    table = parts_of(
        data_of(swim, dataclasses.replace(pool, timestamps=rides.streams(120).timestamps)), Part.DEVICE
    ).table

    assert table["label"].fillna("").tolist() == ["", "rest", ""]


@pytest.mark.parametrize(
    ("pool_m", "expected"),
    [(24.7, 25), (22.8, 22.86), (33.2, 100 / 3), (50.4, 50), (18.3, 18.288), (27.4, 27.4)],
)
def test_a_pool_is_as_long_as_people_say(pool_m, expected):
    swim = rides.activity(lengths=(rides.length(0, 20, speed=pool_m / 20),) * 3)

    assert pool_length_m(swim) == pytest.approx(expected)


def test_the_usual_length_is_that_of_the_swum_lengths():
    assert pool_lengths.usual_length_s(SWIM) == 22.5
    assert isnan(pool_lengths.usual_length_s(rides.activity()))


def test_in_a_swim_of_rests_alone_all_parts_are_lengths():
    bare = rides.activity(lengths=(rides.length(0, 20, **REST), rides.length(20, 40, **REST)))

    assert len(swum(bare)) == 2
    assert rests(bare) == ()


def test_a_rest_before_the_first_length_belongs_to_none():
    late = rides.activity(lengths=(rides.length(0, 20, **REST), rides.length(20, 40, stroke=FREE)))

    assert parts_of(data_of(late), Part.LENGTHS).table["rest_after_s"].isna().all()
